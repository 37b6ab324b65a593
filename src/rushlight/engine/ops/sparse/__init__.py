"""The operators of sparse tensors."""
