"""Elements that are changed in place while gradients are recorded, in repeated calls."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys, objects
from rushlight.engine.core.objects import STORAGE, TENSOR
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache.history import (
    FAILED,
    facts,
)
from rushlight.engine.dispatch.call_cache.history.edges import (
    described,
    edge_before,
    give_edge,
    has_certain_edge,
    is_end,
    new_meta,
    pair,
)
from rushlight.engine.native import heap_types, runtime
from rushlight.engine.native.lowlevel import load, load32, store
from rushlight.engine.native.python_api import (
    decref,
    generic_alloc,
    incref,
    iterator_next,
    list_size,
    long_from_word,
    tuple_item,
    tuple_new,
    tuple_set,
    tuple_size,
)
from rushlight.engine.native.runtime import module

types_of = objects.types


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
    # A retained gradient has a hook on its node, which would have to move.
    retained = load(meta + facts.meta_retained)
    if (retained != 0 and retained != types_of.none) or is_end(load(meta + facts.meta_edge)) != 0:
        return 0
    return 1


@module.function
def may_be_changed(tensor: int) -> int:
    """Whether machine code can record that the elements of a tensor, which still are as they were, change."""
    # Hooks on saved tensors and watchers of nodes are the program's functions: Python calls them.
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
        # A view as another type passes gradients through a conversion, which only Python records.
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


def is_part(view: Tensor, whole: Tensor, is_recorded: bool) -> bool:
    """Whether a view of a tensor on the CPU has no history but that of the tensor, if that matters."""
    if (view._keys_ | whole._keys_) & ~keys.AUTOGRAD != keys.CPU:
        return False
    if not is_recorded:
        return True
    if not heap_types.supported():
        return (view._keys_ | whole._keys_) == keys.CPU
    if "is_part_of" not in _functions:
        _functions["is_part_of"] = runtime.callable_from_python(is_part_of)
    return bool(_functions["is_part_of"](id(view), id(whole)))


_functions: dict[str, Any] = {}


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
        meta = new_meta(tensor, types_of.none, 1, types_of.none)
        if meta == 0:
            decref(slices)
            return FAILED
        store(tensor + TENSOR.autograd, meta)
        decref(types_of.none)
    # Its step is made anew when somebody asks.
    meta = load(tensor + TENSOR.autograd)
    # No version is -1, so that the next one who asks finds the view out of date.
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
        # The step's first edge led to the view; what it gives there now goes to the base.
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
