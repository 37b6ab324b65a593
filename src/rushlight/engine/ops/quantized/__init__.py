"""Quantized tensors, and products of eight-bit numbers."""
