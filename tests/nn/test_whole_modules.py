"""Whole modules in files and copies: under the names, and with the fields, that PyTorch reads."""

from __future__ import annotations

import copy
import importlib.util
import io
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn

MODULES: dict[str, Callable[[], Any]] = {
    "torch.nn.modules.batchnorm BatchNorm2d": lambda: nn.BatchNorm2d(3),
    "torch.nn.modules.instancenorm InstanceNorm1d": lambda: nn.InstanceNorm1d(3),
    "torch.nn.modules.flatten Flatten": lambda: nn.Flatten(),
    "torch.nn.modules.pixelshuffle PixelShuffle": lambda: nn.PixelShuffle(2),
    "torch.nn.modules.distance CosineSimilarity": lambda: nn.CosineSimilarity(),
    "torch.nn.modules.conv LazyConv2d": lambda: nn.LazyConv2d(2, 3),
    "torch.nn.modules.conv Conv2d": lambda: nn.Conv2d(2, 3, 1),
    "torch.nn.modules.loss PoissonNLLLoss": lambda: nn.PoissonNLLLoss(),
    "torch.nn.modules.activation MultiheadAttention": lambda: nn.MultiheadAttention(4, 2),
    "torch.nn.modules.linear NonDynamicallyQuantizableLinear": lambda: (
        nn.MultiheadAttention(4, 2).out_proj
    ),
    "torch.nn.modules.rnn LSTM": lambda: nn.LSTM(2, 3),
    "torch.optim.adamw AdamW": lambda: torch.optim.AdamW([torch.ones(2, requires_grad=True)]),
}


def saved(item: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(item, buffer)
    return buffer.getvalue()


def loaded(content: bytes) -> Any:
    return torch.load(io.BytesIO(content), weights_only=False)


@pytest.mark.parametrize("name", MODULES)
def test_names_in_files_and_files_to_import(name: str) -> None:
    item = MODULES[name]()
    content = saved(item)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        written = archive.read("archive/data.pkl")
    assert b"c" + "\n".join(name.split()).encode() + b"\n" in written
    assert type(loaded(content)) is type(item)
    module, kind = name.replace("torch", "rushlight", 1).split()
    assert importlib.util.find_spec(module) is not None
    assert getattr(importlib.import_module(module), kind) is type(item)


def test_fields_that_only_files_have() -> None:
    layers = nn.Sequential(
        nn.Conv2d(2, 3, 1), nn.LSTM(2, 3), nn.TransformerEncoderLayer(4, 2, activation="gelu")
    )
    plain = [layer._reduced_for_files(2)[2] for layer in layers]
    assert plain[0]["transposed"] is False
    assert [w.shape for w in plain[1]["_flat_weights"]] == [w.shape for w in layers[1].parameters()]
    assert plain[2]["activation_relu_or_gelu"] == 2
    assert all(type(state["_forward_hooks_with_kwargs"]) is OrderedDict for state in plain)
    again = loaded(saved(layers))
    assert [sorted(vars(m)) for m in again] == [sorted(vars(m)) for m in layers]
    for mine, other in zip(again.parameters(), layers.parameters(), strict=True):
        assert mine.equal(other)


COPIES: dict[str, Callable[[Any], Any]] = {
    "copied": copy.deepcopy,
    "pickled": lambda m: pickle.loads(pickle.dumps(m)),
    "saved": lambda m: loaded(saved(m)),
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_of_a_lazy_module_finds_its_own_sizes(way: str) -> None:
    original = nn.LazyLinear(3)
    made = COPIES[way](original)
    made(torch.ones(2, 4))
    assert type(made) is nn.Linear
    assert made.in_features == 4
    assert original.has_uninitialized_params()
    original(torch.ones(2, 5))
    assert type(original) is nn.Linear
    assert original.in_features == 5


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_keeps_hooks_that_want_the_module(way: str) -> None:
    original = nn.Linear(2, 2)
    original.register_load_state_dict_pre_hook(Noted())
    made = COPIES[way](original)
    made.load_state_dict(original.state_dict())
    assert made.noted is made
    assert not hasattr(original, "noted")


class Noted:
    def __call__(self, module: Any, *rest: Any) -> None:
        object.__setattr__(module, "noted", module)


def test_a_bounded_rectifier_is_a_hard_tangent() -> None:
    made = nn.ReLU6(inplace=True)
    assert isinstance(made, nn.Hardtanh)
    assert repr(made) == "ReLU6(inplace=True)"
    assert made(torch.tensor([-1.0, 3.0, 9.0])).tolist() == [0.0, 3.0, 6.0]


def test_distances_are_a_part_of_the_loss() -> None:
    loss = nn.TripletMarginWithDistanceLoss()
    assert repr(loss.distance_function) == "PairwiseDistance()"
    generator = torch.Generator().manual_seed(0)
    given = [torch.randn(3, 4, generator=generator) for _ in range(3)]
    assert loss(*given).equal(nn.TripletMarginLoss()(*given))
