"""Subscripts: ``x[i, 2:5, None, ..., mask]``, read and write.

Integers, slices, None and Ellipsis make a view. Tensors (and what becomes one: lists, arrays) are
left over for the `index` and `index_put_` operators, over the view.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, Union

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import indexing as calls
from rushlight.engine.calls import view as views
from rushlight.engine.calls.remembered import creation
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state, symbolic, wrapped
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.dispatch.call_cache.history import changes as history_of_changes
from rushlight.engine.dispatch.source import program_level
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.native.array_objects import is_plain_array
from rushlight.engine.native.numpy_later import is_array
from rushlight.engine.ops import numbers
from rushlight.engine.ops.copy.kernels import copy_loop
from rushlight.engine.ops.indexing import lookup, masks
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.pointwise import elementwise_loop
from rushlight.engine.ops.numbers import read_element
from rushlight.engine.ops.view import kernels as view_rules


def with_tensors(index: Any) -> Any:
    """A subscript with tensors in the place of arrays, ranges and lists.

    The tensors are made by remembered calls, and so is what is left to do then. Where nothing is
    remembered the subscript stays as it is, and so it does while a call is recorded: a list in one
    is always the same.
    """
    given = index if type(index) is tuple else (index,)
    is_data = not _DATA.isdisjoint(map(type, given)) or any(map(is_array, given))
    if not is_data or state.switches.busy != 0:
        return index
    found = [_as_tensor(item) for item in given]
    if all(map(is_, found, given)):
        return index
    return tuple(found) if type(index) is tuple else found[0]


def _as_tensor(item: Any) -> Any:
    """A tensor of positions, or a mask, for one of these; the item itself if it is anything else."""
    kind = type(item)
    if kind is range and item:
        first, end, step = item.start, item.stop, item.step
        return creation.arange_start_step(first, end, step, None, None, devices.cpu, None)
    if is_plain_array(item):
        is_usual = item.ndim > 0 and item.dtype.kind in "ib" and item.dtype.isnative
    else:
        is_usual = kind is list and set(map(type, item)) in _USUAL
    if not is_usual:
        return item
    from rushlight.engine.ops.creation.from_data import remembered_tensor

    return remembered_tensor(item, None)


_DATA = {range, list}
_USUAL = ({int}, {bool})


def get(tensor: Tensor, index: Any) -> Tensor:
    """``tensor[index]``."""
    if type(index) is int and tensor._size_ and _is_plain(tensor):
        return steps.View.note(tensor, _row(tensor, index))
    viewed, indices, places = apply_basic(tensor, index)
    if viewed is tensor and indices is None:
        return views.slice_Tensor(tensor) if type(index) is slice else copies.alias(tensor)
    if viewed is tensor:
        return calls.index_Tensor(tensor, indices)
    # Operators note their views themselves.
    if places:
        steps.Place.note(tensor, tuple(places), viewed)
    elif _is_plain(tensor):
        steps.View.note(tensor, viewed)
    return viewed if indices is None else calls.index_Tensor(viewed, indices)


def _is_plain(tensor: Tensor) -> bool:
    """Whether views need nothing but sizes and strides."""
    return (
        tensor._keys_ & ~key_bits.BACKENDS == 0
        and type(tensor) is Tensor
        and not (state.active and state.thread.included)
    )


def _row(tensor: Tensor, index: int) -> Tensor:
    length, *size = tensor._size_
    step, *stride = tensor._stride_
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for dimension 0 with size {length}")
    place = index + length if index < 0 else index
    return tensors.view_of(tensor, tuple(size), tuple(stride), tensor._offset_ + place * step)


def put(tensor: Tensor, index: Any, value: Any) -> None:
    """``tensor[index] = value``."""
    if tensor._keys_ & key_bits.SPARSE_LAYOUTS:
        raise TypeError("Cannot assign to a sparse tensor")
    if index is False:
        # It selects nothing.
        steps.Unrepeatable.note()
        return
    if index is True:
        index = None
    viewed, indices, places = apply_basic(tensor, index)
    if places:
        steps.Unrepeatable.note()
    source = value if isinstance(value, Tensor) else _as_value(value, tensor)
    is_number = isinstance(source, Tensor) and not source._size_
    if is_number and source._storage_ is tensor._storage_ and (indices or viewed._size_):
        # It is read before anything is written.
        source = copies.clone(source)
    if indices is None:
        _put_in_view(tensor, viewed, source)
    elif not isinstance(source, Tensor):
        _put_number_at(tensor, viewed, indices, source)
    else:
        if source._dtype_ is not tensor._dtype_ and any(map(_is_answer, _items(index))):
            raise lookup.other_type(tensor, source)
        calls.index_put_(_noted(tensor, viewed), indices, source, False)


def _put_in_view(tensor: Tensor, viewed: Tensor, source: Any) -> None:
    """Write into a part of a tensor that is a view of it."""
    if not isinstance(source, Tensor):
        if tensor._keys_ == key_bits.CPU and _is_plain(tensor):
            write_number(tensor, viewed, source)
        else:
            copies.fill__Scalar(_noted(tensor, viewed), source)
        return
    while len(source._size_) > len(viewed._size_) and source._size_[0] == 1:
        source = views.select_int(source, 0, 0)
    if len(source._size_) > len(viewed._size_) or not _broadcasts(source._size_, viewed._size_):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(source._size_)} cannot be broadcast to "
            f"indexing result of shape {list(viewed._size_)}"
        )
    is_recorded = state.thread.grad_enabled
    if _are_same_elements(viewed, source) and history_of_changes.is_part(
        source, tensor, is_recorded
    ):
        # What `x[i] += 1` ends with: the part has been changed already.
        tensors.bump_version(tensor)
        steps.Kept.note(is_recorded, tensor, source)
    elif tensor._keys_ == source._keys_ == key_bits.CPU and _is_plain(tensor):
        write_elements(tensor, viewed, source)
    elif not source._size_ and viewed._size_ and source._storage_._device_code == 0:
        copies.fill__Tensor(_noted(tensor, viewed), source)
    else:
        copies.copy_(_noted(tensor, viewed), source, False)


def _put_number_at(tensor: Tensor, viewed: Tensor, indices: Any, number: Any) -> None:
    """Write a number where a mask or indices say."""
    indices = lookup.beside(tensor, indices)
    mask = indices[0] if len(indices) == 1 else None
    if mask is None or not _is_mask_of(mask, viewed):
        from rushlight.engine.calls import creation

        source = creation.scalar_tensor(number, tensor._dtype_, None, tensor._storage_.device, None)
        calls.index_put_(_noted(tensor, viewed), indices, source, False)
        return
    if len(mask._size_) < len(viewed._size_):
        mask = _over_rows(mask, viewed)
    is_cpu = tensor._keys_ == mask._keys_ == key_bits.CPU and _is_plain(tensor)
    if is_cpu and mask._storage_ is not tensor._storage_:
        masks.fill_where(tensor, viewed, mask, number)
    else:
        calls.masked_fill__Scalar(_noted(tensor, viewed), mask, number)


def _noted(tensor: Tensor, viewed: Tensor) -> Tensor:
    """The view of a tensor to be written, which operators have not noted."""
    if viewed is not tensor and _is_plain(tensor):
        steps.View.note(tensor, viewed)
    return viewed


def _is_mask_of(mask: Tensor, tensor: Tensor) -> bool:
    """Whether a mask speaks about a tensor's elements, or about its rows."""
    return mask._dtype_ is dtypes.bool_ and mask._size_ == tensor._size_[: len(mask._size_)]


