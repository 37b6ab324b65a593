"""Passes over graphs of operators."""
