"""LAPACK's routines for matrices on a GPU: cuSOLVER's and cuBLAS's, one call for each matrix of a batch."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import (
    context,
    cusolver,
    libraries,
    streams,
    timeline,
    transfers,
)
from rushlight.engine.native.lapack import Length, Number, Step, Work


def place() -> devices.device:
    """Where this thread's matrices are."""
    planner = state.thread.planner
    return devices.cpu if planner is None else planner.device


class DeviceCall:
    """What `lapack.Call` is on the host.

    Args:
        name: LAPACK's for the routine, without a type's letter
        letter: that letter
        kind: the type
        arguments: in LAPACK's order
    """

    def __init__(self, name: str, letter: str, kind: dtype, arguments: Sequence[Any]) -> None:
        planner = state.thread.planner
        if name not in cusolver.ROUTINES and name not in ("gesdd", "getri", "geev", "sytrs"):
            raise planner.missing(f"what LAPACK's {name} does")
        libraries.needed("cublas" if name == "trsm" else "cusolver", planner.name)
        self.name, self.letter, self.kind = name, letter, kind
        self.where: devices.device = planner.device
        self.index = self.where.index or 0
        self.arguments = [x for x in arguments if not isinstance(x, (Work, Length))]

    def run(self, batch: tuple[int, ...], matrices: Sequence[Tensor]) -> Tensor:
        """Queue the routine for each matrix; the reports."""
        reports = creation.zeros(batch, dtypes.int32, None, self.where, None)
        if self.name == "sytrs":
            # The library's pivots are of 64 bits there, and of 32 where it finds them.
            matrices = [matrices[0], copies.to_dtype(matrices[1], dtypes.int64), matrices[2]]
        with context.on(self.index):
            for k in range(math.prod(batch)):
                report = tensors.place_of(reports) + 4 * k
                if self.name == "gesdd":
                    self._singular_values(k, matrices, report)
                elif self.name == "geev":
                    self._eigenvalues(k, matrices, report)
                elif self.name == "sytrs":
                    self._symmetric_solution(k, matrices, report)
                elif self.name == "getri":
                    self._inverse(k, matrices, report)
                else:
                    self._queue(self.name, self._values(k, matrices), report)
        for matrix in matrices:
            tensors.bump_version(matrix)
        return reports

    def _values(self, k: int, matrices: Sequence[Tensor]) -> list[Any]:
        """The arguments for one matrix of the batch."""
        given = iter(matrices)
        found: list[Any] = []
        for argument in self.arguments:
            if isinstance(argument, Step):
                found.append(tensors.place_of(next(given)) + k * argument.bytes)
            elif isinstance(argument, Number):
                kind = ctypes.c_float if argument.letter == "f" else ctypes.c_double
                found.append((kind * len(argument.parts))(*argument.parts))
            else:
                found.append(argument)
        return found

    def _queue(self, name: str, values: Sequence[Any], report: int) -> None:
        length = cusolver.work_length(self.index, self.letter, name, values)
        work = self._room(length)
        with self._work(name):
            cusolver.queue(
                self.index, self.letter, name, values, tensors.place_of(work), length, report
            )

    def _work(self, name: str) -> AbstractContextManager[None]:
        """A block that queues a routine, for who looks at what devices do."""
        label = f"{self.letter}{name} of cuSOLVER or cuBLAS"
        return timeline.work(timeline.KERNEL, label, streams.current(self.index), name)

    def _room(self, length: int) -> Tensor:
        """Memory to work in; it goes back to the stream's blocks, which later work of the stream gets."""
        return tensors.empty((max(length, 1),), self.kind, self.where)

    def _inverse(self, k: int, matrices: Sequence[Tensor], report: int) -> None:
        """Over a matrix's factors, what they make of the identity."""
        made, pivots = self._values(k, matrices)[1::2][:2]
        n = self.arguments[0]
        identity = creation.eye(n, self.kind, None, self.where, None)
        solved = tensors.place_of(identity)
        self._queue("getrs", [b"N", n, n, made, n, pivots, solved, n], report)
        stream = streams.current(self.index)
        transfers.copy_within(made, solved, n * n * self.kind.itemsize, stream)

    def _eigenvalues(self, k: int, matrices: Sequence[Tensor], report: int) -> None:
        """Of a real matrix, the library gives the real parts of all eigenvalues, and the imaginary ones behind."""
        values = self._values(k, matrices)
        parts = 1 if self.kind.is_complex else 2
        n, matrix, vectors = values[2], values[3], values[-2]
        found = tensors.empty((parts * n,), self.kind, self.where)
        job = cusolver.EigenJob(values[1] == b"V", n, matrix, tensors.place_of(found), vectors)
        with self._work("geev"):
            cusolver.eigenvalues(self.index, self.kind.memory, job, self._bytes, report)
        nbytes = n * self.kind.itemsize
        stream = streams.current(self.index)
        for part in range(parts):
            source = tensors.place_of(found) + part * nbytes
            transfers.copy_within(values[5 + part], source, nbytes, stream)

    def _symmetric_solution(self, k: int, matrices: Sequence[Tensor], report: int) -> None:
        values = self._values(k, matrices)
        pivots = tensors.place_of(matrices[1]) + 2 * k * self.arguments[5].bytes
        with self._work("sytrs"):
            cusolver.symmetric_solution(
                self.index,
                self.kind.memory,
                [*values[:5], pivots, *values[6:]],
                self._bytes,
                report,
            )

    def _bytes(self, count: int) -> Tensor:
        return tensors.empty((max(count, 1),), dtypes.uint8, self.where)

    def _singular_values(self, k: int, matrices: Sequence[Tensor], report: int) -> None:
        """The library gives the right vectors as columns; LAPACK as conjugate rows."""
        job, rows, cols = self.arguments[:3]
        places = [
            x for x, a in zip(self._values(k, matrices), self.arguments) if isinstance(a, Step)
        ]
        height = cols if job == b"A" else min(rows, cols)
        right = tensors.empty((height, cols), self.kind, self.where)
        kept: list[Tensor] = []

        def room(length: int) -> int:
            kept.append(self._room(length))
            return tensors.place_of(kept[-1])

        if job == b"N":
            left = tensors.empty((rows, rows), self.kind, self.where)
            places = [*places[:2], tensors.place_of(left)]
        where = [*places[:3], tensors.place_of(right)]
        with self._work("gesvd"):
            cusolver.singular_values(
                self.index, self.letter, job, (rows, cols), where, room, report
            )
        if job != b"N":
            # Columns of one are rows of the other: the memory is the turned matrix's.
            target = views.reshape(matrices[3], (-1, height, cols))
            copies.copy_(views.select_int(target, 0, k), views.conj(right), False)
