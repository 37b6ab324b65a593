"""Compiled programs against `torch.compile`: the workloads of the suite `compile`, compiled by both libraries.

First the steady state, both in one process and in turns. Then how long the first result takes in a process of its
own, from the call of `compile` on: with an empty cache, and with the cache that this left.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from suites import compile as programs

Make = Callable[[Any], Callable[[], Any]]

FIRST_RESULT = """
import sys
import {library} as torch
sys.path.insert(0, {folder!r})
from suites import compiled
compiled.tell_first_result(torch, {title!r}, {threads})
"""
# Workloads whose first result is timed: a chain, a reduction, a small network, a whole block with its gradients.
FIRST_RESULTS_OF = ["chain of 15, 1K", "rms norm", "cross entropy step of an mlp", "gpt block step"]


def workloads() -> dict[str, Make]:
    return programs.workloads(compiled)


def compiled(t: Any, program: Callable[..., Any]) -> Callable[..., Any]:
    """The program, compiled by either library as if it were the first one.

    Workloads share their outermost function. PyTorch counts how often that is compiled and stops at eight.
    """
    t._dynamo.reset()
    made: Callable[..., Any] = t.compile(program)
    return made


def tell_first_result(t: Any, title: str, threads: int) -> None:
    """Prints how many seconds a workload takes to its first result, its model and data not counted."""
    t.set_num_threads(threads)
    started = 0.0

    def begin(t: Any, program: Callable[..., Any]) -> Callable[..., Any]:
        nonlocal started
        started = time.perf_counter()
        return compiled(t, program)

    programs.workloads(begin)[title](t)()
    print(time.perf_counter() - started)


def first_results(threads: int, rounds: int, only: str) -> dict[str, float]:
    """Ratios of the time to the first result: to what `torch.compile` takes with an empty cache, and with a filled one."""
    ratios: dict[str, float] = {}
    for title in FIRST_RESULTS_OF:
        if only and only not in title:
            continue
        ours, theirs = (first_result(library, title, threads, rounds) for library in LIBRARIES)
        for what, a, b in (
            ("empty cache", ours[0], theirs[0]),
            ("filled cache", ours[1], theirs[1]),
            ("filled cache to empty", ours[1], theirs[0]),
        ):
            ratios[f"{title}, {what}"] = a / b
            print(
                f"{title + ', ' + what:50s} {a:7.3f} s {b:7.3f} s   {a / b:6.3f}",
                flush=True,
            )
    return ratios


LIBRARIES = ("rushlight", "torch")


def first_result(library: str, title: str, threads: int, rounds: int) -> tuple[float, float]:
    """Seconds to the first result with an empty cache, and with a filled one.

    PyTorch gets one round with an empty cache: that takes half a minute, and next to it noise is small.
    """
    empty, filled = [], []
    for _ in range(min(rounds, 3) if library == "rushlight" else 1):
        with tempfile.TemporaryDirectory() as cache:
            empty.append(seconds(library, title, threads, cache))
            filled += [seconds(library, title, threads, cache) for _ in range(3)]
    return statistics.median(empty), statistics.median(filled)


def seconds(library: str, title: str, threads: int, cache: str) -> float:
    """What a fresh interpreter tells of its first result."""
    folder = str(Path(__file__).parent.parent)
    code = FIRST_RESULT.format(library=library, folder=folder, title=title, threads=threads)
    surroundings = {
        **os.environ,
        "RUSHLIGHT_CACHE_DIR": cache,
        "TORCHINDUCTOR_CACHE_DIR": cache,
    }
    # installed packages have their bytecode written
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env=surroundings, capture_output=True, text=True
    )
    return float(done.stdout.split()[-1])
