"""Where PyTorch has the classes of nested tensors."""
