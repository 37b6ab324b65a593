"""Masked reductions of sparse tensors: what has no value does not count, unless the mask names it."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor

_LAYOUTS = (rushlight.sparse_coo, rushlight.sparse_csr)


def reduced(
    name: str, input: Any, dims: tuple[int, ...], keepdim: bool, mask: Any, neutral: Any
) -> Tensor:
    """A reduction in the input's layout.

    Args:
        name: sum, prod, amax or amin
        input: a tensor of layout ``sparse_coo`` or ``sparse_csr``
        dims: the dimensions, from the front
        keepdim: whether they stay, with one element
        mask: which elements count; those that have a value if None, which only sums take
        neutral: what does not change the result
    """
    if input.layout not in _LAYOUTS:
        raise ValueError(
            f"masked {name} expects strided, sparse_coo or sparse_csr tensor (got {input.layout} tensor)"
        )
    kind = str(input.layout).removeprefix("torch.")
    if mask is None and name != "sum":
        raise ValueError(f"masked {name} expects explicit mask for {kind} tensor input")
    if input.layout is rushlight.sparse_csr and not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    whole = _counting(input.to_sparse(), mask, neutral)
    made = _over(name, whole, dims, keepdim, neutral, input.layout is rushlight.sparse_csr)
    return made if input.layout is rushlight.sparse_coo else made.to_sparse_csr()  # type: ignore[attr-defined, no-any-return]


def _counting(sparse: Any, mask: Any, neutral: Any) -> Any:
    """The elements that count, and only those, as a tensor in order."""
    if mask is None:
        return sparse.coalesce()
    dense = mask if mask.layout is rushlight.strided else mask.to_dense()
    pattern = dense.bool().expand(sparse.shape).to_sparse(sparse.sparse_dim())
    whole = sparse.sparse_mask(pattern)
    if not sparse.dense_dim():
        return whole
    values = whole._values().masked_fill(~pattern._values(), neutral)
    return rushlight.sparse_coo_tensor(whole._indices(), values, whole.shape, is_coalesced=True)


def _over(
    name: str, whole: Any, dims: tuple[int, ...], keepdim: bool, neutral: Any, is_explicit: bool
) -> Any:
    """The reduction of what counts; ``is_explicit`` if a single result has a value though it is zero."""
    count, values = whole.sparse_dim(), whole._values()
    inside = [d - count + 1 for d in dims if d >= count]
    if inside:
        values = _of_dense(name, values, inside, keepdim)
    size = [1 if d in dims else n for d, n in enumerate(whole.shape)]
    left = [d for d in range(count) if d not in dims]
    kept = size if keepdim else [n for d, n in enumerate(size) if d not in dims]
    if not left:
        start = values.new_full((1, *values.shape[1:]), neutral)
        total = _of_dense(name, rushlight.cat([start, values]), [0], False)
        if not is_explicit:
            return total.reshape(kept).to_sparse()
        zeros = rushlight.zeros(len(kept), 1, dtype=rushlight.int64)
        return rushlight.sparse_coo_tensor(zeros, total.reshape(1), kept, is_coalesced=True)
    indices = whole._indices()
    if not keepdim:
        indices = indices[left]
    else:
        indices = indices.clone()
        indices[[d for d in dims if d < count]] = 0
    named, which = rushlight.unique(indices, dim=1, return_inverse=True)
    made = values.new_full((named.shape[1], *values.shape[1:]), neutral)
    if name == "sum":
        made.index_add_(0, which, values)
    else:
        made.index_reduce_(0, which, values, name)
    return rushlight.sparse_coo_tensor(named, made, kept, is_coalesced=True)


def _of_dense(name: str, values: Any, dims: list[int], keepdim: bool) -> Any:
    if name != "prod":
        return getattr(values, name)(dims, keepdim=keepdim)
    for d in sorted(dims, reverse=True):
        values = values.prod(d, keepdim=keepdim)
    return values
