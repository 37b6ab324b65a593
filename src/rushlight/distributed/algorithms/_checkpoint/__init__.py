"""Modules that keep less for their gradients, as wrappers."""
