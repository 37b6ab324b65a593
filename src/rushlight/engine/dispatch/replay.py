"""The call cache's machine code: find out what a call is, and do again what it was last time.

`call_binding` is the entry of every public function. A call's *key* says all that decides what it
does; its *leaves* are its arguments, with lists and tuples replaced by their items.
"""

from __future__ import annotations

import ctypes

from rushlight.engine.core import geometry_program, history, keys, number_lists, objects, state
from rushlight.engine.core import size as sizes
from rushlight.engine.core.geometry_program import PROGRAM, SIZED
from rushlight.engine.core.objects import STORAGE, TEMPLATE, TENSOR
from rushlight.engine.native import array_objects, heap_types, moves
from rushlight.engine.native.array_objects import ARRAY
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import (
    Words,
    lasting,
    load,
    load8,
    load32,
    stack,
    store,
    store_float,
)
from rushlight.engine.native.python_api import (
    call_object,
    clear_error,
    decref,
    error_matches,
    error_occurred,
    fetch_error,
    float_as_double,
    incref,
    list_item,
    list_size,
    long_as_signed,
    normalise_error,
    thread_ident,
    tuple_item,
    tuple_new,
    tuple_set,
    tuple_size,
    vectorcall,
)
from rushlight.engine.native.runtime import module

types_of = objects.types

MOST_KEY_WORDS = 2048
MOST_LEAVES = 256
PROBES = 4

BINDING_WORDS = ("_table", "_mask", "_numbers", "_habits", "_classes", "_class_mask", "_sizes")
BINDING_OBJECTS = ("_slow", "_miss")


class BINDING:
    """Offsets of a binding's fields."""

    table, mask, numbers, habits, classes, class_mask, sizes, slow, miss = (
        heap_types.HEADER + 8 * i for i in range(len(BINDING_WORDS) + len(BINDING_OBJECTS))
    )


# What a binding's calls are like, as bits: argument 1 is a subscript; with a list as argument 0,
# calls are never steps that can be repeated; arrays among the arguments are only looked at from outside.
HAS_SUBSCRIPT, READS_LISTS, TAKES_ARRAYS = 1, 2, 4


class ENTRY:
    """Positions of a remembered call's words, in bytes."""

    hash = 0
    key = 8
    length = 16
    action = 24
    loop = 32  # plan and loop; the base's index for views, the result's for an identity; the result
    templates = 40  # plan; a view's size; the table of several views
    outputs = 48  # plan and loop; a view's stride; how many views there are
    operands = 56  # plan (inputs only) and loop; what a view adds to the offset
    indices = 64  # plan and loop: a byte per operand, the argument it is; a view's element count
    extra = 72  # plan: the class of named results, or 0; loop: the result's index; a view's flags
    # plan and loop: a word that is not 0 when a position was outside; view: 1 if it counts as none,
    # 2 if it has versions of its own besides
    status = 80
    # view and loop: where the integers are that move the view, or the target; see `shift_of`; or 0
    places = 88
    record = 96  # what gives the result its history: called with it and the leaves; or 0
    step = 104  # the same as words for `history.record_step`; or 0
    keep = 112  # an object that holds all memory that the entry points to
    bytes = 120


WITH_GRADIENT = keys.CPU | keys.AUTOGRAD
OF_INFERENCE = keys.CPU | keys.INFERENCE

PLAN_ACTION, LOOP_ACTION, VIEW_ACTION, IDENTITY_ACTION, ELEMENT_ACTION = 1, 2, 3, 4, 5
ROWS_ACTION, NO_ACTION, KNOWN_ACTION, VIEWS_ACTION, LIST_ACTION = 6, 7, 8, 9, 10
CHAIN_ACTION, SEQUENCE_ACTION, SIZED_ACTION = 11, 12, 13
ADOPT_ACTION, ARRAY_ACTION = 14, 15

# Addresses of the types that a key treats by value, and of a few that are recognised.
kinds = Words("float", "int", "tuple", "list", "slice", "size", "no_size")
kinds.float, kinds.int, kinds.tuple, kinds.list, kinds.slice, kinds.size = map(
    id, (float, int, tuple, list, slice, sizes.Size)
)

# Among the bits of the arguments that are numbers: they are checked against an element type.
CHECKED = 1 << 62
OF_ANY_SIZE = 2
# Every element type holds integers from 0 to this, and floats between these.
FITS_ANY_INTEGER, FITS_ANY = 127, 240.0

# The size of a tensor without dimensions; sizes are kept unique.
_NO_SIZE = sizes.intern(())
kinds.no_size = id(_NO_SIZE)

_SLICE_FIELDS = heap_types.HEADER
# Marks keys of subscripts whose integers do not count.
_MOVES = 1 << 32
# Marks keys of calls in inference mode.
_INFERS = 1 << 33
# Marks keys of classes of calls.
_CLASS = 1 << 34
# What no shift is.
_OUTSIDE = 1 << 62


