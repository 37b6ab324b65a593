"""Operators that slide windows over images: convolution and pooling."""
