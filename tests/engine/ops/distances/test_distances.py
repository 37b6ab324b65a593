"""Distances between rows."""

import math

import pytest

import rushlight as torch


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, math.inf])
def test_distances_within_a_set(p):
    rows = torch.randn(5, 3)
    full = torch.cdist(rows, rows, p=p)
    i, j = torch.triu_indices(5, 5, 1)
    assert torch.allclose(torch.pdist(rows, p), full[i, j], atol=1e-5)
    assert torch.pdist(rows[:1]).shape == (0,)
    with pytest.raises(RuntimeError, match="only supports 2D tensors"):
        torch.pdist(rows[0])