@module.function
def add_word(buffer: int, count: int, word: int) -> int:
    """Append a word to a key; -1 when it is full or has been given up."""
    if count < 0 or count >= MOST_KEY_WORDS:
        return -1
    store(buffer + count * 8, word)
    return count + 1


@module.function
def records() -> int:
    """Whether this thread records gradients; -1 if that takes more than a look to find out."""
    if state.switches.unrecorded == 0:
        return 1
    if state.switches.unrecorded > 1:
        return -1
    return 0 if thread_ident() == state.switches.unrecorded_thread else 1


@module.function
def infers() -> int:
    """Whether this thread, and no other, is in inference mode."""
    if state.switches.inferring != 1:
        return 0
    return 1 if thread_ident() == state.switches.inferring_thread else 0


class INPUTS:
    """Positions of the integers that a class of calls leaves open, in bytes."""

    count = 0
    ints = 8  # whether integers of the present argument are among them, as sizes always are
    first = 16


MOST_INPUTS = 1024


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
def add_tensor(buffer: int, count: int, item: int, leaves: int, inputs: int) -> int:
    """Append a tensor: its type and geometry, if it has no keys but the CPU's and autograd's.

    Which earlier leaf it is belongs to the key too: `a + a` is not `a + b`.
    """
    own = load(item + TENSOR.keys)
    if own != keys.CPU:
        recording = 0
        if own == WITH_GRADIENT:
            recording = records()
        elif own != OF_INFERENCE or infers() == 0:
            return -1
        if recording < 0:
            return -1
        count = add_word(buffer, count, own + recording)
    first = 1
    while first <= MOST_LEAVES and load(leaves + first * 8) != item:
        first += 1
    count = add_word(buffer, count, first)
    count = add_word(buffer, count, load(item + TENSOR.flags))
    if inputs != 0:
        dims = tuple_size(load(item + TENSOR.size))
        add_inputs(inputs, load(item + TENSOR.size), dims)
        add_inputs(inputs, load(item + TENSOR.stride), dims)
        return add_word(buffer, count, dims)
    count = add_word(buffer, count, load(item + TENSOR.size))
    return add_word(buffer, count, load(item + TENSOR.stride))


@module.function
def is_free(item: int, kind: int, any_size: int) -> int:
    """Whether a number's type is enough: it fits its loop, and the tensor's type if that matters."""
    if kind == kinds.int:
        value = long_as_signed(item)
        if value == -1 and error_occurred() != 0:
            clear_error()
            return 0
        return any_size | ((value >= 0) & (value <= FITS_ANY_INTEGER))
    number = float_as_double(item)
    return any_size | ((number >= -FITS_ANY) & (number <= FITS_ANY))


@module.function
def add_array(buffer: int, count: int, item: int) -> int:
    """Append a numpy array: its type, geometry and flags."""
    dims = load32(item + ARRAY.dims)
    count = add_word(buffer, count, load(item + ARRAY.descr))
    count = add_word(buffer, count, dims)
    count = add_word(buffer, count, load32(item + ARRAY.flags) & array_objects.TOLD_FLAGS)
    for k in range(dims):
        count = add_word(buffer, count, load(load(item + ARRAY.sizes) + k * 8))
        count = add_word(buffer, count, load(load(item + ARRAY.strides) + k * 8))
    return count


@module.function
def add_plain(buffer: int, count: int, item: int, leaves: int, inputs: int) -> int:
    """Append an item that is not a container: integers and floats by value, others by identity.

    If ``inputs`` is an address, what may vary within a class of calls goes there.
    """
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind == types_of.tensor or kind == types_of.parameter:
        return add_tensor(buffer, count, item, leaves, inputs)
    if kind == kinds.list or kind == kinds.tuple:
        # Calls with lists in lists are never remembered.
        return -1
    count = add_word(buffer, count, kind)
    if kind == array_objects.api.array:
        return add_array(buffer, count, item)
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
        store_float(buffer + count * 8, float_as_double(item))
        return count + 1
    return add_word(buffer, count, item)


@module.function
def add_item(buffer: int, count: int, item: int, leaves: int, inputs: int) -> int:
    """Append an item of a container: slices by their fields."""
    if load(item + heap_types.TYPE_OFFSET) == kinds.slice:
        count = add_word(buffer, count, kinds.slice)
        for k in range(3):
            count = add_plain(buffer, count, load(item + _SLICE_FIELDS + k * 8), leaves, inputs)
        return count
    return add_plain(buffer, count, item, leaves, inputs)


