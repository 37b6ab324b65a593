"""Steps whose new tensors are on a GPU: machine code takes memory that the same stream has left.

Only where there is none, the allocator is asked, in Python.
"""

from __future__ import annotations

import ctypes
import functools

from rushlight.engine.core import keys, objects
from rushlight.engine.core.objects import RESIZABLE, STORAGE, TEMPLATE
from rushlight.engine.core.tensor import template_words
from rushlight.engine.cuda import caching, launcher
from rushlight.engine.cuda.launcher import PLACE
from rushlight.engine.dispatch.call_cache.step import Encoded
from rushlight.engine.dispatch.call_cache.steps.produced import PRODUCED, begin, end
from rushlight.engine.loops.plan import Plan
from rushlight.engine.native import shelves
from rushlight.engine.native.launch import MOST_OPERANDS
from rushlight.engine.native.lowlevel import load, stack, store
from rushlight.engine.native.python_api import (
    decref,
    long_as_word,
    thread_ident,
    vectorcall,
)
from rushlight.engine.native.runtime import module

types_of = objects.types


class DEVICE_TEMPLATE:
    """Positions of the words behind those of a template, in bytes."""

    device = TEMPLATE.length  # the device's number
    device_code = device + 8
    shelves = device_code + 8  # where memory of this size may lie
    make = shelves + 8  # the function of Python that asks the allocator
    length = make + 8


@module.function
def new_device_tensor(template: int, stream: int) -> int:
    """A new tensor on a device, as the template says; 0 with an error set."""
    nbytes = load(template + TEMPLATE.nbytes)
    owner = shelves.take(load(template + DEVICE_TEMPLATE.shelves), stream, nbytes)
    if owner == 0:
        owner = vectorcall(load(template + DEVICE_TEMPLATE.make), template, 0, 0)
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
    place = launcher.place_of_thread(thread_ident())
    if load(place + PLACE.thread) != thread_ident():
        return -1
    if load(place + PLACE.device) != load(load(step + PRODUCED.templates) + DEVICE_TEMPLATE.device):
        return -1
    ordered = stack(MOST_OPERANDS)
    if begin(step, flat_args, ordered) == 0:
        return -1
    return end(step, produce_on_device(step, ordered, load(place + PLACE.stream)))


class DeviceTemplates:
    """The templates of a plan's tensors on its device, as words."""

    def __init__(self, plan: Plan) -> None:
        device = plan.device
        assert device is not None
        index = device.index or 0
        words: list[int] = []
        self._makers = []
        for template in plan.templates:
            own = template_words(template)
            nbytes = own[TEMPLATE.nbytes // 8]
            own[TEMPLATE.keys // 8] = device.key
            make = functools.partial(caching.refill, nbytes, index)
            self._makers.append(make)
            found = shelves.of(index, caching.rounded(nbytes))
            words += [*own, index, device.code, found.address, id(make)]
        self._keep = plan.templates
        self._words = (ctypes.c_int64 * max(len(words), 1))(*words)
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
