"""A stand-in for cuBLASLt: products with numpy in the stand-in's memory, from descriptions as the library has them."""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np
from stand_in import ByAddress, StandIn
from stand_in_libraries import Library

TYPES = {
    0: np.float32,
    1: np.float64,
    2: np.float16,
    3: np.int8,
    10: np.int32,
    14: np.uint16,
    28: np.uint8,
    29: np.uint8,
}
BF16, INT32 = 14, 10
_WORD = ctypes.c_uint64
_MATMUL = ctypes.CFUNCTYPE(ctypes.c_int, *[_WORD] * 16)
_SET = ctypes.CFUNCTYPE(ctypes.c_int, *[_WORD] * 4)
_CHOOSE = ctypes.CFUNCTYPE(ctypes.c_int, *[_WORD] * 10)


class Products(Library):
    """cuBLASLt.

    Args:
        driver: whose memory and streams it uses
        work: how many bytes each algorithm works in
        supported: whether it has algorithms at all, or for which operations
    """

    def __init__(self, driver: StandIn, work: int = 64, supported: Any = True) -> None:
        super().__init__(driver)
        self.work, self.supported = work, supported
        self.described: dict[int, dict[Any, Any]] = {}
        self.products: list[dict[str, Any]] = []
        self.preferred: list[dict[Any, Any]] = []
        self.failing = 0
        # Made while nobody plans for a device.
        self.floats8 = {kind: floats_of_bytes(kind) for kind in (28, 29)}
        # Machine code calls these by their addresses.
        called = {
            "cublasLtMatmul": _MATMUL, "cublasLtMatmulDescSetAttribute": _SET, "cublasLtMatrixLayoutSetAttribute": _SET,
            "cublasLtMatmulAlgoGetHeuristic": _CHOOSE,
        }  # fmt: skip
        for name, kind in called.items():
            setattr(self, name, ByAddress(kind, self.__getattr__(name)))

    def new(self, place: Any, **facts: Any) -> None:
        self.last += 16
        place.value = self.last
        self.described[self.last] = facts

    def _cublasLtCreate(self, place: Any) -> None:
        self.new(place)

    def _cublasLtMatmulDescCreate(self, place: Any, compute: int, scale: int) -> None:
        self.new(place, compute=compute, scale=scale)

    def _cublasLtMatrixLayoutCreate(
        self, place: Any, kind: int, rows: int, columns: int, step: int
    ) -> int:
        if step < rows:
            return 7
        self.new(place, kind=kind, rows=rows, columns=columns, step=step)
        return 0

    def _cublasLtMatmulPreferenceCreate(self, place: Any) -> None:
        self.new(place)

    def _destroy(self, made: int) -> None:
        del self.described[made]

    _cublasLtMatmulDescDestroy = _cublasLtMatrixLayoutDestroy = _destroy
    _cublasLtMatmulPreferenceDestroy = _destroy

    def _set(self, made: int, attribute: int, value: Any, size: int) -> None:
        if isinstance(value, int):
            self.described[made][attribute] = int.from_bytes(
                ctypes.string_at(value, size), "little"
            )
        else:
            assert ctypes.sizeof(value) == size
            self.described[made][attribute] = value.value or 0

    _cublasLtMatmulDescSetAttribute = _cublasLtMatmulPreferenceSetAttribute = _set

    def _cublasLtMatrixLayoutSetAttribute(
        self, made: int, attribute: int, value: Any, size: int
    ) -> int:
        if size != (4 if attribute == 5 else 8):
            return 7
        self._set(made, attribute, value, size)
        facts = self.described[made]
        for k, name in ((2, "rows"), (3, "columns"), (4, "step")):
            facts[name] = facts.get(k, facts[name])
        return 0

    def _cublasLtMatmulAlgoGetHeuristic(self, handle: int, *given: Any) -> int:
        operation, first, second, added, made, preferred, most, found, count = given
        facts = self.described[operation]
        # An epilogue that adds a vector is told how this will be aligned.
        assert not facts[7] & 4 or facts[8] == self.described[preferred][5]
        self.preferred.append(self.described[preferred])
        # Whether there are scales is looked at, too.
        of_bytes = {self.described[x]["kind"] for x in (first, second)} & {28, 29}
        assert bool(facts.get(17)) == bool(facts.get(18)) == bool(of_bytes)
        has_some = self.supported(facts) if callable(self.supported) else self.supported
        if not has_some:
            return 15
        assert most == 1 and self.described[preferred][1] >= self.work
        assert {self.described[x]["kind"] for x in (first, second, added, made)} <= set(TYPES)
        from rushlight.engine.cuda.cublaslt import Heuristic

        if isinstance(found, int):
            found, count = Heuristic.from_address(found), ctypes.c_int.from_address(count)
        found.algorithm[0] = self.described[preferred][5]
        found.work, found.state, count.value = self.work, 0, 1
        return 0

    def _cublasLtMatmul(self, handle: int, operation: int, alpha: int, *given: int) -> int:
        first, first_layout, second, second_layout, beta, added, added_layout, made, layout = given[
            :9
        ]
        algorithm, work, size, stream = given[9:]
        if self.failing:
            return self.failing
        # Descriptions may be told of other products before the device comes to this one.
        facts, result = dict(self.described[operation]), dict(self.described[layout])
        a_facts, b_facts, c_facts = (
            dict(self.described[x]) for x in (first_layout, second_layout, added_layout)
        )
        if any(x["step"] < x["rows"] for x in (result, a_facts, b_facts, c_facts)):
            return 7
        alignment = _WORD.from_address(algorithm).value
        assert size >= self.work and (not size or work)
        if any(place % alignment for place in (first, second, added, made)):
            return 7
        number = {1: ctypes.c_double, INT32: ctypes.c_int32}.get(facts["scale"], ctypes.c_float)
        kinds = a_facts["kind"], b_facts["kind"]
        of_bytes = {*kinds} & {28, 29}
        # Of floats of eight bits it has products of a transposed matrix and one as it is.
        fits = (
            facts.get(3) == 1 and facts.get(4) == 0 and kinds != (29, 29)
            if of_bytes
            else kinds[0] == kinds[1]
        )
        if not fits or (a_facts["kind"] == 3) != (facts["compute"] == 72):
            return 7
        factors = number.from_address(alpha).value, number.from_address(beta).value
        self.products.append({**facts, "alignment": alignment, "factors": factors})

        def run() -> None:
            self.driver.memory.view(work, size) if size else None
            a, b = self.matrices(first, a_facts), self.matrices(second, b_facts)
            a = a.swapaxes(1, 2) if facts.get(3) else a
            b = b.swapaxes(1, 2) if facts.get(4) else b
            total = factors[0] * (a @ b)
            for scale in (17, 18) if of_bytes else ():
                total = total * self.numbers(facts[scale], 0, 1)[0]
            if factors[1]:
                total = total + factors[1] * self.matrices(added, c_facts)
            epilogue = facts[7]
            if epilogue & 4:
                total = total + self.bias(facts, result)
            self.store(made, result, activated(total, epilogue))

        self.driver.queue(stream, "kernel", run)
        return 0

    def bias(self, facts: dict[Any, Any], result: dict[Any, Any]) -> np.ndarray:
        rows, batch = result["rows"], result.get(5, 1)
        assert facts[26] == result["kind"]
        item = np.dtype(TYPES[result["kind"]]).itemsize
        found = [
            self.numbers(facts[8] + k * facts[10] * item, result["kind"], rows)
            for k in range(batch)
        ]
        return np.stack(found)[:, :, None]

    def numbers(self, place: int, kind: int, count: int) -> np.ndarray:
        return widened(self.array(place, TYPES[kind], (count,)), kind)

    def strided(self, place: int, facts: dict[Any, Any]) -> np.ndarray:
        """The matrices of a batch, as they lie in memory."""
        kind = np.dtype(TYPES[facts["kind"]])
        batch, apart = facts.get(5, 1), facts.get(6, 0)
        shape = batch, facts["rows"], facts["columns"]
        strides = apart, 1, facts["step"]
        reach = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
        flat = self.driver.memory.view(place, reach * kind.itemsize).view(kind)
        return np.lib.stride_tricks.as_strided(flat, shape, [s * kind.itemsize for s in strides])

    def matrices(self, place: int, facts: dict[Any, Any]) -> np.ndarray:
        return widened(self.strided(place, facts), facts["kind"])

    def store(self, place: int, facts: dict[Any, Any], values: np.ndarray) -> None:
        self.strided(place, facts)[:] = narrowed(values, facts["kind"])


def widened(values: np.ndarray, kind: int) -> np.ndarray:
    if kind == BF16:
        return (values.astype(np.uint32) << 16).view(np.float32)
    if kind in (28, 29):
        return floats_of_bytes(kind)[values]
    return values.astype(np.float64 if kind == 1 else np.int64 if kind in (3, 10) else np.float32)


@functools.cache
def floats_of_bytes(kind: int) -> np.ndarray:
    """The numbers that all bytes are."""
    import rushlight as torch

    every = torch.arange(256).to(torch.uint8)
    return every.view(torch.float8_e4m3fn if kind == 28 else torch.float8_e5m2).float().numpy()


def narrowed(values: np.ndarray, kind: int) -> np.ndarray:
    if kind != BF16:
        return values.astype(TYPES[kind])
    words = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(np.uint16)


def activated(values: np.ndarray, epilogue: int) -> np.ndarray:
    if epilogue & 2:
        return np.maximum(values, 0)
    if epilogue & 32:
        inner = math.sqrt(2 / math.pi) * (values + 0.044715 * values**3)
        return 0.5 * values * (1 + np.tanh(inner))
    return values