def _over_rows(mask: Tensor, tensor: Tensor) -> Tensor:
    """A mask of rows that broadcasts over them."""
    for _ in range(len(tensor._size_) - len(mask._size_)):
        mask = views.unsqueeze(mask, -1)
    return mask


def _are_same_elements(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors are the same elements in the same order."""
    return (
        a._storage_ is b._storage_
        and (a._offset_, a._size_, a._stride_) == (b._offset_, b._size_, b._stride_)
        and a._dtype_ is b._dtype_
    )


_number_loops = PlanTable()
_MASKS = (dtypes.bool_, dtypes.uint8)


def write_elements(tensor: Tensor, part: Tensor, source: Tensor) -> None:
    """Write a tensor to a part of another: one loop on the whole, so it can be repeated."""
    outputs.check_written_once(part)
    outputs.check_no_partial_overlap(part, (source,))
    shift = (part._offset_ - tensor._offset_) * tensor._dtype_.itemsize
    key = (
        tensor._flags_,
        part._size_,
        part._stride_,
        shift,
        source._flags_,
        source._size_,
        source._stride_,
    )
    loop = _number_loops.get(key)
    if loop is None:
        loop = _number_loops[key] = copy_loop(part, source, shift)
    loop.run(tensor, source)
    steps.Written.note(loop, (tensor, source), 1)
    tensors.bump_version(tensor)


def write_number(tensor: Tensor, part: Tensor, value: Any) -> None:
    """Write a number to a part of a tensor: one loop on the tensor itself, so it can be repeated."""
    kind = tensor._dtype_
    number = numbers.checked_for_filling(value, kind)
    shift = (part._offset_ - tensor._offset_) * kind.itemsize
    key = (tensor._flags_, part._size_, part._stride_, shift)
    loop = _number_loops.get(key)
    if loop is None:
        outputs.check_written_once(part)
        compute = compute_type(kind)
        loop = _number_loops[key] = elementwise_loop(
            lambda x: x, [part], [number], [kind.memory], [compute], [compute], offsets=(shift, 0)
        )
    loop.run(tensor, number)
    if numbers.repeats(value, kind):
        steps.Written.note(loop, (tensor, value), 1)
    else:
        steps.Unrepeatable.note()
    tensors.bump_version(tensor)


def _broadcasts(source: Sequence[int], target: Sequence[int]) -> bool:
    return all(s in (1, t) for s, t in zip(reversed(source), reversed(target)))


def _as_value(value: Any, tensor: Tensor) -> Any:
    if isinstance(value, (bool, int, float, complex)):
        return value
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return value.item()
    from rushlight.engine.ops.creation.from_data import tensor_from_data

    try:
        return tensor_from_data(value, tensor._dtype_)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            f"can't assign a {type(value).__name__} to a torch.{tensor._dtype_._name} tensor"
        ) from error


# An integer that a tensor holds, its value, and the size and stride of the dimension that it indexes.
HeldIndex = tuple[Tensor, int, int, int]
Selected = tuple[Tensor, Union[list[Tensor | None], None], list[HeldIndex]]


def apply_basic(tensor: Tensor, index: Any) -> Selected:
    """The view that the plain parts of an index select, and the tensors for each of its dimensions.

    The third part are the integers that were read from tensors.
    """
    if type(index) is Tensor and _is_whole_index(tensor, index):
        return tensor, [index], []
    items = _items(index)
    if not isinstance(index, tuple) and items[0] is not index:
        _warn_of_sequence()
    if _is_plain(tensor):
        return _apply_by_geometry(tensor, items)
    return _apply_by_operators(tensor, items)


def _is_whole_index(tensor: Tensor, index: Tensor) -> bool:
    """Whether a tensor alone is an index that makes no view and surely fits."""
    if not index._size_:
        return False
    return (
        index._size_ == tensor._size_
        if index._dtype_ is dtypes.bool_
        else (index._dtype_ is dtypes.int64 and len(tensor._size_) > 0)
    )


def _items(index: Any) -> list[Any]:
    if type(index) is tuple:
        return list(index)
    if isinstance(index, (int, slice, type(None), type(Ellipsis), Tensor)) or hasattr(
        index, "__array__"
    ):
        return [index]
    if isinstance(index, tuple) or _counts_as_tuple(index):
        return list(index)
    return [index]


_SHORT = 32
_INSIDE = (Tensor, slice, type(None), type(Ellipsis), Sequence)


def _counts_as_tuple(index: Any) -> bool:
    """Whether a sequence means as many indices, as numpy once had it, and not a tensor."""
    if not isinstance(index, Sequence) or isinstance(index, str) or len(index) >= _SHORT:
        return False
    return any(isinstance(item, _INSIDE) for item in index)


def _warn_of_sequence() -> None:
    steps.warn(
        "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed "
        "in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted "
        "as tensor index, x[torch.tensor(seq)], which will result either in an error or a different "
        "result",
        program_level(),
    )


def _consumed(item: Any) -> int:
    """How many dimensions of the tensor an item speaks about."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and item._dtype_ in (dtypes.bool_, dtypes.uint8):
        return len(item._size_)
    return 1


def _prepared(tensor: Tensor, items: list[Any]) -> list[Any]:
    """Items with sequences as tensors and the Ellipsis spelled out."""
    ndim = len(tensor._size_)
    if len(items) == 1 and isinstance(items[0], str) and len(items[0]) > ndim:
        # A word counts as one index for each letter.
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    made = [_prepare(item) for item in items]
    consumed = sum(_consumed(item) for item in made)
    if consumed > ndim:
        if ndim == 0 and len(made) == 1:
            raise _no_dimension(made[0])
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    result: list[Any] = []
    seen = False
    for item in made:
        if item is Ellipsis:
            if not seen:
                result += [slice(None)] * (ndim - consumed)
            seen = True
        else:
            result.append(item)
    return result


def _no_dimension(item: Any) -> IndexError:
    """What is wrong with the only index of a tensor without dimensions."""
    if isinstance(item, slice):
        _slice_parts(item)
        return IndexError("slice() cannot be applied to a 0-dim tensor.")
    if type(item) is int and item == 0:
        return IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
            "in C++ to convert a 0-dim tensor to a number"
        )
    if isinstance(item, int):
        return IndexError(f"index {item} is out of bounds for dimension 0 with size 0")
    return IndexError("too many indices for tensor of dimension 0")