@module.function
def add_subscript(buffer: int, count: int, item: int, leaves: int, moving: int) -> int:
    """Append a part of a subscript: of integers only their type, of slices only how long they are.

    ``moving`` counts the parts that were appended so.
    """
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind == kinds.int:
        store(moving, load(moving) + 1)
        return add_word(buffer, count, kind)
    if kind == types_of.tensor and load(item + TENSOR.size) == kinds.no_size:
        store(moving, load(moving) + 1)
    if kind == kinds.slice:
        start = load(item + _SLICE_FIELDS)
        stop = load(item + _SLICE_FIELDS + 8)
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
                return add_plain(buffer, count, load(item + _SLICE_FIELDS + 16), leaves, 0)
    return add_item(buffer, count, item, leaves, 0)


@module.function
def add_subscripts(buffer: int, count: int, item: int, leaves: int, moving: int) -> int:
    """Append a whole subscript, and its parts to the leaves."""
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind != kinds.tuple:
        add_leaf(leaves, item)
        return add_subscript(buffer, count, item, leaves, moving)
    length = tuple_size(item)
    count = add_word(buffer, count, kind)
    count = add_word(buffer, count, length)
    for k in range(length):
        part = tuple_item(item, k)
        add_leaf(leaves, part)
        count = add_subscript(buffer, count, part, leaves, moving)
    return count


@module.function
def add_leaf(leaves: int, item: int) -> None:
    """Append an item to the list of leaves, whose first word is its length."""
    count = load(leaves) + 1
    store(leaves, count)
    if count <= MOST_LEAVES:
        store(leaves + count * 8, item)


@module.function
def add_argument(
    buffer: int, count: int, item: int, is_number: int, leaves: int, inputs: int
) -> int:
    """Append an argument to the key, and it or what it contains to the leaves."""
    kind = load(item + heap_types.TYPE_OFFSET)
    if kind != kinds.tuple and kind != kinds.list:
        add_leaf(leaves, item)
    is_plain = is_number != 0 and (kind == kinds.float or kind == kinds.int)
    if is_plain and is_free(item, kind, is_number & OF_ANY_SIZE) != 0:
        return add_word(buffer, count, kind)
    if kind == kinds.tuple:
        length = tuple_size(item)
        count = add_word(buffer, count, kind)
        count = add_word(buffer, count, length)
        for k in range(length):
            part = tuple_item(item, k)
            add_leaf(leaves, part)
            count = add_item(buffer, count, part, leaves, inputs)
            if count < 0:
                return -1
        return count
    if kind == kinds.list:
        length = list_size(item)
        count = add_word(buffer, count, kind)
        count = add_word(buffer, count, length)
        for k in range(length):
            part = list_item(item, k)
            add_leaf(leaves, part)
            count = add_item(buffer, count, part, leaves, inputs)
            if count < 0:
                return -1
        return count
    return add_item(buffer, count, item, leaves, inputs)


@module.function
def make_key(
    buffer: int, leaves: int, binding: int, arguments: int, count: int, names: int, moving: int,
    inputs: int,
) -> int:  # fmt: skip
    """Write the key of a call; its length, or -1 if such a call is not remembered.

    If ``moving`` is an address, argument 1 is a subscript whose integers may be others next time.
    If ``inputs`` is one, the key is that of the call's class, and the integers that vary within the
    class are written there: sizes, strides, and integers that operators take as sizes.
    """
    store(leaves, 0)
    numbers = load(binding + BINDING.numbers)
    first = count if moving == 0 else count | _MOVES
    if inputs != 0:
        first = first | _CLASS
        store(inputs + INPUTS.count, 0)
    if state.switches.inferring != 0 and infers() != 0:
        first = first | _INFERS
    length = add_word(buffer, 0, first)
    given = count
    if names != 0:
        given = count + tuple_size(names)
        for k in range(given - count):
            # Keyword names are interned, so their addresses stand for them.
            length = add_word(buffer, length, tuple_item(names, k))
    for k in range(given):
        item = load(arguments + k * 8)
        if moving != 0 and k == 1:
            length = add_subscripts(buffer, length, item, leaves, moving)
        else:
            is_number = (numbers >> k) & 1 if k < count else 0
            if is_number != 0 and numbers & CHECKED == 0:
                is_number = is_number + OF_ANY_SIZE
            if inputs != 0:
                taken = (load(binding + BINDING.sizes) >> k) & 1 if k < count and k < 63 else 0
                store(inputs + INPUTS.ints, taken)
            length = add_argument(buffer, length, item, is_number, leaves, inputs)
    if load(leaves) > MOST_LEAVES:
        return -1
    if inputs != 0 and load(inputs + INPUTS.count) > MOST_INPUTS:
        return -1
    return length


@module.function
def hash_key(buffer: int, length: int) -> int:
    mixed = 1469598103934665603
    for k in range(length):
        mixed = (mixed ^ load(buffer + k * 8)) * 1099511628211
    mixed = mixed ^ (mixed >> 29)
    return mixed | 1


