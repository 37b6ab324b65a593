"""Histories made by machine code: the node of a repeated call, without a line of Python.

What is recorded for a call was found out when the call was first made: which arguments want
gradients, what the rule keeps, the class of the node. `record_step` does the same again. The
classes belong to `engine.autograd`, which tells their layout in `facts`.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.core import keys, objects
from rushlight.engine.core.objects import STORAGE, TENSOR
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.native import heap_types, runtime
from rushlight.engine.native.lowlevel import Words, load, load32, stack, store
from rushlight.engine.native.python_api import (
    decref,
    generic_alloc,
    incref,
    iterator_next,
    list_size,
    long_as_signed,
    long_from_word,
    new_weakref,
    tuple_item,
    tuple_new,
    tuple_set,
    tuple_size,
)
from rushlight.engine.native.runtime import module

types_of = objects.types

# Types and offsets of fields; the counter of steps; the list of those who watch nodes being made;
# whether somebody has hooks on saved tensors.
facts = Words(
    "meta_type", "meta_edge", "meta_retained", "accumulate_type", "nowhere_type", "slices_type",
    "slices_step", "slices_replay", "slices_base_geometry", "slices_view_geometry", "slices_base",
    "node_edges", "node_saved", "node_seq", "node_outputs",
    "result_type", "result_tensor", "result_version", "result_output", "result_original",
    "view_type", "view_view", "view_edge", "view_seen", "view_made", "view_replay",
    "one_of_several", "steps", "watchers", "hooks",
)  # fmt: skip

MOST_TARGETS = 16


# What the result of a step is: a new tensor, a view of the first target, an argument whose elements
# were changed, or a view that was made while nothing was recorded.
NEW, VIEW, CHANGED, UNRECORDED = 0, 1, 2, 3


class STEP:
    """Positions of the words that describe a step, in bytes."""

    # The class of its node; 0 for a result that has the history of the only target; how an unrecorded view
    # came to be.
    cls = 0
    targets = 8  # how many differentiable arguments
    kept = 16  # how many things are kept
    kind = 24  # `NEW` and its kin
    several = 32  # whether the result is a tuple of tensors
    wanted = 40  # of several results, those with a history, as bits
    first = 48  # for each target, the leaf it is; then for each thing kept: kind, what, users
    kept_length = 24


KEPT_TENSOR, KEPT_RESULT, KEPT_SIZE, KEPT_DTYPE, KEPT_OBJECT, KEPT_PLAIN_RESULT = 1, 2, 3, 4, 5, 6
KEPT_NUMBER = 7

# How `record_step` ends.
DONE, FOR_PYTHON, FAILED = 0, -1, -2


@module.function
def edge_of(tensor: int) -> int:
    """Where a gradient of the tensor goes, or None; 0 if Python has to find out."""
    if load(tensor + TENSOR.keys) & keys.AUTOGRAD == 0:
        return types_of.none
    meta = load(tensor + TENSOR.autograd)
    kind = load(meta + heap_types.TYPE_OFFSET)
    if kind == facts.view_type:
        # A view whose base has changed makes its step anew.
        version = load(load(tensor + TENSOR.storage) + STORAGE.version)
        own = load(tensor + TENSOR.counter) != types_of.none
        if own or long_as_signed(load(meta + facts.view_seen)) != version:
            return 0
        return load(meta + facts.view_edge)
    if kind != facts.meta_type:
        return 0
    edge = load(meta + facts.meta_edge)
    if edge == 0:
        return types_of.none
    return edge


@module.function
def is_plain_view(result: int, source: int) -> int:
    """Whether sizes and strides say all about a new view of a tensor, down to its base."""
    meta = load(source + TENSOR.autograd)
    base = load(source + TENSOR.base)
    if load(meta + heap_types.TYPE_OFFSET) == facts.view_type:
        made = load(meta + facts.view_made) != types_of.none
        if made or load(meta + facts.view_replay) != types_of.none:
            return 0
    if base == types_of.none:
        return 1
    return 1 if load(base + TENSOR.dtype) == load(result + TENSOR.dtype) else 0


@module.function
def pair(first: int, second: int) -> int:
    """A new tuple that takes over two references, or drops them; 0 if it or the second is none."""
    made = tuple_new(2) if second != 0 else 0
    if made == 0:
        decref(first)
        if second != 0:
            decref(second)
        return 0
    tuple_set(made, 0, first)
    tuple_set(made, 1, second)
    return made


@module.function
def new_meta(result: int, edge: int, is_view: int, several: int) -> int:
    """Autograd's part of a new tensor, which takes over the edge; 0 with an error on failure."""
    meta = generic_alloc(facts.meta_type if is_view == 0 else facts.view_type, 0)
    if meta == 0:
        decref(edge)
        return 0
    if is_view == 0:
        store(meta + facts.meta_edge, edge)
        return meta
    version = long_from_word(load(load(result + TENSOR.storage) + STORAGE.version))
    view = new_weakref(result, 0)
    store(meta + facts.view_edge, edge)
    store(meta + facts.view_view, view)
    store(meta + facts.view_seen, version)
    if view == 0 or version == 0:
        decref(meta)
        return 0
    made = facts.one_of_several if several != 0 else types_of.none
    incref(made)
    store(meta + facts.view_made, made)
    incref(types_of.none)
    store(meta + facts.view_replay, types_of.none)
    return meta