def _prepare(item: Any) -> Any:
    if item is None or item is Ellipsis or isinstance(item, (bool, slice, SymInt)):
        return item
    if isinstance(item, Tensor):
        if item._dtype_.category > dtypes.INTEGRAL:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if not item._size_ and item._dtype_ in (dtypes.bool_, dtypes.uint8):
            # A single truth value makes a dimension of its own, as `True` and `False` do.
            steps.Unrepeatable.note()
            return bool(numbers.read_element(item))
        return item
    if hasattr(item, "__index__") and not getattr(item, "ndim", 0):
        return item.__index__()
    from rushlight.engine.ops.creation.from_data import shown, tensor_from_data

    if isinstance(item, str):
        raise _no_numbers(item)
    is_sequence = hasattr(item, "__array__") or isinstance(item, Sequence)
    if not is_sequence:
        name = getattr(type(item), "__qualname__", "")
        name = f"torch.{name}" if isinstance(item, dtypes.dtype) else name
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            f"valid indices (got {name})"
        )
    if type(item) is list and all(type(x) is int for x in item):
        made = steps.Constant.of(lambda: tensor_from_data(item, None))
    else:
        made = tensor_from_data(item, None)
    made = shown(made)
    if not hasattr(item, "__array__") and made._dtype_.category > dtypes.INTEGRAL:
        made = copies.to_dtype(made, dtypes.int64)
    return _prepare(made)


