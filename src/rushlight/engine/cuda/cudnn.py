"""Convolutions by cuDNN: descriptions, the choice of an algorithm, and calls.

A convolution, the gradient of its image and that of its weights are called alike: two operands, one result.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import library_settings as settings
from rushlight.engine.core import state
from rushlight.engine.cuda import context, driver, libraries, streams

NAME = "cudnn"
# `cudnnDataType_t`, by the types of elements in memory.
TYPES = {"f32": 0, "f64": 1, "f16": 2, "bf16": 9}
_CROSS_CORRELATION = 1
_DEFAULT_MATH, _TENSOR_MATH, _FMA_MATH = 0, 1, 3
_NCHW, _NHWC = 0, 1
# More algorithms than there are for any of the three.
_MOST_ALGORITHMS = 16


class Kind(NamedTuple):
    """One of the three, as the library calls it.

    Args:
        name: what stands in its functions' names
        filters: which of its first operand, second operand and result is the weights
    """

    name: str
    filters: int


FORWARD, IMAGE, WEIGHTS = (
    Kind("Forward", 1), Kind("BackwardData", 0), Kind("BackwardFilter", 2),
)  # fmt: skip


class Performance(ctypes.Structure):
    """What the library says about an algorithm: `cudnnConvolutionFwdAlgoPerf_t` and its two like."""

    _fields_ = (
        ("algorithm", ctypes.c_int), ("status", ctypes.c_int), ("time", ctypes.c_float), ("work", ctypes.c_size_t),
        ("is_deterministic", ctypes.c_int), ("math", ctypes.c_int), ("reserved", ctypes.c_int * 3),
    )  # fmt: skip


class Convolution(NamedTuple):
    """What is asked for.

    Args:
        kind: which of the three
        memory: the type of the elements
        sizes: those of the first operand, the second one and the result, with channels second
        channels_last: whether channels are the innermost of all three in memory
        padding, stride, dilation: of each dimension of the image
        groups: into how many groups the channels fall
    """

    kind: Kind
    memory: str
    sizes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    channels_last: bool
    padding: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int


def version() -> int | None:
    """The library's version as a number; None where it is not installed."""
    found = libraries.find(NAME)
    return None if found is None else int(found.cudnnGetVersion())


def handle(device: int) -> int:
    """The library's handle for a device, which is the current one."""
    return libraries.handle(NAME, "cudnnCreate", device)


def strides_of(size: Sequence[int], channels_last: bool) -> tuple[int, ...]:
    """How far apart neighbours are in memory, in elements."""
    order = [1, *range(len(size) - 1, 1, -1), 0] if channels_last else range(len(size) - 1, -1, -1)
    found, reach = [0] * len(size), 1
    for d in order:
        found[d], reach = reach, reach * size[d]
    return tuple(found)


def _integers(values: Sequence[int]) -> Any:
    return (ctypes.c_int * len(values))(*values)