@module.function
def find_entry(table: int, mask: int, buffer: int, length: int, mixed: int) -> int:
    """The remembered call with this key, or 0."""
    for probe in range(PROBES):
        entry = table + (((mixed >> 8) + probe) & mask) * ENTRY.bytes
        if load(entry + ENTRY.hash) == mixed and load(entry + ENTRY.length) == length:
            known = load(entry + ENTRY.key)
            k = 0
            while k < length and load(known + k * 8) == load(buffer + k * 8):
                k += 1
            if k == length:
                return entry
    return 0


@module.function
def writes_safely(target: int, arguments: int, indices: int, operands: int, outputs: int) -> int:
    """Whether writing ``target`` cannot disturb another operand: they share no storage."""
    if load(target + TENSOR.counter) != types_of.none:
        return 0
    storage = load(target + TENSOR.storage)
    for k in range(outputs, operands):
        other = load(arguments + load8(indices + k) * 8)
        kind = load(other + heap_types.TYPE_OFFSET)
        is_tensor = kind == types_of.tensor or kind == types_of.parameter
        if is_tensor and other != target and load(other + TENSOR.storage) == storage:
            return 0
    return 1


@module.function
def take_rows(words: int, source: int, index: int) -> int:
    """Rows of a tensor as a new one; -1 if a position is out of range."""
    made = objects.new_tensor(words)
    if made == 0:
        return 0
    row = words + TEMPLATE.length
    nbytes = load(row + 32)
    wrong = moves.gather_rows(
        objects.first_byte(made, load(row + 40)),
        objects.first_byte(source, load(row + 40)),
        objects.first_byte(index, 8),
        load(row),
        load(row + 8),
        load(row + 16),
        load(row + 24),
        nbytes,
    )
    if wrong >= 0:
        decref(made)
        return -1
    return made


@module.function
def take_views(base: int, table: int, count: int) -> int:
    """A new tuple of views; a row of the table has size, stride, offset, element count and flags."""
    objects.note_viewed(base)
    found = tuple_new(count)
    if found == 0:
        return 0
    for k in range(count):
        row = table + k * 40
        made = objects.new_view(
            base,
            load(row),
            load(row + 8),
            load(base + TENSOR.offset) + load(row + 16),
            load(row + 24),
            load(row + 32),
        )
        if made == 0:
            decref(found)
            return 0
        tuple_set(found, k, made)
    return found


class MOVE:
    """Positions of the words that describe an integer of a subscript, in bytes."""

    leaf = 0
    kind = 8  # 0 for an integer, 1 for a slice, otherwise the bytes of a tensor's integer
    size = 16
    stride = 24
    length = 32  # of a slice
    bytes = 40


@module.function
def integer_of(tensor: int, itemsize: int) -> int:
    """The only element of a tensor of integers of 8 or 4 bytes."""
    at = objects.first_byte(tensor, itemsize)
    return load(at) if itemsize == 8 else load32(at)


@module.function
def shift_of(places: int, leaves: int) -> int:
    """By how many elements the integers of a subscript move a view; `_OUTSIDE` if some are too large.

    ``places`` has their number, then a `MOVE` for each.
    """
    shift = 0
    for k in range(load(places)):
        row = places + 8 + k * MOVE.bytes
        item = load(leaves + load(row + MOVE.leaf) * 8)
        size = load(row + MOVE.size)
        last = size - 1
        if load(row + MOVE.kind) == 1:
            item = load(item + _SLICE_FIELDS)
            last = size - load(row + MOVE.length)
        place = 0
        if load(row + MOVE.kind) > 1:
            place = integer_of(item, load(row + MOVE.kind))
        else:
            place = long_as_signed(item)
        if place == -1 and error_occurred() != 0:
            clear_error()
            return _OUTSIDE
        if place < 0:
            place += size
        if place < 0 or place > last:
            return _OUTSIDE
        shift += place * load(row + MOVE.stride)
    return shift


@module.function
def moved(tensor: int, shift: int) -> int:
    """The same tensor so many elements further on, as an operand."""
    return objects.new_view(
        tensor,
        load(tensor + TENSOR.size),
        load(tensor + TENSOR.stride),
        load(tensor + TENSOR.offset) + shift,
        load(tensor + TENSOR.numel),
        load(tensor + TENSOR.flags),
    )


class LINK:
    """Positions of the words of one view in a chain of them, in bytes."""

    size, stride, offset, numel, flags = 0, 8, 16, 24, 32
    step = 40  # its history, for `history.record_step`; leaf 0 is what it is a view of
    places = 48  # see `shift_of`; or 0
    bytes = 56


