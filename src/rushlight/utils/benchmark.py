"""Timing of statements, with enough repetitions to mean something."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable
from dataclasses import field
from typing import Any

from rushlight.engine.native import threads
from rushlight.engine.native.records import dataclass

__all__ = ["Measurement", "Timer"]


def _text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds / 1e-9:.2f} ns"


@dataclass
class Measurement:
    """What runs of a statement took: `raw_times` of `number_per_run` repetitions each, in seconds."""

    number_per_run: int
    raw_times: list[float]
    stmt: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    num_threads: int = 1
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def times(self) -> list[float]:
        """Seconds of one repetition, for each run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def mean(self) -> float:
        return statistics.mean(self.times)

    @property
    def iqr(self) -> float:
        """How far the quarter above the median is from the quarter below."""
        if len(self.times) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return high - low

    def __repr__(self) -> str:
        title = self.label or self.stmt
        runs = f"{len(self.times)} runs of {self.number_per_run}, {self.num_threads} thread(s)"
        return f"{title}\n  median {_text(self.median)}, IQR {_text(self.iqr)} ({runs})"


class Timer:
    """Times a statement.

    Args:
        stmt: the statement, as text
        setup: what is run once before
        global_setup: unused, since there is no C++ here
        timer: the clock
        globals: the names that both can use
        label: goes to the results, like what follows
        sub_label: a second label
        description: a third
        env: accepted
        num_threads: how many threads kernels may use meanwhile
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timeit.default_timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        if str(language).lower().rpartition(".")[2] not in ("python", "py"):
            raise NotImplementedError("torch.utils.benchmark.Timer: only Python can be timed")
        self._timer = timeit.Timer(stmt, setup, timer, globals)
        self._facts: dict[str, Any] = {
            "stmt": stmt, "label": label, "sub_label": sub_label, "description": description,
            "num_threads": num_threads,
        }  # fmt: skip

    def _measured(self, number: int, runs: Callable[[], list[float]]) -> Measurement:
        before = threads.get_asked()
        threads.set_size(self._facts["num_threads"])
        try:
            return Measurement(number, runs(), **self._facts)
        finally:
            threads.set_size(before)

    def timeit(self, number: int = 1000000) -> Measurement:
        """One run of so many repetitions."""
        return self._measured(number, lambda: [self._timer.timeit(number)])

    def blocked_autorange(
        self, callback: Callable[..., None] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Runs that together take at least so many seconds."""
        number, taken = self._timer.autorange()
        number = max(1, round(number * min_run_time / 20 / max(taken, 1e-9)))

        def runs() -> list[float]:
            found: list[float] = []
            while sum(found) < min_run_time:
                found.append(self._timer.timeit(number))
                if callback is not None:
                    callback(number, found[-1])
            return found

        return self._measured(number, runs)

    adaptive_autorange = blocked_autorange
