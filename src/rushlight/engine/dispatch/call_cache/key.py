"""The key of a call: the words that say all that decides what it does.

A call's *flattened arguments* are its arguments, with lists and tuples replaced by their items. The key of a
call's *class* leaves out what may vary within it: sizes, strides, and integers that operators take as
sizes; these are the class's *inputs*.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, layout, objects, state
from rushlight.engine.core import size as sizes
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.objects import STORAGE, TENSOR
from rushlight.engine.core.wrapped import LAYER
from rushlight.engine.dispatch.call_cache.history import facts
from rushlight.engine.native import array_objects, heap_types, runtime
from rushlight.engine.native.array_objects import ARRAY
from rushlight.engine.native.lowlevel import (
    Words,
    load,
    load32,
    stack,
    store,
    store_float,
    to_float,
)
from rushlight.engine.native.python_api import (
    clear_error,
    complex_imag,
    complex_real,
    error_occurred,
    float_as_double,
    list_item,
    list_size,
    long_as_signed,
    thread_ident,
    tuple_item,
    tuple_size,
)
from rushlight.engine.native.runtime import module

types_of = objects.types

MOST_KEY_WORDS = 2048
MOST_FLAT_ARGS = 256
MOST_INPUTS = 1024
# Longer lists within a subscript are data: each time other ones.
MOST_LISTED = 16

BINDING_WORDS = (
    "_table", "_mask", "_numbers", "_habits", "_classes", "_class_mask", "_sizes", "_names",
    "_named_numbers", "_layered_numbers", "_named_layered_numbers", "_named_sizes",
)  # fmt: skip
BINDING_OBJECTS = ("_slow", "_miss")


class BINDING:
    """Offsets of a binding's fields; within transformations, which numbers are free is another matter."""

    (
        table, mask, numbers, habits, classes, class_mask, sizes, names, named_numbers, layered_numbers,
        named_layered_numbers, named_sizes, slow, miss,
    ) = (heap_types.HEADER + 8 * i for i in range(len(BINDING_WORDS) + len(BINDING_OBJECTS)))  # fmt: skip


class Numbers(NamedTuple):
    """Which arguments of a function may be numbers that plans take at each run.

    Args:
        positions: bits of `FLOATS` kinds of numbers for each position, and `CHECKED`
        names: arguments with names
    """

    positions: int = 0
    names: tuple[str, ...] = ()

    @classmethod
    def at(
        cls, positions: Iterable[int], names: Iterable[str] = (), checked: bool = False
    ) -> Numbers:
        """Integers and floats at these positions and with these names."""
        bits = sum(_both_kinds(k) for k in positions if k < FLOATS)
        found = tuple(map(sys.intern, names))[:FLOATS]
        return cls(bits | (CHECKED if checked else 0), found)

    def kinds_of_names(self) -> int:
        return sum(_both_kinds(k) for k in range(len(self.names))) | (self.positions & CHECKED)


class Sizes(NamedTuple):
    """Which arguments of a function have numbers that are sizes, or shape a result.

    Args:
        positions: a bit for each position
        names: of arguments that have names
    """

    positions: int = 0
    names: tuple[str, ...] = ()


def _both_kinds(k: int) -> int:
    return (1 << k) | (1 << k + FLOATS)


def bit_of(item: Any, position: int) -> int:
    """The bit that lets a number be free at a position; 0 for items that `number_word` has none for."""
    if position >= FLOATS:
        return 0
    if type(item) is int:
        return 1 << position if -(1 << 63) <= item < 1 << 63 else 0
    return 1 << position + FLOATS if type(item) is float and math.isfinite(item) else 0


class INPUTS:
    """Positions of the integers that a class of calls leaves open, in bytes."""

    count = 0
    ints = 8  # whether numbers of the present argument are among them, as sizes always are
    first = 16


