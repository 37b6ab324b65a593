"""Semi-structured sparsity: two of four elements. Only GPUs compute with it, so it is refused here."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor

__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUSPARSELT",
    "SparseSemiStructuredTensorCUTLASS",
    "to_sparse_semi_structured",
]


class SparseSemiStructuredTensor(Tensor):
    """A tensor of which two of four neighbouring elements are zero; there are none on CPUs."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{cls.__name__}: only CUDA devices have semi-structured tensors")


class SparseSemiStructuredTensorCUTLASS(SparseSemiStructuredTensor):
    """The one that CUTLASS multiplies."""


class SparseSemiStructuredTensorCUSPARSELT(SparseSemiStructuredTensor):
    """The one that cuSPARSELt multiplies."""


def to_sparse_semi_structured(original_tensor: Tensor, transposed: bool = False) -> Any:
    """Refused: only CUDA devices compute with two of four elements."""
    device = original_tensor._storage_.device
    raise RuntimeError(
        f"Error original_tensor.device= {device} is not supported! Only CUDA tensors are currently "
        "supported."
    )
