"""Stand-ins for NVIDIA's libraries: their functions, computed with numpy in the stand-in's memory."""

from __future__ import annotations

import math
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


def in_place(driver: StandIn) -> dict[str, Library]:
    """The libraries that are stood in for, by name."""
    return {"cufft": Fft(driver)}