# The same of a wrapper: where the tensor that is meant is, and whether it has a history.
OF_WRAPPER = keys.CPU | keys.AUTOGRAD | keys.WRAPPED
# Keys that tensors of calls which can be remembered may have.
WITH_GRADIENT = keys.CPU | keys.AUTOGRAD
ON_DEVICE = keys.CUDA | keys.AUTOGRAD
OF_INFERENCE = keys.CPU | keys.INFERENCE

# Addresses of the types that a key treats by value, and of a few that are recognised.
kinds = Words("float", "int", "bool", "complex", "tuple", "list", "slice", "size")
kinds.float, kinds.int, kinds.bool, kinds.complex = map(id, (float, int, bool, complex))
kinds.tuple, kinds.list, kinds.slice, kinds.size = map(id, (tuple, list, slice, sizes.Size))

# What is told apart by its address; who remembers a key keeps these alive, so that nothing else lies there.
BY_IDENTITY = (
    type(None), bool, str, dtypes.dtype, devices.device, layout.layout, layout.memory_format,
    type(Ellipsis), sizes.Size, Generator,
)  # fmt: skip

# What a binding's calls are like, as bits: argument 1 is a subscript; of lists of numbers only the shape and
# the type decide; arrays among the arguments are only looked at from outside.
HAS_SUBSCRIPT, TAKES_LISTS, TAKES_ARRAYS = 1, 2, 4

# Whether a number is free: only its type, sign and size class are in the key. A binding has a bit for
# the integers of each argument and, so many further, for its floats; the last says that they are checked
# against an element type.
FREE, OF_ANY_SIZE = 1, 2
FLOATS = 31
CHECKED = 1 << 62
# Where a key word has a number's sign and size class, above the address of its type.
_SIGN, _SIZE_CLASS = 1 << 50, 1 << 52

SLICE_FIELDS = heap_types.HEADER
# A key begins with the number of arguments, with marks, and with the word of `validity`: of subscripts whose integers do not
# count, of calls in inference mode, of classes of calls, of calls within transformations or
# with tangents.
_MOVES, _INFERS, _CLASS, _LAYERED = 1 << 20, 1 << 21, 1 << 22, 1 << 23
_GENERATION_SHIFT = 24


@module.function
def add_word(buffer: int, count: int, word: int) -> int:
    """Append a word to a key; -1 when it is full or has been given up."""
    if count < 0 or count >= MOST_KEY_WORDS:
        return -1
    store(buffer + count * 8, word)
    return count + 1


@module.function
def infers() -> int:
    """Whether this thread, and no other, is in inference mode."""
    if state.switches.inferring != 1:
        return 0
    return 1 if thread_ident() == state.switches.inferring_thread else 0


@module.function
def is_layered() -> int:
    """Whether this thread, and no other, is within transformations that may be remembered."""
    if state.switches.layers <= 0 or state.switches.stack_kind == 0:
        return 0
    return 1 if thread_ident() == state.switches.layers_thread else 0


@module.function
def has_only_told_reasons(busy: int) -> int:
    """Whether a thread is busy with nothing but what keys tell: transformations and tangents."""
    if state.switches.layers != 0 and is_layered() == 0:
        return 0
    return 1 if busy == state.switches.layers + state.switches.duals else 0


# In the place of a layer: it has ended, and what is wrapped for it stands for its value.
_ENDED = 1 << 16


@module.function
def place_of_layer(layer: int) -> int:
    """A layer's place in this thread's stack, or that it has ended; -1 if it is another thread's."""
    level = load(layer + LAYER.level)
    if level < 0:
        return _ENDED
    if level > state.switches.layers:
        return -1
    return level - 1 if load(state.switches.stack + (level - 1) * 8) == layer else -1


@module.function
def add_input(inputs: int, value: int) -> None:
    count = load(inputs + INPUTS.count)
    store(inputs + INPUTS.count, count + 1)
    if count < MOST_INPUTS:
        store(inputs + INPUTS.first + count * 8, value)


