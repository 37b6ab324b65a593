"""What PyTorch has in C for its compiler, as far as programs use it."""

from rushlight._C._dynamo import guards
