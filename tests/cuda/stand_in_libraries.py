"""Stand-ins for NVIDIA's libraries: their functions, computed with numpy in the stand-in's memory."""

from __future__ import annotations

import ctypes
import functools
import math
import re
from typing import Any

import numpy as np
from stand_in import StandIn, plain

TYPES = {0: np.float32, 1: np.float64, 4: np.complex64, 5: np.complex128}


class Library:
    """Functions that are methods with a line before their names.

    Args:
        driver: whose memory and streams they use
    """

    def __init__(self, driver: StandIn) -> None:
        self.driver = driver
        self.last = 0
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        function = getattr(type(self), "_" + name, None)
        if function is None:
            raise AttributeError(f"the stand-in has no {name}")

        def call(*arguments: Any) -> int:
            self.calls.append(name)
            return function(self, *map(plain, arguments)) or 0

        return call

    def array(self, address: int, kind: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Memory of the device as an array."""
        nbytes = math.prod(shape) * np.dtype(kind).itemsize
        return self.driver.memory.view(address, nbytes).view(kind).reshape(shape)


class Fft(Library):
    """cuFFT."""

    def __init__(self, driver: StandIn) -> None:
        super().__init__(driver)
        self.plans: dict[int, dict[str, Any]] = {}

    def _cufftCreate(self, place: Any) -> None:
        self.last += 1
        place.value = self.last
        self.plans[self.last] = {}

    def _cufftDestroy(self, plan: int) -> None:
        del self.plans[plan]

    def _cufftSetAutoAllocation(self, plan: int, flag: int) -> None:
        assert flag == 0

    def _cufftXtMakePlanMany(self, plan: int, rank: int, n: Any, *rest: Any) -> int:
        held, step, apart, given, other, other_step, other_apart, made, count, work, execution = (
            rest
        )
        if rank != 1 or (step, other_step) != (1, 1) or TYPES[execution] is None:
            return 4
        work.value = 64
        self.plans[plan].update(
            n=n[0], given=TYPES[given], made=TYPES[made], count=count, widths=(held[0], other[0])
        )
        assert (apart, other_apart) == (held[0], other[0])
        return 0

    def _cufftSetStream(self, plan: int, stream: int) -> None:
        self.plans[plan]["stream"] = stream

    def _cufftSetWorkArea(self, plan: int, work: int) -> None:
        self.driver.memory.view(work, 64)

    def _cufftXtExec(self, plan: int, given: int, made: int, direction: int) -> None:
        facts = dict(self.plans[plan])

        def run() -> None:
            rows = self.array(given, facts["given"], (facts["count"], facts["widths"][0]))
            out = self.array(made, facts["made"], (facts["count"], facts["widths"][1]))
            n = facts["n"]
            if not np.iscomplexobj(rows):
                found = np.fft.rfft(rows, n)
            elif not np.iscomplexobj(out):
                found = np.fft.irfft(rows, n) * n
            else:
                found = np.fft.fft(rows, n) if direction == -1 else np.fft.ifft(rows, n) * n
            out[:] = found.astype(out.dtype)

        self.driver.queue(facts["stream"], "kernel", run)


class Solver(Library):
    """cuSOLVER and cuBLAS's solver for triangles: the host's LAPACK, in the stand-in's memory."""

    # Which argument of LAPACK is which of cuSOLVER's, by letters that stand for numbers there.
    LETTERS = {"fill": b"LU", "way": b"NTC", "side": b"LR", "unit": b"NU", "job": b"NV"}

    def __init__(self, driver: StandIn) -> None:
        super().__init__(driver)
        self.stream = 0

    def _make(self, place: Any) -> None:
        place.value = 77

    _cusolverDnCreate = _cublasCreate_v2 = _cusolverDnCreateGesvdjInfo = _make
    _cusolverDnCreateParams = _make

    def _cusolverDnDestroyParams(self, kept: int) -> None:
        assert kept == 77

    def _cusolverDnDestroyGesvdjInfo(self, kept: int) -> None:
        assert kept == 77

    def _cusolverDnSetStream(self, handle: int, stream: int) -> None:
        assert handle == 77
        self.stream = stream

    _cublasSetStream_v2 = _cusolverDnSetStream

    def __getattr__(self, name: str) -> Any:
        found = re.match(r"(?:cusolverDn|cublas)([SDCZ])(\w+?)(_v2|_bufferSize)?$", name)
        if found is None or name[10:11] == "X" or hasattr(type(self), "_" + name):
            return super().__getattr__(name)

        def call(*arguments: Any) -> int:
            self.calls.append(name)
            letter, routine, end = found.groups()
            given = [plain(x) for x in arguments]
            if end == "_bufferSize":
                place = given[-2] if routine == "gesvdj" else given[-1]
                place.value = 1024
                return 0
            run = self.decomposed if routine == "gesvdj" else self.solved
            task = functools.partial(run, letter, routine, given[1:])
            self.driver.queue(self.stream, "kernel", task)
            return 0

        return call

    def _cusolverDnXgeev_bufferSize(self, handle: int, *given: Any) -> None:
        there, here = given[-2:]
        there.value, here.value = 256, 64

    _cusolverDnXsytrs_bufferSize = _cusolverDnXgeev_bufferSize

    def _cusolverDnXgeev(self, handle: int, *given: Any) -> None:
        _, left, with_vectors, n, kind, matrix, _, w_kind, w, *rest = given
        vectors, work, nbytes, report = rest[4], rest[7], rest[8], rest[-1]
        assert not left and kind == w_kind == rest[3] == rest[6]

        def run() -> None:
            self.driver.memory.view(work, nbytes)
            a = self.array(matrix, TYPES[kind], (n, n)).T
            found, right = np.linalg.eig(a)
            if np.iscomplexobj(a):
                self.array(w, a.dtype, (n,))[:] = found
            else:
                self.array(w, a.dtype, (2, n))[:] = found.real, found.imag
            if with_vectors:
                if not np.iscomplexobj(a):
                    # Of a pair, LAPACK has the real part in one column and the imaginary one in the next.
                    second = found.imag < 0
                    right = np.where(second, -right.imag, right.real)
                self.array(vectors, a.dtype, (n, n))[:] = right.T
            self.array(report, np.int32, (1,))[0] = 0

        self.driver.queue(self.stream, "kernel", run)

    def _cusolverDnXsytrs(self, handle: int, *given: Any) -> None:
        fill, n, count, kind, factors, rows, pivots, _, side, side_rows, work, nbytes = given[:12]
        report = given[-1]

        def run() -> None:
            self.driver.memory.view(work, nbytes)
            short = self.array(pivots, np.int64, (n,)).astype(np.int32)
            self.driver.memory.view(work, nbytes)[: 4 * n] = short.view(np.uint8)
            values = [fill, n, count, factors, rows, work, side, side_rows, report]
            self.solved("SD  CZ"[kind], "sytrs", values)

        self.driver.queue(self.stream, "kernel", run)

    def solved(self, letter: str, name: str, given: list[Any]) -> None:
        """Call LAPACK's routine of the same name."""
        from rushlight.engine.cuda.cusolver import ROUTINES, Routine
        from rushlight.engine.native import lapack

        routine = ROUTINES.get(name) or Routine(
            ("fill", "int", "int", "at", "int", "at", "at", "int")
        )
        given = list(given)
        report = given.pop() if routine.reports else 0
        if routine.work_at is not None:
            self.driver.memory.view(given.pop(routine.work_at), 4)
        elif routine.asked is not None:
            length, work = given.pop(), given.pop()
            self.driver.memory.view(work, length)
        wide = ctypes.c_int64 if lapack.integer_bytes() == 8 else ctypes.c_int32
        held: list[Any] = []
        pivots: list[tuple[int, Any]] = []
        for kind, value in zip(routine.kinds, given, strict=True):
            if kind in self.LETTERS:
                held.append(ctypes.c_char(self.LETTERS[kind][value : value + 1]))
            elif kind == "int":
                held.append(wide(value))
            elif kind == "number":
                held.append(value)
            else:
                held.append(self.host(value))
        place = {"getrf": 4, "getrs": 5, "sytrf": 4, "laswp": 5, "sytrs": 5}.get(name)
        if place is not None:
            count = {
                "getrf": min(given[:2]),
                "getrs": given[1],
                "sytrf": given[1],
                "sytrs": given[1],
                "laswp": given[4],
            }
            pivots.append((given[place], self.pivots(given[place], count[name], wide)))
            held[place] = pivots[0][1]
        if name in ("geqrf", "orgqr", "ormqr", "ungqr", "unmqr", "sytrf", "syevd", "heevd"):
            held += self.room(name, letter, wide)
        info = wide(0)
        if routine.reports:
            held.append(info)
        function = ctypes.CFUNCTYPE(None)(lapack.routine(letter.lower() + name))
        function.argtypes = None
        function(*[x if isinstance(x, ctypes.c_void_p) else ctypes.byref(x) for x in held])
        for address, own in pivots:
            self.array(address, np.int32, (len(own),))[:] = own[:]
        if report:
            self.array(report, np.int32, (1,))[0] = info.value

    def host(self, address: int) -> ctypes.c_void_p:
        """Where an address of the device is in the host's memory."""
        if not address:
            return ctypes.c_void_p(0)
        return ctypes.c_void_p(self.driver.memory.view(address, 1).ctypes.data)

    def pivots(self, address: int, count: int, wide: Any) -> Any:
        return (wide * count)(*self.array(address, np.int32, (count,)).tolist())

    @staticmethod
    def room(name: str, letter: str, wide: Any) -> list[Any]:
        """Work arrays of LAPACK's own, with their lengths."""
        made: list[Any] = [(ctypes.c_double * 8192)(), wide(4096)]
        if name == "heevd":
            made += [(ctypes.c_double * 8192)(), wide(8192)]
        if name in ("syevd", "heevd"):
            made += [(ctypes.c_int64 * 4096)(), wide(4096)]
        return made

    def decomposed(self, letter: str, name: str, given: list[Any]) -> None:
        job, few, rows, cols, matrix, _, values, left, _, right, _, _work, _length, report, _ = (
            given
        )
        kind = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}[letter]
        a = self.array(matrix, kind, (cols, rows)).T
        u, s, vh = np.linalg.svd(a, full_matrices=bool(job and not few))
        self.array(values, s.dtype, s.shape)[:] = s
        if job:
            self.array(left, kind, u.T.shape)[:] = u.T
            self.array(right, kind, vh.shape)[:] = vh.conj()
        self.array(report, np.int32, (1,))[0] = 0


def in_place(driver: StandIn) -> dict[str, Library]:
    """The libraries that are stood in for, by name."""
    solver = Solver(driver)
    return {"cufft": Fft(driver), "cusolver": solver, "cublas": solver}