@module.function
def add_inputs(inputs: int, items: int, length: int) -> None:
    """Append all integers of a tuple that holds nothing else."""
    for k in range(length):
        value = long_as_signed(tuple_item(items, k))
        if value == -1 and error_occurred() != 0:
            # Such calls have no class.
            clear_error()
            store(inputs + INPUTS.count, MOST_INPUTS)
        add_input(inputs, value)


@module.function
def is_tensor(item: int) -> int:
    kind = load(item + heap_types.TYPE_OFFSET)
    return 1 if kind == types_of.tensor or kind == types_of.parameter else 0


@module.function
def add_identity(buffer: int, count: int, item: int, flat_args: int) -> int:
    """Append which flattened argument a tensor is, and its element type."""
    first = 1
    while first <= MOST_FLAT_ARGS and load(flat_args + first * 8) != item:
        first += 1
    count = add_word(buffer, count, first)
    return add_word(buffer, count, load(item + TENSOR.flags))


@module.function
def add_geometry(buffer: int, count: int, item: int, flat_args: int, inputs: int) -> int:
    """Append which flattened argument a tensor is, its element type, sizes and strides."""
    count = add_identity(buffer, count, item, flat_args)
    if inputs != 0:
        dims = tuple_size(load(item + TENSOR.size))
        add_inputs(inputs, load(item + TENSOR.size), dims)
        add_inputs(inputs, load(item + TENSOR.stride), dims)
        return add_word(buffer, count, dims)
    count = add_word(buffer, count, load(item + TENSOR.size))
    return add_word(buffer, count, load(item + TENSOR.stride))


@module.function
def add_flat(flat_args: int, item: int) -> None:
    """Append an item to the list of flattened arguments, whose first word is its length."""
    count = load(flat_args) + 1
    store(flat_args, count)
    if count <= MOST_FLAT_ARGS:
        store(flat_args + count * 8, item)


@module.function
def add_meaning(buffer: int, count: int, wrapper: int, flat_args: int) -> int:
    """Append what a tensor stands for within a transformation; that becomes a flattened argument."""
    meaning = load(load(wrapper + TENSOR.storage) + STORAGE.owner)
    kind = load(meaning + heap_types.TYPE_OFFSET)
    if kind != types_of.meaning and kind != types_of.captured:
        return -1
    place = place_of_layer(load(meaning + types_of.meaning_layer))
    if place < 0 or (place == _ENDED and load(meaning + types_of.meaning_dim) != types_of.none):
        return -1
    count = add_word(buffer, count, place)
    count = add_word(buffer, count, kind)
    count = add_word(buffer, count, load(meaning + types_of.meaning_dim))
    add_flat(flat_args, load(meaning + types_of.meaning_value))
    return count


@module.function
def add_tangent(buffer: int, count: int, item: int, flat_args: int) -> int:
    """Append whether a tensor has a tangent; that becomes a flattened argument."""
    meta = load(item + TENSOR.autograd)
    kind = load(meta + heap_types.TYPE_OFFSET)
    if kind != facts.meta_type and kind != facts.view_type:
        return -1
    tangent = load(meta + facts.meta_tangent)
    if tangent == 0 or tangent == types_of.none:
        return add_word(buffer, count, 0)
    add_flat(flat_args, tangent)
    return add_word(buffer, count, 1)


@module.function
def add_layers(buffer: int, count: int, inputs: int) -> int:
    """Append of this thread's transformations how large their batches are, and whether what is below records."""
    for k in range(state.switches.layers):
        layer = load(state.switches.stack + k * 8)
        if layer != 0:
            count = add_word(buffer, count, load(layer + LAYER.records))
            size = load(layer + LAYER.batch_size)
            if inputs == 0:
                count = add_word(buffer, count, size)
            elif size >= 0:
                add_input(inputs, size)
    return count


