"""Steps whose new tensors are on a GPU: machine code takes memory that the same stream has left.

Only where there is none, the allocator is asked, in Python.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

from rushlight.engine.core import keys, objects, symbolic
from rushlight.engine.core.objects import RESIZABLE, STORAGE, TEMPLATE
from rushlight.engine.core.tensor import template_words
from rushlight.engine.cuda import caching, launcher
from rushlight.engine.dispatch.call_cache.step import Encoded
from rushlight.engine.dispatch.call_cache.steps.produced import PRODUCED, begin, end
from rushlight.engine.loops.plan import Plan
from rushlight.engine.native import shelves
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import (
    call_object,
    decref,
    long_as_word,
    long_from_word,
)
from rushlight.engine.native.runtime import module

types_of = objects.types


class DEVICE_TEMPLATE:
    """Positions of the words behind those of a template, in bytes."""

    device = TEMPLATE.length  # the device's number
    device_code = device + 8
    shelves = (
        device_code + 8
    )  # where memory of this size may lie; 0 if the size is another in each call
    make = shelves + 8  # the function of Python that asks the allocator for so many bytes
    length = make + 8


@module.function
def memory_of(template: int, stream: int) -> int:
    """An owner of memory for a template's tensor; 0 with an error set."""
    nbytes = load(template + TEMPLATE.nbytes)
    there = load(template + DEVICE_TEMPLATE.shelves)
    if there == 0:
        size = (nbytes + (caching.UNIT - 1)) // caching.UNIT * caching.UNIT
        if size == 0:
            size = caching.UNIT
        there = shelves.of_size(load(template + DEVICE_TEMPLATE.device), size)
    owner = shelves.take(there, stream, nbytes)
    if owner != 0:
        return owner
    asked = long_from_word(nbytes)
    if asked != 0:
        owner = call_object(load(template + DEVICE_TEMPLATE.make), asked, 0)
        decref(asked)
    return owner


@module.function
def new_device_tensor(template: int, stream: int) -> int:
    """A new tensor on a device, as the template says; 0 with an error set."""
    nbytes = load(template + TEMPLATE.nbytes)
    owner = memory_of(template, stream)
    if owner == 0:
        return 0
    data = long_as_word(load(owner + shelves.words.place))
    storage = objects.storage_over(owner, data, nbytes)
    if storage == 0:
        return 0
    store(storage + STORAGE.flags, RESIZABLE)
    store(storage + STORAGE.device_code, load(template + DEVICE_TEMPLATE.device_code))
    return objects.tensor_in(storage, template)


@module.function
def produce_on_device(step: int, ordered: int, stream: int) -> int:
    """What `objects.produce_into` does for the host."""
    counts = load(step + PRODUCED.outputs)
    visible = counts & 0xFFFF
    made_count = visible + (counts >> 16)
    template = load(step + PRODUCED.templates)
    arguments = stack(MOST_OPERANDS)
    for k in range(made_count):
        made = new_device_tensor(template + k * DEVICE_TEMPLATE.length, stream)
        if made == 0:
            for j in range(k):
                decref(load(arguments + j * 8))
            return 0
        store(arguments + k * 8, made)
    return objects.fill_made(load(step + PRODUCED.loop), arguments, visible, made_count, ordered)


@module.entry
def repeat_plan_on_device(step: int, flat_args: int) -> int:
    place = launcher.own_place()
    if place == 0:
        return -1
    device = load(load(step + PRODUCED.templates) + DEVICE_TEMPLATE.device)
    stream = launcher.stream_on(place, device)
    if stream == launcher.UNKNOWN:
        return -1
    ordered = stack(MOST_OPERANDS)
    if begin(step, flat_args, ordered) == 0:
        return -1
    return end(step, produce_on_device(step, ordered, stream))


@functools.cache
def _maker(device: int) -> Callable[[int], caching.Allocation]:
    """What gives memory of a device."""
    return functools.partial(caching.refill, device=device)


class DeviceTemplates:
    """The templates of a plan's tensors on its device, as words."""

    def __init__(self, plan: Plan) -> None:
        device = plan.device
        assert device is not None
        index = device.index or 0
        words: list[int] = []
        for template in plan.templates:
            own = template_words(template)
            own[TEMPLATE.keys // 8] = device.key
            nbytes = own[TEMPLATE.nbytes // 8]
            is_of_class = symbolic.trace() is not None
            found = 0 if is_of_class else shelves.of(index, caching.rounded(nbytes)).address
            words += [*own, index, device.code, found, id(_maker(index))]
        self._keep = plan.templates
        self._words = symbolic.words(words)
        self.address = ctypes.addressof(self._words)


def on_device(encoded: Encoded, plan: Plan) -> Encoded | None:
    """The words of a step with a plan for a device, from those of one for the host."""
    if plan.device is None or not plan.templates or not plan.device.key & keys.CUDA:
        return None
    if plan.loop is not None and not plan.loop.address:
        return None
    templates = DeviceTemplates(plan)
    encoded.words[0] = module.address(repeat_plan_on_device)
    encoded.put(PRODUCED.templates, templates.address)
    encoded.keep = encoded.keep, templates
    return encoded