@module.function
def take_chain(table: int, count: int, arguments: int, given: int) -> int:
    """A view of a view, and so on, each with its history; -1 if that cannot be done."""
    leaves = stack(MOST_LEAVES)
    for k in range(given):
        store(leaves + k * 8, load(arguments + k * 8))
    current = load(arguments)
    incref(current)
    for k in range(count):
        link = table + k * LINK.bytes
        shift = load(link + LINK.offset)
        if load(link + LINK.places) != 0:
            own = shift_of(load(link + LINK.places), arguments)
            if own == _OUTSIDE:
                decref(current)
                return -1
            shift += own
        made = objects.new_view(
            current,
            load(link + LINK.size),
            load(link + LINK.stride),
            load(current + TENSOR.offset) + shift,
            load(link + LINK.numel),
            load(link + LINK.flags),
        )
        if made == 0:
            decref(current)
            return 0
        objects.note_viewed(current)
        store(leaves, current)
        failed = history.record_step(made, leaves, load(link + LINK.step))
        decref(current)
        current = made
        if failed != history.DONE:
            decref(made)
            return 0 if failed == history.FAILED else -1
    return current


@module.function
def take_sized(words: int, counting: int, inputs: int) -> int:
    """Find a result's length, then make the result; -1 if its templates are in use or do not fit."""
    if load(words + SIZED.busy) != 0:
        return -1
    store(words + SIZED.busy, 1)
    made = make_sized(words, counting, inputs)
    store(words + SIZED.busy, 0)
    if made == 0 or made == -1:
        return made
    if load(words + SIZED.outputs) != 1 or load(words + SIZED.is_tuple) == 0:
        return made
    whole = tuple_new(1)
    if whole == 0:
        decref(made)
        return 0
    tuple_set(whole, 0, made)
    return whole


@module.function
def make_sized(words: int, counting: int, inputs: int) -> int:
    """A result's tensors: one, or a tuple."""
    if objects.run_operands(counting, inputs) != 0:
        return 0
    templates = geometry_program.templates_for(words, load(load(words + SIZED.count)))
    if templates == geometry_program.ELSEWHERE:
        return -1
    if templates == geometry_program.FAILED:
        return 0
    outputs = load(words + SIZED.outputs)
    return objects.produce_into(load(words + SIZED.filling), templates, outputs, inputs)


_STATUS_BUSY = 24


@module.function
def has_failed(status: int) -> int:
    """Whether a loop that is over has failed; from now on another call may run it."""
    failed = load(status)
    store(status, 0)
    store(status + _STATUS_BUSY, 0)
    return failed


@module.function
def repeat(entry: int, arguments: int) -> int:
    """`replay` without the history."""
    action = load(entry + ENTRY.action)
    if action == NO_ACTION:
        return -1
    shift = 0
    places = load(entry + ENTRY.places)
    if places != 0:
        shift = shift_of(places, arguments)
        if shift == _OUTSIDE:
            return -1
    if action == VIEW_ACTION:
        base = load(arguments + load(entry + ENTRY.loop) * 8)
        made = objects.new_view(
            base,
            load(entry + ENTRY.templates),
            load(entry + ENTRY.outputs),
            load(base + TENSOR.offset) + load(entry + ENTRY.operands) + shift,
            load(entry + ENTRY.indices),
            load(entry + ENTRY.extra),
        )
        if made == 0:
            return made
        if load(entry + ENTRY.status) == 0:
            objects.note_viewed(base)
        else:
            objects.forget_base(made)
        if load(entry + ENTRY.status) == 2:
            objects.count_apart(made)
        return made
    if action == CHAIN_ACTION:
        return take_chain(
            load(entry + ENTRY.templates),
            load(entry + ENTRY.outputs),
            arguments,
            load(entry + ENTRY.operands),
        )
    if action == VIEWS_ACTION:
        return take_views(
            load(arguments + load(entry + ENTRY.loop) * 8),
            load(entry + ENTRY.templates),
            load(entry + ENTRY.outputs),
        )
    if action == KNOWN_ACTION:
        known = load(entry + ENTRY.loop)
        incref(known)
        return known
    if action == IDENTITY_ACTION:
        result = load(arguments + load(entry + ENTRY.loop) * 8)
        incref(result)
        return result
    if action == ADOPT_ACTION:
        array = load(arguments + load(entry + ENTRY.loop) * 8)
        return objects.tensor_over(load(entry + ENTRY.templates), load(array + ARRAY.data), array)
    if action == ARRAY_ACTION:
        tensor = load(arguments + load(entry + ENTRY.loop) * 8)
        storage = load(tensor + TENSOR.storage)
        store(storage + STORAGE.flags, load(storage + STORAGE.flags) | objects.EXPORTED)
        return array_objects.new_array(
            storage,
            objects.first_byte(tensor, load(entry + ENTRY.extra)),
            load(entry + ENTRY.templates),
            load(entry + ENTRY.outputs),
            load(entry + ENTRY.operands),
            load(entry + ENTRY.indices),
        )
    if action == ELEMENT_ACTION:
        return objects.element(load(arguments + load(entry + ENTRY.loop) * 8))
    if action == LIST_ACTION:
        return number_lists.nested_list(load(arguments + load(entry + ENTRY.loop) * 8))
    if action == ROWS_ACTION:
        return take_rows(
            load(entry + ENTRY.templates),
            load(arguments + load(entry + ENTRY.loop) * 8),
            load(arguments + load(entry + ENTRY.extra) * 8),
        )
    operands = load(entry + ENTRY.operands)
    indices = load(entry + ENTRY.indices)
    ordered = stack(MOST_OPERANDS)
    for k in range(operands):
        store(ordered + k * 8, load(arguments + load8(indices + k) * 8))
    if action == SIZED_ACTION:
        return take_sized(load(entry + ENTRY.templates), load(entry + ENTRY.loop), ordered)
    status = load(entry + ENTRY.status)
    if status != 0:
        # Long loops let other threads run.
        if load(status + _STATUS_BUSY) != 0:
            return -1
        store(status + _STATUS_BUSY, 1)
    if action == PLAN_ACTION:
        made = objects.produce_into(
            load(entry + ENTRY.loop),
            load(entry + ENTRY.templates),
            load(entry + ENTRY.outputs),
            ordered,
        )
        wrapper = load(entry + ENTRY.extra)
        if status != 0 and has_failed(status) != 0 and made != 0:
            decref(made)
            return -1
        if made == 0 or wrapper == 0:
            return made
        wrapped = call_object(wrapper, made, 0)
        decref(made)
        return wrapped
    outputs = load(entry + ENTRY.outputs)
    for k in range(outputs):
        if writes_safely(load(ordered + k * 8), arguments, indices, operands, outputs) == 0:
            if status != 0:
                has_failed(status)
            return -1
    target = load(ordered)
    if places != 0:
        store(ordered, moved(target, shift))
    failed = objects.run_operands(load(entry + ENTRY.loop), ordered)
    if places != 0:
        decref(load(ordered))
        store(ordered, target)
    if status != 0 and has_failed(status) != 0 and failed == 0:
        return -1
    if failed != 0:
        return 0
    for k in range(outputs):
        storage = load(load(ordered + k * 8) + TENSOR.storage)
        store(storage + STORAGE.version, load(storage + STORAGE.version) + 1)
    position = load(entry + ENTRY.extra)
    result = types_of.none
    if position >= 0:
        result = load(arguments + position * 8)
    incref(result)
    return result


