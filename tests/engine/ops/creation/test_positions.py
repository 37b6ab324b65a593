"""Sequences of any length: in one piece, in blocks, and in blocks with a rest."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.ops.creation import sequences
from rushlight.engine.ops.creation.positions import BLOCK

LENGTHS = [0, 1, 2, 40, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 5, *range(50, 80)]
TYPES = ["int64", "int32", "int16", "float32", "float64"]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("start", "step"), [(0, 1), (-7, 3), (5, -2)])
def test_arange(kind, start, step):
    for n in LENGTHS:
        expected = np.arange(n) * step + start
        for _ in range(2):
            found = torch.arange(start, start + n * step, step, dtype=getattr(torch, kind))
            assert np.array_equal(found.numpy(), expected.astype(kind)), n


def test_arange_of_fractions():
    for n in LENGTHS:
        found = torch.arange(0.5, n + 0.5, 0.25, dtype=torch.float64)
        assert np.array_equal(found.numpy(), 0.5 + 0.25 * np.arange(4 * n)), n


def test_arange_into_outputs():
    for n in LENGTHS:
        for _ in range(3):
            grown = torch.arange(n, out=torch.empty(0))
            assert np.array_equal(grown.numpy(), np.arange(n)), n
            given = torch.zeros(2 * n)[::2]
            assert torch.arange(n, out=given) is given
            assert np.array_equal(given.numpy(), np.arange(n)), n


def test_lengths_of_large_bounds():
    top = 1 << 60
    assert torch.arange(top, top + 3).tolist() == [top, top + 1, top + 2]
    assert len(torch.arange(0, top, top // 4, dtype=torch.float64)) == 4
    assert len(torch.arange(5, 5)) == 0
    assert torch.arange(True).tolist() == [0]


@pytest.mark.parametrize("n", [2, 40, BLOCK + 1, 3 * BLOCK])
def test_linspace(n):
    for _ in range(3):
        found = torch.linspace(0, n - 1, n, dtype=torch.float64)
        assert np.array_equal(found.numpy(), np.arange(n))


def test_triangles_of_any_size():
    for rows in (1, 3, 7, 8, 9, 30, 31, 32, 40):
        for columns in (1, 5, 31, 33):
            x = torch.ones(rows, columns)
            for k in (-1, 0, 2):
                assert np.array_equal(x.tril(k).numpy(), np.tril(np.ones((rows, columns)), k))
                assert np.array_equal(x.triu(k).numpy(), np.triu(np.ones((rows, columns)), k))
                changed = torch.ones(rows, columns).tril_(k)
                assert np.array_equal(changed.numpy(), np.tril(np.ones((rows, columns)), k))


@pytest.mark.parametrize(
    "call",
    [
        torch.arange,
        lambda n: torch.arange(n, dtype=torch.float32),
        lambda n: torch.arange(n, -n, -2, dtype=torch.int32),
    ],
)
def test_new_lengths_take_the_short_way(call, monkeypatch):
    for n in range(20, 60):
        call(n)
    made = []
    plan = sequences._arange_plan
    monkeypatch.setattr(sequences, "_arange_plan", lambda *given: made.append(1) or plan(*given))
    for n in range(60, 80):
        call(n)
    assert not made
