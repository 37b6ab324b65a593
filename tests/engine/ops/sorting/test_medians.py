"""Medians, k-th smallest and most frequent elements against numpy, each call several times."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import rushlight as torch

KINDS = ["float32", "float64", "float16", "int64", "int32", "uint8"]


@st.composite
def arrays(draw):
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    found = rng.integers(0, 6, shape).astype(draw(st.sampled_from(KINDS)))
    if found.dtype.kind == "f" and draw(st.booleans()):
        found[rng.random(shape) < 0.3] = np.nan
    dim = draw(st.integers(-len(shape), len(shape) - 1))
    return found, dim, draw(st.booleans())


def lower(rows):
    return np.sort(rows, -1)[..., (rows.shape[-1] - 1) // 2]


@given(arrays())
@settings(max_examples=60, deadline=None)
def test_medians(case):
    a, dim, keepdim = case
    x = torch.from_numpy(a)
    for _ in range(3):
        values, places = x.median(dim, keepdim)
        wanted = lower(np.moveaxis(a, dim, -1))
        if a.dtype.kind == "f":
            wanted = np.where(np.isnan(a).any(dim), np.nan, wanted)
        shown = np.expand_dims(wanted, dim) if keepdim else wanted
        np.testing.assert_array_equal(values.numpy(), shown)
        column = places if keepdim else places.unsqueeze(dim)
        np.testing.assert_array_equal(
            x.gather(dim, column).numpy(), np.expand_dims(wanted, dim).astype(a.dtype)
        )
        assert values.is_contiguous() and values._base is None
        full = a.reshape(-1)
        whole = np.nan if np.isnan(full).any() else lower(full)
        np.testing.assert_array_equal(x.median().item(), whole)


@given(arrays())
@settings(max_examples=60, deadline=None)
def test_medians_of_numbers_only(case):
    a, dim, keepdim = case
    for _ in range(3):
        values, places = torch.from_numpy(a).nanmedian(dim, keepdim)
        rows = np.moveaxis(a, dim, -1).reshape(-1, a.shape[dim])
        wanted = [lower(row[~np.isnan(row)]) if (~np.isnan(row)).any() else np.nan for row in rows]
        np.testing.assert_array_equal(values.numpy().reshape(-1), np.array(wanted, a.dtype))
        assert places.dtype is torch.int64


@given(arrays(), st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_kth_values(case, k):
    a, dim, keepdim = case
    k = 1 + k % a.shape[dim]
    x = torch.from_numpy(a)
    for _ in range(3):
        values, places = x.kthvalue(k, dim, keepdim)
        wanted = np.sort(np.moveaxis(a, dim, -1), -1)[..., k - 1]
        np.testing.assert_array_equal(
            values.numpy(), np.expand_dims(wanted, dim) if keepdim else wanted
        )
        column = places if keepdim else places.unsqueeze(dim)
        np.testing.assert_array_equal(x.gather(dim, column).numpy(), np.expand_dims(wanted, dim))


@given(arrays())
@settings(max_examples=60, deadline=None)
def test_modes(case):
    a, dim, keepdim = case
    a = np.nan_to_num(a)
    for _ in range(3):
        values, places = torch.from_numpy(a).mode(dim, keepdim)
        rows = np.moveaxis(a, dim, -1).reshape(-1, a.shape[dim])
        for row, value, place in zip(
            rows,
            values.movedim(dim, -1).reshape(-1).tolist()
            if keepdim
            else values.reshape(-1).tolist(),
            places.movedim(dim, -1).reshape(-1).tolist()
            if keepdim
            else places.reshape(-1).tolist(),
        ):
            found, counts = np.unique(row, return_counts=True)
            assert value == found[counts == counts.max()].min() and row[place] == value


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_of_nothing_and_of_one(name):
    for _ in range(3):
        assert np.isnan(getattr(torch.empty(0), name)().item())
        assert getattr(torch.tensor(3), name)().item() == 3
        assert [t.item() for t in getattr(torch.tensor(3.0), name)(0)] == [3, 0]
    with pytest.raises(IndexError, match="non-zero size"):
        getattr(torch.empty(2, 0), name)(1)


def test_quantiles_outside_of_the_unit_interval_are_refused_each_time():
    x, fine, bad = torch.rand(5), torch.tensor([0.1, 0.9]), torch.tensor([0.1, 1.1])
    for _ in range(4):
        assert x.quantile(fine).shape == (2,)
        with pytest.raises(RuntimeError, match=r"in the range \[0, 1\]"):
            x.quantile(bad)