@module.function
def add_with_values(buffer: int, count: int, item: int, flat_args: int, inputs: int) -> int:
    """Append a tensor, the last flattened argument, and what it stands for and its tangent after it."""
    place = load(flat_args)
    if place > MOST_FLAT_ARGS or load(flat_args + place * 8) != item:
        return -1
    while place <= load(flat_args):
        item = load(flat_args + place * 8)
        own = load(item + TENSOR.keys)
        if own & ~OF_WRAPPER != 0 or is_tensor(item) == 0:
            return -1
        count = add_word(buffer, count, own)
        if own & keys.WRAPPED != 0:
            count = add_meaning(buffer, count, item, flat_args)
        if own & keys.AUTOGRAD != 0 and state.switches.duals != 0 and count >= 0:
            count = add_tangent(buffer, count, item, flat_args)
        if count < 0 or load(flat_args) > MOST_FLAT_ARGS:
            return -1
        if inputs != 0 and own & keys.WRAPPED != 0:
            # Its sizes and strides follow from those of its value.
            count = add_identity(buffer, count, item, flat_args)
        else:
            count = add_geometry(buffer, count, item, flat_args, inputs)
        place += 1
    return count


@module.function
def add_tensor(buffer: int, count: int, item: int, flat_args: int, inputs: int) -> int:
    """Append a tensor: its type and geometry, if it has no keys but the CPU's or CUDA's and autograd's.

    Which earlier argument it is belongs to the key too: `a + a` is not `a + b`.
    """
    own = load(item + TENSOR.keys)
    if own != keys.CPU:
        if own & keys.WRAPPED != 0 or (own & keys.AUTOGRAD != 0 and state.switches.duals != 0):
            return add_with_values(buffer, count, item, flat_args, inputs)
        recording = 0
        if own == WITH_GRADIENT:
            recording = state.records()
        elif own & keys.CUDA != 0:
            if own & ~ON_DEVICE != 0:
                return -1
            count = add_word(buffer, count, load(load(item + TENSOR.storage) + STORAGE.device_code))
            if own & keys.AUTOGRAD != 0:
                recording = state.records()
        elif own != OF_INFERENCE or infers() == 0:
            return -1
        if recording < 0:
            return -1
        count = add_word(buffer, count, own + recording)
    return add_geometry(buffer, count, item, flat_args, inputs)


@module.function
def limits_passed(size: float) -> int:
    """How many of the limits of element types a number passes: those between two fit the same types."""
    integers = (
        (size > 127.0) + (size > 128.0) + (size > 255.0) + (size > 32767.0) + (size > 32768.0)
        + (size > 65535.0) + (size > 2147483647.0) + (size > 2147483648.0) + (size > 4294967295.0)
        # the numbers before 2**63 and 2**64
        + (size > 9223372036854774784.0) + (size > 9223372036854775808.0)
        + (size > 18446744073709549568.0)
    )  # fmt: skip
    floats = (
        (size > 240.0) + (size > 448.0) + (size > 57344.0) + (size > 65504.0)
        + (size > 3.3895313892515355e38) + (size > 3.4028234663852886e38)
    )  # fmt: skip
    return integers + floats


@module.function
def number_word(item: int, kind: int, any_size: int) -> int:
    """What a key has of a free number: its type, its sign, and which element types it fits; or -1."""
    size = 0.0
    if kind == kinds.int:
        value = long_as_signed(item)
        if value == -1 and error_occurred() != 0:
            clear_error()
            return -1
        size = to_float(value)
    else:
        size = float_as_double(item)
        if size - size != 0.0:
            # Infinity, or none.
            return -1
    word = kind
    if size > 0.0:
        word += _SIGN
    if size < 0.0:
        word += 2 * _SIGN
        size = 0.0 - size
    if any_size == 0 and size > 127.0:
        word += limits_passed(size) * _SIZE_CLASS
    return word


