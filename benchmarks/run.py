"""Rushlight and PyTorch side by side: `python benchmarks/run.py SUITE [--threads N]`.

Every workload is written once and run on both libraries in one process, in turns, so that a noisy
machine disturbs both alike. Printed are ratios of medians: 0.5 means half of PyTorch's time.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Idle threads of either side spin for a while before they sleep.
SETTLE = 0.003

Workload = Callable[[Any], Callable[[], Any]]


def timed(call: Callable[[], Any], repeats: int) -> float:
    """Seconds per call over some repetitions."""
    loop = range(repeats)
    start = time.perf_counter()
    for _ in loop:
        call()
    return (time.perf_counter() - start) / repeats


def repetitions(call: Callable[[], Any], budget: float) -> int:
    """How many calls take about ``budget`` seconds."""
    call()
    once = max(min(timed(call, 1) for _ in range(3)), 1e-8)
    return max(1, min(int(budget / once), 20_000))


def compare(
    workload: Workload, rushlight: Any, torch: Any, rounds: int, budget: float, steps: int
) -> tuple[float, float]:
    """Median seconds per call of rushlight and of PyTorch.

    Both sides make ``steps`` calls a round, or as many as fit into ``budget`` seconds if that is 0.
    """
    calls = [workload(rushlight), workload(torch)]
    counts = [repetitions(call, budget) for call in calls]
    if steps:
        counts = [steps, steps]
    times: list[list[float]] = [[], []]
    for round_ in range(rounds):
        for side in (0, 1) if round_ % 2 else (1, 0):
            # the other side's threads stop waiting for work before this one is timed
            time.sleep(SETTLE)
            calls[side]()
            times[side].append(timed(calls[side], counts[side]))
    return statistics.median(times[0]), statistics.median(times[1])


def run_suite(name: str, threads: int, rounds: int, budget: float, only: str) -> dict[str, float]:
    """The ratio of every workload of a suite."""
    import torch

    import rushlight

    rushlight.set_num_threads(threads)
    torch.set_num_threads(threads)
    suite = importlib.import_module(f"suites.{name}")
    ratios = {}
    shares = getattr(suite, "share_of_peak", None)
    steps = getattr(suite, "STEPS", 0)
    budget = min(budget, getattr(suite, "BUDGET", budget))
    gc.disable()
    for title, workload in suite.workloads().items():
        if only and only not in title:
            continue
        try:
            ours, theirs = compare(workload, rushlight, torch, rounds, budget, steps)
        except Exception as error:
            print(f"{title:34s} failed: {type(error).__name__}: {error}", flush=True)
            ratios[title] = math.inf
            continue
        ratios[title] = ours / theirs
        print(
            f"{title:34s} {scaled(ours):>10s} {scaled(theirs):>10s}   {ours / theirs:5.2f}"
            f"{shares(title, ours, threads) if shares else ''}",
            flush=True,
        )
        gc.collect()
    return ratios


def scaled(seconds: float) -> str:
    for unit, factor in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if seconds * factor < 1000:
            return f"{seconds * factor:.1f} {unit}"
    return f"{seconds:.2f} s"


def summary(ratios: dict[str, float]) -> str:
    """The closing line of a suite."""
    if not ratios:
        return "no ratios"
    finite = [r for r in ratios.values() if math.isfinite(r)]
    mean = math.exp(statistics.fmean(map(math.log, finite))) if finite else math.inf
    worst = max(ratios, key=lambda title: ratios[title])
    failed = len(ratios) - len(finite)
    note = f", {failed} failed" if failed else ""
    return (
        f"geomean {mean:.2f} over {len(ratios)} workloads, worst {worst} {ratios[worst]:.2f}{note}"
    )


def check_floor(name: str, threads: int, ratios: dict[str, float]) -> bool:
    """Whether the suite's mean is within the recorded one and its slack."""
    floors = json.loads((Path(__file__).parent / "floors.json").read_text())
    limit = floors.get(name, {}).get(str(threads))
    finite = [r for r in ratios.values() if math.isfinite(r)]
    mean = math.exp(statistics.fmean(map(math.log, finite))) if finite else math.inf
    if limit is None or mean <= limit:
        return True
    print(f"the mean {mean:.2f} is above the recorded limit {limit}")
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    suites = [
        "overhead", "elementwise", "matmul", "moving", "autograd", "nn", "models", "steps", "startup",
        "memory", "loading", "varying", "cold", "idioms", "sparse", "transforms", "compile",
        "compiled", "distributed", "sharded", "gpu", "operators",
    ]  # fmt: skip
    parser.add_argument("suite", choices=suites)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--budget", type=float, default=0.02, help="seconds per measurement")
    parser.add_argument("--only", default="", help="workloads whose title contains this")
    parser.add_argument("--check", action="store_true", help="fail if slower than recorded")
    parser.add_argument("--json", type=Path, help="write the ratios to this file, too")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent))
    if options.suite == "startup":
        from suites import startup

        ratios = startup.measure(options.rounds)
    elif options.suite == "memory":
        from suites import memory

        ratios = memory.measure(options.threads)
    elif options.suite == "loading":
        from suites import loading

        ratios = loading.measure(options.rounds)
    elif options.suite in ("distributed", "sharded"):
        from suites import distributed

        ratios = distributed.measure(options.suite, options.rounds, options.only)
    elif options.suite == "gpu":
        from suites import gpu

        ratios = gpu.measure(options.rounds, options.budget, options.only)
    elif options.suite == "operators":
        from suites import operators

        ratios = operators.measure(options.only, options.rounds)
    elif options.suite == "cold":
        from suites import cold

        ratios = cold.measure(options.threads, options.rounds, options.only)
    else:
        ratios = run_suite(
            options.suite, options.threads, options.rounds, options.budget, options.only
        )
    print(summary(ratios))
    if options.suite == "compiled":
        from suites import compiled

        ratios |= compiled.first_results(options.threads, options.rounds, options.only)
    if options.json:
        # JSON has no infinity: a workload that failed has no ratio
        written = {title: r if math.isfinite(r) else None for title, r in ratios.items()}
        report = {"suite": options.suite, "threads": options.threads, "ratios": written}
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    return 0 if not options.check or check_floor(options.suite, options.threads, ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
