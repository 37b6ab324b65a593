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
    "meta_optimizers": (
        ["torchopt"],
        {
            "adam": [4.43792, 3.64170, 3.01678, 2.47752],
            "meta": [2.03791, 0.01304],
            "implicit": [-0.13953, -0.11783, -0.14642, -0.11500],
            "function": [-0.01082, -0.95835, 1.79791, -0.58773, 0.66695, -1.11316],
        },
    ),
    "private_gradients": (
        ["opacus"],
        {
            "hooks": [6.78590, 1.82700, 0.68974, 0.81635, 23.64524, 2.71032],
            "functions": [6.78590, 1.82700, 0.68974, 0.81635, 23.64524, 2.71032],
            "clipped": [-0.15747, 0.38858, -0.39530, 0.74602],
        },
    ),
    "curvature": (
        ["curvlinops", "torchjd"],
        {
            "HessianLinearOperator": [0.41189, 0.04401, 0.03473, 0.51326],
            "GGNLinearOperator": [0.03885, 0.03047, 0.08997, -0.07231],
            "EFLinearOperator": [0.16978, 0.09460, 0.00152, 0.28659],
            "kfac": [-0.07071, 0.06583, 0.22579, -0.16055],
            "Mean": [-0.15609, -0.50000, -0.10267],
            "MGDA": [-0.28497, -0.08714, 0.06930],
            "IMTLG": [-0.23494, -0.24740, 0.00255],
            "PCGrad": [-0.31218, -1.00000, -0.20535],
        },
    ),
    "rotations": (
        ["e3nn"],
        {
            "harmonics": [0.2821, 0.2804, -0.0534, -0.3965, -0.1890, -0.0044, -0.1331],
            "turned": [0.9216, 0.0198, 0.3875],
            "linear": [62.4478, 86.8461],
            "product": [55.9142],
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
        assert found[name] == pytest.approx(values, rel=1e-4, abs=1.1e-5), name
