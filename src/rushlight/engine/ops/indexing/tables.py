"""Rows of tables: embeddings, and classes as vectors."""

from __future__ import annotations

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import creation, pointwise, reduction, searching
from rushlight.engine.calls.remembered import indexing as calls
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, symbolic, wrapped
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import recorder
from rushlight.engine.loops.plan import SOME_LENGTH
from rushlight.engine.loops.plans import notes_device_steps
from rushlight.engine.loops.promotion import title
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.kinds import compaction
from rushlight.engine.ops.kinds.views import composite, explicit, meta
from rushlight.engine.ops.numbers import has_no_elements, read_element

_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
          "int8": "Char", "int16": "Short", "uint8": "Byte", "bool": "Bool"}  # fmt: skip


@explicit("embedding")
@notes_device_steps
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Tensor:
    if len(weight._size_) != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices._dtype_ not in (dtypes.int64, dtypes.int32):
        name = _NAMES.get(indices._dtype_._name, indices._dtype_._name)
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got torch.{name}Tensor instead (while checking arguments for embedding)"
        )
    if len(indices._size_) == 1:
        return calls.index_select(weight, 0, indices)
    rows = calls.index_select(weight, 0, views.reshape(indices, (-1,)))
    return views.view(rows, (*indices._size_, weight._size_[1]))


@explicit("embedding_dense_backward")
@notes_device_steps
def embedding_dense_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """The gradient of a table, whose rows are sums over all that was read; nothing for padding."""
    flat = views.reshape(indices, (-1,))
    width = grad._size_[-1]
    rows = views.reshape(grad, (flat._numel_, width))
    if padding_idx >= 0:
        is_padding = views.unsqueeze(pointwise.eq_Scalar(flat, padding_idx), 1)
        rows = calls.masked_fill_Scalar(rows, is_padding, 0)
    if scale_grad_by_freq:
        counts = calls.index_select(searching.bincount(flat, None, num_weights), 0, flat)
        rows = pointwise.div_Tensor(rows, views.unsqueeze(counts, 1))
    whole = creation.new_zeros(rows, [num_weights, width])
    return calls.index_add_(whole, 0, flat, rows, 1)


@meta("embedding_dense_backward")
def shape_of_embedding_dense_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    return creation.new_zeros(grad, [num_weights, grad._size_[-1]])


@explicit("embedding_renorm_")
def embedding_renorm_(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    if indices._dtype_ not in (dtypes.int64, dtypes.int32):
        raise RuntimeError("Expected tensor for argument #2 'indices' to have integer type")
    if not indices._numel_ or has_no_elements(self):
        return self
    named = searching._unique(views.reshape(indices, (-1,)))[0]
    rows = calls.index_select(self, 0, named)
    norms = copies.to_dtype(
        reduction.norm_ScalarOpt_dim(rows, norm_type, [1], True), dtypes.float64
    )
    # A little is added so that the new norm is not above the limit by rounding.
    scale = pointwise.div_Tensor(
        _filled(norms._size_, norms._dtype_, norms, max_norm), pointwise.add_Scalar(norms, 1e-7)
    )
    fits = pointwise.le_Scalar(norms, max_norm)
    factor = calls.masked_fill_Scalar(scale, fits, 1.0)
    scaled = pointwise.mul_Tensor(rows, copies.to_dtype(factor, rows._dtype_))
    calls.index_copy_(self, 0, copies.to_dtype(named, dtypes.int64), scaled)
    return self


def _one_hot_of_all(self: Tensor) -> Tensor:
    """Classes as vectors that are as long as the greatest class needs."""
    trace = symbolic.trace()
    if trace is not None and self._keys_ == keys.CPU:
        classes = copies.contiguous(self)
        shape = (*self._size_, trace.found(SOME_LENGTH))
        vectors = tensors.empty(shape, dtypes.int64)
        compaction.note_classes(classes, vectors, 0)
        return vectors
    number = int(recorder.unnoted(lambda: read_element(reduction.max(self)))) + 1
    if self._keys_ != keys.CPU or number <= 0:
        return one_hot(self, max(number, 0))
    classes = copies.contiguous(self)
    made: Tensor = recorder.unnoted(lambda: one_hot(classes, number))
    compaction.note_classes(classes, made, 0)
    return made


@composite("one_hot")
def one_hot(self: Tensor, num_classes: int) -> Tensor:
    if self._dtype_ is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not self._numel_ and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if num_classes == -1 and self._keys_ & keys.WRAPPED and wrapped.goes_through_batch(self):
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes "
            "argument."
        )
    if self._numel_ and num_classes == -1:
        return _one_hot_of_all(self)
    if self._numel_ and not answers.are_within(self, 0, num_classes - 1):
        low = int(read_element(reduction.min(self)))
        what = "non-negative" if low < 0 else "smaller than num_classes"
        raise RuntimeError(f"Class values must be {what}.")
    shape = (*self._size_, num_classes)
    made = creation.new_zeros(self, shape, dtypes.int64)
    return calls.scatter__value(made, -1, views.unsqueeze(self, -1), 1)


SUM, MEAN, MAX = range(3)
Bags = tuple[Tensor, Tensor, Tensor, Tensor]


