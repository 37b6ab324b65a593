"""Sparse tensors: coordinates and values in the place of memory."""

from __future__ import annotations

from rushlight.sparse import construct
from rushlight.sparse.construct import check_sparse_tensor_invariants

__all__ = ["check_sparse_tensor_invariants"]

globals().update(construct.TYPES)
