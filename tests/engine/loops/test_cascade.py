"""Sums of rows have the bits that their order of addition gives."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.loops.cascade import STEPS, TURN, VECTOR_BYTES


def levels(turns: np.ndarray) -> np.ndarray:
    """Four sums down the first dimension, every 16 numbers one of the next level."""
    zeros = np.zeros(turns.shape[1:], turns.dtype)
    sums = [zeros, zeros, zeros]
    for count, turn in enumerate(turns, 1):
        sums[0] = sums[0] + turn
        for level in (1, 2):
            if count % STEPS**level == 0:
                sums[level], sums[level - 1] = sums[level] + sums[level - 1], zeros
    return (sums[0] + sums[1]) + sums[2]


def by_vectors(vectors: np.ndarray) -> np.ndarray:
    whole = len(vectors) // TURN * TURN
    sums = levels(vectors[:whole].reshape(-1, TURN, *vectors.shape[1:]))
    for vector in vectors[whole:]:
        sums[0] = sums[0] + vector
    return ((sums[0] + sums[1]) + sums[2]) + sums[3]


def expected(x: np.ndarray) -> np.ndarray:
    lanes = VECTOR_BYTES // x.itemsize
    if len(x) < lanes:
        return by_vectors(x)
    whole = len(x) // lanes * lanes
    total = x.dtype.type(0)
    for number in [*x[whole:], *by_vectors(x[:whole].reshape(-1, lanes))]:
        total = total + number
    return total


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 3, 4, 7, 8, 31, 50, 64, 100, 511, 512, 1000, 9000, 40000])
def test_order(count: int, kind: type) -> None:
    x = np.random.default_rng(count).standard_normal(count).astype(kind)
    t = torch.from_numpy(x)
    assert t.sum().numpy() == expected(x)
    assert t.mean().numpy() == expected(x) / kind(count)
    assert t.nansum().numpy() == expected(x)


def test_rows_are_summed_alike() -> None:
    x = np.random.default_rng(0).standard_normal((5, 700)).astype(np.float32)
    rows = torch.from_numpy(x).sum(1)
    assert rows.tolist() == [float(expected(row)) for row in x]
    with_gaps = torch.from_numpy(np.repeat(x, 2, 0))[::2].sum(1)
    assert with_gaps.tolist() == rows.tolist()