@module.function
def add_array(buffer: int, count: int, item: int, inputs: int) -> int:
    """Append a numpy array: its type, geometry and flags; or of a class, what it has in common."""
    dims = load32(item + ARRAY.dims)
    count = add_word(buffer, count, array_objects.api.array)
    count = add_word(buffer, count, load(item + ARRAY.descr))
    count = add_word(buffer, count, dims)
    count = add_word(buffer, count, load32(item + ARRAY.flags) & array_objects.TOLD_FLAGS)
    for k in range(dims):
        size, stride = (
            load(load(item + ARRAY.sizes) + k * 8),
            load(load(item + ARRAY.strides) + k * 8),
        )
        if inputs != 0:
            add_input(inputs, size)
            add_input(inputs, stride)
        else:
            count = add_word(buffer, count, size)
            count = add_word(buffer, count, stride)
    return count


@module.function
def add_plain(buffer: int, count: int, item: int, flat_args: int, inputs: int) -> int:
    """Append an item that is not a container: numbers by value, others by identity.

    If ``inputs`` is an address, what may vary within a class of calls goes there.
    """
    kind = load(item + heap_types.TYPE_OFFSET)
    if is_tensor(item) != 0:
        return add_tensor(buffer, count, item, flat_args, inputs)
    if kind == kinds.list or kind == kinds.tuple or kind == array_objects.api.array:
        # Of containers in containers, only lists of integers are remembered.
        return -1
    count = add_word(buffer, count, kind)
    if kind == kinds.int:
        value = long_as_signed(item)
        if value == -1 and error_occurred() != 0:
            clear_error()
            return -1
        if inputs != 0 and load(inputs + INPUTS.ints) != 0:
            add_input(inputs, value)
            return count
        return add_word(buffer, count, value)
    if kind == kinds.size and inputs != 0:
        length = tuple_size(item)
        add_inputs(inputs, item, length)
        return add_word(buffer, count, length)
    if kind == kinds.float:
        if count < 0 or count >= MOST_KEY_WORDS:
            return -1
        number = float_as_double(item)
        if inputs != 0 and load(inputs + INPUTS.ints) != 0 and number - number == 0.0:
            # Finite floats shape results as integers do.
            bits = stack(1)
            store_float(bits, number)
            add_input(inputs, load(bits))
            return count
        store_float(buffer + count * 8, number)
        return count + 1
    if kind == kinds.complex:
        if count < 0 or count + 1 >= MOST_KEY_WORDS:
            return -1
        store_float(buffer + count * 8, complex_real(item))
        store_float(buffer + count * 8 + 8, complex_imag(item))
        return count + 2
    return add_word(buffer, count, item)


@module.function
def add_integers(buffer: int, count: int, items: int) -> int:
    """Append a list of integers by value; -1 if there is something else in it, or too many come and go."""
    length = list_size(items)
    if length > MOST_LISTED:
        return -1
    count = add_word(buffer, count, kinds.list)
    count = add_word(buffer, count, length)
    for k in range(length):
        item = list_item(items, k)
        if load(item + heap_types.TYPE_OFFSET) != kinds.int:
            return -1
        count = add_plain(buffer, count, item, 0, 0)
    return count


@module.function
def add_item(buffer: int, count: int, item: int, flat_args: int, inputs: int) -> int:
    """Append an item of a container: slices by their fields, lists of integers by these."""
    if load(item + heap_types.TYPE_OFFSET) == kinds.list:
        return add_integers(buffer, count, item)
    if load(item + heap_types.TYPE_OFFSET) == kinds.slice:
        count = add_word(buffer, count, kinds.slice)
        for k in range(3):
            count = add_plain(buffer, count, load(item + SLICE_FIELDS + k * 8), flat_args, inputs)
        return count
    return add_plain(buffer, count, item, flat_args, inputs)


