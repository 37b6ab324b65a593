"""Operators that slide windows over images: padding, convolution and pooling."""
