"""Sparse tensors: coordinates and values in the place of memory."""

from __future__ import annotations

from rushlight.sparse import construct
from rushlight.sparse.construct import check_sparse_tensor_invariants
from rushlight.sparse.functions import addmm, log_softmax, mm, sampled_addmm, softmax, sum

__all__ = [
    "addmm",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "sum",
]

globals().update(construct.TYPES)
