"""The coordinates of the elements of triangles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch

LENGTHS = st.one_of(st.integers(0, 12), st.integers(60, 70))


@settings(deadline=None)
@given(LENGTHS, LENGTHS, st.integers(-80, 80), st.sampled_from([torch.int64, torch.int32]))
def test_triangles(row: int, col: int, offset: int, dtype: torch.dtype) -> None:
    ours, numpys = (torch.triu_indices, torch.tril_indices), (np.triu_indices, np.tril_indices)
    for made, expected in zip(ours, numpys):
        found = made(row, col, offset, dtype=dtype)
        assert found.dtype is dtype and found.is_contiguous()
        assert found.tolist() == [x.tolist() for x in expected(row, offset, col)]


@pytest.mark.parametrize("row, col, offset", [(3000, 3000, 0), (3, 200_000, 5), (200_000, 3, -7)])
def test_large_triangles(row: int, col: int, offset: int) -> None:
    for made, expected in (
        (torch.triu_indices, np.triu_indices),
        (torch.tril_indices, np.tril_indices),
    ):
        assert (made(row, col, offset).numpy() == expected(row, offset, col)).all()


def test_what_is_refused() -> None:
    with pytest.raises(RuntimeError, match="row must be non-negative, got -1"):
        torch.triu_indices(-1, 2)
    with pytest.raises(RuntimeError, match="col must be non-negative, got -2"):
        torch.tril_indices(1, -2)
    with pytest.raises(NotImplementedError, match="\"triu_indices\" not implemented for 'Float'"):
        torch.triu_indices(2, 2, dtype=torch.float32)


def test_devices_and_defaults() -> None:
    assert torch.triu_indices(4, 4, 1, device="meta").shape == (2, 6)
    with torch.device("meta"):
        assert torch.tril_indices(4, 4).device.type == "meta"
