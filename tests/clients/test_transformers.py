"""transformers: small models of random weights train as they do with PyTorch 2.13."""

from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("programs") / "language_models.py"
# Loss, sum of absolute gradients, sum of absolute logits. Written by the program with PyTorch.
WANTED = {
    "gpt2 0": [3.89689, 51.4701, 51.2552],
    "gpt2 1": [3.85884, 48.142, 50.3775],
    "bert 0": [3.90729, 49.99, 48.3299],
    "bert 1": [3.8612, 45.9412, 50.2331],
    "llama 0": [3.9537, 39.7694, 55.7919],
    "llama 1": [3.91426, 39.3327, 55.795],
    "generated": [3, 4, 5, 5, 5, 5, 5, 21, 26],
}


def test_models(run):
    printed = run(PROGRAM.read_text(), "transformers").splitlines()
    found = {
        name: [float(value) for value in values.split()]
        for name, values in (line.split("=") for line in printed)
    }
    assert found.keys() == WANTED.keys()
    for name, values in WANTED.items():
        assert found[name] == pytest.approx(values, rel=1e-4), name


def test_compiled_models(run):
    printed = run(PROGRAM.with_name("compiled_models.py").read_text(), "transformers")
    whole = "True []"
    assert dict(line.split("=") for line in printed.splitlines()) == {
        "gpt2": whole, "bert": whole, "llama": whole, "vit": whole,
        # The decoder's cache takes a deep copy of the settings.
        "t5": "True ['a call of copy.deepcopy']",
        "dynamic cache": whole, "static cache": whole,
    }  # fmt: skip
