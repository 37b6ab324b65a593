"""Attention by cuDNN's graphs: descriptors of tensors and of one operation, the choice of an engine, and calls.

A descriptor is made, told its attributes and finished. A graph with the operation gives engine configurations, the best one
first; the first of which a plan can be made is taken. A call puts addresses in the place of the tensors' numbers.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.cuda import context, cudnn, libraries, streams
from rushlight.engine.cuda.cudnn import NAME, TYPES

# Both directions are operations of their own from this version on.
LEAST_VERSION = 91700
# `cudnnBackendDescriptorType_t`
ENGINE_CONFIG, HEURISTICS, PLAN, GRAPH, VARIANT_PACK, TENSOR = 3, 4, 5, 15, 16, 17
FORWARD, BACKWARD = 41, 43
# `cudnnBackendAttributeType_t`, with what holds such values.
HANDLE, DATA_TYPE, BOOLEAN, INT64, POINTER, MODE, DESCRIPTOR = 0, 1, 2, 3, 6, 8, 15
_HELD = {
    HANDLE: ctypes.c_void_p, DATA_TYPE: ctypes.c_int, BOOLEAN: ctypes.c_bool, INT64: ctypes.c_int64,
    POINTER: ctypes.c_void_p, MODE: ctypes.c_int, DESCRIPTOR: ctypes.c_void_p,
}  # fmt: skip
# `cudnnBackendAttributeName_t`
HEURISTICS_MODE, HEURISTICS_GRAPH, HEURISTICS_RESULTS = 200, 201, 202
PLAN_HANDLE, PLAN_CONFIG, PLAN_WORK = 400, 401, 402
GRAPH_HANDLE, GRAPH_OPERATIONS = 800, 801
TENSOR_ALIGNMENT, TENSOR_TYPE, TENSOR_SIZES, TENSOR_STRIDES = 900, 901, 902, 903
TENSOR_NUMBER, TENSOR_IS_VIRTUAL, TENSOR_BY_VALUE = 906, 907, 908
PACK_NUMBERS, PACK_PLACES, PACK_WORK = 1000, 1001, 1003
_MODE_A = 3
_MOST_CONFIGS = 8
# Tensors begin at multiples of so many bytes.
ALIGNMENT = 16
# The attributes of both operations, by their tensors.
ROLES = {
    FORWARD: {"query": 2800, "key": 2801, "value": 2802, "out": 2803, "sums": 2804, "scale": 2805},
    BACKWARD: {
        "query": 2851, "key": 2852, "value": 2853, "out": 2854, "sums": 2855, "scale": 2856, "query gradient": 2859,
        "key gradient": 2860, "value gradient": 2861, "gradient": 2862,
    },
}  # fmt: skip


class Operand(NamedTuple):
    """A tensor of an attention.

    Args:
        role: what it is
        memory: the type of its elements
        size, stride: its four dimensions
    """

    role: str
    memory: str
    size: tuple[int, ...]
    stride: tuple[int, ...]


class Attention(NamedTuple):
    """What is asked for.

    Args:
        kind: one of the two operations
        operands: its tensors, results first
        scale: the factor of products of queries and keys
    """

    kind: int
    operands: tuple[Operand, ...]
    scale: float


class Refused(Exception):
    """The library has nothing for what is asked."""


class Described:
    """An attention as the library knows it: a plan, and the numbers of its tensors.

    Args:
        attention: what is asked for
        device: the number of the device, which is the current one
    """

    def __init__(self, attention: Attention, device: int) -> None:
        self.attention, self.device = attention, device
        self.handle = cudnn.handle(device)
        self._made: list[int] = []
        weakref.finalize(self, _destroy, libraries.find(NAME), self._made).atexit = False
        # The scale is the last tensor, and lies in the host's memory.
        self.factor = ctypes.c_float(attention.scale)
        self.count = len(attention.operands) + 1
        self.numbers = (ctypes.c_int64 * self.count)(*range(1, self.count + 1))
        self.plan, self.work = self._planned(self._graph())

    def _new(self, kind: int) -> int:
        place = ctypes.c_void_p()
        libraries.call(
            NAME, "cudnnBackendCreateDescriptor", ctypes.c_int(kind), ctypes.byref(place)
        )
        self._made.append(place.value or 0)
        return place.value or 0

    def _finished(self, kind: int, *attributes: tuple[int, int, Sequence[Any]]) -> int:
        """A descriptor with attributes: their names, types and values."""
        made = self._new(kind)
        for name, type, values in attributes:
            held = (_HELD[type] * len(values))(*values)
            _ask(
                "cudnnBackendSetAttribute", ctypes.c_void_p(made), ctypes.c_int(name), ctypes.c_int(type),
                ctypes.c_int64(len(values)), held,
            )  # fmt: skip
        _ask("cudnnBackendFinalize", ctypes.c_void_p(made))
        return made

    def _tensor(self, number: int, operand: Operand, by_value: bool = False) -> int:
        return self._finished(
            TENSOR, (TENSOR_NUMBER, INT64, [number]), (TENSOR_TYPE, DATA_TYPE, [TYPES[operand.memory]]),
            (TENSOR_ALIGNMENT, INT64, [4 if by_value else ALIGNMENT]), (TENSOR_SIZES, INT64, operand.size),
            (TENSOR_STRIDES, INT64, operand.stride), (TENSOR_BY_VALUE, BOOLEAN, [by_value]),
            (TENSOR_IS_VIRTUAL, BOOLEAN, [False]),
        )  # fmt: skip

    def _graph(self) -> int:
        """The graph of the operation."""
        given = self.attention
        scale = Operand("scale", "f32", (1, 1, 1, 1), (1, 1, 1, 1))
        attributes = [
            (ROLES[given.kind][x.role], DESCRIPTOR, [self._tensor(k + 1, x, x is scale)])
            for k, x in enumerate((*given.operands, scale))
        ]
        operation = self._finished(given.kind, *attributes)
        return self._finished(
            GRAPH,
            (GRAPH_HANDLE, HANDLE, [self.handle]),
            (GRAPH_OPERATIONS, DESCRIPTOR, [operation]),
        )

    def _planned(self, graph: int) -> tuple[int, int]:
        """The plan of the first configuration that the device can run, and how many bytes it works in."""
        found = self._finished(
            HEURISTICS, (HEURISTICS_GRAPH, DESCRIPTOR, [graph]), (HEURISTICS_MODE, MODE, [_MODE_A])
        )
        configs = (ctypes.c_void_p * _MOST_CONFIGS)(
            *(self._new(ENGINE_CONFIG) for _ in range(_MOST_CONFIGS))
        )
        count = _read(found, HEURISTICS_RESULTS, DESCRIPTOR, configs)
        for config in configs[:count]:
            try:
                plan = self._finished(
                    PLAN, (PLAN_HANDLE, HANDLE, [self.handle]), (PLAN_CONFIG, DESCRIPTOR, [config])
                )
            except Refused:
                continue
            work = (ctypes.c_int64 * 1)()
            _read(plan, PLAN_WORK, INT64, work)
            return plan, work[0]
        raise Refused

    def queue(self, places: Sequence[int]) -> None:
        """Queue it on the current stream; the addresses of the operands, and of memory to work in."""
        *operands, work = places
        stream = ctypes.c_void_p(streams.current(self.device).handle)
        libraries.call(NAME, "cudnnSetStream", ctypes.c_void_p(self.handle), stream)
        pack = self._finished(
            VARIANT_PACK, (PACK_NUMBERS, INT64, list(self.numbers)),
            (PACK_PLACES, POINTER, [*operands, ctypes.addressof(self.factor)]), (PACK_WORK, POINTER, [work]),
        )  # fmt: skip
        self._made.remove(pack)
        try:
            libraries.call(
                NAME, "cudnnBackendExecute", *map(ctypes.c_void_p, (self.handle, self.plan, pack))
            )
        finally:
            libraries.call(NAME, "cudnnBackendDestroyDescriptor", ctypes.c_void_p(pack))


def _ask(function: str, *arguments: Any) -> None:
    """Call a function that may say that the library has nothing for what is asked."""
    code = libraries.code(NAME, function, *arguments)
    if cudnn.is_unsupported(code):
        raise Refused
    if code:
        raise libraries.failure(NAME, code, function)


def _read(made: int, name: int, type: int, target: Any) -> int:
    """Read an attribute of a descriptor; how many values it has."""
    count = ctypes.c_int64()
    _ask(
        "cudnnBackendGetAttribute", ctypes.c_void_p(made), ctypes.c_int(name), ctypes.c_int(type),
        ctypes.c_int64(len(target)), ctypes.byref(count), target,
    )  # fmt: skip
    return count.value


def described(attention: Attention, device: int) -> Described | None:
    """An attention's description; None if the library has nothing for it."""
    with context.on(device):
        try:
            return Described(attention, device)
        except Refused:
            return None


def _destroy(library: Any, made: list[int]) -> None:
    for place in made:
        library.cudnnBackendDestroyDescriptor(ctypes.c_void_p(place))
