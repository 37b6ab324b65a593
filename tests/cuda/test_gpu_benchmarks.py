"""The benchmarks for a GPU run from start to end: rushlight's side, with small sizes, on the stand-in."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.engine.cuda import libraries
from rushlight.engine.loops import plans

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from suites import gpu

SMALL = gpu.ON_GPU._replace(share=1 << 16)
WORK = gpu.workloads(SMALL)


@pytest.mark.parametrize("title", WORK)
def test_a_workload_is_measured(cuda, monkeypatch, title):
    monkeypatch.setattr(gpu, "repetitions", lambda t, call, budget: 1)
    (side,) = gpu.sides_of(WORK[title], [torch], rounds=1, budget=0.0)
    assert side.seconds is not None, side.why


STEPS = {"mlp": gpu.models.mlp, "gpt": gpu.models.gpt, "unet": gpu.models.unet,
         "resnet18": lambda t, there: gpu.models.resnet(True, there)(t)}  # fmt: skip


@pytest.mark.parametrize("title", STEPS)
def test_steps_with_the_libraries_are_those_of_the_host(with_stand_in, title):
    from stand_in_cublaslt import Products
    from stand_in_cudnn import Convolutions

    driver = with_stand_in()
    products, convolutions = Products(driver), Convolutions(driver)
    plans.forget_all()
    libraries.use("cublasLt", products)
    libraries.use("cudnn", convolutions)
    found = {}
    try:
        for device in ("cpu", "cuda"):
            held = []
            setting = gpu.Setting(device, 16, lambda model: held.append(model) or model)  # noqa: B023
            step = STEPS[title](torch, setting)
            step()
            found[device] = [p.grad.cpu() for p in held[0].parameters()]
    finally:
        plans.forget_all()
    torch.testing.assert_close(found["cuda"], found["cpu"], rtol=1e-2, atol=1e-4)
    assert (title == "unet" or products.products) and (title in ("mlp", "gpt") or convolutions.made)


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
