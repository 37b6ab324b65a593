"""The benchmarks for a GPU run from start to end: rushlight's side, with small sizes, on the stand-in."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

import rushlight as torch

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from suites import gpu

SMALL = gpu.ON_GPU._replace(share=1 << 16)
WORK = gpu.workloads(SMALL)


@pytest.mark.parametrize("title", WORK)
def test_a_workload_is_measured(cuda, monkeypatch, title):
    monkeypatch.setattr(gpu, "repetitions", lambda t, call, budget: 1)
    (side,) = gpu.sides_of(WORK[title], [torch], rounds=1, budget=0.0)
    assert side.seconds is not None, side.why


def test_the_suite_runs_without_pytorch(cuda, monkeypatch, capsys):
    monkeypatch.setattr(gpu, "installed", lambda name: None)
    assert gpu.measure(1, 0.0, "add", SMALL, with_processes=False) == {}
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("no PyTorch: there are no ratios")
    assert said[1].startswith("bandwidth of copies")
    assert said[2].startswith("add ") and "of the bandwidth" in said[2]


def test_ratios_of_two_sides(capsys):
    one, two, none = gpu.Side(1e-6), gpu.Side(4e-6), gpu.Side(None, "ValueError: no")
    assert gpu.report("a", [one, two], None) == {"a": 0.25}
    assert gpu.report("a", [one, none], 0.5) == {"a": math.inf}
    assert gpu.report("a", [one], 0.5) == {}
    assert "ValueError: no" in capsys.readouterr().out


def test_what_is_needed_is_told(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit, match="needs an NVIDIA GPU and its driver"):
        gpu.measure(1, 0.0, "")