@module.function
def pair_of(tensor: int) -> int:
    """A new pair: the tensor and its version; 0 with an error on failure."""
    version = long_from_word(load(load(tensor + TENSOR.storage) + STORAGE.version))
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
    version = long_from_word(load(load(result + TENSOR.storage) + STORAGE.version))
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
def result_at(result: int, place: int, several: int) -> int:
    """One of several results, or the only one."""
    return tuple_item(result, place) if several != 0 else result


@module.function
def kept_thing(kind: int, what: int, result: int, leaves: int, several: int) -> int:
    """A new reference to one thing that a node keeps."""
    if kind == KEPT_RESULT:
        return kept_result(result_at(result, what, several), what)
    if kind == KEPT_PLAIN_RESULT:
        return pair_of(result_at(result, what, several))
    found = what
    if kind == KEPT_TENSOR:
        return pair_of(load(leaves + what * 8))
    if kind == KEPT_NUMBER:
        found = load(leaves + what * 8)
    if kind == KEPT_SIZE:
        found = load(load(leaves + what * 8) + TENSOR.size)
    if kind == KEPT_DTYPE:
        found = load(load(leaves + what * 8) + TENSOR.dtype)
    incref(found)
    return found


@module.function
def described(result: int, several: int, count: int) -> int:
    """A new tuple of pairs: the results' sizes and element types; 0 with an error on failure."""
    whole = tuple_new(count)
    if whole == 0:
        return 0
    for k in range(count):
        tensor = result_at(result, k, several)
        incref(load(tensor + TENSOR.size))
        incref(load(tensor + TENSOR.dtype))
        both = pair(load(tensor + TENSOR.size), load(tensor + TENSOR.dtype))
        if both == 0:
            decref(whole)
            return 0
        tuple_set(whole, k, both)
    return whole


@module.function
def has_own_counter(words: int, leaves: int) -> int:
    """Whether some tensor that would be kept counts its versions apart from its storage."""
    things = words + STEP.first + load(words + STEP.targets) * 8
    for k in range(load(words + STEP.kept)):
        thing = things + k * STEP.kept_length
        if load(thing) == KEPT_TENSOR:
            tensor = load(leaves + load(thing + 8) * 8)
            if load(tensor + TENSOR.counter) != types_of.none:
                return 1
    return 0


@module.function
def keeps_result(words: int) -> int:
    """Whether a node keeps a result of its own."""
    things = words + STEP.first + load(words + STEP.targets) * 8
    for k in range(load(words + STEP.kept)):
        if load(things + k * STEP.kept_length) == KEPT_RESULT:
            return 1
    return 0


@module.function
def attach(result: int, node: int, output: int, is_view: int, several: int) -> int:
    """Make a tensor an output of a node: `DONE` or `FAILED`."""
    incref(node)
    edge = pair(node, long_from_word(output))
    if edge == 0:
        return FAILED
    meta = new_meta(result, edge, is_view, several)
    if meta == 0:
        return FAILED
    decref(load(result + TENSOR.autograd))
    store(result + TENSOR.autograd, meta)
    store(result + TENSOR.keys, load(result + TENSOR.keys) | keys.AUTOGRAD)
    return DONE


@module.function
def give_edge(tensor: int, edge: int) -> int:
    """Exchange a tensor's edge, which takes over the reference: `DONE` or `FAILED`."""
    if edge == 0:
        return FAILED
    meta = load(tensor + TENSOR.autograd)
    if meta == types_of.none:
        made = new_meta(tensor, edge, 0, 0)
        if made == 0:
            return FAILED
        store(tensor + TENSOR.autograd, made)
        decref(meta)
    else:
        former = load(meta + facts.meta_edge)
        store(meta + facts.meta_edge, edge)
        if former != 0:
            decref(former)
    store(tensor + TENSOR.keys, load(tensor + TENSOR.keys) | keys.AUTOGRAD)
    return DONE


