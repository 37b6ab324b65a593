"""What `torch.library` is made of."""
