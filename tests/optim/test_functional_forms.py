"""Steps as functions over lists do what the optimizers do."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

import rushlight as torch
from rushlight import optim
from rushlight.optim.functional_forms import _FORMS, functions

NUMBERS: dict[str, dict[str, Any]] = {
    "adadelta": {"lr": 0.5, "rho": 0.9, "eps": 1e-6, "weight_decay": 0.1, "maximize": False},
    "adagrad": {"lr": 0.1, "weight_decay": 0.1, "lr_decay": 0.1, "eps": 1e-8, "maximize": True},
    "adam": {"amsgrad": True, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-8, "maximize": False},
    "adamax": {"eps": 1e-8, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1},
    "adamw": {"amsgrad": False, "beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-8, "maximize": False},
    "asgd": {"lambd": 1e-2, "lr": 0.1, "t0": 1.0, "alpha": 0.75, "weight_decay": 0.1},
    "nadam": {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "momentum_decay": 4e-3, "eps": 1e-8},
    "radam": {"beta1": 0.9, "beta2": 0.99, "lr": 0.1, "weight_decay": 0.1, "eps": 1e-8},
    "rmsprop": {"lr": 0.1, "alpha": 0.9, "eps": 1e-8, "weight_decay": 0.1, "momentum": 0.5, "centered": True},
    "rprop": {"step_size_min": 1e-6, "step_size_max": 50, "etaminus": 0.5, "etaplus": 1.2},
    "sgd": {"weight_decay": 0.1, "momentum": 0.9, "lr": 0.1, "dampening": 0.1, "nesterov": False, "maximize": False},
}  # fmt: skip
PAIRS = {"betas": ("beta1", "beta2"), "etas": ("etaminus", "etaplus"), "step_sizes": ("step_size_min", "step_size_max")}  # fmt: skip
GRADS = [torch.tensor([0.5, -1.0, 2.0]), torch.tensor([[1.0], [-3.0]])]


def options_of(name: str) -> dict[str, Any]:
    options = dict(NUMBERS[name])
    for pair, names in PAIRS.items():
        if names[0] in options:
            options[pair] = tuple(options.pop(n) for n in names)
    return options


@pytest.mark.parametrize("name", functions)
def test_three_steps(name: str) -> None:
    kind = next(c for n, c in vars(optim).items() if n.lower() == name and inspect.isclass(c))
    ours = [torch.ones(3, requires_grad=True), torch.ones(2, 1, requires_grad=True)]
    params = [p.detach().clone() for p in ours]
    optimizer = kind(ours, **options_of(name))
    function = getattr(importlib.import_module(f"rushlight.optim.{name}"), name)
    lists = list(_FORMS[name].lists)
    assert [*inspect.signature(function).parameters][2 : 2 + len(lists)] == lists
    state: dict[str, list[Any]] | None = None
    for number in range(3):
        grads = [g * (number + 1) for g in GRADS]
        for p, g in zip(ours, grads):
            p.grad = g.clone()
        optimizer.step()
        if state is None:
            state = begun(name, lists, optimizer, params)
        function(params, grads, *(state[n] for n in lists), **NUMBERS[name])
    for mine, theirs in zip(params, ours):
        assert torch.allclose(mine, theirs.detach(), rtol=1e-6)


def begun(name: str, lists: list[str], optimizer: Any, params: list[Any]) -> dict[str, list[Any]]:
    """The state before the first step."""
    form = _FORMS[name]
    group = optimizer.param_groups[0]
    # Adagrad's state begins with the optimizer.
    other = type(optimizer)([p.clone() for p in params], **options_of(name))
    fresh = list(other.state.values()) or [
        optimizer.start(p, g, group) for p, g in zip(params, GRADS)
    ]
    if name == "sgd":
        return {"momentum_buffer_list": [None, None]}
    return {
        n: [f[form.lists[n]] for f in fresh] if form.lists[n] in fresh[0] else [] for n in lists
    }


def test_buffers_that_have_only_begun_are_put_into_the_list() -> None:
    params, buffers = [torch.ones(2)], [None]
    for _ in range(2):
        optim.sgd.sgd(params, [torch.ones(2)], buffers, **NUMBERS["sgd"])
    assert buffers[0] is not None and buffers[0].tolist() != [0, 0]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="missing"):
        optim.sgd.sgd([], [], [], weight_decay=0)
    with pytest.raises(AssertionError, match="grad_scale"):
        optim.sgd.sgd([], [], [], grad_scale=torch.ones(()), **NUMBERS["sgd"])
