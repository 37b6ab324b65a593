"""Which functions of this folder are methods of tensors, too."""

from __future__ import annotations

from rushlight._functions import low_rank, norm, stft, unique, variadic

METHODS = {
    **variadic.METHODS,
    "norm": norm.as_method,
    **unique.METHODS,
    **low_rank.METHODS,
    **stft.METHODS,
}
