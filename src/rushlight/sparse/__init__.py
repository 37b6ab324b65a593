"""Sparse tensors: coordinates and values in the place of memory."""

from __future__ import annotations

from rushlight.sparse import construct
from rushlight.sparse.construct import check_sparse_tensor_invariants
from rushlight.sparse.functions import (
    addmm,
    log_softmax,
    mm,
    sampled_addmm,
    softmax,
    spdiags,
    spsolve,
    sum,
)
from rushlight.sparse.gradients import as_sparse_gradcheck
from rushlight.sparse.semi_structured import (
    SparseSemiStructuredTensor,
    SparseSemiStructuredTensorCUSPARSELT,
    SparseSemiStructuredTensorCUTLASS,
    to_sparse_semi_structured,
)

__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUSPARSELT",
    "SparseSemiStructuredTensorCUTLASS",
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "spsolve",
    "sum",
    "to_sparse_semi_structured",
]

globals().update(construct.TYPES)