@module.function
def edge_before(tensor: int) -> int:
    """Where a gradient of a tensor went before its elements were changed, or None."""
    if load(tensor + TENSOR.keys) & keys.AUTOGRAD == 0:
        return types_of.none
    meta = load(tensor + TENSOR.autograd)
    is_view = load(meta + heap_types.TYPE_OFFSET) == facts.view_type
    edge = load(meta + (facts.view_edge if is_view != 0 else facts.meta_edge))
    return edge if edge != 0 else types_of.none


@module.function
def is_end(edge: int) -> int:
    """Whether an edge leads to no recorded step."""
    if edge == 0 or edge == types_of.none:
        return 0
    kind = load(tuple_item(edge, 0) + heap_types.TYPE_OFFSET)
    return 1 if kind == facts.accumulate_type or kind == facts.nowhere_type else 0


@module.function
def has_certain_edge(tensor: int) -> int:
    """Whether it is clear where a gradient goes, and it goes somewhere if the tensor may have a history."""
    edge = edge_of(tensor)
    if edge == types_of.none:
        return 1 if load(tensor + TENSOR.keys) & keys.AUTOGRAD == 0 else 0
    return 1 if edge != 0 else 0


@module.function
def may_be_rebased(tensor: int) -> int:
    """Whether a tensor that is no view may become the output of another node without further ado."""
    meta = load(tensor + TENSOR.autograd)
    if load(tensor + TENSOR.counter) != types_of.none:
        return 0
    if meta == types_of.none:
        return 1
    if load(meta + heap_types.TYPE_OFFSET) != facts.meta_type:
        return 0
    retained = load(meta + facts.meta_retained)
    if (retained != 0 and retained != types_of.none) or is_end(load(meta + facts.meta_edge)) != 0:
        return 0
    return 1


@module.function
def may_be_changed(tensor: int) -> int:
    """Whether machine code can record that the elements of a tensor, which still are as they were, change."""
    if facts.hooks != 0 or list_size(facts.watchers) != 0 or has_certain_edge(tensor) == 0:
        return 0
    base = load(tensor + TENSOR.base)
    whole = tensor if base == types_of.none else base
    if may_be_rebased(whole) == 0:
        return 0
    if base != types_of.none:
        meta = load(tensor + TENSOR.autograd)
        if load(tensor + TENSOR.counter) != types_of.none:
            return 0
        if load(base + TENSOR.dtype) != load(tensor + TENSOR.dtype):
            return 0
        if meta != types_of.none:
            if load(meta + heap_types.TYPE_OFFSET) != facts.view_type:
                return 0
            made = load(meta + facts.view_made) != types_of.none
            if made or load(meta + facts.view_replay) != types_of.none:
                return 0
            if is_end(load(meta + facts.view_edge)) != 0:
                return 0
    if edge_before(whole) != types_of.none:
        return 1
    # Views that are alive, but for this one, would have to follow the history that their base gets.
    storage = load(whole + TENSOR.storage)
    known = load(storage + STORAGE.flags) >> objects.VIEWED_SHIFT
    may_have_views = known == whole or known == objects.MANY
    known_users = 1 if base == types_of.none else 2
    return 0 if may_have_views and load32(storage) > known_users else 1


@module.function
def is_part_of(view: int, whole: int) -> int:
    """Whether a view of a tensor, or of the tensor's base, has no history but that of the base.

    Tensors without a history, on both sides, need not be views.
    """
    if (load(view + TENSOR.keys) | load(whole + TENSOR.keys)) & keys.AUTOGRAD == 0:
        return 1
    base = load(whole + TENSOR.base)
    if base == types_of.none:
        base = whole
    meta = load(view + TENSOR.autograd)
    if load(view + TENSOR.base) != base or load(view + TENSOR.keys) & keys.AUTOGRAD == 0:
        return 0
    if load(meta + heap_types.TYPE_OFFSET) != facts.view_type or may_be_rebased(base) == 0:
        return 0
    return 1 if load(meta + facts.view_made) == types_of.none else 0


@module.function
def rebase(tensor: int, node: int) -> int:
    """Make a changed tensor the output of a node, which is taken over: `DONE` or `FAILED`.

    A view passes the change on to its base.
    """
    base = load(tensor + TENSOR.base)
    if base == types_of.none:
        return give_edge(tensor, pair(node, long_from_word(0)))
    slices = copy_slices(base, tensor, node)
    if slices == 0:
        return FAILED
    if load(tensor + TENSOR.autograd) == types_of.none:
        incref(types_of.none)
        meta = new_meta(tensor, types_of.none, 1, 0)
        if meta == 0:
            decref(slices)
            return FAILED
        store(tensor + TENSOR.autograd, meta)
        decref(types_of.none)
    # Its step is made anew when somebody asks.
    meta = load(tensor + TENSOR.autograd)
    seen = load(meta + facts.view_seen)
    store(meta + facts.view_seen, long_from_word(-1))
    decref(seen)
    store(tensor + TENSOR.keys, load(tensor + TENSOR.keys) | keys.AUTOGRAD)
    return give_edge(base, pair(slices, long_from_word(0)))