@module.function
def add_subscript(buffer: int, count: int, item: int, flat_args: int, moving: int) -> int:
    """Append a part of a subscript: of integers only their type, of slices only how long they are.

    ``moving`` counts the parts that were appended so.
    """
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind == kinds.int:
        store(moving, load(moving) + 1)
        return add_word(buffer, count, kind)
    if kind == kinds.slice:
        start = load(item + SLICE_FIELDS)
        stop = load(item + SLICE_FIELDS + 8)
        starts = load(start + heap_types.TYPE_OFFSET) == kinds.int
        if starts and load(stop + heap_types.TYPE_OFFSET) == kinds.int:
            first = long_as_signed(start)
            length = long_as_signed(stop) - first
            if error_occurred() != 0:
                clear_error()
                return -1
            if first >= 0 and length >= 0:
                store(moving, load(moving) + 1)
                count = add_word(buffer, count, kind)
                count = add_word(buffer, count, length)
                return add_plain(buffer, count, load(item + SLICE_FIELDS + 16), flat_args, 0)
    return add_item(buffer, count, item, flat_args, 0)


@module.function
def add_subscripts(buffer: int, count: int, item: int, flat_args: int, moving: int) -> int:
    """Append a whole subscript, and its parts to the flattened arguments."""
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind != kinds.tuple:
        add_flat(flat_args, item)
        return add_subscript(buffer, count, item, flat_args, moving)
    length = tuple_size(item)
    count = add_word(buffer, count, kind)
    count = add_word(buffer, count, length)
    for k in range(length):
        part = tuple_item(item, k)
        add_flat(flat_args, part)
        count = add_subscript(buffer, count, part, flat_args, moving)
    return count


@module.function
def add_argument(buffer: int, count: int, item: int, free: int, flat_args: int, inputs: int) -> int:
    """Append an argument to the key, and it or what it contains to the flattened arguments."""
    if is_tensor(item) != 0:
        add_flat(flat_args, item)
        return add_tensor(buffer, count, item, flat_args, inputs)
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind != kinds.tuple and kind != kinds.list:
        add_flat(flat_args, item)
    if free & FREE != 0:
        word = number_word(item, kind, free & OF_ANY_SIZE)
        if word != -1:
            return add_word(buffer, count, word)
    if kind == kinds.tuple:
        length = tuple_size(item)
        count = add_word(buffer, count, kind)
        count = add_word(buffer, count, length)
        for k in range(length):
            part = tuple_item(item, k)
            add_flat(flat_args, part)
            count = add_item(buffer, count, part, flat_args, inputs)
            if count < 0:
                return -1
        return count
    if kind == kinds.list:
        length = list_size(item)
        count = add_word(buffer, count, kind)
        count = add_word(buffer, count, length)
        for k in range(length):
            part = list_item(item, k)
            add_flat(flat_args, part)
            count = add_item(buffer, count, part, flat_args, inputs)
            if count < 0:
                return -1
        return count
    return add_item(buffer, count, item, flat_args, inputs)


@module.function
def add_numbers(buffer: int, count: int, items: int, flat_args: int, inputs: int) -> int:
    """Append what the first items of nested lists show: their lengths, and the type of a number.

    Lengths are inputs of a class.

    Whether the other items are alike is seen when they are read.
    """
    add_flat(flat_args, items)
    kind = load(items + heap_types.TYPE_OFFSET)
    while kind == kinds.list or kind == kinds.tuple:
        length = list_size(items) if kind == kinds.list else tuple_size(items)
        count = add_word(buffer, count, kinds.list)
        if inputs != 0:
            if length == 0:
                return -1
            add_input(inputs, length)
        else:
            count = add_word(buffer, count, length)
        if length == 0 or count < 0:
            return count
        items = list_item(items, 0) if kind == kinds.list else tuple_item(items, 0)
        kind = load(items + heap_types.TYPE_OFFSET)
    if kind != kinds.float and kind != kinds.int and kind != kinds.bool:
        return -1
    return add_word(buffer, count, kind)


