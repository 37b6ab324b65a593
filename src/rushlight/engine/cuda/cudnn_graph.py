"""Attention by cuDNN's graphs: descriptors of tensors and of one operation, the choice of an engine, and calls.

A descriptor is made, told its attributes and finished. A graph with the operation gives engine configurations, the best one
first; the first of which a plan can be made is taken. A call puts addresses in the place of the tensors' numbers. What is
done to scores before their softmax (a mask is added, later keys are hidden) is a graph within the operation.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core.size import contiguous_strides
from rushlight.engine.cuda import context, cudnn, libraries, streams
from rushlight.engine.cuda.cudnn import NAME, TYPES

# Versions from which on both directions are operations of their own, scores may be changed before their softmax, and
# weights may be dropped, in the gradients, too.
LEAST_VERSION, SCORES_VERSION, DROPOUT_VERSIONS = 91700, 92100, (92100, 92800)
# `cudnnBackendDescriptorType_t`
POINTWISE, ENGINE_CONFIG, HEURISTICS, PLAN, POINTWISE_OPERATION, GRAPH, VARIANT_PACK, TENSOR = (
    0,
    3,
    4,
    5,
    13,
    15,
    16,
    17,
)
FORWARD, BACKWARD, BAND = 41, 43, 44
# `cudnnBackendAttributeType_t`, with what holds such values.
HANDLE, DATA_TYPE, BOOLEAN, INT64, FLOAT, POINTER, MODE, POINTWISE_MODE, DESCRIPTOR = (
    0,
    1,
    2,
    3,
    4,
    6,
    8,
    14,
    15,
)
_HELD = {
    HANDLE: ctypes.c_void_p, DATA_TYPE: ctypes.c_int, BOOLEAN: ctypes.c_bool, INT64: ctypes.c_int64, FLOAT: ctypes.c_float,
    POINTER: ctypes.c_void_p, MODE: ctypes.c_int, POINTWISE_MODE: ctypes.c_int, DESCRIPTOR: ctypes.c_void_p,
}  # fmt: skip
# `cudnnBackendAttributeName_t`
POINTWISE_KIND, POINTWISE_COMPUTED_IN = 0, 1
OPERATION_POINTWISE, OPERATION_X, OPERATION_B, OPERATION_Y = 750, 751, 752, 753
BAND_X, BAND_B, BAND_Y, BAND_KEPT = 3000, 3005, 3006, 3007
HEURISTICS_MODE, HEURISTICS_GRAPH, HEURISTICS_RESULTS = 200, 201, 202
PLAN_HANDLE, PLAN_CONFIG, PLAN_WORK = 400, 401, 402
GRAPH_HANDLE, GRAPH_OPERATIONS = 800, 801
TENSOR_ALIGNMENT, TENSOR_TYPE, TENSOR_SIZES, TENSOR_STRIDES = 900, 901, 902, 903
TENSOR_NUMBER, TENSOR_IS_VIRTUAL, TENSOR_BY_VALUE = 906, 907, 908
PACK_NUMBERS, PACK_PLACES, PACK_WORK = 1000, 1001, 1003
_TYPES = {**TYPES, "i64": 10}
_MODE_A = 3
_MOST_CONFIGS = 8
# `cudnnPointwiseMode_t`: sums, and rows that are not above their columns.
_ADD, _NOT_ABOVE = 0, 303
# Tensors begin at multiples of so many bytes.
ALIGNMENT = 16
# The attributes of both operations, by their tensors.
ROLES = {
    FORWARD: {
        "query": 2800, "key": 2801, "value": 2802, "out": 2803, "sums": 2804, "scale": 2805, "seed": 2815, "offset": 2816,
    },
    BACKWARD: {
        "query": 2851, "key": 2852, "value": 2853, "out": 2854, "sums": 2855, "scale": 2856, "query gradient": 2859,
        "key gradient": 2860, "value gradient": 2861, "gradient": 2862, "seed": 2872, "offset": 2873,
    },
}  # fmt: skip
# Of both: the graph that changes scores, the numbers of the tensors that it is given and gives, the chance of dropout.
SCORES = {FORWARD: (2811, 2812, 2813), BACKWARD: (2867, 2868, 2869)}
CHANCE = {FORWARD: 2818, BACKWARD: 2874}


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
        is_causal: whether queries see no later keys
        dropout: the chance of weights to be dropped
    """

    kind: int
    operands: tuple[Operand, ...]
    scale: float
    is_causal: bool = False
    dropout: float = 0.0

    @property
    def is_newer(self) -> bool:
        """Whether it is more than a softmax of products between, where every head of queries has its own keys."""
        given = self.operand
        shares = given["query"].size[1] != given["key"].size[1]
        return "mask" in given or self.is_causal or bool(self.dropout) or shares

    @property
    def operand(self) -> dict[str, Operand]:
        """Its tensors, by their roles."""
        return {x.role: x for x in self.operands}


