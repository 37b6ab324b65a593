"""What the gradient formulas of reading and writing by index call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import creation, indexing, pointwise, reduction, sparse
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import size as sizes
from rushlight.engine.core import state
from rushlight.engine.ops import answers
from rushlight.engine.ops.gradients import conj
from rushlight.engine.ops.indexing.segments import (
    segment_reduce_backward as segment_reduce_backward,
)
from rushlight.engine.ops.sparse import lookups
from rushlight.engine.ops.view.rules import sum_to

Ints = Sequence[int]


def masked_fill_backward(grad: Any, mask: Any, size: Ints) -> Any:
    """Nothing where the number is; the sum over what was repeated to the mask's size."""
    return sum_to(indexing.masked_fill_Scalar(grad, mask, 0), size)


def index_backward(grad: Any, size: Ints, indices: Sequence[Any]) -> Any:
    """Sums the gradients of all places that an element was read to."""
    return indexing.index_put_(creation.new_zeros(grad, list(size)), list(indices), grad, True)


def indexed(grad: Any, indices: Sequence[Any]) -> Any:
    return indexing.index_Tensor(grad, list(indices))


def index_select_backward(grad: Any, size: Ints, dim: int, index: Any) -> Any:
    whole = creation.new_zeros(grad, list(size))
    return indexing.index_add_(whole, dim, index, grad, 1)


def picked(grad: Any, dim: int, index: Any, shape: Ints) -> Any:
    """The gradient of what was written at an index."""
    found = indexing.index_select(grad, dim, index)
    return found if tuple(found._size_) == tuple(shape) else found.expand(shape)


def gather_backward(grad: Any, size: Ints, dim: int, index: Any, sparse_grad: bool) -> Any:
    if sparse_grad:
        places = lookups.indices_along(index, len(size), dim)
        return sparse._sparse_coo_tensor_unsafe(places, grad.reshape(-1), size)
    return indexing.scatter_add_(creation.new_zeros(grad, list(size)), dim, index, grad)


def gathered(grad: Any, dim: int, index: Any, shape: Ints) -> Any:
    """The gradient of a scattered source, of which maybe only a corner was used."""
    found = indexing.gather(grad, dim, index, False)
    if tuple(found._size_) == tuple(shape):
        return found
    whole = creation.new_zeros(grad, list(shape))
    corner = whole
    for d, length in enumerate(index._size_):
        corner = corner.narrow(d, 0, length)
    corner.copy_(found)
    return whole


def take_backward(grad: Any, size: Ints, index: Any) -> Any:
    whole = creation.new_zeros(grad, list(size))
    return indexing.put(whole, index, grad, True)


def masked_select_backward(grad: Any, size: Ints, mask: Any) -> Any:
    """Puts the gradients back in order; a broadcast element gets the sum of its own."""
    from rushlight.engine.loops.geometry import broadcast_sizes

    whole = creation.new_zeros(grad, list(broadcast_sizes(tuple(size), mask._size_)))
    return indexing.masked_scatter(whole, mask, grad)


def masked_scatter_backward(grad: Any, mask: Any, shape: Ints) -> Any:
    """The selected gradients, then zeros for what was not used."""
    if 0 < grad._numel_ <= _FEW:
        return _gathered_in_steps(grad, mask, shape)
    found = grad.masked_select(mask)
    whole = creation.new_zeros(grad, list(shape)).reshape(-1)
    used = min(found._numel_, whole._numel_)
    whole.narrow(0, 0, used).copy_(found.narrow(0, 0, used))
    return whole.reshape(shape)


# Up to here, steps that do not depend on how many elements a mask chooses cost less than choosing.
_FEW = 4096


def _gathered_in_steps(grad: Any, mask: Any, shape: Ints) -> Any:
    """The same for few elements: what is not selected goes to a place of its own behind the others."""
    holds = mask.expand(grad._size_).reshape(-1)
    count = sizes.numel(shape)
    places = pointwise.sub_Scalar(reduction.cumsum(holds, 0, dtypes.int64), 1, 1)
    places = indexing.masked_fill_Scalar(places, pointwise.logical_not(holds), count)
    whole = creation.new_zeros(grad, [count + 1])
    whole = indexing.index_copy(whole, 0, places, grad.reshape(-1))
    return whole.narrow(0, 0, count).reshape(shape)


def embedding_backward(
    grad: Any,
    indices: Any,
    shape: Ints,
    padding_idx: int,
    scale_by_frequency: bool,
    is_sparse: bool,
) -> Any:
    rows, _ = shape
    if is_sparse:
        return sparse.embedding_sparse_backward(
            grad, indices, rows, padding_idx, scale_by_frequency
        )
    return indexing.embedding_dense_backward(grad, indices, rows, padding_idx, scale_by_frequency)


def embedding_double_backward(
    grad: Any, indices: Any, rows: int, padding_idx: int, scale_by_frequency: bool
) -> Any:
    """The rows of what arrives that indices name: none for padding, and shares of those that are named often."""
    flat = indices.reshape(-1)
    found = grad.index_select(0, flat)
    if scale_by_frequency:
        counts = flat.bincount(minlength=rows)
        found = found / counts.index_select(0, flat).unsqueeze(1)
    if padding_idx >= 0:
        found = found.masked_fill((flat == padding_idx).unsqueeze(1), 0)
    return found.reshape([*indices._size_, grad._size_[1]])


