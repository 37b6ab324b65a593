"""The entry of every public function: do again what the call was, or make it in Python.

`call_binding` looks for the call's key, and then for its class's; see `key`. Only tensors of the
exact class, on the CPU, without any other dispatch key take part, and only while no thread has modes
or key sets of its own.
"""

from __future__ import annotations

import ctypes

from rushlight.engine.core import geometry_program, keys, objects, state
from rushlight.engine.core.geometry_program import PROGRAM
from rushlight.engine.core.objects import TENSOR
from rushlight.engine.dispatch.call_cache.key import (
    BINDING,
    HAS_SUBSCRIPT,
    INPUTS,
    MOST_FLAT_ARGS,
    MOST_INPUTS,
    MOST_KEY_WORDS,
    has_only_told_reasons,
    hash_key,
    infers,
    is_tensor,
    kinds,
    make_key,
)
from rushlight.engine.dispatch.call_cache.step import run_step
from rushlight.engine.dispatch.call_cache.table import ENTRY, find_entry
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import Words, lasting, load, stack, store
from rushlight.engine.native.python_api import (
    decref,
    error_matches,
    fetch_error,
    incref,
    normalise_error,
    tuple_item,
    tuple_size,
    vectorcall,
)
from rushlight.engine.native.runtime import module

types_of = objects.types


@module.function
def run_entry(entry: int, flat_args: int) -> int:
    """Do a remembered call again, while it is kept: another thread may forget it during a long loop."""
    step = load(entry + ENTRY.step)
    if step == 0:
        return -1
    keep = load(entry + ENTRY.keep)
    incref(keep)
    result = run_step(step, flat_args + 8, load(flat_args))
    decref(keep)
    return result


@module.function
def entry_of(binding: int, buffer: int, length: int, mixed: int) -> int:
    """What a binding remembers under a key, or 0."""
    return find_entry(
        load(binding + BINDING.table), load(binding + BINDING.mask), buffer, length, mixed
    )


@module.function
def mark_tensor(made: int, flat_args: int) -> None:
    """Mark a tensor that was made in inference mode, unless it is a plain argument or a view of one."""
    storage = load(made + TENSOR.storage)
    for k in range(load(flat_args)):
        flat_arg = load(flat_args + 8 + k * 8)
        if is_tensor(flat_arg) != 0:
            plain = load(flat_arg + TENSOR.keys) & keys.INFERENCE == 0
            if load(flat_arg + TENSOR.storage) == storage and plain:
                return
    store(made + TENSOR.keys, load(made + TENSOR.keys) | keys.INFERENCE)


@module.function
def mark_inferred(result: int, flat_args: int) -> None:
    """Mark the tensors that a call in inference mode gives."""
    kind = load(result + heap_types.TYPE_OFFSET)
    if kind == types_of.tensor:
        mark_tensor(result, flat_args)
    elif kind == kinds.tuple:
        for k in range(tuple_size(result)):
            item = tuple_item(result, k)
            if load(item + heap_types.TYPE_OFFSET) == types_of.tensor:
                mark_tensor(item, flat_args)


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
    binding: int, buffer: int, flat_args: int, arguments: int, count: int, names: int
) -> int:
    """Repeat a call by what its class is remembered to do; -1 if that is not known."""
    inputs = stack(MOST_INPUTS + 2)
    length = make_key(buffer, flat_args, binding, arguments, count, names, 0, inputs)
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
    program = load(entry + ENTRY.step)
    while program != 0 and result == -1:
        ready = geometry_program.prepare(program, inputs + INPUTS.first)
        if ready == geometry_program.READY:
            result = run_step(load(program + PROGRAM.step), flat_args + 8, load(flat_args))
            store(program + PROGRAM.busy, 0)
            break
        if ready == geometry_program.FAILED:
            result = 0
        program = load(program + PROGRAM.next)
    decref(keep)
    return result


# What is given for a call that is not repeated: since it was not met before, or cannot be.
_MISSED, _REFUSED = -2, -1


@module.function
def recall(binding: int, arguments: int, count: int, names: int, flat_args: int) -> int:
    """Repeat a call from memory: its result, 0 with an error, or why Python has to make it."""
    habits = load(binding + BINDING.habits)
    buffer = stack(MOST_KEY_WORDS)
    if habits & HAS_SUBSCRIPT != 0:
        moving = stack(1)
        store(moving, 0)
        length = make_key(buffer, flat_args, binding, arguments, count, names, moving, 0)
        if length >= 0 and load(moving) != 0:
            entry = entry_of(binding, buffer, length, hash_key(buffer, length))
            result = -1 if entry == 0 else run_entry(entry, flat_args)
            if result != -1:
                return result
    length = make_key(buffer, flat_args, binding, arguments, count, names, 0, 0)
    if length < 0:
        return _REFUSED
    mixed = hash_key(buffer, length)
    entry = entry_of(binding, buffer, length, mixed)
    if entry != 0:
        return run_entry(entry, flat_args)
    result = -1
    if load(binding + BINDING.class_mask) != 0 and comes_often(mixed) == 0:
        result = answer_of_class(binding, buffer, flat_args, arguments, count, names)
    return _MISSED if result == -1 else result


@module.entry
def call_binding(binding: int, arguments: int, count: int, names: int) -> int:
    """Entry of every public function: repeat a call from memory, or make it in Python."""
    flat_args = stack(MOST_FLAT_ARGS + 1)
    result = _REFUSED
    busy = state.switches.busy
    inferring = 1 if busy == 1 and infers() != 0 else 0
    if busy == 0 or inferring != 0 or has_only_told_reasons(busy) != 0:
        result = recall(binding, arguments, count, names, flat_args)
    if result == _REFUSED:
        result = vectorcall(load(binding + BINDING.slow), arguments, count, names)
    elif result == _MISSED:
        result = vectorcall(load(binding + BINDING.miss), arguments, count, names)
    elif inferring != 0 and result != 0:
        mark_inferred(result, flat_args)
    if result == 0:
        word_error()
    return result
