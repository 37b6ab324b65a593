"""Transformations of functions, where PyTorch keeps them; `rushlight.func` has the public names."""