def col2im_like(
    grad: Any, size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> Any:
    return indexing.col2im(grad, list(size[-2:]), kernel_size, dilation, padding, stride)


def im2col_of(grad: Any, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Any:
    return indexing.im2col(grad, kernel_size, dilation, padding, stride)


def scatter_reduce_backward(
    grad: Any,
    self: Any,
    dim: int,
    index: Any,
    src: Any,
    reduce: str,
    include_self: bool,
    result: Any,
) -> tuple[Any, Any]:
    """The gradients of both; ``self`` counts only where it took part."""
    if index._numel_ == 0:
        return grad, creation.zeros_like(src)

    def spread(values: Any) -> Any:
        return indexing.scatter_add(creation.zeros_like(self), dim, index, values)

    def at(values: Any) -> Any:
        return gathered(values, dim, index, src._size_)

    def again(target: Any, source: Any) -> Any:
        return indexing.scatter_reduce_two(target, dim, index, source, reduce, include_self)

    return reduced_backward(grad, self, src, reduce, include_self, result, spread, at,
                            lambda g: g.scatter(dim, index, 0), again, "scatter_reduce")  # fmt: skip


def index_reduce_backward(
    grad: Any, self: Any, dim: int, index: Any, source: Any, reduce: str, include_self: bool,
    result: Any,
) -> tuple[Any, Any]:  # fmt: skip
    if index._numel_ == 0:
        return grad, creation.zeros_like(source)

    def spread(values: Any) -> Any:
        return indexing.index_add(creation.zeros_like(self), dim, index, values, 1)

    def at(values: Any) -> Any:
        return indexing.index_select(values, dim, index)

    def again(target: Any, values: Any) -> Any:
        return indexing.index_reduce(target, dim, index, values, reduce, include_self)

    return reduced_backward(grad, self, source, reduce, include_self, result, spread, at,
                            lambda g: g.index_fill(dim, index, 0), again, "index_reduce")  # fmt: skip


def reduced_backward(
    grad: Any, self: Any, src: Any, reduce: str, include_self: bool, result: Any,
    spread: Any, at: Any, without: Any, again: Any, who: str,
) -> tuple[Any, Any]:  # fmt: skip
    """The gradients of a scattered reduction.

    Args:
        spread: sums values of the source's places into the target's
        at: reads the target's values for the source's places
        without: clears what the source has written to
        again: the same reduction of another target and source
        who: the function's name
    """
    if reduce == "sum":
        d_self, d_src = grad, at(grad)
    elif reduce == "mean":
        ones = creation.ones_like(src)
        counts = spread(ones)
        counts = counts + 1 if include_self else counts
        counts = counts.masked_fill(counts == 0, 1)
        d_self, d_src = grad / counts, at(grad / counts)
    elif reduce == "prod":
        return prod_backward(grad, self, src, include_self, result, spread, at, without, again, who)
    else:
        own = self == result
        theirs = src == at(result)
        shares = spread(theirs.to(grad._dtype_))
        if include_self:
            shares = shares + own
            shared = grad / shares.masked_fill(shares == 0, 1)
        else:
            shared = grad / shares.masked_fill(shares == 0, 1)
        d_self, d_src = shared * own, at(shared) * theirs
        if not include_self:
            d_self = without(grad)
            return d_self, d_src
        return d_self, d_src
    return (d_self if include_self else without(d_self)), d_src


def prod_backward(
    grad: Any, self: Any, src: Any, include_self: bool, result: Any, spread: Any, at: Any,
    without: Any, again: Any, who: str,
) -> tuple[Any, Any]:  # fmt: skip
    """Products without one factor; where that one is zero, with a one in its place."""
    d_self, d_src, several = _without_one_factor(
        grad, self, src, include_self, result, spread, at, without, again
    )
    if state.thread.grad_enabled and answers.is_any((src == 0) & several):
        name = "src" if who == "scatter_reduce" else "source"
        d_src = indexing._underivable(
            d_src,
            f"{who}(): Double backward is unsupported for {name} when >1 zeros in {name} are "
            "scattered to the same position in self",
        )
    return d_self, d_src


def _without_one_factor(
    grad: Any, self: Any, src: Any, include_self: bool, result: Any, spread: Any, at: Any,
    without: Any, again: Any,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The gradients, and where not exactly one factor from the source is zero."""
    zero = src == 0
    several = at(spread(zero.to(grad._dtype_))) != 1
    without_lone = again(self, src.masked_fill(zero & ~several, 1))
    quotient = at(grad * conj(result)) / conj(src.masked_fill(zero, 1))
    d_src = quotient.where(~zero | several, at(grad * conj(without_lone)))
    if not include_self:
        return without(grad), d_src, several
    factor = self.masked_fill(self == 0, 1)
    return grad * conj(again(factor, src) / factor), d_src, several
