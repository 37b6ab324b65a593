"""References: every operator as a function of Python.

PyTorch writes its operators a second time in Python, as specifications to compare kernels with. Here
the operators are Python to begin with, so an operator's reference is the operator itself: what is
looked up here is the public function, or the tensor's method as a function. Only the few names that
exist nowhere else are defined here.
"""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight._refs import _conversions as _conversions
from rushlight._refs import _lookup
from rushlight._refs import fft as fft
from rushlight._refs import linalg as linalg
from rushlight._refs import nn as nn
from rushlight._refs import special as special
from rushlight.engine.core.tensor import Tensor

_public = _lookup.reference_in(rushlight, __name__)
broadcast_shapes = rushlight.broadcast_shapes


def rfloordiv(a: Any, b: Any) -> Any:
    """``b // a``."""
    return rushlight.floor_divide(b, a)


def rpow(a: Any, b: Any) -> Any:
    """``b ** a``."""
    return rushlight.pow(b, a)


def rtruediv(a: Any, b: Any) -> Any:
    """``b / a``."""
    return rushlight.true_divide(b, a)


def trunc_divide(a: Any, b: Any) -> Any:
    """The quotient rounded towards zero."""
    return rushlight.div(a, b, rounding_mode="trunc")


def swap_axes(a: Tensor, axis0: int, axis1: int) -> Tensor:
    """Exchange two dimensions."""
    return rushlight.swapaxes(a, axis0, axis1)


def _maybe_broadcast(*args: Any, preserve_cpu_scalar_tensors: bool = True) -> tuple[Any, ...]:
    """Operands brought to their common size; None and numbers are left as they are.

    Args:
        args: the operands
        preserve_cpu_scalar_tensors: leave tensors of the host that have no dimensions, too
    """
    for arg in args:
        if arg is not None and not isinstance(arg, (Tensor, int, float, complex)):
            raise RuntimeError(f"Unexpected type when broadcasting: {type(arg)}!")

    def is_left(arg: Any) -> bool:
        is_single = (
            isinstance(arg, Tensor) and not arg._size_ and arg._storage_.device.type == "cpu"
        )
        return not isinstance(arg, Tensor) or (is_single and preserve_cpu_scalar_tensors)

    sizes = [arg._size_ for arg in args if isinstance(arg, Tensor)]
    common = broadcast_shapes(*sizes) if sizes else ()
    return tuple(
        arg if is_left(arg) or arg._size_ == common else rushlight.broadcast_to(arg, common)
        for arg in args
    )


def copy_to(a: Tensor, b: Tensor, *, allow_cross_device: bool = True) -> Tensor:
    """Write the elements of ``b`` to ``a``."""
    if not allow_cross_device and a.device != b.device:
        raise RuntimeError(
            f"Attempting to copy from device {b.device} to device {a.device}, but cross-device "
            "copies are not allowed!"
        )
    return a.copy_(b)


def alias(a: Tensor) -> Tensor:
    """A view of the whole tensor."""
    return rushlight.ops.aten.alias(a)  # type: ignore[no-any-return]


def T(a: Tensor) -> Tensor:
    """The transposed matrix."""
    return a.T


def item(a: Tensor) -> Any:
    """The only element as a number of Python."""
    return a.item()


def frexp(self: Tensor) -> tuple[Tensor, Tensor]:
    """Mantissa and exponent."""
    return tuple(rushlight.frexp(self))


def _filled_anew(name: str) -> Any:
    """A function that gives a new tensor for one that a method overwrites."""

    def fill(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return getattr(rushlight.empty_like(self), name)(*args, **kwargs)

    fill.__name__ = fill.__qualname__ = name.rstrip("_")
    return fill


cauchy, exponential, geometric, log_normal, zero = map(
    _filled_anew, ("cauchy_", "exponential_", "geometric_", "log_normal_", "zero_")
)


def __getattr__(name: str) -> Any:
    # Functions of the public namespace come first; what only tensors have are methods.
    if not hasattr(rushlight, name) and _lookup.is_method(name):
        return _lookup.method(name)
    return _public(name)
