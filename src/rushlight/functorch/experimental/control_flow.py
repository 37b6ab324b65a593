"""Operators that take functions, where `functorch` has them."""

from rushlight._higher_order_ops.cond import UnsupportedAliasMutationException, cond
from rushlight._higher_order_ops.map import _stack_pytree, _unstack_pytree, map

__all__ = ["UnsupportedAliasMutationException", "_stack_pytree", "_unstack_pytree", "cond", "map"]
