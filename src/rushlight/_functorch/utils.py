"""Small things around transformations."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any, Union

from rushlight._C import _functorch
from rushlight.engine.core.tensor import Tensor

argnums_t = Union[int, tuple[int, ...]]


@contextlib.contextmanager
def enable_single_level_autograd_function() -> Generator[None, None, None]:
    """A block in which an `autograd.Function` counts as a step of one layer only."""
    before = _functorch.get_single_level_autograd_function_allowed()
    _functorch.set_single_level_autograd_function_allowed(True)
    try:
        yield
    finally:
        _functorch.set_single_level_autograd_function_allowed(before)


def unwrap_dead_wrappers(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values without the wrappers of transformations that have ended."""
    return tuple(_functorch.unwrap_if_dead(one) if isinstance(one, Tensor) else one for one in args)