@module.function
def replay(entry: int, arguments: int, count: int) -> int:
    """Do with a call's leaves what the remembered call did; -1 if it cannot be done this time."""
    result = repeat(entry, arguments)
    record = load(entry + ENTRY.record)
    if record == 0 or result == -1 or result == 0:
        return result
    step = load(entry + ENTRY.step)
    if step != 0:
        recorded = history.record_step(result, arguments, step)
        if recorded == history.DONE:
            return result
        if recorded == history.FAILED or record == types_of.none:
            decref(result)
            return 0 if recorded == history.FAILED else -1
    given = stack(MOST_LEAVES + 1)
    store(given, result)
    for k in range(count):
        store(given + 8 + k * 8, load(arguments + k * 8))
    made = vectorcall(record, given, count + 1, 0)
    decref(result)
    return made


class SEQUENCE:
    """Positions of the words that describe several steps, in bytes; then their `PART`s."""

    given = 0  # how many leaves the call has
    constants = 8  # address of the objects that follow them as slots
    constant_count = 16
    parts = 24  # how many steps
    result = 32  # the slot that is the result, or -1 if it is several
    made = 40  # of several: the slots' address
    made_count = 48
    wrapper = 56  # of several: the class of named results, or 0
    first = 64


class PART:
    """Positions of the words of one step; the first ones are those of a remembered call."""

    slot = ENTRY.bytes  # the slot that its result becomes
    spread = ENTRY.bytes + 8  # into how many more slots its items go, if the result is a tuple
    expected = ENTRY.bytes + 16  # the object that its result must be, or 0
    last_uses = ENTRY.bytes + 24  # address of the steps whose results nothing needs any more
    last_use_count = ENTRY.bytes + 32
    bytes = ENTRY.bytes + 40


@module.function
def clear_slot(slots: int, part: int) -> None:
    """Drop what a step made: from now on its slots hold None."""
    slot = slots + load(part + PART.slot) * 8
    made = load(slot)
    for k in range(1 + load(part + PART.spread)):
        store(slot + k * 8, types_of.none)
    if made != types_of.none:
        decref(made)


@module.function
def clear_slots(slots: int, sequence: int, done: int) -> None:
    """Drop whatever the first steps made."""
    for k in range(done):
        clear_slot(slots, sequence + SEQUENCE.first + k * PART.bytes)


