"""All parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """The elements of all parameters, one after another."""
    return functions.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Let the parameters be views of the vector's parts."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].view_as(parameter).data  # type: ignore[index]
        start += count
