"""Which functions of this folder are methods of tensors, too."""

from __future__ import annotations

from rushlight._functions import first_class, low_rank, norm, stft, unique, variadic

METHODS = {
    **variadic.METHODS,
    "index": first_class.index,
    "norm": norm.as_method,
    **unique.METHODS,
    **low_rank.METHODS,
    **stft.METHODS,
}
