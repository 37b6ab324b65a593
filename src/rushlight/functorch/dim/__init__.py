"""First-class dimensions: objects that stand for dimensions of tensors.

    i, j, k = dims()
    product = (a[i, k] * b[k, j]).sum(k).order(i, j)

Functions run for all indices of the dimensions of their arguments; where a function takes the number of a dimension
it takes the dimension itself; and a dimension is a tensor of its indices.
"""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.functorch.dim import _methods
from rushlight.functorch.dim._lists import DimList, dimlists, dims
from rushlight.functorch.dim._tensors import (
    Dim,
    DimensionBindError,
    DimensionMismatchError,
    Tensor,
    _Tensor,
    cat,
    index,
    split,
    stack,
)

_methods.attach(_Tensor)

TensorLike = (_Tensor, torch.Tensor)


def softmax(input: Any, dim: Any, **kwargs: Any) -> Any:
    """`torch.nn.functional.softmax` along a dimension, which may be a first-class one."""
    return torch.nn.functional.softmax(input, dim=dim, **kwargs)


__all__ = [
    "Dim", "DimList", "DimensionBindError", "DimensionMismatchError", "Tensor", "TensorLike", "cat",
    "dimlists", "dims", "index", "softmax", "split", "stack",
]  # fmt: skip
