"""What views do with a batch, where dimensions by name do not say it all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy, view
from rushlight.engine.core.size import storage_extent
from rushlight.engine.ops.batching import batched, derive, filled, front, rank
from rushlight.engine.ops.dims import infer_size, wrap_dim, wrap_dims

Values = Sequence[Any]
Result = tuple[Any, Any]

# The sum of the numbers is the size of a result: it must be the same for all of the batch.
derive("loop", ["repeat_interleave.Tensor"])


@batched("view", "_unsafe_view", "view_copy")
def view_rule(size: int, values: Values, dims: Values) -> Result:
    x, shape = values
    count = math.prod(n for k, n in enumerate(x._size_) if k != dims[0])
    return view.view(front(x, dims[0]), [size, *infer_size(shape, count)]), 0


@batched("_reshape_alias", "_reshape_alias_copy")
def reshape_alias(size: int, values: Values, dims: Values) -> Result:
    x, shape, stride = values
    x = front(x, dims[0])
    return view._reshape_alias(x, [size, *shape], [x._stride_[0], *stride]), 0


@batched("expand", "expand_copy")
def expand(size: int, values: Values, dims: Values) -> Result:
    x, shape, implicit = values
    x = front(x, dims[0])
    missing = len(shape) - (len(x._size_) - 1)
    for _ in range(missing):
        x = view.unsqueeze(x, 1)
    return view.expand(x, [size, *shape], implicit), 0


@batched("permute", "permute_copy")
def permute(size: int, values: Values, dims: Values) -> Result:
    x, order = front(values[0], dims[0]), values[1]
    count = len(x._size_) - 1
    if len(order) != count:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length "
            f"of the desired ordering of dimensions i.e. input.dim() = {count} is not equal to "
            f"len(dims) = {len(order)}"
        )
    return view.permute(x, [0, *(d + 1 for d in wrap_dims(order, count))]), 0


@batched("unsqueeze", "unsqueeze_copy")
def unsqueeze(size: int, values: Values, dims: Values) -> Result:
    x = front(values[0], dims[0])
    return view.unsqueeze(x, wrap_dim(values[1], len(x._size_)) + 1), 0


@batched("t", "t_copy", "numpy_T")
def t(size: int, values: Values, dims: Values) -> Result:
    x = front(values[0], dims[0])
    count = len(x._size_) - 1
    if count > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {count}D")
    return view.transpose_int(x, 1, 2) if count == 2 else x, 0


@batched("transpose.int", "transpose_copy.int")
def transpose(size: int, values: Values, dims: Values) -> Result:
    x = front(values[0], dims[0])
    count = len(x._size_) - 1
    first, second = (wrap_dim(d, count) + 1 for d in values[1:])
    return view.transpose_int(x, first, second) if count else x, 0


@batched("squeeze", "squeeze_copy")
def squeeze(size: int, values: Values, dims: Values) -> Result:
    x = front(values[0], dims[0])
    if len(x._size_) == 1:
        return copy.alias(x), 0
    return view.squeeze_dims(x, [d for d in range(1, len(x._size_)) if x._size_[d] == 1]), 0


@batched("squeeze.dim", "squeeze.dims", "squeeze_copy.dim", "squeeze_copy.dims")
def squeeze_dims(size: int, values: Values, dims: Values) -> Result:
    x, given = front(values[0], dims[0]), values[1]
    named = [given] if not isinstance(given, (list, tuple)) else given
    if len(x._size_) == 1:
        if any(not -1 <= d <= 0 for d in named):
            shown = f"[{', '.join(map(str, named))}]"
            raise RuntimeError(
                f"Dimension is out of range (expected to be in range of [-1, 0], but got {shown}"
            )
        return copy.alias(x), 0
    wanted = wrap_dims(named, len(x._size_) - 1)
    return view.squeeze_dims(x, [d + 1 for d in wanted]), 0


@batched("unbind.int", "unbind_copy.int")
def unbind(size: int, values: Values, dims: Values) -> Result:
    x = front(values[0], dims[0])
    if len(x._size_) == 1:
        raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
    return view.unbind_int(x, wrap_dim(values[1], len(x._size_) - 1) + 1), 0


@batched("as_strided", "as_strided_copy")
def as_strided(size: int, values: Values, dims: Values) -> Result:
    x, shape, stride, offset = values
    x = front(x, dims[0])
    offset = x._offset_ if offset is None else offset
    reach = storage_extent(tuple(shape), tuple(stride), offset) - x._offset_
    own = storage_extent(x._size_[1:], x._stride_[1:], 0)
    if reach > own or offset < x._offset_:
        raise RuntimeError(
            f"result = tensor.as_strided({list(shape)}, {list(stride)}, {offset}) can access memory "
            f"outside of `tensor`. `result` can access some memory in range [{offset}, "
            f"{offset + reach}], but `tensor` can only access some memory in range [0, {own}]. This is "
            "not supported inside of vmap, please try to rewrite the `as_strided` call as a sequence of "
            "PyTorch view operations"
        )
    return view.as_strided(x, [size, *shape], [x._stride_[0], *stride], offset), 0


def _same_place(name: str) -> None:
    """Views that change what elements are, or nothing at all, and no dimension but the last."""
    function = getattr(view, name)

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        return function(front(values[0], dims[0]), *values[1:]), 0


@batched("view_as_complex", "view_as_complex_copy")
def view_as_complex(size: int, values: Values, dims: Values) -> Result:
    if rank(values[0], dims[0]) == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    return view.view_as_complex(front(values[0], dims[0])), 0


for _name in (
    "view_as_real",
    "_conj",
    "_neg_view",
    "view_as_real_copy",
    "_conj_copy",
    "_neg_view_copy",
):
    _same_place(_name)


@batched("view.dtype", "view_copy.dtype")
def view_dtype(size: int, values: Values, dims: Values) -> Result:
    x, dtype = values
    if rank(x, dims[0]) == 0 and x._dtype_.itemsize != dtype.itemsize:
        raise RuntimeError(
            f"self.dim() cannot be 0 to view {x._dtype_._name} as {dtype._name} (different element sizes)"
        )
    return view.view_dtype(front(x, dims[0]), dtype), 0


@batched("select.int", "select_copy.int")
def select(size: int, values: Values, dims: Values) -> Result:
    x, dim, index = values
    x = front(x, dims[0])
    count = len(x._size_) - 1
    if count == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, count)
    length = x._size_[dim + 1]
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(x._size_[1:])} at "
            f"dimension {dim}"
        )
    return view.select_int(x, dim + 1, index), 0


@batched("diagonal", "diagonal_copy")
def diagonal(size: int, values: Values, dims: Values) -> Result:
    x, offset, first, second = values
    x = front(x, dims[0])
    count = len(x._size_) - 1
    places = [wrap_dim(d, count) + 1 for d in (first, second)]
    if places[0] == places[1]:
        raise RuntimeError(f"diagonal dimensions cannot be identical {first}, {second}")
    return view.diagonal(x, offset, *places), 0


@batched("repeat")
def repeat(size: int, values: Values, dims: Values) -> Result:
    x, times = front(values[0], dims[0]), values[1]
    for _ in range(len(times) - (len(x._size_) - 1)):
        x = view.unsqueeze(x, 1)
    return view.repeat(x, [1, *times]), 0


@batched("roll")
def roll(size: int, values: Values, dims: Values) -> Result:
    x, shifts, along = front(values[0], dims[0]), values[1], values[2]
    if len(x._size_) == 1:
        return x, 0
    if not along:
        rows = view.roll(view.reshape(x, [size, -1]), shifts, [1])
        return view.view(rows, list(x._size_)), 0
    return view.roll(x, shifts, [d + 1 for d in wrap_dims(along, len(x._size_) - 1)]), 0


def _two(name: str) -> None:
    function = getattr(view, name)

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        x = front(values[0], dims[0])
        return function(x, *values[1:]), 0


for _name in ("tril", "triu", "detach_copy", "alias_copy", "lift_fresh_copy"):
    _two(_name)


@batched("narrow.Tensor")
def narrow_by_tensor(size: int, values: Values, dims: Values) -> Result:
    x, dim, start, length = values
    from rushlight.engine.calls import comparison

    return view.narrow(front(x, dims[0]), wrap_dim(dim, rank(x, dims[0])) + 1, int(comparison.item(start)), length), 0  # fmt: skip


def slices_written(name: str) -> None:
    """`slice_scatter` and its kin: a part is replaced in a copy."""
    function = getattr(view, name)

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        x, source = (filled(values[k], dims[k], size) for k in (0, 1))
        count = len(x._size_) - 1
        rest = list(values[2:])
        if name == "diagonal_scatter":
            rest = [rest[0], *(wrap_dim(d, count) + 1 for d in rest[1:])]
        else:
            rest[0] = wrap_dim(rest[0], count) + 1
        return function(x, source, *rest), 0


for _name in ("slice_scatter", "select_scatter", "diagonal_scatter"):
    slices_written(_name)


@batched("diag_embed")
def diag_embed(size: int, values: Values, dims: Values) -> Result:
    x, offset, first, second = values
    x = front(x, dims[0])
    places = [wrap_dim(d, len(x._size_)) + 1 for d in (first, second)]
    return view.diag_embed(x, offset, *places), 0
