"""Transformations of functions: the layers of the stack that `dispatch/layers.py` describes.

`differentiation.py` has the layers of `grad`, `vjp` and `jvp`, `batch.py` that of `vmap`.
"""