@module.function
def result_of_slots(slots: int, sequence: int) -> int:
    """A new reference to what a sequence gives; 0 with an error."""
    slot = load(sequence + SEQUENCE.result)
    if slot >= 0:
        incref(load(slots + slot * 8))
        return load(slots + slot * 8)
    count = load(sequence + SEQUENCE.made_count)
    made = tuple_new(count)
    if made == 0:
        return 0
    for k in range(count):
        item = load(slots + load(load(sequence + SEQUENCE.made) + k * 8) * 8)
        incref(item)
        tuple_set(made, k, item)
    wrapper = load(sequence + SEQUENCE.wrapper)
    if wrapper == 0:
        return made
    wrapped = call_object(wrapper, made, 0)
    decref(made)
    return wrapped


@module.function
def run_sequence(sequence: int, arguments: int) -> int:
    """Do several steps, each over the call's leaves and what the earlier ones made.

    The slots are the leaves, then constants, then results.
    """
    slots = stack(MOST_LEAVES)
    count = load(sequence + SEQUENCE.given)
    for k in range(count):
        store(slots + k * 8, load(arguments + k * 8))
    for k in range(load(sequence + SEQUENCE.constant_count)):
        store(slots + count * 8, load(load(sequence + SEQUENCE.constants) + k * 8))
        count += 1
    for k in range(load(sequence + SEQUENCE.parts)):
        part = sequence + SEQUENCE.first + k * PART.bytes
        made = replay(part, slots, count)
        if made == 0 or made == -1:
            clear_slots(slots, sequence, k)
            return made
        store(slots + count * 8, made)
        count += 1
        for j in range(load(part + PART.spread)):
            store(slots + count * 8, tuple_item(made, j))
            count += 1
        expected = load(part + PART.expected)
        if expected != 0 and expected != made:
            clear_slots(slots, sequence, k + 1)
            return -1
        for j in range(load(part + PART.last_use_count)):
            unused = load(load(part + PART.last_uses) + j * 8)
            clear_slot(slots, sequence + SEQUENCE.first + unused * PART.bytes)
    result = result_of_slots(slots, sequence)
    clear_slots(slots, sequence, load(sequence + SEQUENCE.parts))
    return result


@module.function
def run_entry(entry: int, leaves: int) -> int:
    """`replay`, while the entry is kept: another thread may forget it during a long loop."""
    keep = load(entry + ENTRY.keep)
    incref(keep)
    if load(entry + ENTRY.action) == SEQUENCE_ACTION:
        result = run_sequence(load(entry + ENTRY.templates), leaves + 8)
    else:
        result = replay(entry, leaves + 8, load(leaves))
    decref(keep)
    return result


@module.function
def begins_with_list(arguments: int, count: int) -> int:
    if count == 0:
        return 0
    return 1 if load(load(arguments) + heap_types.TYPE_OFFSET) == kinds.list else 0


@module.function
def mark_inferred(made: int, leaves: int) -> None:
    """Mark a tensor that was made in inference mode, unless it is a plain argument or a view of one."""
    storage = load(made + TENSOR.storage)
    for k in range(load(leaves)):
        leaf = load(leaves + 8 + k * 8)
        kind = load(leaf + heap_types.TYPE_OFFSET)
        if kind == types_of.tensor or kind == types_of.parameter:
            plain = load(leaf + TENSOR.keys) & keys.INFERENCE == 0
            if load(leaf + TENSOR.storage) == storage and plain:
                return
    store(made + TENSOR.keys, load(made + TENSOR.keys) | keys.INFERENCE)


@module.function
def inferred(result: int, leaves: int) -> int:
    """What a call in inference mode gives: tensors that are marked so."""
    kind = load(result + heap_types.TYPE_OFFSET)
    if kind == types_of.tensor:
        mark_inferred(result, leaves)
    elif kind == kinds.tuple:
        for k in range(tuple_size(result)):
            item = tuple_item(result, k)
            if load(item + heap_types.TYPE_OFFSET) == types_of.tensor:
                mark_inferred(item, leaves)
    return result


@module.function
def word_error() -> None:
    """Let memory that ran out be the error that it is everywhere; Python knows how to word it."""
    if error_matches(types_of.memory_error) == 0:
        return
    error = stack(3)
    fetch_error(error, error + 8, error + 16)
    normalise_error(error, error + 8, error + 16)
    vectorcall(types_of.reword, error + 8, 1, 0)
    for k in range(3):
        if load(error + k * 8) != 0:
            decref(load(error + k * 8))


# Hashes of calls that were made by their class, each with a count of how often in its low bits.
_RECENT = 4096
# Remembering a call costs as much as so many turns of the way by its class.
_OFTEN = 200
_COUNT_BITS = 8
_recent = lasting(_RECENT)
recent = Words("address")
recent.address = ctypes.addressof(_recent)


@module.function
def comes_often(mixed: int) -> int:
    """Whether a call made by its class has come so often that it deserves an entry of its own."""
    place = recent.address + ((mixed >> 12) & (_RECENT - 1)) * 8
    kept = mixed - (mixed & ((1 << _COUNT_BITS) - 1))
    word = load(place)
    if word - (word & ((1 << _COUNT_BITS) - 1)) != kept:
        store(place, kept)
        return 0
    times = word & ((1 << _COUNT_BITS) - 1)
    if times >= _OFTEN:
        store(place, 0)
        return 1
    store(place, word + 1)
    return 0


