"""Transformations of functions, and functions of modules.

`grad`, `vjp`, `jvp`, `vmap` and their kin take a function and give another one; they nest in any order
(`dispatch/layers.py` tells how).
"""

from __future__ import annotations

from rushlight._functorch.apis import grad, grad_and_value, vmap
from rushlight._functorch.eager_transforms import (
    debug_unwrap,
    functionalize,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from rushlight._functorch.einops import rearrange
from rushlight._functorch.functional_call import functional_call, stack_module_state

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "stack_module_state",
    "vjp",
    "vmap",
]
