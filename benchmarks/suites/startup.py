"""How long a program takes to begin: imports, the first operator, a kernel met for the first time."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

IMPORT = "import {0} as torch"
FIRST_ADD = IMPORT + "; a = torch.ones(4, 4); b = a + a"

# Kernels that nothing else in a program has asked for yet, timed one by one.
NEW_KERNELS = """
import time
import rushlight as torch
a = torch.ones(64, 64); b = a + a
times = []
def timed(f):
    start = time.perf_counter(); f(); times.append(time.perf_counter() - start)
kinds = [torch.float32, torch.float64, torch.int64, torch.int32]
for kind in kinds:
    x = torch.ones(64, 64, dtype=kind)
    for f in (lambda: x + x, lambda: x * x, lambda: x - 3, lambda: x > 1, lambda: x.sum(0),
              lambda: x.sum(1), lambda: x.amax(1), lambda: x.abs(), lambda: x == x, lambda: x.cumsum(0)):
        timed(f)
times.sort()
print(times[len(times) // 2] * 1e3)
"""


def seconds(code: str, cache: str) -> float:
    """The wall-clock time of a fresh interpreter running ``code``."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "RUSHLIGHT_CACHE_DIR": cache}
    )
    return time.perf_counter() - start


def measure(rounds: int) -> dict[str, float]:
    """Ratios of start-up times, less the interpreter's own."""
    with tempfile.TemporaryDirectory() as warm:
        bare = statistics.median(seconds("pass", warm) for _ in range(rounds))
        seconds(FIRST_ADD.format("rushlight"), warm)
        seconds(FIRST_ADD.format("torch"), warm)

        def ratio(code: str, cold: bool = False) -> float:
            ours, theirs = [], []
            for _ in range(rounds):
                with tempfile.TemporaryDirectory() as empty:
                    ours.append(seconds(code.format("rushlight"), empty if cold else warm) - bare)
                theirs.append(seconds(code.format("torch"), warm) - bare)
            a, b = statistics.median(ours), statistics.median(theirs)
            print(f"{a * 1e3:8.0f} ms {b * 1e3:8.0f} ms   {a / b:5.2f}")
            return a / b

        result = {
            "import": ratio(IMPORT),
            "import and first add, warm": ratio(FIRST_ADD),
            "import and first add, cold": ratio(FIRST_ADD, cold=True),
        }
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [sys.executable, "-c", NEW_KERNELS], check=True, capture_output=True, text=True,
            env={**os.environ, "RUSHLIGHT_CACHE_DIR": empty},
        )  # fmt: skip
        print(f"a kernel met for the first time: {float(done.stdout):.1f} ms in the median")
    return result
