"""Symbolic sizes for sympy, which is not needed otherwise: only what imports it here does."""
