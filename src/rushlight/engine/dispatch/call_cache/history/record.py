"""The node of a repeated step: made, filled and attached by machine code."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.core import keys, objects
from rushlight.engine.core.objects import TENSOR
from rushlight.engine.dispatch.call_cache.history import (
    CHANGED,
    DONE,
    FAILED,
    FOR_PYTHON,
    KEPT_DTYPE,
    KEPT_NUMBER,
    KEPT_PLAIN_RESULT,
    KEPT_RESULT,
    KEPT_SIZE,
    KEPT_TENSOR,
    MOST_TARGETS,
    STEP,
    UNRECORDED,
    VIEW,
    facts,
)
from rushlight.engine.dispatch.call_cache.history.changes import rebase
from rushlight.engine.dispatch.call_cache.history.edges import (
    attach,
    described,
    edge_before,
    edge_of,
    give_edge,
    new_meta,
    pair,
    result_at,
)
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import (
    decref,
    generic_alloc,
    incref,
    iterator_next,
    list_size,
    long_from_word,
    tuple_new,
    tuple_set,
    tuple_size,
)
from rushlight.engine.native.runtime import module

types_of = objects.types


@module.function
def is_plain_view(result: int, source: int) -> int:
    """Whether sizes and strides say all about a new view of a tensor, down to its base."""
    meta = load(source + TENSOR.autograd)
    base = load(source + TENSOR.base)
    if load(meta + heap_types.TYPE_OFFSET) == facts.view_type:
        replay = load(meta + facts.view_replay)
        if replay != types_of.none:
            return 0
    if base == types_of.none:
        return 1
    return 1 if load(base + TENSOR.dtype) == load(result + TENSOR.dtype) else 0


@module.function
def way_of_view(source: int, several: int) -> int:
    """How a new view of a tensor came to be: as one of several, or as the tensor did."""
    if several != 0:
        return facts.one_of_several
    meta = load(source + TENSOR.autograd)
    if load(meta + heap_types.TYPE_OFFSET) == facts.view_type:
        return load(meta + facts.view_made)
    return types_of.none


@module.function
def pair_of(tensor: int) -> int:
    """A new pair: the tensor and its version; 0 with an error on failure."""
    version = long_from_word(objects.version_of(tensor))
    incref(tensor)
    return pair(tensor, version)


@module.function
def kept_result(result: int, output: int) -> int:
    """What a node keeps of a result of its own: a tensor over the same memory without a history."""
    shadow = objects.new_view(
        result,
        load(result + TENSOR.size),
        load(result + TENSOR.stride),
        load(result + TENSOR.offset),
        load(result + TENSOR.numel),
        load(result + TENSOR.flags),
    )
    if shadow == 0:
        return 0
    objects.forget_base(shadow)
    kept = generic_alloc(facts.result_type, 0)
    if kept == 0:
        decref(shadow)
        return 0
    version = long_from_word(objects.version_of(result))
    place = long_from_word(output)
    incref(types_of.none)
    store(kept + facts.result_tensor, shadow)
    store(kept + facts.result_version, version)
    store(kept + facts.result_output, place)
    store(kept + facts.result_original, types_of.none)
    if version == 0 or place == 0:
        decref(kept)
        return 0
    return kept


@module.function
def kept_thing(kind: int, what: int, result: int, flat_args: int, several: int) -> int:
    """A new reference to one thing that a node keeps."""
    if kind == KEPT_RESULT:
        return kept_result(result_at(result, what, several), what)
    if kind == KEPT_PLAIN_RESULT:
        return pair_of(result_at(result, what, several))
    found = what
    if kind == KEPT_TENSOR:
        return pair_of(load(flat_args + what * 8))
    if kind == KEPT_NUMBER:
        found = load(flat_args + what * 8)
    if kind == KEPT_SIZE:
        found = load(load(flat_args + what * 8) + TENSOR.size)
    if kind == KEPT_DTYPE:
        found = load(load(flat_args + what * 8) + TENSOR.dtype)
    incref(found)
    return found


@module.function
def keeps_result(words: int) -> int:
    """Whether a node keeps a result of its own."""
    things = words + STEP.first + load(words + STEP.targets) * 8
    for k in range(load(words + STEP.kept)):
        if load(things + k * STEP.kept_length) == KEPT_RESULT:
            return 1
    return 0


@module.function
def new_node(result: int, flat_args: int, words: int, found: int, users: int, outputs: int) -> int:
    """The node of a step, with its edges and with what it keeps; 0 with an error on failure.

    ``found`` is the address of the edges, ``users`` has a bit for each target that wants a gradient.
    """
    count = load(words + STEP.targets)
    several = load(words + STEP.several)
    node = generic_alloc(load(words + STEP.cls), 0)
    if node == 0:
        return 0
    edges = tuple_new(count)
    saved = tuple_new(load(words + STEP.kept))
    number = iterator_next(facts.steps)
    about = described(result, several, outputs)
    store(node + facts.node_edges, edges)
    store(node + facts.node_saved, saved)
    store(node + facts.node_seq, number)
    store(node + facts.node_outputs, about)
    if edges == 0 or saved == 0 or number == 0 or about == 0:
        decref(node)
        return 0
    for k in range(count):
        incref(load(found + k * 8))
        tuple_set(edges, k, load(found + k * 8))
    things = words + STEP.first + count * 8
    for k in range(load(words + STEP.kept)):
        thing = things + k * STEP.kept_length
        item = types_of.none
        if load(thing + 16) & users != 0:
            item = kept_thing(load(thing), load(thing + 8), result, flat_args, several)
            if item == 0:
                decref(node)
                return 0
        else:
            incref(item)
        tuple_set(saved, k, item)
    return node


@module.function
def mark_unrecorded(view: int, source: int, made: int) -> int:
    """Say how a view came to be while nothing was recorded: `DONE` or `FAILED`."""
    base = load(source + TENSOR.base)
    edge = edge_before(source if base == types_of.none else base)
    if edge == types_of.none:
        incref(edge)
    else:
        # What comes back to the view is dropped.
        node = generic_alloc(facts.null_node_type, 0)
        if node == 0:
            return FAILED
        about = described(view, 0, 1)
        empty = tuple_new(0)
        incref(empty)
        store(node + facts.node_outputs, about)
        store(node + facts.node_edges, empty)
        store(node + facts.node_saved, empty)
        store(node + facts.node_seq, long_from_word(0))
        edge = pair(node, long_from_word(0))
        if edge == 0:
            return FAILED
    meta = new_meta(view, edge, 1, types_of.none)
    if meta == 0:
        return FAILED
    incref(made)
    decref(load(meta + facts.view_made))
    store(meta + facts.view_made, made)
    decref(load(view + TENSOR.autograd))
    store(view + TENSOR.autograd, meta)
    store(view + TENSOR.keys, load(view + TENSOR.keys) | keys.AUTOGRAD)
    return DONE


@module.function
def mark_all_unrecorded(result: int, source: int, words: int) -> int:
    """The same for a view or a tuple of them."""
    several = load(words + STEP.several)
    outputs = tuple_size(result) if several != 0 else 1
    for k in range(outputs):
        view = result_at(result, k, several)
        if view != source and mark_unrecorded(view, source, load(words + STEP.cls)) != DONE:
            return FAILED
    return DONE


@module.function
def record_step(result: int, flat_args: int, words: int) -> int:
    """Give the result of a step its history: `DONE`, `FOR_PYTHON` or `FAILED`."""
    if load(words + STEP.kind) == UNRECORDED:
        return mark_all_unrecorded(result, load(flat_args + load(words + STEP.first) * 8), words)
    if facts.hooks != 0 or list_size(facts.watchers) != 0:
        return FOR_PYTHON
    count = load(words + STEP.targets)
    kind = load(words + STEP.kind)
    found = stack(MOST_TARGETS)
    users = 0
    for k in range(count):
        target = load(flat_args + load(words + STEP.first + k * 8) * 8)
        edge = edge_of(target) if kind != CHANGED or target != result else edge_before(target)
        if edge == 0:
            return FOR_PYTHON
        store(found + k * 8, edge)
        if edge != types_of.none:
            users = users | (1 << k)
    if users == 0:
        return DONE
    if kind == CHANGED and load(result + TENSOR.base) != types_of.none and keeps_result(words) != 0:
        # The result is then a part of what the base becomes.
        return FOR_PYTHON
    if load(words + STEP.cls) == 0:
        incref(load(found))
        return give_edge(result, load(found))
    is_view = 1 if kind == VIEW else 0
    several = load(words + STEP.several)
    outputs = tuple_size(result) if several != 0 else 1
    if outputs == 0:
        return DONE
    one = result_at(result, 0, several)
    made = types_of.none
    if is_view != 0:
        source = load(flat_args + load(words + STEP.first) * 8)
        if is_plain_view(one, source) == 0:
            return FOR_PYTHON
        made = way_of_view(source, several)
    node = new_node(result, flat_args, words, found, users, outputs)
    if node == 0:
        return FAILED
    if kind == CHANGED:
        return rebase(result, node)
    wanted = load(words + STEP.wanted)
    ended = DONE
    for k in range(outputs):
        # Views, however many, all have a history.
        if ended == DONE and (is_view != 0 or (wanted >> k) & 1 != 0):
            ended = attach(result_at(result, k, several), node, k, is_view, made)
    decref(node)
    return ended


def is_watched() -> bool:
    """Whether somebody has hooks on saved tensors, or sees nodes being made."""
    watchers: Any = facts.watchers and ctypes.cast(facts.watchers, ctypes.py_object).value
    return facts.hooks != 0 or bool(watchers)