def _no_numbers(item: str) -> TypeError:
    """What is raised for an index of letters."""
    return TypeError(f"new(): invalid data type '{type(item).__name__}'")


def _as_integer(item: Any) -> int | None:
    """The integer that a zero-dimensional integer tensor stands for."""
    if not isinstance(item, Tensor) or item._size_ or not item._keys_ & key_bits.CPU:
        return None
    if item._dtype_.category != dtypes.INTEGRAL or item._dtype_ is dtypes.uint8:
        return None
    return int(read_element(item))


def _bound(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, Tensor):
        return int(read_element(value))
    if isinstance(value, SymInt):
        return value
    try:
        return int(value.__index__())
    except AttributeError:
        raise TypeError(
            "slice indices must be integers or None or have an __index__ method"
        ) from None


def _slice_parts(item: slice) -> tuple[int | None, int | None, int]:
    step = _bound(item.step)
    step = 1 if step is None else step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    return _bound(item.start), _bound(item.stop), step


def _apply_by_geometry(tensor: Tensor, items: list[Any]) -> Selected:
    """The view made at once, from sizes and strides."""
    if 0 < len(items) <= len(tensor._size_) and all(
        type(x) is Tensor and x._dtype_ is dtypes.int64 and bool(x._size_) for x in items
    ):
        return tensor, items, []
    size: list[int] = []
    stride: list[int] = []
    offset = tensor._offset_
    indices: list[Tensor | None] = []
    dim = 0
    old_size, old_stride = tensor._size_, tensor._stride_
    places: list[HeldIndex] = []
    for item in _prepared(tensor, items):
        if item is None or isinstance(item, bool) or _is_answer(item):
            size.append(1)
            stride.append(
                old_size[dim] * old_stride[dim] if dim < len(old_size) and item is None else 1
            )
            indices.append(None if item is None else _mask_of_one(item))
            continue
        if isinstance(item, slice):
            length = old_size[dim]
            start, stop, step = _slice_parts(item)
            first, last = view_rules.slice_bounds(length, start, stop)
            size.append((last - first + step - 1) // step)
            stride.append(old_stride[dim] * step)
            offset += first * old_stride[dim]
            indices.append(None)
            dim += 1
            continue
        if isinstance(item, Tensor):
            together = any(isinstance(x, Tensor) and x._size_ for x in items)
            whole = None if together else _held_integer(item)
            if whole is None:
                taken = _consumed(item)
                size += old_size[dim : dim + taken]
                stride += old_stride[dim : dim + taken]
                indices.append(item)
                # A mask stands for several dimensions, but is one entry of the list.
                dim += taken
                continue
            place = whole + old_size[dim] if whole < 0 else whole
            places.append((item, place, old_size[dim], old_stride[dim]))
            item = whole
        length = old_size[dim]
        if not -length <= item < length:
            raise IndexError(
                f"index {item} is out of bounds for dimension {dim} with size {length}"
            )
        offset += (item + length if item < 0 else item) * old_stride[dim]
        dim += 1
    size += old_size[dim:]
    stride += old_stride[dim:]
    if (
        tuple(size) == tensor._size_
        and tuple(stride) == tensor._stride_
        and offset == tensor._offset_
    ):
        viewed = tensor
    else:
        viewed = tensors.view_of(tensor, tuple(size), tuple(stride), offset)
    return viewed, None if all(i is None for i in indices) else indices, places


def _held_integer(item: Tensor) -> Any:
    """`_as_integer` of what a remembered call reads again; a trace takes any place for it."""
    if item._keys_ == key_bits.CPU and item._dtype_ in (dtypes.int64, dtypes.int32):
        if symbolic.trace() is not None:
            return None if item._size_ else 0
        return recorder.unnoted(lambda: _as_integer(item))
    return _as_integer(item)


def _selected(tensor: Tensor, dim: int, place: Tensor) -> Tensor:
    """What an integer in a tensor names along a dimension."""
    if place._keys_ != key_bits.CPU or place._dtype_ not in (dtypes.int64, dtypes.int32):
        return views.select_int(tensor, dim, _as_integer(place) or 0)
    held = steps.HeldInteger(recorder.unnoted(lambda: _as_integer(place)))
    made = views.select_int(tensor, dim, held)
    steps.Index.note(place, held, tensor._size_[dim], tensor._stride_[dim], made)
    return made


def _is_answer(item: Any) -> bool:
    """Whether an item is a mask without dimensions: it takes all or nothing, in a new dimension."""
    return isinstance(item, Tensor) and not item._size_ and item._dtype_ in _MASKS


def _mask_of_one(item: Any) -> Tensor:
    """A mask of one element."""
    if isinstance(item, Tensor):
        return views.reshape(item, (1,))
    from rushlight.engine.calls import creation

    return creation.full((1,), item, dtypes.bool_)


def _takes_all(start: Any, stop: Any, step: Any, length: int) -> bool:
    """Whether a slice says nothing: it needs no view then. Of a size that varies that is not asked."""
    says_no_start = step == 1 and (start is None or start == 0)
    return says_no_start and (stop is None or (type(length) is int and stop >= length))


def _apply_by_operators(tensor: Tensor, items: list[Any]) -> Selected:
    """The same, one operator at a time, for tensors with other keys than a backend's."""
    viewed = tensor
    indices: list[Tensor | None] = []
    dim = 0
    for item in _prepared(tensor, items):
        if item is None or isinstance(item, bool) or _is_answer(item):
            viewed = views.unsqueeze(viewed, dim)
            indices.append(None if item is None else _mask_of_one(item))
            dim += 1
        elif isinstance(item, slice):
            start, stop, step = _slice_parts(item)
            if not _takes_all(start, stop, step, viewed._size_[dim]):
                viewed = views.slice_Tensor(viewed, dim, start, stop, step)
            indices.append(None)
            dim += 1
        elif isinstance(item, Tensor) and (
            item._size_ or item._dtype_ is dtypes.bool_ or wrapped.goes_through_batch(item)
        ):
            indices.append(item)
            dim += _consumed(item)
        elif isinstance(item, Tensor):
            viewed = _selected(viewed, dim, item)
        else:
            viewed = views.select_int(viewed, dim, item)
    return viewed, None if all(i is None for i in indices) else indices, []