class Described(libraries.Descriptions):
    """A convolution as the library knows it: its descriptions and its algorithm. None of its sizes may be 0.

    Args:
        convolution: what is asked for
        device: the number of the device, which is the current one
    """

    def __init__(self, convolution: Convolution, device: int) -> None:
        super().__init__(NAME)
        self.convolution, self.device = convolution, device
        self.handle = handle(device)
        number = ctypes.c_double if convolution.memory == "f64" else ctypes.c_float
        # The result is the convolution, and nothing of what was there before.
        self.factors = (number * 2)(1, 0)
        self.operands = [self._operand(k) for k in range(3)]
        self.settings = self._settings()
        found = self._algorithm()
        self.algorithm = -1 if found is None else found.algorithm
        self.work = 0 if found is None else found.work
        if found is not None:
            self._call("cudnnSetConvolutionMathType", self.settings, ctypes.c_int(found.math))

    @property
    def can_run(self) -> bool:
        """Whether there is an algorithm."""
        return self.algorithm >= 0

    def _call(self, function: str, described: int, *facts: Any) -> None:
        libraries.call(NAME, function, ctypes.c_void_p(described), *facts)

    def _new(self, kind: str) -> int:
        return self.new(f"cudnnCreate{kind}Descriptor", f"cudnnDestroy{kind}Descriptor")

    def _operand(self, k: int) -> int:
        given = self.convolution
        size, kind = given.sizes[k], ctypes.c_int(TYPES[given.memory])
        count, sizes = ctypes.c_int(len(size)), _integers(size)
        if k == given.kind.filters:
            made = self._new("Filter")
            order = ctypes.c_int(_NHWC if given.channels_last else _NCHW)
            self._call("cudnnSetFilterNdDescriptor", made, kind, order, count, sizes)
            return made
        made = self._new("Tensor")
        strides = _integers(strides_of(size, given.channels_last))
        self._call("cudnnSetTensorNdDescriptor", made, kind, count, sizes, strides)
        return made

    def _settings(self) -> int:
        given = self.convolution
        made = self._new("Convolution")
        computed = ctypes.c_int(TYPES["f64" if given.memory == "f64" else "f32"])
        self._call(
            "cudnnSetConvolutionNdDescriptor", made, ctypes.c_int(len(given.padding)), _integers(given.padding),
            _integers(given.stride), _integers(given.dilation), ctypes.c_int(_CROSS_CORRELATION), computed,
        )  # fmt: skip
        self._call("cudnnSetConvolutionGroupCount", made, ctypes.c_int(given.groups))
        self._call("cudnnSetConvolutionMathType", made, ctypes.c_int(self._math()))
        return made

    def _math(self) -> int:
        """Which arithmetic may be used."""
        if self.convolution.memory in ("f16", "bf16"):
            return _TENSOR_MATH
        exact = self.convolution.memory == "f32" and not settings.convolutions.allow_tf32
        return _FMA_MATH if exact else _DEFAULT_MATH

    def _algorithm(self) -> Performance | None:
        """The fastest algorithm that may be used: as the library expects, or by trying all with `benchmark`."""
        name = self.convolution.kind.name
        asked = settings.convolutions
        function = (
            f"cudnnFindConvolution{name}Algorithm"
            if asked.benchmark
            else f"cudnnGetConvolution{name}Algorithm_v7"
        )
        most = (
            min(asked.benchmark_limit or _MOST_ALGORITHMS, _MOST_ALGORITHMS)
            if asked.benchmark
            else _MOST_ALGORITHMS
        )
        found, count = (Performance * _MOST_ALGORITHMS)(), ctypes.c_int()
        first, second, made = map(ctypes.c_void_p, self.operands)
        code = libraries.code(
            NAME, function, ctypes.c_void_p(self.handle), first, second, ctypes.c_void_p(self.settings), made,
            ctypes.c_int(most), ctypes.byref(count), found,
        )  # fmt: skip
        if code and not is_unsupported(code):
            raise libraries.failure(NAME, code, function)
        free, _ = driver.memory_info()
        exact = asked.deterministic or state.deterministic
        for one in found[: count.value] if not code else ():
            if not one.status and one.work <= free and (one.is_deterministic or not exact):
                return Performance.from_buffer_copy(one)
        return None

    def queue(self, places: Sequence[int]) -> None:
        """Queue it on the current stream; the addresses of the result, both operands, and to work in."""
        made, first, second, work = places
        stream = ctypes.c_void_p(streams.current(self.device).handle)
        self._call("cudnnSetStream", self.handle, stream)
        alpha = ctypes.addressof(self.factors)
        beta = alpha + ctypes.sizeof(self.factors) // 2
        given = alpha, self.operands[0], first, self.operands[1], second, self.settings
        libraries.call(
            NAME, f"cudnnConvolution{self.convolution.kind.name}", ctypes.c_void_p(self.handle),
            *map(ctypes.c_void_p, given), ctypes.c_int(self.algorithm), ctypes.c_void_p(work),
            ctypes.c_size_t(self.work), *map(ctypes.c_void_p, (beta, self.operands[2], made)),
        )  # fmt: skip


def is_unsupported(code: int) -> bool:
    """Whether the library says that it has nothing for what was asked: `CUDNN_STATUS_NOT_SUPPORTED` and its kinds."""
    return code == 9 or 3000 <= code < 4000


def described(convolution: Convolution, device: int) -> Described | None:
    """A convolution's description; None if the library has no algorithm for it."""
    with context.on(device):
        found = Described(convolution, device)
    return found if found.can_run else None
