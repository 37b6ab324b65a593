"""Averages of parameters, in place of those of gradients."""