@module.function
def answer_of_class(
    binding: int, buffer: int, leaves: int, arguments: int, count: int, names: int
) -> int:
    """Repeat a call by what its class is remembered to do; -1 if that is not known."""
    inputs = stack(MOST_INPUTS + 2)
    length = make_key(buffer, leaves, binding, arguments, count, names, 0, inputs)
    if length < 0:
        return -1
    table = load(binding + BINDING.classes)
    mask = load(binding + BINDING.class_mask)
    entry = find_entry(table, mask, buffer, length, hash_key(buffer, length))
    if entry == 0:
        return -1
    keep = load(entry + ENTRY.keep)
    incref(keep)
    result = -1
    program = load(entry + ENTRY.templates)
    while program != 0 and result == -1:
        ready = geometry_program.prepare(program, inputs + INPUTS.first)
        if ready == geometry_program.READY:
            result = run_entry(load(program + PROGRAM.entry), leaves)
            store(program + PROGRAM.busy, 0)
            break
        if ready == geometry_program.FAILED:
            result = 0
        program = load(program + PROGRAM.next)
    decref(keep)
    return result


@module.function
def call_binding(binding: int, arguments: int, count: int, names: int) -> int:
    """Entry of every public function: give what `answer` gives."""
    result = answer(binding, arguments, count, names)
    if result == 0:
        word_error()
    return result


@module.function
def answer(binding: int, arguments: int, count: int, names: int) -> int:
    """Repeat a call from memory, or make it in Python."""
    slow = load(binding + BINDING.slow)
    busy = state.switches.busy
    if busy != 0 and (busy != 1 or infers() == 0):
        return vectorcall(slow, arguments, count, names)
    buffer = stack(MOST_KEY_WORDS)
    leaves = stack(MOST_LEAVES + 1)
    habits = load(binding + BINDING.habits)
    if habits & READS_LISTS != 0 and begins_with_list(arguments, count) != 0:
        return vectorcall(slow, arguments, count, names)
    if habits & HAS_SUBSCRIPT != 0:
        moving = stack(1)
        store(moving, 0)
        length = make_key(buffer, leaves, binding, arguments, count, names, moving, 0)
        if length >= 0 and load(moving) != 0:
            entry = find_entry(
                load(binding + BINDING.table),
                load(binding + BINDING.mask),
                buffer,
                length,
                hash_key(buffer, length),
            )
            if entry != 0:
                result = run_entry(entry, leaves)
                if result != -1:
                    return result if busy == 0 or result == 0 else inferred(result, leaves)
    length = make_key(buffer, leaves, binding, arguments, count, names, 0, 0)
    if length < 0:
        return vectorcall(slow, arguments, count, names)
    mixed = hash_key(buffer, length)
    entry = find_entry(
        load(binding + BINDING.table), load(binding + BINDING.mask), buffer, length, mixed
    )
    if entry == 0:
        result = -1
        if load(binding + BINDING.class_mask) != 0 and comes_often(mixed) == 0:
            result = answer_of_class(binding, buffer, leaves, arguments, count, names)
        if result == -1:
            return vectorcall(load(binding + BINDING.miss), arguments, count, names)
        return result if busy == 0 or result == 0 else inferred(result, leaves)
    result = run_entry(entry, leaves)
    if result == -1:
        return vectorcall(slow, arguments, count, names)
    return result if busy == 0 or result == 0 else inferred(result, leaves)


@module.function
def hash_call(binding: int, arguments: int, count: int, names: int, moves: int) -> int:
    """For Python: the hash of a call's key; 0 if such calls are not remembered."""
    buffer = stack(MOST_KEY_WORDS)
    leaves = stack(MOST_LEAVES + 1)
    moving = stack(1)
    store(moving, 0)
    length = make_key(
        buffer, leaves, binding, arguments, count, names, moving if moves != 0 else 0, 0
    )
    if length < 0:
        return 0
    return hash_key(buffer, length)


@module.function
def remember_key(
    binding: int, arguments: int, count: int, names: int, buffer: int, moves: int
) -> int:
    """For Python: write a call's key, perhaps without a subscript's integers; its length or -1."""
    leaves = stack(MOST_LEAVES + 1)
    moving = stack(1)
    store(moving, 0)
    return make_key(
        buffer, leaves, binding, arguments, count, names, moving if moves != 0 else 0, 0
    )


@module.function
def class_key(
    binding: int, arguments: int, count: int, names: int, buffer: int, inputs: int
) -> int:
    """For Python: write the key of a call's class and the integers it leaves open; its length or -1."""
    leaves = stack(MOST_LEAVES + 1)
    return make_key(buffer, leaves, binding, arguments, count, names, 0, inputs)


types_of = objects.types
