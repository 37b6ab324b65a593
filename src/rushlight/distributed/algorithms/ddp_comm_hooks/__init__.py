"""Functions that average the gradients of `DistributedDataParallel`."""
