"""A stand-in for cuSPARSE: products with numpy in the stand-in's memory, from descriptions as the library has them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from stand_in import StandIn
from stand_in_cublaslt import narrowed, widened
from stand_in_libraries import Library

KINDS = {
    0: np.float32,
    1: np.float64,
    2: np.float16,
    4: np.complex64,
    5: np.complex128,
    14: np.uint16,
}
SUMMED = {0: 0, 1: 1, 2: 0, 4: 4, 5: 5, 14: 0}
INDICES = {2: np.int32, 3: np.int64}
BAD = 3


class SparseProducts(Library):
    """cuSPARSE.

    Args:
        driver: whose memory and streams it uses
        work: how many bytes each product works in
    """

    def __init__(self, driver: StandIn, work: int = 64) -> None:
        super().__init__(driver)
        self.work, self.stream = work, 0
        self.described: dict[int, dict[str, Any]] = {}

    def new(self, place: Any, **facts: Any) -> None:
        self.last += 16
        place.value = self.last
        self.described[self.last] = facts

    def _cusparseCreate(self, place: Any) -> None:
        self.new(place)

    def _cusparseSetStream(self, handle: int, stream: int) -> None:
        self.stream = stream

    def _cusparseCreateCsr(self, place: Any, *given: int) -> int:
        *sizes, rows, columns, values, row_kind, column_kind, base, kind = given
        kinds = INDICES[row_kind], INDICES[column_kind]
        self.new(
            place, sizes=sizes, places=[rows, columns, values], kinds=kinds, kind=kind, by_rows=True
        )
        return BAD if base else 0

    def _cusparseCreateCoo(self, place: Any, *given: int) -> int:
        *sizes, rows, columns, values, index_kind, base, kind = given
        kinds = (INDICES[index_kind],) * 2
        self.new(
            place,
            sizes=sizes,
            places=[rows, columns, values],
            kinds=kinds,
            kind=kind,
            by_rows=False,
        )
        return BAD if base else 0

    def _cusparseCreateDnMat(
        self, place: Any, rows: int, columns: int, apart: int, values: int, kind: int, order: int
    ) -> int:
        self.new(place, size=(rows, columns), apart=apart, at=values, kind=kind, order=order)
        return 0 if apart >= (rows if order == 1 else columns) else BAD

    def _cusparseSpGEMM_createDescr(self, place: Any) -> None:
        self.new(place, steps=[])

    def _cusparseSpSM_createDescr(self, place: Any) -> None:
        self.new(place, analysed=None)

    _cusparseSpSV_createDescr = _cusparseSpSM_createDescr

    def _cusparseCreateDnVec(self, place: Any, size: int, values: int, kind: int) -> None:
        self.new(place, size=(size, 1), apart=1, at=values, kind=kind, order=2, is_vector=True)

    def _cusparseSpMatSetAttribute(self, made: int, attribute: int, value: Any, size: int) -> int:
        self.described[made][("upper", "unit")[attribute]] = value.value
        return 0 if size == 4 else BAD

    def _destroy(self, made: int) -> None:
        del self.described[made]

    _cusparseDestroySpMat = _cusparseDestroyDnMat = _cusparseSpGEMM_destroyDescr = _destroy
    _cusparseDestroyDnVec = _cusparseSpSM_destroyDescr = _cusparseSpSV_destroyDescr = _destroy

    # -- memory --
    def parts(self, facts: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The row and column of each value, and the values."""
        count = facts["sizes"][2]
        length = facts["sizes"][0] + 1 if facts["by_rows"] else count
        rows = self.array(facts["places"][0], facts["kinds"][0], (length,)).copy()
        columns = self.array(facts["places"][1], facts["kinds"][1], (count,)).copy()
        values = self.array(facts["places"][2], KINDS[facts["kind"]], (count,))
        if facts["by_rows"]:
            rows = np.repeat(np.arange(facts["sizes"][0]), np.diff(rows))
        else:
            assert (np.diff(rows) >= 0).all()
        return rows, columns, values

    def whole(self, facts: dict[str, Any]) -> np.ndarray:
        rows, columns, values = self.parts(facts)
        made = np.zeros(facts["sizes"][:2], np.complex128)
        np.add.at(made, (rows, columns), as_numbers(values, facts["kind"]))
        return made

    def dense(self, facts: dict[str, Any]) -> np.ndarray:
        size = facts["size"] if facts["order"] == 2 else facts["size"][::-1]
        found = self.array(facts["at"], KINDS[facts["kind"]], (size[0], facts["apart"]))
        found = found[:, : size[1]]
        return found if facts["order"] == 2 else found.T

    def number(self, place: Any, kind: int) -> complex:
        part = np.dtype(KINDS[kind])
        content = ctypes.string_at(ctypes.addressof(place), part.itemsize)
        return complex(np.frombuffer(content, part)[0])

    # -- products --
    def _cusparseSpMM_bufferSize(self, *given: Any) -> None:
        given[-1].value = self.work

    _cusparseSDDMM_bufferSize = _cusparseSpMM_bufferSize

    def _cusparseSpMM(self, *given: Any) -> int:
        _, turned, also, alpha, a, b, beta, c, kind, _, work = given
        left, right, made = (self.described[k].copy() for k in (a, b, c))
        if turned or also or kind != SUMMED[left["kind"]] or left["sizes"][1] != right["size"][0]:
            return BAD
        alpha, beta = self.number(alpha, kind), self.number(beta, kind)
        assert (alpha, beta) == (1, 0)

        def run() -> None:
            self.driver.memory.view(work, self.work)
            found = self.whole(left) @ as_numbers(self.dense(right), right["kind"])
            self.dense(made)[:] = as_elements(found, made["kind"])

        self.driver.queue(self.stream, "kernel", run)
        return 0

    def _cusparseSDDMM(self, *given: Any) -> int:
        _, turned, also, alpha, a, b, beta, c, kind, _, work = given
        left, right, made = (self.described[k].copy() for k in (a, b, c))
        if turned or also or kind != SUMMED[made["kind"]] or left["size"][1] != right["size"][0]:
            return BAD
        alpha, beta = self.number(alpha, kind), self.number(beta, kind)

        def run() -> None:
            self.driver.memory.view(work, self.work)
            factors = (as_numbers(self.dense(x), x["kind"]) for x in (left, right))
            product = np.matmul(*factors)
            rows, columns, values = self.parts(made)
            before = as_numbers(values, made["kind"])
            values[:] = as_elements(beta * before + alpha * product[rows, columns], made["kind"])

        self.driver.queue(self.stream, "kernel", run)
        return 0

    # -- triangles --
    _cusparseSpSM_bufferSize = _cusparseSpSV_bufferSize = _cusparseSpMM_bufferSize

    def _analysed(self, *given: Any) -> None:
        kept, work = given[-2:]
        self.described[kept]["analysed"] = given[:-2], work

    _cusparseSpSM_analysis = _cusparseSpSV_analysis = _analysed

    def _cusparseSpSM_solve(self, *given: Any) -> int:
        _, turned, also, alpha, a, b, c, kind, *_ = given
        return BAD if also else self.solve(given, turned, alpha, a, b, c, kind)

    def _cusparseSpSV_solve(self, *given: Any) -> int:
        _, turned, alpha, a, b, c, kind, *_ = given
        if not all(self.described[x].get("is_vector") for x in (b, c)):
            return BAD
        return self.solve(given, turned, alpha, a, b, c, kind)

    def solve(self, given: Any, turned: int, alpha: Any, a: int, b: int, c: int, kind: int) -> int:
        before, work = self.described[given[-1]]["analysed"]
        matrix, side, made = (self.described[k].copy() for k in (a, b, c))
        if before != given[:-1] or kind != matrix["kind"] or kind not in (0, 1, 4, 5):
            return BAD
        assert self.number(alpha, kind) == 1

        def run() -> None:
            self.driver.memory.view(work, self.work)
            whole = self.whole(matrix)
            if matrix["unit"]:
                np.fill_diagonal(whole, 1)
            whole = np.triu(whole) if matrix["upper"] else np.tril(whole)
            whole = whole.T if turned else whole
            found = np.linalg.solve(whole, as_numbers(self.dense(side), kind))
            self.dense(made)[:] = as_elements(found, kind)

        self.driver.queue(self.stream, "kernel", run)
        return 0

    def _cusparseSpGEMM_workEstimation(self, *given: Any) -> None:
        self.estimate("work", given)

    def _cusparseSpGEMM_compute(self, *given: Any) -> None:
        kept = self.described[given[10]]
        assert kept["steps"][:2] == ["work size", "work"]
        self.estimate("compute", given)
        if kept["steps"][-1] == "compute":
            # The number of values is known when this has run.
            self.driver._drain(self.driver.stream(self.stream))
            left, right = (self.described[given[k]] for k in (4, 5))
            found = self.whole(left) @ self.whole(right)
            there = (self.whole(left) != 0).astype(int) @ (self.whole(right) != 0).astype(int) > 0
            kept.update(found=found, there=there)
            self.described[given[7]]["sizes"][2] = int(there.sum())

    def estimate(self, name: str, given: Any) -> None:
        kept, size, place = self.described[given[10]], given[-2], given[-1]
        kept["steps"].append(name if place else f"{name} size")
        if place:
            assert size.value == self.work
            self.driver.memory.view(place, size.value)
        size.value = self.work

    def _cusparseSpMatGetSize(self, made: int, *places: Any) -> None:
        for place, n in zip(places, self.described[made]["sizes"]):
            place.value = n

    def _cusparseCsrSetPointers(self, made: int, *places: int) -> None:
        self.described[made]["places"] = list(places)

    def _cusparseSpGEMM_copy(self, *given: Any) -> int:
        kept, made = self.described[given[10]], self.described[given[7]].copy()
        if kept["steps"][-1] != "compute":
            return BAD

        def run() -> None:
            rows, columns = np.nonzero(kept["there"])
            starts, places, values = made["places"]
            counts = np.bincount(rows, minlength=made["sizes"][0])
            self.array(starts, made["kinds"][0], (made["sizes"][0] + 1,))[:] = [
                0,
                *np.cumsum(counts),
            ]
            self.array(places, made["kinds"][1], (len(columns),))[:] = columns
            target = self.array(values, KINDS[made["kind"]], (len(columns),))
            target[:] = as_elements(kept["found"][rows, columns], made["kind"])

        self.driver.queue(self.stream, "kernel", run)
        return 0


def as_numbers(values: np.ndarray, kind: int) -> np.ndarray:
    return widened(values, kind) if kind == 14 else values.astype(np.complex128)


def as_elements(values: np.ndarray, kind: int) -> np.ndarray:
    if kind in (4, 5):
        return values.astype(KINDS[kind])
    real = np.ascontiguousarray(values.real)
    return narrowed(real, kind) if kind == 14 else real.astype(KINDS[kind])