def _bag_of_each(indices: Tensor, offsets: Tensor, include_last_offset: bool) -> tuple[Tensor, int]:
    """The bag that each index is in, and how many bags there are."""
    for name, given in (("indices", indices), ("offsets", offsets)):
        if given._dtype_ not in (dtypes.int64, dtypes.int32):
            raise RuntimeError(
                f"expected scalar type of {name} to be Long or Int but got {given._dtype_._name}"
            )
    last = None if not offsets._numel_ else views.select_int(offsets, 0, -1)
    if offsets._numel_ and not answers.are_within(views.select_int(offsets, 0, 0), 0, 0):
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {read_element(offsets)}"
        )
    if last is not None and not answers.are_all(pointwise.le_Scalar(last, indices._numel_)):
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length({indices._numel_}) but got "
            f"offsets[-1] of {read_element(last)}"
        )
    count = offsets._numel_ - int(include_last_offset)
    places = creation.arange(indices._numel_, dtypes.int64, None, indices._storage_.device, None)
    found = searching.searchsorted_Tensor(offsets, places, False, True, None, None)
    # With the end of the last bag given, what lies behind it is in none: in one behind all.
    return pointwise.sub_Scalar(found, 1), count


def _check_bag_types(weight: Tensor, weights: Tensor | None) -> None:
    """A table has floating-point numbers, and what they are multiplied by is of their type."""
    while_checking = "(while checking arguments for embedding_bag)"
    if weight._dtype_ not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: "
            f"Half, BFloat16, Float, Double; but got torch.{title(weight._dtype_)}Tensor instead "
            + while_checking
        )
    if weights is not None and weights._dtype_ is not weight._dtype_:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument "
            f"#1 'per_sample_weights'; but type torch.{title(weight._dtype_)}Tensor does not equal "
            f"torch.{title(weights._dtype_)}Tensor {while_checking}"
        )


def _outside(weight: Tensor, indices: Tensor) -> RuntimeError:
    """The error for rows that a table does not have."""
    count, given = weight._size_[0], bridge.array(indices)
    wrong = given[(given < 0) | (given >= count)][0]
    return RuntimeError(
        f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {wrong}, "
        f"which is not in the valid range [0, {count})"
    )


@composite("embedding_bag.padding_idx")
def embedding_bag_padded(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
    padding_idx: int | None,
) -> Bags:
    _check_bag_types(weight, per_sample_weights)
    bag, count = _bag_of_each(indices, offsets, include_last_offset)
    padding = -1 if padding_idx is None else padding_idx
    # What pads goes to a bag of its own behind the others.
    is_padded = padding >= 0
    has_rest = is_padded or include_last_offset
    bags = count + has_rest
    owner = bag
    if is_padded:
        owner = calls.masked_fill_Scalar(bag, pointwise.eq_Scalar(indices, padding), count)
    try:
        rows = calls.embedding(weight, indices, padding, scale_grad_by_freq, sparse)
    except IndexError:
        raise _outside(weight, indices) from None
    if per_sample_weights is not None:
        rows = pointwise.mul_Tensor(rows, views.unsqueeze(per_sample_weights, 1))
    # Sums of short numbers are computed in single precision.
    kind = rows._dtype_
    if mode != MAX and kind.itemsize < 4:
        rows = copies.to_dtype(rows, dtypes.float32)
    size = _filled((bags,), dtypes.int64, owner)
    ones = pointwise.ge_Scalar(owner, 0)
    size = calls.index_add(size, 0, owner, copies.to_dtype(ones, dtypes.int64))
    if mode == MAX and indices._numel_:
        made = _largest_of_each(rows, owner, bags)
    else:
        made = _filled((bags, weight._size_[1]), rows._dtype_, weight)
        made = calls.index_add(made, 0, owner, rows)
    if has_rest:
        size, made = (views.slice_Tensor(x, 0, 0, count, 1) for x in (size, made))
        size, made = copies.contiguous(size), copies.contiguous(made)
    if mode == MEAN:
        divisor = copies.to_dtype(pointwise.clamp_min(size, 1), rows._dtype_)
        made = pointwise.div_Tensor(made, views.unsqueeze(divisor, 1))
    return copies.to_dtype(made, kind), bag, size, size


def _largest_of_each(rows: Tensor, owner: Tensor, bags: int) -> Tensor:
    """The largest elements of each bag, of which the first gets the gradient; 0 for empty bags."""
    count, width = rows._size_
    given = copies.detach(rows)
    made = _filled((bags, width), rows._dtype_, rows)
    most = calls.index_reduce(made, 0, owner, given, "amax", include_self=False)
    # What is no number is not equal to itself.
    is_other = pointwise.ne_Tensor(given, calls.index_select(most, 0, owner))
    is_less = pointwise.logical_and(is_other, pointwise.eq_Tensor(given, given))
    places = creation.arange(count, dtypes.int64, None, rows._storage_.device, None)
    places = views.expand(views.unsqueeze(places, 1), (count, width), False)
    places = calls.masked_fill_Scalar(places, is_less, count)
    none = _filled((bags, width), dtypes.int64, rows, count)
    first = calls.index_reduce(none, 0, owner, places, "amin", include_self=True)
    found = calls.gather(rows, 0, pointwise.clamp_max(first, count - 1), False)
    return calls.masked_fill_Scalar(found, pointwise.eq_Scalar(first, count), 0)


@composite("embedding_bag")
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
) -> Bags:
    return embedding_bag_padded(
        weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
        include_last_offset, None,
    )  # fmt: skip


def _filled(size: tuple[int, ...], kind: dtypes.dtype, like: Tensor, value: float = 0) -> Tensor:
    return creation.full(size, value, kind, None, like._storage_.device)
