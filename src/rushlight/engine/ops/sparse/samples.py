"""Samples of the family sparse."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sparse as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.layout import sparse_csr
from rushlight.engine.ops.samples import Samples, numbers, of, places

samples = Samples("sparse")
add = samples.add

_INDICES, _VALUES, _SIZE = places([[0, 1, 1], [2, 0, 2]]), numbers(3), [2, 3]


def sparse(x: Any) -> Any:
    return x.to_sparse()


def rows_compressed(x: Any) -> Any:
    return x.to_sparse_csr()


def columns_compressed(x: Any) -> Any:
    return x.to_sparse_csc()


def uncoalesced(x: Any) -> Any:
    made = calls._sparse_coo_tensor_unsafe
    return made(x.detach().new_tensor([[0, 0, 1]]).long(), x, (2,))


SPARSE = of(sparse, numbers(2, 3))
add("sparse_coo_tensor.indices", _INDICES, _VALUES)
add("sparse_coo_tensor.indices_size", _INDICES, _VALUES, _SIZE)
add("_sparse_coo_tensor_unsafe", _INDICES, _VALUES, _SIZE)
add("_sparse_coo_tensor_with_dims_and_tensors", 2, 0, _SIZE, _INDICES, _VALUES)
add("_validate_sparse_coo_tensor_args", _INDICES, _VALUES, _SIZE)
for _name in (
    "_dimI", "_dimV", "_nnz", "indices", "values", "_indices", "_values", "is_coalesced", "coalesce",
    "_coalesce", "_to_dense", "_sparse_sum",
):  # fmt: skip
    add(_name, SPARSE)
add("_coalesced_", SPARSE, True)
add("sparse_mask", numbers(2, 3), SPARSE)
add("_sparse_sum.dtype", SPARSE, dtype=dtypes.float64)
add("_sparse_sum.dim", SPARSE, [1])
add("_sparse_sum.dim_dtype", SPARSE, [1], dtype=dtypes.float64)
add("embedding_sparse_backward", numbers(3, 2), places([1, 0, 1]), 4, -1, False)
add("_sparse_mm", SPARSE, numbers(3, 2))
add("_sparse_mm.reduce", of(rows_compressed, numbers(2, 3)), numbers(3, 2), "sum")
add("_sparse_addmm", numbers(2, 2), SPARSE, numbers(3, 2))
add("_sparse_sparse_matmul", SPARSE, of(sparse, numbers(3, 2)))
add("hspmm", SPARSE, numbers(3, 2))
for _name in ("_sparse_softmax", "_sparse_log_softmax"):
    add(f"{_name}.int", SPARSE, 1)
    add(_name, SPARSE, 1, False)
    add(f"{_name}_backward_data", SPARSE, SPARSE, 1, SPARSE)
add("sparse_resize_and_clear_", SPARSE, [3, 4], 2, 0)
_COMPRESSED = (places([0, 1, 3]), places([2, 0, 2]), _VALUES)
add("sparse_compressed_tensor.comp_plain_value_size", *_COMPRESSED, _SIZE, layout=sparse_csr)
add("sparse_compressed_tensor.comp_plain_value", *_COMPRESSED, layout=sparse_csr)
add("_validate_sparse_compressed_tensor_args", *_COMPRESSED, _SIZE, sparse_csr)
for _name in ("crow_indices", "col_indices"):
    add(_name, of(rows_compressed, numbers(2, 3)))
for _name in ("ccol_indices", "row_indices"):
    add(_name, of(columns_compressed, numbers(2, 3)))
add("sparse_sampled_addmm", of(rows_compressed, numbers(2, 3)), numbers(2, 4), numbers(4, 3))
add("_sparse_compressed_tensor_unsafe", *_COMPRESSED, _SIZE, layout=sparse_csr)
add("_gather_sparse_backward", numbers(2, 3), 1, places([[0, 1], [2, 0]]), numbers(2, 2))
add("_convert_indices_from_coo_to_csr", places([0, 0, 2]), 4)
add("_convert_indices_from_csr_to_coo", places([0, 2, 2, 3]), places([1, 0, 2]))
add("_spdiags", numbers(2, 3), places([0, 1]), [3, 3])
for _name in ("_sparse_csr_sum.dim_dtype", "_sparse_csr_prod.dim_dtype"):
    add(_name, of(rows_compressed, numbers(2, 3)), [1], True)
add("smm", SPARSE, numbers(3, 2))
add("sspaddmm", of(sparse, numbers(2, 2)), SPARSE, numbers(3, 2))
add("sparse_resize_", SPARSE, [3, 4], 2, 0)
add("resize_as_sparse_", SPARSE, SPARSE)
add("_sparse_broadcast_to", of(sparse, numbers(1, 3)), [2, 3])
for _name in ("_validate_sparse_csr_tensor_args", "_validate_sparse_csc_tensor_args"):
    _size = _SIZE if "csr" in _name else _SIZE[::-1]
    add(_name, *_COMPRESSED, _size)
_BLOCKS = (places([0, 1, 1]), places([0]), numbers(1, 1, 1))
for _name in ("_validate_sparse_bsr_tensor_args", "_validate_sparse_bsc_tensor_args"):
    add(_name, *_BLOCKS, [2, 2])
add("_sparse_compressed_tensor_with_dims", 0, 0, _SIZE, [], dtypes.int64, layout=sparse_csr)
for _name in ("to_sparse_bsr", "_to_sparse_bsr", "to_sparse_bsc", "_to_sparse_bsc"):
    add(_name, numbers(2, 4), [1, 2])
add("_validate_compressed_sparse_indices", True, places([0, 1, 3]), places([2, 0, 2]), 2, 3, 3)
