"""What lookups do with a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy, creation, indexing, pointwise, view
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.ops.batching import (
    batched,
    derive,
    filled,
    front,
    joined,
    padded,
    parted,
    rank,
    rules,
)
from rushlight.engine.ops.batching import rows as batch_rows
from rushlight.engine.ops.dims import wrap_dim

Values = Sequence[Any]
Result = tuple[Any, Any]

derive("elementwise", ["masked_fill.Scalar"])
# Of the last, elements say how large a result is: it must be the same for all of the batch.
derive("loop", ["masked_scatter", "argwhere"])
derive("elementwise in place", ["masked_fill_.Scalar"])

_BY_MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
    "indexing with a boolean mask."
)


@batched("masked_select")
def masked_select(size: int, values: Values, dims: Values) -> Result:
    x, mask = values
    if dims[1] is not None:
        raise RuntimeError(
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support "
            "this because for each batch this would return a differently shaped Tensor. Please file an "
            "issue at https://github.com/pytorch/pytorch/issues if you need this feature."
        )
    x = padded(x, dims[0], len(mask._size_))
    shape = x._size_[1:]
    mask = view.expand(mask, geometry.broadcast_sizes(shape, mask._size_))
    x = view.expand(x, [size, *mask._size_])
    (places,) = view.unbind_int(indexing.nonzero(view.reshape(mask, [-1])), 1)
    return indexing.index_select(view.reshape(x, [size, mask._numel_]), 1, places), 0


def positions(size: int, count: int, like: Tensor) -> Tensor:
    """The numbers of the elements of the batch, in a column with so many dimensions behind it."""
    made = creation.arange(size, dtypes.int64, None, like._storage_.device, None)
    return view.view(made, [size, *[1] * count])


# -- several indices --


class Lookup:
    """A lookup with tensors as indices, on a whole batch.

    The dimensions that are indexed are brought to the front, behind that of the batch; what comes of them is
    brought to where PyTorch puts it: to the place of the first if they are neighbours, else to the front.
    """

    def __init__(self, size: int, x: Tensor, x_dim: Any, indices: Sequence[Any], dims: Any) -> None:
        each = dims if isinstance(dims, (list, tuple)) else [None] * len(indices)
        self.count = rank(x, x_dim)
        places: list[int] = []
        given: list[tuple[Tensor, Any]] = []
        place = 0
        for index, dim in zip(indices, each):
            if index is None:
                place += 1
            elif index._dtype_ in (dtypes.bool_, dtypes.uint8):
                if dim is not None:
                    raise RuntimeError(_BY_MASK)
                for part in view.unbind_int(indexing.nonzero(index), 1):
                    places.append(place)
                    given.append((part, None))
                    place += 1
            else:
                places.append(place)
                given.append((index, dim))
                place += 1
        self.places = places
        top = max(rank(*one) for one in given)
        self.has_batch = any(dim is not None for _, dim in given)
        self.given = [padded(index, dim, top) for index, dim in given]
        self.size = size
        lengths: list[int] = [1] * top
        for index, dim in given:
            own = [n for k, n in enumerate(index._size_) if k != dim]
            for k, n in enumerate(reversed(own)):
                lengths[top - 1 - k] = n if lengths[top - 1 - k] == 1 else lengths[top - 1 - k]
        self.lengths = lengths
        self.rest = [d for d in range(self.count) if d not in places]
        self.adjacent = places == list(range(places[0], places[0] + len(places)))
        # How many dimensions of the result come before those of the indices.
        self.before = places[0] if self.adjacent else 0

    def indices(self, x: Tensor) -> list[Any]:
        """The indices into the batch, whose own dimension is the first."""
        if not self.has_batch:
            return [None, *self.given]
        return [positions(self.size, len(self.lengths), x), *self.given]

    def arranged(self, x: Tensor) -> Tensor:
        """A batch with the dimensions that are indexed right behind its own."""
        return view.permute(x, [0, *(d + 1 for d in self.places), *(d + 1 for d in self.rest)])

    def placed(self, found: Tensor) -> Tensor:
        """A result with the dimensions of the indices where they belong."""
        top, before = len(self.lengths), self.before
        if not before:
            return found
        pre = range(1 + top, 1 + top + before)
        post = range(1 + top + before, len(found._size_))
        return view.permute(found, [0, *pre, *range(1, 1 + top), *post])

    def unplaced(self, values: Tensor) -> Tensor:
        """`placed`, undone."""
        top, before = len(self.lengths), self.before
        if not before:
            return values
        own = range(1 + before, 1 + before + top)
        post = range(1 + before + top, len(values._size_))
        return view.permute(values, [0, *own, *range(1, 1 + before), *post])

    def result_size(self, x: Tensor, x_dim: Any) -> list[int]:
        """The size of one element of the result."""
        own = [n for k, n in enumerate(x._size_) if k != x_dim]
        rest = [own[d] for d in self.rest]
        return [*rest[: self.before], *self.lengths, *rest[self.before :]]


@batched("index.Tensor", "_unsafe_index.Tensor")
def index(size: int, values: Values, dims: Values) -> Result:
    x, indices = values
    lookup = Lookup(size, x, dims[0], indices, dims[1])
    if dims[0] is None:
        # All elements look into one tensor: the batch is one more dimension of the indices.
        order = [*lookup.places, *lookup.rest]
        found = indexing.index_Tensor(view.permute(x, order), lookup.given)
        return lookup.placed(found), 0
    x = lookup.arranged(front(x, dims[0]))
    return lookup.placed(indexing.index_Tensor(x, lookup.indices(x))), 0


def _put(target: Tensor, size: int, values: Values, dims: Values) -> None:
    """Write to places of a batch, whose own dimension is the first."""
    _, indices, source, accumulate = values[:4]
    lookup = Lookup(size, target, 0, indices, dims[1])
    source = padded(source, dims[2], lookup.count - len(lookup.places) + len(lookup.lengths))
    wanted = [size, *lookup.result_size(target, 0)]
    source = lookup.unplaced(view.expand(source, wanted))
    indexing.index_put_(lookup.arranged(target), lookup.indices(target), source, accumulate)


@batched("index_put_", "_index_put_impl_")
def index_put_(size: int, values: Values, dims: Values) -> Result:
    _put(front(values[0], dims[0]), size, values, dims)
    return None, None


@batched("index_put", "_unsafe_index_put")
def index_put(size: int, values: Values, dims: Values) -> Result:
    target = copy.clone(filled(values[0], dims[0], size))
    _put(target, size, values, dims)
    return target, 0


# -- one index along a dimension --


def _numbered(x: Tensor, dim: int, index: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """A batch as one long tensor along a dimension, and an index of each element into its own part."""
    size = x._size_[0]
    moved = view.movedim_int(x, dim + 1, 1)
    long = view.reshape(moved, [size * length, *moved._size_[2:]])
    index = pointwise.remainder_Scalar(index, length) if length else index
    shifted = pointwise.add_Tensor(index, pointwise.mul_Scalar(positions(size, 1, x), length), 1)
    return long, view.reshape(shifted, [-1])


@batched("index_select")
def index_select(size: int, values: Values, dims: Values) -> Result:
    x, dim, place = values
    count = rank(x, dims[0])
    if count == 0:
        return x if dims[0] is not None else view.expand(view.unsqueeze(x, 0), [size]), 0
    dim = wrap_dim(dim, count)
    if dims[2] is None:
        return indexing.index_select(front(x, dims[0]), dim + 1, place), 0
    place = front(place, dims[2])
    place = view.view(place, [size, 1]) if len(place._size_) == 1 else place
    if dims[0] is None:
        found = indexing.index_select(x, dim, view.reshape(place, [-1]))
        have = found._size_
        return view.reshape(found, [*have[:dim], *place._size_, *have[dim + 1 :]]), dim
    lookups = [None] * dim + [place]
    return index(size, [x, lookups], [dims[0], [None] * dim + [0]])


def _rows_written(name: str, source_place: int) -> None:
    """Operators that write rows at the places that a one-dimensional index names."""
    functional = getattr(indexing, name.replace(".", "_"))

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        given = list(values)
        x = filled(values[0], dims[0], size)
        count = len(x._size_) - 1
        source, source_dim = values[source_place], dims[source_place]
        if count == 0:
            x = view.unsqueeze(x, 1)
        if isinstance(source, Tensor):
            is_row = rank(source, source_dim)
            source = filled(source, source_dim, size)
            if not is_row:
                source = view.unsqueeze(source, 1)
        dim = wrap_dim(values[1], max(count, 1))
        if dims[2] is None:
            given[0], given[1], given[source_place] = x, dim + 1, source
            found = functional(*given)
            return (view.squeeze_dim(found, 1) if count == 0 else found), 0
        place = front(values[2], dims[2])
        place = view.view(place, [size, 1]) if len(place._size_) == 1 else place
        length = x._size_[dim + 1]
        long, shifted = _numbered(x, dim, place, length)
        if isinstance(source, Tensor) and source._size_:
            moved = view.movedim_int(source, dim + 1, 1)
            source = view.reshape(moved, [size * moved._size_[1], *moved._size_[2:]])
        given[0], given[1], given[2], given[source_place] = long, 0, shifted, source
        found = functional(*given)
        found = view.reshape(found, [size, length, *long._size_[1:]])
        found = view.movedim_int(found, 1, dim + 1)
        return (view.squeeze_dim(found, 1) if count == 0 else found), 0


for _name in ("index_add", "index_copy", "index_reduce"):
    _rows_written(_name, 3)
_rows_written("index_fill.int_Scalar", 3)


@batched("index_fill.int_Tensor")
def index_fill_with(size: int, values: Values, dims: Values) -> Result:
    """A fill with a tensor: rows of the value are copied to the places."""
    x, dim, place, value = values
    x_filled = filled(x, dims[0], size)
    count = len(x_filled._size_) - 1
    dim = wrap_dim(dim, max(count, 1))
    length = place._size_[-1] if rank(place, dims[2]) else 1
    row = padded(value, dims[3], max(count, 1))
    own = list(x_filled._size_[1:]) or [1]
    own[dim] = length
    row = view.expand(row, [size, *own])
    source = copy.to_dtype(row, x._dtype_)
    if count == 0:
        source = view.squeeze_dim(source, 1) if length == 1 else source
    return rules["aten::index_copy"](size, [x, dim, place, source], [dims[0], None, dims[2], 0])


# -- tables --


@batched("embedding")
def embedding(size: int, values: Values, dims: Values) -> Result:
    weight, place = values[:2]
    if dims[0] is None:
        return indexing.embedding(weight, front(place, dims[1]), *values[2:]), 0
    weight = front(weight, dims[0])
    length = weight._size_[1]
    place = filled(place, dims[1], size)
    steps = pointwise.mul_Scalar(positions(size, len(place._size_) - 1, weight), length)
    flat = view.reshape(weight, [size * length, *weight._size_[2:]])
    return indexing.embedding(flat, pointwise.add_Tensor(place, steps, 1)), 0


@batched("embedding_dense_backward")
def embedding_dense_backward(size: int, values: Values, dims: Values) -> Result:
    grad, place, count, padding, by_frequency = values
    grad, place = filled(grad, dims[0], size), filled(place, dims[1], size)
    if padding >= 0:
        is_padding = view.unsqueeze(pointwise.eq_Scalar(place, padding), -1)
        grad = indexing.masked_fill_Scalar(grad, is_padding, 0)
    # The tables of all elements are one, whose rows are numbered on.
    steps = pointwise.mul_Scalar(positions(size, len(place._size_) - 1, place), count)
    every = pointwise.add_Tensor(place, steps, 1)
    whole = indexing.embedding_dense_backward(grad, every, size * count, -1, by_frequency)
    return view.view(whole, [size, count, grad._size_[-1]]), 0


@batched("take")
def take(size: int, values: Values, dims: Values) -> Result:
    x, place = values
    if dims[0] is None:
        return indexing.take(x, front(place, dims[1])), 0
    rows = batch_rows(front(x, dims[0]))
    length = rows._size_[1]
    place = filled(place, dims[1], size)
    if length:
        place = pointwise.remainder_Scalar(place, length)
    steps = pointwise.mul_Scalar(positions(size, len(place._size_) - 1, rows), length)
    return indexing.take(rows, pointwise.add_Tensor(place, steps, 1)), 0


def _folded(name: str) -> None:
    """Operators on pictures, or on batches of them."""
    function = getattr(indexing, name)
    own = {"im2col": 3, "col2im": 2}[name]

    @batched(name)
    def rule(size: int, values: Values, dims: Values) -> Result:
        x = front(values[0], dims[0])
        if len(x._size_) - 1 == own:
            return function(x, *values[1:]), 0
        found = function(joined(x, 0), *values[1:])
        return parted(found, 0, size), 0


for _name in ("im2col", "col2im"):
    _folded(_name)


@batched("masked_fill.Tensor")
def masked_fill(size: int, values: Values, dims: Values) -> Result:
    x, mask, value = values
    if rank(value, dims[2]):
        raise RuntimeError(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor with "
            f"{rank(value, dims[2])} dimension(s)."
        )
    if dims[2] is None and (dims[0] is not None or dims[1] is not None):
        top = max(rank(x, dims[0]), rank(mask, dims[1]))
        return indexing.masked_fill_Tensor(
            padded(x, dims[0], top), padded(mask, dims[1], top), value
        ), 0
    top = max(rank(x, dims[0]), rank(mask, dims[1]))
    value = copy.to_dtype(padded(value, dims[2], top), x._dtype_)
    return indexing.where_self(padded(mask, dims[1], top), value, padded(x, dims[0], top)), 0


@batched("masked_fill_.Tensor")
def masked_fill_(size: int, values: Values, dims: Values) -> Result:
    copy.copy_(front(values[0], dims[0]), masked_fill(size, values, dims)[0], False)
    return None, None
