"""Packages that train models: their programs give the numbers that they give with PyTorch 2.13."""

import re
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

# By program: the packages that it needs, and what it printed with PyTorch.
WANTED = {
    "image_models": (
        ["timm"],
        {
            "resnet18 before": [0.98982],
            "resnet18": [2.19890, 1.13253],
            "vit_tiny_patch16_224 before": [5.92890],
            "vit_tiny_patch16_224": [2.16783, 0.90192],
        },
    ),
    "vision": (
        ["torchvision"],
        {
            "resnet18": [1.6369],
            "squeezenet1_0": [0.4138],
            "older": [1331.2887, 1773.7016, 1363.8210],
            "newer": [23.8042, -36.5096, -3.1958],
            "turned": [337604, 115, 462],
            "mixed": [376.6896, 4],
            "overlap": [44.7683, 1774.4467],
        },
    ),
    "lightning_loop": (
        ["pytorch_lightning"],
        {
            "fit": [12, 0.99186, 0.89559],
            "loaded": [16, 63.9540],
            "resumed": [20, 0.75760, 0.87839],
        },
    ),
    "adapters": (
        ["peft", "transformers"],
        {
            "steps": [1024, 3.95339, 3.94838, 3.94203, 3.93420],
            "loaded": [3.92505],
            "merged": [3.92505],
        },
    ),
    "graphs": (
        ["torch_geometric"],
        {
            "gcn": [0.98506, 0.57863, 0.59979, 0.72659, 0.58140, 0.75689],
            "gat": [0.66701, 0.73687, 0.69701, 0.63481, 0.60924, 0.78458],
            "sage": [0.69193, 0.66407, 0.73740, 0.67278, 0.73195, 0.65967],
        },
    ),
}


@pytest.mark.parametrize("program", WANTED)
def test_numbers(run, program):
    packages, wanted = WANTED[program]
    printed = run((PROGRAMS / f"{program}.py").read_text(), *packages)
    found = {
        name: [float(value) for value in values.split()]
        for name, values in re.findall(r"^([\w ]+)=(.+)$", printed, re.MULTILINE)
    }
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        assert found[name] == pytest.approx(values, rel=1e-4), name
