"""Steps that make tensors stand for others within a transformation."""

from __future__ import annotations

import ctypes
from typing import Any

from rushlight.engine.core import keys, objects, state, symbolic
from rushlight.engine.core.objects import STORAGE, TENSOR
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.core.wrapped import KEPT, Captured, Meaning, note_view
from rushlight.engine.dispatch.call_cache.recorder import recording
from rushlight.engine.dispatch.call_cache.step import Encoded, Step, position_of, positions
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import decref, generic_alloc, incref, vectorcall
from rushlight.engine.native.runtime import module

types_of = objects.types


class WRAPPED:
    value, facts = positions("value", "facts")


class FACTS:
    """Positions of the words that describe a wrapper, in bytes."""

    size = 0
    stride = 8
    count = 16  # of elements
    flags = 24
    layer = 32  # its place in the stack
    dim = 40  # the object that says which dimension of the value the layer goes through
    kind = 48  # the class of what the wrapper stands for
    source = 56  # the flattened argument that it is a view of, or -1
    note = 64  # the function that is told of the view, or 0


@module.function
def new_meaning(value: int, facts: int) -> int:
    """What a wrapper of a value stands for; 0 with an error on failure."""
    meaning = generic_alloc(load(facts + FACTS.kind), 0)
    if meaning == 0:
        return 0
    layer = load(state.switches.stack + load(facts + FACTS.layer) * 8)
    dim = load(facts + FACTS.dim)
    incref(value)
    incref(layer)
    incref(dim)
    incref(types_of.none)
    store(meaning + types_of.meaning_value, value)
    store(meaning + types_of.meaning_layer, layer)
    store(meaning + types_of.meaning_dim, dim)
    store(meaning + types_of.meaning_views, types_of.none)
    return meaning


@module.function
def new_storage_for(value: int, facts: int) -> int:
    """The storage of a wrapper, which has no memory; 0 with an error on failure."""
    meaning = new_meaning(value, facts)
    if meaning == 0:
        return 0
    made = generic_alloc(types_of.storage, 0)
    if made == 0:
        decref(meaning)
        return 0
    below = load(value + TENSOR.storage)
    store(made + STORAGE.nbytes, load(below + STORAGE.nbytes))
    store(made + STORAGE.device_code, load(below + STORAGE.device_code))
    store(made + STORAGE.owner, meaning)
    return made


@module.function
def new_wrapper(value: int, facts: int) -> int:
    """A tensor that stands for a value; 0 with an error on failure."""
    storage = new_storage_for(value, facts)
    if storage == 0:
        return 0
    made = generic_alloc(types_of.tensor, 0)
    if made == 0:
        decref(storage)
        return 0
    objects.fill_tensor(
        made,
        storage,
        load(facts + FACTS.size),
        load(facts + FACTS.stride),
        load(value + TENSOR.dtype),
        types_of.none,
    )
    counter = generic_alloc(types_of.shared_version, 0)
    if counter == 0:
        decref(made)
        return 0
    incref(value)
    store(counter + types_of.shared_tensor, value)
    decref(types_of.none)
    store(made + TENSOR.counter, counter)
    store(made + TENSOR.offset, load(value + TENSOR.offset))
    store(made + TENSOR.numel, load(facts + FACTS.count))
    store(made + TENSOR.flags, load(facts + FACTS.flags))
    store(made + TENSOR.keys, keys.WRAPPED | (load(value + TENSOR.keys) & KEPT))
    return made


@module.entry
def repeat_wrap(step: int, flat_args: int) -> int:
    facts = load(step + WRAPPED.facts)
    told = stack(2)
    made = new_wrapper(load(flat_args + load(step + WRAPPED.value) * 8), facts)
    place = load(facts + FACTS.source)
    if made == 0 or place < 0:
        return made
    source = load(flat_args + place * 8)
    base = load(source + TENSOR.base)
    if base == types_of.none:
        base = source
    incref(base)
    decref(load(made + TENSOR.base))
    store(made + TENSOR.base, base)
    note = load(facts + FACTS.note)
    if note == 0:
        return made
    store(told, base)
    store(told + 8, made)
    done = vectorcall(note, told, 2, 0)
    if done == 0:
        decref(made)
        return 0
    decref(done)
    return made


def _root(tensor: Tensor) -> Tensor:
    return tensor if tensor._base is None else tensor._base


class Wrapped(Step):
    """A tensor that stands for another one within a layer of the stack of transformations."""

    __slots__ = ("made", "operands")
    run = repeat_wrap
    takes_sizes = True
    only_names = True

    def __init__(self, value: Tensor, made: Tensor) -> None:
        self.operands, self.made = (value,), made

    @staticmethod
    def note_source(made: Tensor, source: Tensor) -> None:
        """Note that a wrapper is a view of another one, or of that one's base."""
        for step in reversed(recording.steps or ()):
            if type(step) is Wrapped and step.made is made:
                step.operands = (step.operands[0], source)
                return

    def encode(self, flat_args: list[Any], result: Any, index_shift: Any = None) -> Encoded | None:
        (value, *sources), made = self.operands, self.made
        place, *others = (position_of(x, flat_args) for x in self.operands)
        if made is not result or place == -1 or type(made) is not Tensor:
            return None
        meaning = made._storage_._owner
        if type(meaning) not in (Meaning, Captured) or meaning.value is not value:
            return None
        if made._base is not (_root(sources[0]) if sources else None) or -1 in others:
            return None
        if meaning.layer not in state.thread.layers:
            # It came and went within the call.
            return None
        # Views of what is the layer's own are known to it.
        note = note_view if sources and meaning.dim is None else None
        facts = [symbolic.address(made._size_), symbolic.address(made._stride_), made._numel_]
        facts += [made._flags_, state.thread.layers.index(meaning.layer), id(meaning.dim)]
        facts += [id(type(meaning)), *(others or [-1]), 0 if note is None else id(note)]
        table = symbolic.words(facts)
        keep = (table, made._size_, made._stride_, meaning.dim)
        return Encoded(Wrapped, [place, ctypes.addressof(table)], keep)
