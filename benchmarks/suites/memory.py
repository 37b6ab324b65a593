"""The most memory that a process holds during the steps of each model, on either side."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from suites import models

STEPS = """
import sys
sys.path.insert(0, {folder!r})
import {library} as torch
from suites import models
torch.set_num_threads({threads})
step = models.workloads()[{title!r}](torch)
open("/proc/self/clear_refs", "w").write("5")
for _ in range(4):
    step()
status = open("/proc/self/status").read()
print(status.split("VmHWM:")[1].split()[0])
"""


def peak(library: str, title: str, threads: int) -> float:
    """MiB of a fresh interpreter that makes some steps."""
    folder = str(Path(__file__).parent.parent)
    code = STEPS.format(folder=folder, library=library, title=title, threads=threads)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def measure(threads: int) -> dict[str, float]:
    """Ratios of peaks; the kernels are compiled by a run before."""
    ratios = {}
    for title in models.workloads():
        peak("rushlight", title, threads)
        ours, theirs = (peak(library, title, threads) for library in ("rushlight", "torch"))
        ratios[title] = ours / theirs
        print(f"{title:34s} {ours:6.0f} MiB {theirs:6.0f} MiB   {ours / theirs:5.2f}", flush=True)
    return ratios
