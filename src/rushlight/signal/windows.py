"""Windows of any length, symmetric ones or one period of a periodic one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.layout import strided
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
    "general_hamming", "hamming", "hann", "kaiser", "nuttall",
]  # fmt: skip


class _Places:
    """The places ``0 .. M - 1`` of a window, and how a result is finished.

    Args:
        M: how many places
        sym: whether the last place mirrors the first; otherwise the place after the last does
    """

    def __init__(self, name: str, M: int, sym: bool, options: dict[str, Any]) -> None:
        self.kind = options.get("dtype") or state.default_dtype()
        layout = options.get("layout", strided)
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if self.kind not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {self.kind}")
        self.count = M
        self.last = (M - 1 if sym else M) or 1
        self.device = options.get("device")
        self.records = bool(options.get("requires_grad", False))

    def range(self, start: float = 0.0, step: float = 1.0) -> Any:
        """``start + step * k`` for every place."""
        places: Any = functions.arange(self.count, dtype=self.kind, device=self.device)
        return places * step + start

    def finish(self, made: Any) -> Any:
        return made.requires_grad_(True) if self.records else made

    def ones(self) -> Tensor:
        """The window of a single place, or none."""
        return self.finish(functions.ones(self.count, dtype=self.kind, device=self.device))


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any
) -> Tensor:
    """Falls off from the centre by a factor of e for every ``tau`` places."""
    places = _Places("exponential", M, sym, options)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M == 0:
        return places.ones()
    if center is None:
        center = (M if not sym and M > 1 else M - 1) / 2.0
    return places.finish(functions.exp(-functions.abs(places.range(-center / tau, 1 / tau))))


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Half a wave of a sine."""
    places = _Places("cosine", M, sym, options)
    if M == 0:
        return places.ones()
    step = math.pi / (M + 1 if not sym and M > 1 else M)
    return places.finish(functions.sin(places.range(0.5 * step, step)))


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """The bell curve with a standard deviation of ``std`` places."""
    places = _Places("gaussian", M, sym, options)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return places.ones()
    centre = (M if not sym and M > 1 else M - 1) / 2.0
    step = 1 / (std * math.sqrt(2))
    away = places.range(-centre * step, step)
    return places.finish(functions.exp(-(away * away)))


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """Bessel's function of order zero over half a circle."""
    places = _Places("kaiser", M, sym, options)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M <= 1:
        return places.ones()
    across = places.range(-1.0, 2.0 / places.last)
    height: Any = functions.sqrt(functions.clamp(1 - across * across, min=0)) * beta
    top = functions.i0(functions.full((), beta, dtype=places.kind, device=places.device))
    return places.finish(functions.i0(height) / top)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A raised cosine that doesn't reach zero."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A raised cosine."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A sum of two cosines."""
    _Places("blackman", M, sym, options)
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Up in a straight line and down again."""
    places = _Places("bartlett", M, sym, options)
    if M <= 1:
        return places.ones()
    return places.finish(1 - functions.abs(places.range(-1.0, 2.0 / places.last)))


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """A sum of cosines with the coefficients ``a``, whose signs alternate."""
    places = _Places("general_cosine", M, sym, options)
    if M <= 1:
        return places.ones()
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    given = list(a)
    if not given:
        raise ValueError("Coefficients cannot be empty")
    angle = places.range(0.0, 2 * math.pi / places.last)
    made: Any = functions.zeros(M, dtype=places.kind, device=places.device)
    for k, weight in enumerate(given):
        made = made + functions.cos(angle * k) * (-weight if k % 2 else weight)
    return places.finish(made)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """``alpha`` and a cosine of the rest."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A sum of three cosines with low side lobes."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)
