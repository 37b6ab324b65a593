"""Parts of a device's processors, and of the queues by which work gets to them: green contexts, as the driver calls them.

Kernels that are queued on a part's stream run on its processors alone. They stay in the context of the device, with its memory.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from rushlight.engine.cuda import context, driver
from rushlight.engine.cuda.streams import Stream

PROCESSORS, QUEUES = 1, 1000
# Who shares queues: all contexts of the device, or none of the parts that are balanced.
SCOPES = {"device_ctx": 0, "balanced": 1}
_COUNT, _LIMIT, _SCOPE = 0, 1, 2
_DEFAULT_STREAM = 1


class _Resource(ctypes.Structure):
    """`CUdevResource`. The words of processors are their number first; those of queues a device, a limit and a scope."""

    _fields_ = (
        ("type", ctypes.c_uint), ("padding", ctypes.c_ubyte * 92), ("words", ctypes.c_uint * 10), ("next", ctypes.c_void_p),
    )  # fmt: skip


class Part(NamedTuple):
    """A part of a device.

    Args:
        handle: the driver's
        processors: how many it has
        stream: what is queued here runs there
    """

    handle: int
    processors: int
    stream: Stream


def _call(name: str, *arguments: Any) -> None:
    if not hasattr(driver.library, name):
        raise RuntimeError(f"cuda driver too old to use green context! It has no {name}")
    driver.call(name, *arguments)


def _resource(device: int, kind: int) -> _Resource:
    """What a device has of a kind."""
    context.enter(device)
    found = _Resource()
    _call("cuDeviceGetDevResource", context.handle(device), ctypes.byref(found), ctypes.c_int(kind))
    return found


def most_workloads(device: int) -> int:
    """How many streams' work a device's queues hold apart."""
    return int(_resource(device, QUEUES).words[_LIMIT])


def part(device: int, count: int | None, scope: str | None, limit: int | None) -> Part:
    """A part of a device.

    Args:
        device: its number
        count: how many processors it gets at least; None: all
        scope: who shares its queues; None: as usual
        limit: for how many streams' work they are
    """
    wanted = [_processors(device, count)]
    if scope is not None:
        queues = _resource(device, QUEUES)
        queues.words[_SCOPE] = SCOPES[scope]
        if limit is not None:
            queues.words[_LIMIT] = limit
        wanted.append(queues)
    described, made = ctypes.c_void_p(), ctypes.c_void_p()
    together = (_Resource * len(wanted))(*wanted)
    _call(
        "cuDevResourceGenerateDesc", ctypes.byref(described), together, ctypes.c_uint(len(wanted))
    )
    flags = ctypes.c_uint(_DEFAULT_STREAM)
    _call("cuGreenCtxCreate", ctypes.byref(made), described, context.handle(device), flags)
    queue = ctypes.c_void_p()
    flags = ctypes.c_uint(driver.STREAM_NON_BLOCKING)
    _call("cuGreenCtxStreamCreate", ctypes.byref(queue), made, flags, ctypes.c_int(0))
    return Part(made.value or 0, int(wanted[0].words[_COUNT]), Stream(device, queue.value or 0))


def _processors(device: int, count: int | None) -> _Resource:
    """So many processors; the driver gives some more where it cannot divide them so."""
    all_of_them = _resource(device, PROCESSORS)
    if count is None:
        return all_of_them
    there = int(all_of_them.words[_COUNT])
    if not 0 < count <= there:
        raise RuntimeError(
            f"Invalid number of SMs requested for green context: {count} (device: {there} available)"
        )
    found, groups = _Resource(), ctypes.c_uint(1)
    _call(
        "cuDevSmResourceSplitByCount", ctypes.byref(found), ctypes.byref(groups), ctypes.byref(all_of_them), None,
        ctypes.c_uint(0), ctypes.c_uint(count),
    )  # fmt: skip
    if groups.value != 1:
        raise RuntimeError(f"Failed to create single resource group: {groups.value} were made")
    return found


def end(given: Part) -> None:
    """Let a part go, when what was queued for it is done."""
    given.stream.synchronize()
    _call("cuStreamDestroy_v2", ctypes.c_void_p(given.stream.handle))
    _call("cuGreenCtxDestroy", ctypes.c_void_p(given.handle))
