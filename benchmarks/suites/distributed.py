"""Collectives, training steps, calls on distributed tensors and start-up, by processes of each library in turns.

Both sides have as many processes, one thread each, and the backend `gloo`. The processes of both live for a whole
measurement, and take turns: while one side works, the other one waits for its next line of input.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = {"1 KB": 1 << 10, "64 KB": 1 << 16, "1 MB": 1 << 20, "16 MB": 1 << 24, "256 MB": 1 << 28}
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all")
# Each process makes so many calls a turn, for some number of bytes.
BYTES_A_TURN, MOST_CALLS = 1 << 27, 200

# Workloads whose calls say themselves how large they are, and how many of them are a turn.
STEPS = {
    "data parallel step": ("data_parallel", 10),
    "fully sharded step": ("fully_sharded", 10),
    "tensor parallel step": ("tensor_parallel", 10),
    "distributed x + x": ("add", 1000),
    "distributed x @ w": ("product", 1000),
    "distributed x.t()": ("transposed", 1000),
    "distributed x.add_(y)": ("in_place", 1000),
    "distributed to the whole": ("whole", 200),
}
START_UP = "start-up to the first all_reduce"
# So many processes: on a machine with fewer cores, what is measured of four is mostly how they wait.
COUNTS = (2, 4)

# Of the suite `distributed`: kinds, bytes of a call and how many calls are a turn. A checkpoint's bytes are a process's.
PROGRAMS = {
    "data parallel GPT step": ("gpt", 0, 2),
    "data parallel ResNet-18 step": ("resnet18", 0, 1),
    "fully sharded step": ("fully_sharded", 0, 10),
    "call and answer of 1 KB": ("round_trip", 1 << 10, 500),
    "call and answer of 1 MB": ("round_trip", 1 << 20, 100),
    "checkpoint save": ("save", 1 << 24, 2),
    "checkpoint load": ("load", 1 << 24, 2),
}
SCALING = "data parallel GPT step, 2 processes to 1"


class Side:
    """The processes of one library."""

    def __init__(self, ours: bool, size: int, folder: str) -> None:
        name = "rushlight" if ours else "torch"
        path = str(Path(folder) / f"{name} {size}")
        worker = str(Path(__file__).with_name("distributed_worker.py"))
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-W", "ignore", worker, name, str(rank), str(size), path],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for rank in range(size)
        ]  # fmt: skip

    def seconds(self, kind: str, nbytes: int, count: int) -> float:
        """The time of so many calls, by the slowest process."""
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write(f"{kind} {nbytes} {count}\n")
            process.stdin.flush()
        return max(float(process.stdout.readline()) for process in self.processes)  # type: ignore[union-attr]

    def end(self) -> None:
        # all at once: they may wait for each other
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.close()
        for process in self.processes:
            assert process.stdout is not None
            process.wait()
            process.stdout.close()


def _start_up(ours: bool, size: int, folder: str, number: int) -> float:
    """From nothing to the end of a first all_reduce."""
    start = time.perf_counter()
    place = Path(folder) / f"start {ours} {number}"
    place.mkdir()
    side = Side(ours, size, str(place))
    side.seconds("all_reduce", 1024, 1)
    taken = time.perf_counter() - start
    side.end()
    return taken


def _wanted(suite: str, size: int) -> list[tuple[str, str, int, int]]:
    """What a suite measures with so many processes: titles, kinds, bytes of a call and calls of a turn."""
    by = "" if size == COUNTS[0] else f", {size} processes"
    if suite == "sharded":
        return [(title + by, kind, 0, count) for title, (kind, count) in STEPS.items()]
    collectives = [
        (f"{kind}, {title}{by}", kind, nbytes, max(1, min(MOST_CALLS, BYTES_A_TURN // nbytes)))
        for kind in COLLECTIVES
        for title, nbytes in SIZES.items()
    ]
    return collectives + [(title + by, *facts) for title, facts in PROGRAMS.items()]


def measure(suite: str, rounds: int, only: str) -> dict[str, float]:
    """Ratios of the time of collectives, programs and start-up; or of training steps and of calls on distributed tensors."""
    ratios = {}
    for size in COUNTS:
        ratios.update(_measure([w for w in _wanted(suite, size) if only in w[0]], rounds, size))
    if suite != "distributed":
        return ratios
    if only in SCALING:
        ratios[SCALING] = _ratio_of_scaling(rounds)
    for size in COUNTS:
        title = f"{START_UP}, {size} processes"
        if only in title:
            ratios[title] = _ratio_of_start_up(title, rounds, size)
    return ratios


def _told(title: str, ours: float, theirs: float) -> float:
    print(f"{title:42s} {ours / theirs:5.2f}", flush=True)
    return ours / theirs


def _ratio_of_start_up(title: str, rounds: int, size: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        both = [
            [_start_up(ours, size, folder, k) for ours in (True, False)]
            for k in range(min(rounds, 5))
        ]
    ours, theirs = (statistics.median(pair[at] for pair in both) for at in (0, 1))
    return _told(title, ours, theirs)


def _ratio_of_scaling(rounds: int) -> float:
    """How many times longer a step takes with two processes than with one; ours to PyTorch's.

    Each process has as much to do with two as with one, so a step would take no longer if nothing had to be exchanged.
    """
    kind, nbytes, count = PROGRAMS["data parallel GPT step"]
    slower = []
    for ours in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            sides = [Side(ours, size, folder) for size in (1, 2)]
            times = [[side.seconds(kind, nbytes, count) for side in sides] for _ in range(rounds)]
            for side in sides:
                side.end()
        alone, together = (statistics.median(row[at] for row in times) for at in (0, 1))
        slower.append(together / alone)
    return _told(SCALING, *slower)


def _measure(wanted: list[tuple[str, str, int, int]], rounds: int, size: int) -> dict[str, float]:
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        sides = [Side(ours, size, folder) for ours in (True, False)] if wanted else []
        for title, kind, nbytes, count in wanted:
            for side in sides:
                side.seconds(kind, nbytes, 1)
            times: list[list[float]] = [[], []]
            for round_ in range(rounds):
                for at in (0, 1) if round_ % 2 else (1, 0):
                    times[at].append(sides[at].seconds(kind, nbytes, count))
            ratios[title] = _told(title, *map(statistics.median, times))
        for side in sides:
            side.end()
    return ratios
