"""Edges between nodes, and what a tensor says of its own: read and given by machine code."""

from __future__ import annotations

from rushlight.engine.core import keys, objects
from rushlight.engine.core.objects import TENSOR
from rushlight.engine.dispatch.call_cache.history import (
    DONE,
    FAILED,
    facts,
)
from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import load, store
from rushlight.engine.native.python_api import (
    decref,
    generic_alloc,
    incref,
    long_as_signed,
    long_from_word,
    new_weakref,
    tuple_item,
    tuple_new,
    tuple_set,
)
from rushlight.engine.native.runtime import module

types_of = objects.types


@module.function
def edge_of(tensor: int) -> int:
    """Where a gradient of the tensor goes, or None; 0 if Python has to find out."""
    if load(tensor + TENSOR.keys) & keys.AUTOGRAD == 0:
        return types_of.none
    meta = load(tensor + TENSOR.autograd)
    kind = load(meta + heap_types.TYPE_OFFSET)
    if kind == facts.view_type:
        # A view whose base has changed makes its step anew.
        if long_as_signed(load(meta + facts.view_seen)) != objects.version_of(tensor):
            return 0
        # Until then its step is that of when it was made.
        return load(meta + facts.view_edge)
    if kind != facts.meta_type:
        return 0
    edge = load(meta + facts.meta_edge)
    if edge == 0:
        return types_of.none
    return edge


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
    return 1 if kind == facts.accumulate_type or kind == facts.null_node_type else 0


@module.function
def has_certain_edge(tensor: int) -> int:
    """Whether it is clear where a gradient goes, and it goes somewhere if the tensor may have a history."""
    edge = edge_of(tensor)
    if edge == types_of.none:
        return 1 if load(tensor + TENSOR.keys) & keys.AUTOGRAD == 0 else 0
    return 1 if edge != 0 else 0


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
def new_meta(result: int, edge: int, is_view: int, made: int) -> int:
    """Autograd's part of a new tensor, which takes over the edge; 0 with an error on failure.

    ``made`` says of a view how it came to be, if that is more than its geometry.
    """
    meta = generic_alloc(facts.meta_type if is_view == 0 else facts.view_type, 0)
    if meta == 0:
        decref(edge)
        return 0
    if is_view == 0:
        store(meta + facts.meta_edge, edge)
        return meta
    version = long_from_word(objects.version_of(result))
    view = new_weakref(result, 0)
    store(meta + facts.view_edge, edge)
    store(meta + facts.view_view, view)
    store(meta + facts.view_seen, version)
    if view == 0 or version == 0:
        decref(meta)
        return 0
    # From here on nothing fails: all slots get their reference.
    incref(made)
    store(meta + facts.view_made, made)
    incref(types_of.none)
    store(meta + facts.view_replay, types_of.none)
    return meta


@module.function
def attach(result: int, node: int, output: int, is_view: int, made: int) -> int:
    """Make a tensor an output of a node: `DONE` or `FAILED`."""
    incref(node)
    edge = pair(node, long_from_word(output))
    if edge == 0:
        return FAILED
    meta = new_meta(result, edge, is_view, made)
    if meta == 0:
        return FAILED
    # A new tensor: what goes is None, whose end runs no code.
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
        made = new_meta(tensor, edge, 0, types_of.none)
        if made == 0:
            return FAILED
        store(tensor + TENSOR.autograd, made)
        decref(meta)
    else:
        former = load(meta + facts.meta_edge)
        # First the new edge: the end of the former one may run a program's code, which looks at
        # this.
        store(meta + facts.meta_edge, edge)
        if former != 0:
            decref(former)
    store(tensor + TENSOR.keys, load(tensor + TENSOR.keys) | keys.AUTOGRAD)
    return DONE


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
def result_at(result: int, place: int, several: int) -> int:
    """One of several results, or the only one."""
    return tuple_item(result, place) if several != 0 else result