@module.function
def share_storage(a: int, b: int) -> int:
    """Whether two arguments are tensors over the same memory, as ``x[i] += 1`` ends with."""
    if is_tensor(a) == 0 or is_tensor(b) == 0:
        return 0
    return 1 if load(a + TENSOR.storage) == load(b + TENSOR.storage) else 0


@module.function
def freedom_of(numbers: int, position: int, kind: int) -> int:
    """Whether integers or floats, as ``kind`` says, are free at a position, and of any size."""
    if position >= FLOATS:
        return 0
    place = position if kind == kinds.int else position + FLOATS
    return ((numbers >> place) & FREE) | (OF_ANY_SIZE if numbers & CHECKED == 0 else 0)


@module.function
def place_of_name(names: int, name: int) -> int:
    """Where a tuple of interned names, or 0, has a name; -1 if nowhere."""
    if names != 0:
        for k in range(tuple_size(names)):
            if tuple_item(names, k) == name:
                return k
    return -1


@module.function
def freedom_of_name(binding: int, numbers: int, name: int, kind: int) -> int:
    """The same of an argument with a name."""
    place = place_of_name(load(binding + BINDING.names), name)
    return 0 if place < 0 else freedom_of(numbers, place, kind)


@module.function
def make_key(
    buffer: int, flat_args: int, binding: int, arguments: int, count: int, names: int, moving: int,
    inputs: int,
) -> int:  # fmt: skip
    """Write the key of a call; its length, or -1 if such a call is not remembered.

    If ``moving`` is an address, argument 1 is a subscript whose integers may be others next time.
    If ``inputs`` is one, the key is that of the call's class, and the integers that vary within the
    class are written there: sizes, strides, and integers that operators take as sizes.
    """
    store(flat_args, 0)
    numbers = load(binding + BINDING.numbers)
    named_numbers = load(binding + BINDING.named_numbers)
    first = count | (state.switches.generation << _GENERATION_SHIFT)
    if moving != 0:
        first = first | _MOVES
    if inputs != 0:
        first = first | _CLASS
        store(inputs + INPUTS.count, 0)
    if state.switches.inferring != 0 and infers() != 0:
        first = first | _INFERS
    layered = state.switches.layers + state.switches.duals != 0
    if layered:
        if state.records() < 0 or (state.switches.layers != 0 and is_layered() == 0):
            return -1
        first = first | _LAYERED
        numbers = load(binding + BINDING.layered_numbers)
        named_numbers = load(binding + BINDING.named_layered_numbers)
    length = add_word(buffer, 0, first)
    if layered:
        told = 2 * state.switches.tangents + state.records()
        if state.switches.layers != 0:
            told += 4 * state.switches.stack_kind
        length = add_word(buffer, length, told)
        length = add_layers(buffer, length, inputs)
    takes_lists = load(binding + BINDING.habits) & TAKES_LISTS != 0
    has_subscript = load(binding + BINDING.habits) & HAS_SUBSCRIPT != 0
    given = count
    if names != 0:
        given = count + tuple_size(names)
        for k in range(given - count):
            # Keyword names are interned, so their addresses stand for them.
            length = add_word(buffer, length, tuple_item(names, k))
    for k in range(given):
        item = load(arguments + k * 8)
        kind = load(item + heap_types.TYPE_OFFSET)
        if k == 1 and has_subscript and kind == kinds.list and list_size(item) > MOST_LISTED:
            return -1
        if kind == array_objects.api.array:
            if load(binding + BINDING.habits) & TAKES_ARRAYS == 0:
                return -1
            add_flat(flat_args, item)
            length = add_array(buffer, length, item, inputs)
        elif moving != 0 and k == 1:
            length = add_subscripts(buffer, length, item, flat_args, moving)
        else:
            free = 0
            if takes_lists and (kind == kinds.list or kind == kinds.tuple):
                length = add_numbers(buffer, length, item, flat_args, inputs)
                continue
            if kind == kinds.int or kind == kinds.float:
                if k < count:
                    free = freedom_of(numbers, k, kind)
                else:
                    free = freedom_of_name(
                        binding, named_numbers, tuple_item(names, k - count), kind
                    )
            if inputs != 0 and k >= count:
                place = place_of_name(
                    load(binding + BINDING.named_sizes), tuple_item(names, k - count)
                )
                store(inputs + INPUTS.ints, 1 if place >= 0 else 0)
            elif inputs != 0:
                taken = (load(binding + BINDING.sizes) >> k) & 1 if k < 63 else 0
                store(inputs + INPUTS.ints, taken)
            length = add_argument(buffer, length, item, free, flat_args, inputs)
    if count == 3 and has_subscript:
        length = add_word(buffer, length, share_storage(load(arguments), load(arguments + 16)))
    if load(flat_args) > MOST_FLAT_ARGS:
        return -1
    if inputs != 0 and load(inputs + INPUTS.count) > MOST_INPUTS:
        return -1
    return length


