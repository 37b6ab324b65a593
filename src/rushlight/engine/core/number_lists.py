"""Nested lists of Python numbers, to and from tensors, by machine code."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects
from rushlight.engine.core.objects import CODE_MASK, STORAGE, TENSOR
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import (
    Words,
    load,
    store,
    store8,
    store_float,
    store_float32,
)
from rushlight.engine.native.python_api import (
    clear_error,
    decref,
    error_occurred,
    float_as_double,
    list_item,
    list_new,
    list_set,
    list_size,
    long_as_signed,
    long_from_word,
    tuple_item,
    tuple_size,
)
from rushlight.engine.native.runtime import module

# The types of numbers that are taken as they are, and of sequences.
_types = Words("list", "tuple", "float", "int", "bool")
_types.list, _types.tuple = id(list), id(tuple)
_types.float, _types.int, _types.bool = map(id, (float, int, bool))
# The element types that a Python number of these types may become; where one is expected, those before
# it are taken, too.
TAKEN = {
    bool: (dtypes.bool_, dtypes.int64, dtypes.float32, dtypes.float64),
    int: (dtypes.int64, dtypes.float32, dtypes.float64),
    float: (dtypes.float32, dtypes.float64),
}  # fmt: skip


class ListStandIn:
    """What a trace has in place of nested lists: how long they are, and the type of the first number.

    Args:
        shape: the lengths at each depth, which may be symbolic
        kind: the type
    """

    __slots__ = ("kind", "shape")

    def __init__(self, shape: tuple[Any, ...], kind: type) -> None:
        self.shape, self.kind = shape, kind


def first_shape(data: Any) -> tuple[tuple[Any, ...], Any]:
    """The lengths of nested lists or tuples, as their first items show, and the type of the first number."""
    if type(data) is ListStandIn:
        return data.shape, data.kind
    shape: list[int] = []
    while type(data) in (list, tuple) and data and len(shape) < 64:
        shape.append(len(data))
        data = data[0]
    return tuple(shape), type(data)


@module.function
def list_of(data: int, sizes: int, strides: int, dim: int, code: int, itemsize: int) -> int:
    """A new list of the elements from ``data`` on, along ``dim`` and those after it; 0 on failure."""
    if dim == tuple_size(sizes):
        return objects.element_at(data, code)
    count = long_as_signed(tuple_item(sizes, dim))
    step = long_as_signed(tuple_item(strides, dim)) * itemsize
    made = list_new(count)
    if made == 0:
        return 0
    for k in range(count):
        item = list_of(data + k * step, sizes, strides, dim + 1, code, itemsize)
        if item == 0:
            decref(made)
            return 0
        list_set(made, k, item)
    return made


@module.function
def nested_list(tensor: int) -> int:
    """The elements of a tensor as nested lists; see `objects.element` for the types."""
    code = load(tensor + TENSOR.flags) & CODE_MASK
    itemsize = objects.element_size(code)
    data = load(load(tensor + TENSOR.storage) + STORAGE.ptr)
    first = data + load(tensor + TENSOR.offset) * itemsize
    sizes = load(tensor + TENSOR.size)
    return list_of(first, sizes, load(tensor + TENSOR.stride), 0, code, itemsize)


@module.function
def store_number(data: int, item: int, code: int) -> None:
    """Write a number of a fitting type; one that is too large leaves an error."""
    if code == dtypes.float32.code:
        store_float32(data, float_as_double(item))
    elif code == dtypes.float64.code:
        store_float(data, float_as_double(item))
    elif code == dtypes.int64.code:
        store(data, long_as_signed(item))
    else:
        store8(data, long_as_signed(item))


@module.function
def is_taken(item: int, kind: int) -> int:
    """Whether a number is of a Python type, or of one that is taken where that is expected."""
    own = load(item + heap_types.TYPE_OFFSET)
    if own == kind:
        return 1
    if kind == _types.float and own == _types.int:
        return 1
    return 1 if kind != _types.bool and own == _types.bool else 0


@module.function
def length_of(items: int) -> int:
    """The length of a list or a tuple; -1 for anything else."""
    kind = load(items + heap_types.TYPE_OFFSET)
    if kind == _types.list:
        return list_size(items)
    return tuple_size(items) if kind == _types.tuple else -1


@module.function
def store_list(data: int, items: int, sizes: int, dim: int, code: int, kind: int) -> int:
    """Write nested lists or tuples of numbers of one Python type; the place behind them, or 0 if they differ."""
    count = long_as_signed(tuple_item(sizes, dim))
    if length_of(items) != count:
        return 0
    is_list = load(items + heap_types.TYPE_OFFSET) == _types.list
    is_last = dim + 1 == tuple_size(sizes)
    itemsize = objects.element_size(code)
    for k in range(count):
        item = list_item(items, k) if is_list else tuple_item(items, k)
        if is_last:
            if is_taken(item, kind) == 0:
                return 0
            store_number(data, item, code)
            data += itemsize
        else:
            data = store_list(data, item, sizes, dim + 1, code, kind)
            if data == 0:
                return 0
    return data


@module.function
def read_lists(tensor: int, lists: int, kind: int) -> int:
    """Fill a new tensor from nested lists of numbers of a Python type; 0 if they are anything else, -1 if one is too large."""
    sizes = load(tensor + TENSOR.size)
    code = load(tensor + TENSOR.flags) & CODE_MASK
    data = load(load(tensor + TENSOR.storage) + STORAGE.ptr)
    done = store_list(data, lists, sizes, 0, code, kind)
    if error_occurred() != 0:
        clear_error()
        return -1
    return 1 if done != 0 else 0


@module.entry
def fill_from_lists(context: int, arguments: int, count: int) -> int:
    """Python: ``fill_from_lists(tensor, lists, number type)``; see `read_lists`."""
    return long_from_word(read_lists(load(arguments), load(arguments + 8), load(arguments + 16)))


@module.entry
def to_list(context: int, arguments: int, count: int) -> int:
    """Python: ``to_list(tensor)``."""
    return nested_list(load(arguments))