class Refused(Exception):
    """The library has nothing for what is asked."""


class BadParameter(RuntimeError):
    """The library says that a description is wrong."""


class Described(libraries.Descriptions):
    """An attention as the library knows it: a plan, and the numbers of its tensors.

    Args:
        attention: what is asked for
        device: the number of the device, which is the current one
    """

    def __init__(self, attention: Attention, device: int) -> None:
        super().__init__(NAME)
        self.attention, self.device = attention, device
        self.handle = cudnn.handle(device)
        # The last tensors are numbers in the host's memory: the scale, and what hidden scores are.
        hidden = (-math.inf,) if attention.is_causal else ()
        self.factors = (ctypes.c_float * (1 + len(hidden)))(attention.scale, *hidden)
        self.given = len(attention.operands)
        self.count = self.given + len(self.factors)
        self.numbers = (ctypes.c_int64 * self.count)(*range(1, self.count + 1))
        self.plan, self.work = self._planned(self._graph())

    def _new(self, kind: int) -> int:
        functions = "cudnnBackendCreateDescriptor", "cudnnBackendDestroyDescriptor"
        return self.new(*functions, before=(ctypes.c_int(kind),))

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

    def _tensor(self, number: int, operand: Operand, lies: str = "in memory") -> int:
        """A tensor that lies in the device's memory, in the host's ("by value") or nowhere ("virtual")."""
        apart = {"by value": 4, "virtual": ALIGNMENT}.get(lies, alignment_of(operand))
        return self._finished(
            TENSOR, (TENSOR_NUMBER, INT64, [number]), (TENSOR_TYPE, DATA_TYPE, [_TYPES[operand.memory]]),
            (TENSOR_ALIGNMENT, INT64, [apart]), (TENSOR_SIZES, INT64, operand.size),
            (TENSOR_STRIDES, INT64, operand.stride), (TENSOR_BY_VALUE, BOOLEAN, [lies == "by value"]),
            (TENSOR_IS_VIRTUAL, BOOLEAN, [lies == "virtual"]),
        )  # fmt: skip

    def _graph(self) -> int:
        """The graph of the operation."""
        given, roles = self.attention, ROLES[self.attention.kind]
        made = {x.role: self._tensor(k + 1, x) for k, x in enumerate(given.operands)}
        made["scale"] = self._number(0)
        attributes: list[Any] = [(roles[x], DESCRIPTOR, [made[x]]) for x in made if x in roles]
        operations = self._changed_scores(made)
        if operations:
            inner = self._finished(GRAPH, (GRAPH_OPERATIONS, DESCRIPTOR, operations))
            graph, first, last = SCORES[given.kind]
            attributes += [
                (graph, DESCRIPTOR, [inner]), (first, INT64, [self.count + 1]),
                (last, INT64, [self.count + 1 + len(operations)]),
            ]  # fmt: skip
        if given.dropout:
            attributes.append((CHANCE[given.kind], FLOAT, [given.dropout]))
        return self._finished(
            GRAPH, (GRAPH_HANDLE, HANDLE, [self.handle]),
            (GRAPH_OPERATIONS, DESCRIPTOR, [self._finished(given.kind, *attributes)]),
        )  # fmt: skip

    def _number(self, k: int) -> int:
        """The description of a number in the host's memory."""
        ones = (1, 1, 1, 1)
        return self._tensor(self.given + k + 1, Operand("", "f32", ones, ones), "by value")

    def _changed_scores(self, made: dict[str, int]) -> list[int]:
        """The operations from scores to what the softmax is of, in turn; the tensors between them are no memory."""
        changes: list[tuple[int, tuple[int, int, int], int, tuple[int, int, list[int]]]] = []
        if "mask" in made:
            sum = self._finished(
                POINTWISE, (POINTWISE_KIND, POINTWISE_MODE, [_ADD]),
                (POINTWISE_COMPUTED_IN, DATA_TYPE, [_TYPES["f32"]]),
            )  # fmt: skip
            names = OPERATION_X, OPERATION_B, OPERATION_Y
            how = OPERATION_POINTWISE, DESCRIPTOR, [sum]
            changes.append((POINTWISE_OPERATION, names, made["mask"], how))
        if self.attention.is_causal:
            kept = BAND_KEPT, POINTWISE_MODE, [_NOT_ABOVE]
            changes.append((BAND, (BAND_X, BAND_B, BAND_Y), self._number(1), kept))
        if not changes:
            return []
        given = self.attention.operand
        size = *given["query"].size[:3], given["key"].size[2]
        scores = Operand("scores", "f32", size, contiguous_strides(size))
        places = range(self.count + 1, self.count + 2 + len(changes))
        steps = [self._tensor(number, scores, "virtual") for number in places]
        return [
            self._finished(
                kind, how, *((name, DESCRIPTOR, [x]) for name, x in zip(names, (before, b, after)))
            )
            for (kind, names, b, how), before, after in zip(changes, steps, steps[1:])
        ]

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

    @property
    def factor_places(self) -> list[int]:
        """Where the numbers in the host's memory are."""
        start = ctypes.addressof(self.factors)
        return [start + k * ctypes.sizeof(ctypes.c_float) for k in range(len(self.factors))]

    def queue(self, places: Sequence[int]) -> None:
        """Queue it on the current stream; the addresses of the operands, and of memory to work in."""
        *operands, work = places
        stream = ctypes.c_void_p(streams.current(self.device).handle)
        libraries.call(NAME, "cudnnSetStream", ctypes.c_void_p(self.handle), stream)
        pack = self._finished(
            VARIANT_PACK, (PACK_NUMBERS, INT64, list(self.numbers)),
            (PACK_PLACES, POINTER, [*operands, *self.factor_places]), (PACK_WORK, POINTER, [work]),
        )  # fmt: skip
        try:
            libraries.call(
                NAME, "cudnnBackendExecute", *map(ctypes.c_void_p, (self.handle, self.plan, pack))
            )
        finally:
            self.end(pack)


def alignment_of(operand: Operand) -> int:
    """At multiples of how many bytes a tensor begins: single numbers take no more than their own."""
    return 8 if operand.memory == "i64" else ALIGNMENT


def _ask(function: str, *arguments: Any) -> None:
    """Call a function that may say that the library has nothing for what is asked."""
    code = libraries.code(NAME, function, *arguments)
    if cudnn.is_unsupported(code):
        raise Refused
    if 2000 <= code < 3000:
        raise BadParameter(*libraries.failure(NAME, code, function).args)
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
        except BadParameter:
            # What newer attributes may be told is written nowhere; older ones are told what they take.
            if attention.is_newer:
                return None
            raise