@module.entry
def hash_key(buffer: int, length: int) -> int:
    mixed = 1469598103934665603
    for k in range(length):
        mixed = (mixed ^ load(buffer + k * 8)) * 1099511628211
    mixed = mixed ^ (mixed >> 29)
    return mixed | 1


@module.entry
def write_key(
    binding: int, arguments: int, count: int, names: int, buffer: int, shifts: int, inputs: int
) -> int:
    """For Python: write a call's key, perhaps without a subscript's integers; its length or -1."""
    flat_args = stack(MOST_FLAT_ARGS + 1)
    moving = stack(1)
    store(moving, 0)
    return make_key(
        buffer, flat_args, binding, arguments, count, names, moving if shifts != 0 else 0, inputs
    )


@functools.cache
def _compiled(function: Any) -> Any:
    return runtime.callable_from_python(function)


# Room for keys that nobody is writing to now: to fill it anew would take longer than most keys do.
_buffers: list[Any] = []
_tables_of_inputs: list[Any] = []
_FIRST_INPUT = INPUTS.first // 8


def _room(free: list[Any], words: int) -> Any:
    try:
        return free.pop()
    except IndexError:
        return (ctypes.c_int64 * words)()


def key_of(
    binding: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    shifts: bool = False,
    inputs: Any = None,
) -> Any:
    """A call's key as a table of words; None if such calls are not remembered.

    Args:
        binding: what is called
        args: positional arguments
        kwargs: the others
        shifts: whether the integers of a subscript are left out
        inputs: a table to put the class's inputs in, for the key of the call's class
    """
    arguments = [*args, *kwargs.values()]
    given = (ctypes.c_int64 * max(len(arguments), 1))(*map(id, arguments))
    names = tuple(map(sys.intern, kwargs))
    if any(name is not given for name, given in zip(names, kwargs)):
        # Names that a program has put together lie elsewhere: calls with them would not be found.
        return None
    buffer = _room(_buffers, MOST_KEY_WORDS)
    length = _compiled(write_key)(
        id(binding),
        ctypes.addressof(given),
        len(args),
        id(names) if names else 0,
        ctypes.addressof(buffer),
        int(shifts),
        0 if inputs is None else ctypes.addressof(inputs),
    )
    key = None if length < 0 else (ctypes.c_int64 * length).from_buffer_copy(buffer)
    _buffers.append(buffer)
    return key


def class_of(
    binding: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[bytes, list[int]] | None:
    """The key of a call's class, and the integers that the class leaves open; None if it has none."""
    inputs = _room(_tables_of_inputs, _FIRST_INPUT + MOST_INPUTS)
    key = key_of(binding, args, kwargs, False, inputs)
    found = None if key is None else (bytes(key), inputs[_FIRST_INPUT : _FIRST_INPUT + inputs[0]])
    _tables_of_inputs.append(inputs)
    return found


def hash_of(key: Any) -> int:
    """What a key is found by."""
    return int(_compiled(hash_key)(ctypes.addressof(key), len(key)))
