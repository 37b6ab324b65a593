"""Samples of Fourier transforms."""

from __future__ import annotations

from typing import Any

from rushlight.engine.ops.samples import Samples, numbers, of

samples = Samples("fourier")
add = samples.add


def with_squares(x: Any) -> Any:
    """Complex numbers of real ones."""
    return x + 1j * x * x


add("_fft_c2c", of(with_squares, numbers(3, 4)), [0, 1], 1, False, is_real=True)
add("_fft_r2c", numbers(3, 5), [0, 1], 0, True, is_real=True)
add("_fft_r2c", numbers(2, 6), [1], 0, False, what="two-sided", is_real=True)
add("_fft_c2r", of(with_squares, numbers(3, 3)), [0, 1], 2, 4, is_real=True)
add("_fft_c2r", of(with_squares, numbers(2, 3)), [1], 2, 5, what="odd", is_real=True)

samples.given("stft", n_fft=4, return_complex=True)
samples.operands(numbers(12), "stft")
add("istft", of(with_squares, numbers(3, 5)), 4)