@module.function
def copy_slices(base: int, view: int, node: int) -> int:
    """A step on a view, which is taken over, as a step on the whole base; 0 with an error on failure."""
    slices = generic_alloc(facts.slices_type, 0)
    if slices == 0:
        decref(node)
        return 0
    own = load(node + facts.node_edges)
    count = tuple_size(own)
    edges = tuple_new(count)
    number = iterator_next(facts.steps)
    about = described(base, 0, 1)
    whole = sizes_of(base, 2)
    part = sizes_of(view, 3)
    store(slices + facts.slices_step, node)
    store(slices + facts.node_edges, edges)
    store(slices + facts.node_seq, number)
    store(slices + facts.node_outputs, about)
    store(slices + facts.slices_base_geometry, whole)
    store(slices + facts.slices_view_geometry, part)
    incref(types_of.none)
    store(slices + facts.slices_replay, types_of.none)
    incref(types_of.none)
    store(slices + facts.slices_base, types_of.none)
    if edges == 0 or number == 0 or about == 0 or whole == 0 or part == 0:
        decref(slices)
        return 0
    offset = load(view + TENSOR.offset) - load(base + TENSOR.offset)
    tuple_set(part, 2, long_from_word(offset))
    for k in range(count):
        edge = edge_before(base) if k == 0 else tuple_item(own, k)
        incref(edge)
        tuple_set(edges, k, edge)
    return slices


@module.function
def sizes_of(tensor: int, length: int) -> int:
    """A new tuple that begins with a tensor's size and strides; 0 with an error on failure."""
    made = tuple_new(length)
    if made == 0:
        return 0
    incref(load(tensor + TENSOR.size))
    tuple_set(made, 0, load(tensor + TENSOR.size))
    incref(load(tensor + TENSOR.stride))
    tuple_set(made, 1, load(tensor + TENSOR.stride))
    return made


@module.function
def new_node(result: int, leaves: int, words: int, found: int, users: int, outputs: int) -> int:
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
            item = kept_thing(load(thing), load(thing + 8), result, leaves, several)
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
        node = generic_alloc(facts.nowhere_type, 0)
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
    meta = new_meta(view, edge, 1, 0)
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
def record_step(result: int, leaves: int, words: int) -> int:
    """Give the result of a step its history: `DONE`, `FOR_PYTHON` or `FAILED`."""
    if load(words + STEP.kind) == UNRECORDED:
        return mark_all_unrecorded(result, load(leaves + load(words + STEP.first) * 8), words)
    if facts.hooks != 0 or list_size(facts.watchers) != 0 or has_own_counter(words, leaves) != 0:
        return FOR_PYTHON
    count = load(words + STEP.targets)
    kind = load(words + STEP.kind)
    found = stack(MOST_TARGETS)
    users = 0
    for k in range(count):
        target = load(leaves + load(words + STEP.first + k * 8) * 8)
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
    if is_view != 0 and is_plain_view(one, load(leaves + load(words + STEP.first) * 8)) == 0:
        return FOR_PYTHON
    node = new_node(result, leaves, words, found, users, outputs)
    if node == 0:
        return FAILED
    if kind == CHANGED:
        return rebase(result, node)
    wanted = load(words + STEP.wanted)
    ended = DONE
    for k in range(outputs):
        # Views, however many, all have a history.
        if ended == DONE and (is_view != 0 or (wanted >> k) & 1 != 0):
            ended = attach(result_at(result, k, several), node, k, is_view, several)
    decref(node)
    return ended


def is_watched() -> bool:
    """Whether somebody has hooks on saved tensors, or sees nodes being made."""
    watchers: Any = facts.watchers and ctypes.cast(facts.watchers, ctypes.py_object).value
    return facts.hooks != 0 or bool(watchers)


def is_part(view: Tensor, whole: Tensor, is_recorded: bool) -> bool:
    """Whether a view of a tensor on the CPU has no history but that of the tensor, if that matters."""
    if (view._keys | whole._keys) & ~keys.AUTOGRAD != keys.CPU:
        return False
    if not is_recorded:
        return True
    if not heap_types.supported():
        return (view._keys | whole._keys) == keys.CPU
    if "is_part_of" not in _functions:
        _functions["is_part_of"] = runtime.callable_from_python(is_part_of)
    return bool(_functions["is_part_of"](id(view), id(whole)))


_functions: dict[str, Any] = {}
