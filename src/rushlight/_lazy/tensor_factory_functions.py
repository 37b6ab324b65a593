"""Functions that make tensors of none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight

__all__ = ["tensor_factory_functions"]

_NAMES = (
    "arange", "bartlett_window", "blackman_window", "empty", "empty_strided", "eye", "full", "from_file",
    "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "ones", "rand", "randint", "randn",
    "randperm", "range", "scalar_tensor", "tensor", "tril_indices", "triu_indices", "zeros",
)  # fmt: skip
tensor_factory_functions: tuple[Callable[..., Any], ...] = tuple(
    getattr(rushlight, name) for name in _NAMES
)
