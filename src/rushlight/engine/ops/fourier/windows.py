"""Windows: weights that fade a piece of a signal in and out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation
from rushlight.engine.calls.remembered import pointwise as maps
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import FLOATING
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.ops.kinds.pinning import pinned
from rushlight.engine.ops.kinds.views import composite

Shape = Callable[[Tensor, int], Tensor]
_NARROW = (dtypes.float16, dtypes.bfloat16)


def window(name: str, length: int, periodic: bool, shape: Shape, options: Any) -> Tensor:
    """A window of a shape that is a function of places ``0 .. count - 1``.

    A periodic window is the beginning of one that is longer by one.
    """
    kind, _, device, _ = options
    kind = kind or promotion.to_float(dtypes.int64)
    if kind.category != FLOATING:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {promotion.title(kind)}")
    if length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={length}"
        )
    if length <= 1:
        return creation.ones((length,), dtype=kind, device=device)
    count = length + 1 if periodic else length
    wide = dtypes.float32 if kind in _NARROW else kind
    made = shape(creation.arange(count, dtype=wide, device=device), count)
    made = made if wide is kind else copies.to_dtype(made, kind)
    return copies.contiguous(views.narrow(made, 0, 0, length)) if periodic else made


def bartlett(places: Tensor, count: int) -> Tensor:
    """Up to one in a straight line, and down again."""
    rising = maps.mul_Scalar(places, 2 / (count - 1))
    falling = maps.rsub_Scalar(rising, 2, 1)
    return maps.minimum(rising, falling)


def hamming(alpha: float, beta: float) -> Shape:
    """A raised cosine; Hann's has halves for both numbers."""

    def shape(places: Tensor, count: int) -> Tensor:
        wave = maps.cos(maps.mul_Scalar(places, 2 * math.pi / (count - 1)))
        return maps.add_Scalar(maps.mul_Scalar(wave, -beta), alpha, 1)

    return shape


def blackman(places: Tensor, count: int) -> Tensor:
    """A sum of two cosines."""
    angle = maps.mul_Scalar(places, math.pi / (count - 1))
    fast = maps.mul_Scalar(maps.cos(maps.mul_Scalar(angle, 4)), 0.08)
    slow = maps.mul_Scalar(maps.cos(maps.mul_Scalar(angle, 2)), 0.5)
    return maps.add_Scalar(maps.sub_Tensor(fast, slow, alpha=1), 0.42, 1)


def kaiser(beta: float) -> Shape:
    """Bessel's function over half a circle."""

    def shape(places: Tensor, count: int) -> Tensor:
        centre = (count - 1) / 2
        across = maps.div_Scalar(maps.sub_Scalar(places, centre, 1), centre)
        height = maps.sqrt(maps.rsub_Scalar(maps.mul_Tensor(across, across), 1, 1))
        top = maps.i0(creation.full((), beta, dtype=places._dtype_, device=places._storage_.device))
        return maps.div_Tensor(maps.i0(maps.mul_Scalar(height, beta)), top)

    return shape


def _register(name: str, overload: str, shape: Callable[..., Shape]) -> None:
    """One overload: a length, whether it is periodic, and the shape's numbers."""
    periodic_given = overload != ""

    def functional(*args: Any) -> Tensor:
        *given, kind, layout, device, pin_memory = args
        length, *rest = given
        periodic = rest.pop(0) if periodic_given else True
        options = kind, layout, device, pin_memory
        made = window(name, length, periodic, shape(*rest), options)
        return pinned(made) if pin_memory else made

    composite(f"{name}.{overload}" if overload else name)(functional)


for _overload in ("", "periodic"):
    _register("bartlett_window", _overload, lambda: bartlett)
    _register("blackman_window", _overload, lambda: blackman)
    _register("hann_window", _overload, lambda: hamming(0.5, 0.5))
    _register("hamming_window", _overload, lambda: hamming(0.54, 0.46))
    _register("kaiser_window", _overload, lambda: kaiser(12.0))
_register("hamming_window", "periodic_alpha", lambda alpha: hamming(alpha, 0.46))
_register("hamming_window", "periodic_alpha_beta", hamming)
_register("kaiser_window", "beta", kaiser)
