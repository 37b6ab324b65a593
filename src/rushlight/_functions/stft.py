"""`stft` and `istft` in Python's form: as functions and as methods."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.generated import functions

__all__ = ["istft", "stft"]


def _stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Fourier transforms of overlapping pieces of a signal: frequencies by pieces."""
    return functions.stft(
        input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided,
        return_complex, align_to_window,
    )  # fmt: skip


def _istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose `stft` is the input, as well as one can be found."""
    return functions.istft(
        input, n_fft, hop_length, win_length, window, center, normalized, onesided, length,
        return_complex,
    )  # fmt: skip


stft: Any = call_cache.overridable_function("stft", _stft)
istft: Any = call_cache.overridable_function("istft", _istft)
METHODS = {"stft": _stft, "istft": _istft}
