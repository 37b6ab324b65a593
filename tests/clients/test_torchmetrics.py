"""torchmetrics: its functions give what they give with PyTorch 2.13."""

from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("programs") / "measures.py"
# Written by the program with PyTorch.
WANTED = {
    "accuracy": [0.35],
    "accuracy of classes": [0.1],
    "auroc": [0.367188],
    "auroc of classes": [0.495768],
    "average precision": [0.567362],
    "calibration": [0.347666],
    "cohen": [-0.097561],
    "confusion": [1.38444],
    "f1": [0.0987255],
    "matthews": [-0.103996],
    "precision": [0.145],
    "recall": [0.116667],
    "specificity": [0.4375],
    "jaccard": [0.0542857],
    "hinge": [0.966221],
    "roc": [23.6875],
    "curve": [22.5166],
    "mse": [3.28507],
    "mae": [1.51635],
    "r2": [-2.57154],
    "pearson": [-0.101198],
    "spearman": [-0.106567],
    "kendall": [-0.0820513],
    "explained": [-2.5688],
    "cosine": [-0.346733],
    "concordance": [-0.0932234],
    "log cosh": [0.965473],
    "kl": [0.523908],
    "psnr": [7.79484],
    "ssim": [0.0019093],
    "variation": [3961.07],
    "perplexity": [5.16154],
    "distances": [84.2769],
    "snr": [-5.51487],
    "precision of a search": [0.567362],
    "ndcg": [0.824439],
}


def test_measures(run):
    printed = run(PROGRAM.read_text(), "torchmetrics").splitlines()
    found = {name: [float(value)] for name, value in (line.split("=") for line in printed)}
    assert found.keys() == WANTED.keys()
    for name, values in WANTED.items():
        assert found[name] == pytest.approx(values, rel=1e-3), name
