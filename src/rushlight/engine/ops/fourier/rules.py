"""What the gradient formulas of Fourier transforms call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, joining
from rushlight.engine.calls import fourier as calls

Ints = Sequence[int]


def real_to_complex_backward(
    grad: Any, dims: Ints, normalization: int, onesided: bool, size: Ints
) -> Any:
    """The real part of the transform back; coefficients that were left out have no gradient."""
    if onesided:
        last = dims[-1]
        missing = list(grad._size_)
        missing[last] = size[last] - missing[last]
        grad = joining.cat([grad, creation.new_zeros(grad, missing)], last)
    return calls._fft_c2c(grad, dims, normalization, False).real


def complex_to_real_backward(grad: Any, dims: Ints, normalization: int) -> Any:
    """The transform back; a coefficient counts twice if its mirror image was left out."""
    last = dims[-1]
    found = calls._fft_r2c(grad, dims, normalization, True)
    kept = found._size_[last]
    mirrored = grad._size_[last] - kept
    parts = [
        found.narrow(last, 0, 1),
        found.narrow(last, 1, mirrored) * 2,
        found.narrow(last, 1 + mirrored, kept - 1 - mirrored),
    ]
    return joining.cat(parts, last)
