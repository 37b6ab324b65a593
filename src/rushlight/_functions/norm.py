"""The function and method `norm`, which take the power as a number or as a word."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.calls import reduction as calls
from rushlight.engine.calls import sparse as sparse_calls
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.sparse import is_sparse
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache


def _norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """The norm of vectors or matrices: ``p`` is a power, "fro" or "nuc"."""
    dims = [dim] if isinstance(dim, int) else dim
    name = p if isinstance(p, str) else ""
    if name == "nuc":
        dims = list(range(len(input._size_))) if dims is None else dims
        if out is None:
            return calls.linalg_matrix_norm_str_ord(input, name, dims, keepdim, dtype)
        return calls.linalg_matrix_norm_str_ord_out(input, name, dims, keepdim, dtype, out)
    if name and (name != "fro" or (dims is not None and len(dims) > 2)):
        raise RuntimeError(f"only valid string values are 'fro' and 'nuc', found {name}")
    power = 2.0 if name or p is None else p
    if is_sparse(input):
        return _norm_of_values(input, power, dims, keepdim, dtype)
    if out is None:
        return calls.linalg_vector_norm(input, power, dims, keepdim, dtype)
    return calls.linalg_vector_norm_out(input, power, dims, keepdim, dtype, out)


def _norm_of_values(
    input: Tensor,
    power: float | str,
    dims: Sequence[int] | None,
    keepdim: bool,
    dtype: dtype | None,
) -> Tensor:
    """The norm of a sparse tensor, which its values alone decide."""
    if dims and len(set(dims)) != len(input._size_):
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or "
            "contain all dimensions of the input"
        )
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    values = sparse_calls.values(sparse_calls.coalesce(input))
    return calls.linalg_vector_norm(values, power, None, False, dtype)


def as_method(
    self: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
) -> Tensor:
    """See `rushlight.norm`."""
    return _norm(self, p, dim, keepdim, None, dtype)


norm = call_cache.overridable_function("norm", _norm)
