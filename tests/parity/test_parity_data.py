"""The loader gives PyTorch's batches in PyTorch's order, from the same seeds."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.utils import data as ours

torch = pytest.importorskip("torch")
theirs = pytest.importorskip("torch.utils.data")
BOTH = ((rushlight, ours), (torch, theirs))


def both(made: Any) -> tuple[Any, Any]:
    """The outcome of a function in each library, from one seed."""
    outcomes = []
    for library, data in BOTH:
        library.manual_seed(11)
        random.seed(2)
        np.random.seed(3)
        outcomes.append(made(library, data))
    return outcomes[0], outcomes[1]


ORDERS = {
    "shuffled": lambda t, d: list(d.RandomSampler(range(50))),
    "longer": lambda t, d: list(d.RandomSampler(range(5), num_samples=13)),
    "replaced": lambda t, d: list(d.RandomSampler(range(9), replacement=True, num_samples=70)),
    "generator": lambda t, d: list(
        d.RandomSampler(range(9), generator=t.Generator().manual_seed(4))
    ),
    "whole": lambda t, d: (list(d.RandomSampler(range(9))), t.rand(1).item()),
    "subset": lambda t, d: list(d.SubsetRandomSampler([4, 2, 9])),
    "weighted": lambda t, d: list(d.WeightedRandomSampler([0.1, 3.0, 0.5], 20)),
    "few": lambda t, d: list(d.WeightedRandomSampler([0.1, 3.0, 0.5], 3, replacement=False)),
    "split": lambda t, d: [list(part) for part in d.random_split(range(11), [0.3, 0.3, 0.4])],
    "rank": lambda t, d: [list(d.DistributedSampler(range(10), 3, rank)) for rank in range(3)],
    "dropped": lambda t, d: [
        list(d.DistributedSampler(range(10), 4, rank, seed=3, drop_last=True)) for rank in range(4)
    ],
    "repeated": lambda t, d: list(d.DistributedSampler(range(2), 5, 4, shuffle=False)),
}


@pytest.mark.parametrize("name", ORDERS)
def test_orders(name: str) -> None:
    mine, other = both(ORDERS[name])
    assert mine == other


class Draws:
    """Samples with numbers from every stream that workers seed."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> Any:
        return index, self.library.rand(2), random.random(), np.random.rand()


def plain(item: Any) -> Any:
    return [plain(part) for part in item] if isinstance(item, list) else item.tolist()


@pytest.mark.parametrize(
    "options",
    [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}],
    ids=["here", "workers", "persistent"],
)
def test_two_passes(options: dict[str, Any]) -> None:
    def passes(library: Any, data: Any) -> Any:
        loader = data.DataLoader(Draws(library), batch_size=5, shuffle=True, **options)
        batches = [[plain(batch) for batch in loader] for _ in range(2)]
        return batches, library.rand(1).item()

    mine, other = both(passes)
    assert mine == other


BATCHES = [
    [1, 2],
    [0.5, 1.5],
    [True, False],
    ["a", "b"],
    [{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3, 4]}],
    [(1, (2.0, "x")), (3, (4.0, "y"))],
    [np.float32(1), np.float32(2)],
    [np.arange(3), np.arange(3)],
    [np.array(1.5), np.array(2.5)],
]


def described(item: Any) -> Any:
    if isinstance(item, dict):
        return {key: described(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return type(item)(described(part) for part in item)
    return (item.tolist(), str(item.dtype)) if hasattr(item, "dtype") else item


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("function", ["default_collate", "default_convert"])
def test_batches(batch: Any, function: str) -> None:
    mine, other = both(lambda library, data: described(getattr(data, function)(batch)))
    assert mine == other
