"""Exported programs as texts, in PyTorch's schema."""
