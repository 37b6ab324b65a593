"""A stand-in for cuDNN: convolutions with numpy in the stand-in's memory, from descriptions as the library has them."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
from stand_in import ByAddress, StandIn
from stand_in_cublaslt import narrowed, widened
from stand_in_libraries import Library

# What is a bf16, as the types of cuBLASLt's stand-in.
KINDS = {
    0: (np.float32, 0),
    1: (np.float64, 1),
    2: (np.float16, 2),
    9: (np.uint16, 14),
    10: (np.int64, 24),
}
_WORD = ctypes.c_uint64
_CONVOLVE = ctypes.CFUNCTYPE(ctypes.c_int, *[_WORD] * 13)
_STREAM = ctypes.CFUNCTYPE(ctypes.c_int, *[_WORD] * 2)
WAYS = ("Forward", "BackwardData", "BackwardFilter")


class Convolutions(Library):
    """cuDNN.

    Args:
        driver: whose memory and streams it uses
        work: how many bytes each algorithm works in
        supported: whether it has algorithms at all
    """

    def __init__(self, driver: StandIn, work: int = 256, supported: bool = True) -> None:
        super().__init__(driver)
        self.work, self.supported, self.stream = work, supported, 0
        self.described: dict[int, dict[str, Any]] = {}
        self.made: list[tuple[str, int, dict[str, Any]]] = []
        # Machine code calls these by their addresses.
        self.cudnnSetStream = ByAddress(_STREAM, self.__getattr__("cudnnSetStream"))
        for way in WAYS:
            name = f"cudnnConvolution{way}"
            setattr(self, name, ByAddress(_CONVOLVE, self.__getattr__(name)))

    def _cudnnGetVersion(self) -> int:
        return 92800

    def _create(self, place: Any) -> None:
        self.last += 16
        place.value = self.last
        self.described[self.last] = {}

    _cudnnCreate = _cudnnCreateTensorDescriptor = _cudnnCreateFilterDescriptor = _create
    _cudnnCreateConvolutionDescriptor = _create

    def _destroy(self, made: int) -> None:
        del self.described[made]

    _cudnnDestroyTensorDescriptor = _cudnnDestroyFilterDescriptor = _destroy
    _cudnnDestroyConvolutionDescriptor = _destroy

    def _cudnnSetStream(self, handle: int, stream: int) -> None:
        self.stream = stream

    def _cudnnSetTensorNdDescriptor(
        self, made: int, kind: int, count: int, sizes: Any, strides: Any
    ) -> int:
        if count < 4:
            return 2000
        self.described[made].update(
            kind=kind, sizes=list(sizes)[:count], strides=list(strides)[:count]
        )
        return 0

    def _cudnnSetFilterNdDescriptor(
        self, made: int, kind: int, order: int, count: int, sizes: Any
    ) -> None:
        from rushlight.engine.cuda.cudnn import strides_of

        size = list(sizes)[:count]
        self.described[made].update(kind=kind, sizes=size, strides=strides_of(size, order == 1))

    def _cudnnSetConvolutionNdDescriptor(
        self, made: int, count: int, padding: Any, stride: Any, dilation: Any, mode: int, kind: int
    ) -> None:
        assert mode == 1
        self.described[made].update(
            padding=list(padding)[:count], stride=list(stride)[:count],
            dilation=list(dilation)[:count], compute=kind,
        )  # fmt: skip

    def _cudnnSetConvolutionGroupCount(self, made: int, groups: int) -> None:
        self.described[made]["groups"] = groups

    def _cudnnSetConvolutionMathType(self, made: int, math: int) -> None:
        self.described[made]["math"] = math

    def _algorithms(self, handle: int, *given: Any) -> int:
        *_, how, _, most, count, found = given
        if not self.supported:
            return 3000
        # The first one cannot run here, the second one is not exact.
        for k, (status, is_deterministic) in enumerate(((3007, 1), (0, 0), (0, 1))[:most]):
            found[k].algorithm, found[k].status, found[k].work = k, status, self.work
            found[k].is_deterministic, found[k].math = is_deterministic, self.described[how]["math"]
        count.value = min(3, most)
        return 0

    _cudnnGetConvolutionForwardAlgorithm_v7 = _cudnnFindConvolutionForwardAlgorithm = _algorithms
    _cudnnGetConvolutionBackwardDataAlgorithm_v7 = _cudnnFindConvolutionBackwardDataAlgorithm = (
        _algorithms
    )
    _cudnnGetConvolutionBackwardFilterAlgorithm_v7 = _algorithms
    _cudnnFindConvolutionBackwardFilterAlgorithm = _algorithms

    def _cudnnConvolutionForward(self, *given: int) -> None:
        self.queue("Forward", given)

    def _cudnnConvolutionBackwardData(self, *given: int) -> None:
        self.queue("BackwardData", given)

    def _cudnnConvolutionBackwardFilter(self, *given: int) -> None:
        self.queue("BackwardFilter", given)

    def queue(self, way: str, given: tuple[int, ...]) -> None:
        _, alpha, one, first, two, second, how, algorithm, work, size, _, three, made = given
        facts = dict(self.described[how])
        number = ctypes.c_double if self.described[one]["kind"] == 1 else ctypes.c_float
        assert list((number * 2).from_address(alpha)) == [1, 0] and size == self.work
        self.made.append((way, algorithm, facts))
        operands = [dict(self.described[k]) for k in (one, two, three)]

        def run() -> None:
            if size:
                self.driver.memory.view(work, size)
            a, b = (self.strided(p, d) for p, d in zip((first, second), operands))
            a, b = (widened(x, KINDS[d["kind"]][1]) for x, d in zip((a, b), operands))
            found = convolved(way, a, b, tuple(operands[2]["sizes"]), facts)
            self.strided(made, operands[2])[:] = narrowed(found, KINDS[operands[2]["kind"]][1])

        self.driver.queue(self.stream, "kernel", run)

    def strided(self, place: int, facts: dict[str, Any]) -> np.ndarray:
        kind = np.dtype(KINDS[facts["kind"]][0])
        reach = 1 + sum((n - 1) * s for n, s in zip(facts["sizes"], facts["strides"]))
        flat = self.driver.memory.view(place, reach * kind.itemsize).view(kind)
        strides = [s * kind.itemsize for s in facts["strides"]]
        return np.lib.stride_tricks.as_strided(flat, facts["sizes"], strides)


def convolved(
    way: str, a: np.ndarray, b: np.ndarray, size: tuple[int, ...], facts: dict[str, Any]
) -> np.ndarray:
    """One of the three, a place of the weights at a time."""
    groups, padding = facts["groups"], facts["padding"]
    sizes = {
        "Forward": (a.shape, b.shape, size), "BackwardData": (size, a.shape, b.shape),
        "BackwardFilter": (a.shape, size, b.shape),
    }  # fmt: skip
    x_size, w_size, y_size = sizes[way]
    border = [(0, 0), (0, 0), *((p, p) for p in padding)]
    image = np.zeros(x_size) if way == "BackwardData" else a
    image = np.pad(image.astype(np.float64), border)
    weights = {"Forward": b, "BackwardData": a}.get(way, np.zeros(w_size)).astype(np.float64)
    result = np.zeros(y_size) if way == "Forward" else b.astype(np.float64)

    def split(x: np.ndarray) -> np.ndarray:
        return x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])

    for k in itertools.product(*map(range, w_size[2:])):
        spots = tuple(
            slice(i * d, i * d + s * (n - 1) + 1, s)
            for i, d, s, n in zip(k, facts["dilation"], facts["stride"], y_size[2:])
        )
        part = split(image[(slice(None), slice(None), *spots)])
        w = weights[(slice(None), slice(None), *k)].reshape(groups, -1, w_size[1])
        if way == "Forward":
            result += np.einsum("ngc...,goc->ngo...", part, w).reshape(y_size)
        elif way == "BackwardData":
            found = np.einsum("ngo...,goc->ngc...", split(result), w)
            image[(slice(None), slice(None), *spots)] += found.reshape(*x_size[:2], *y_size[2:])
        else:
            flat = (
                part.reshape(*part.shape[:3], -1),
                split(result).reshape(y_size[0], groups, -1, int(np.prod(y_size[2:]))),
            )
            found = np.einsum("ngcp,ngop->goc", *flat)
            weights[(slice(None), slice(None), *k)] = found.reshape(w_size[:2])
    if way == "BackwardData":
        inner = tuple(slice(p, p + n) for p, n in zip(padding, x_size[2:]))
        return image[(slice(None), slice(None), *inner)]
    return result if way == "Forward" else weights
