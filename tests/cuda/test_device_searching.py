"""Searches in sorted rows, and what counts, beside the CPU."""

from __future__ import annotations

import pytest

import rushlight as torch


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.int32, torch.bfloat16])
@pytest.mark.parametrize("right", [False, True])
def test_places_in_rows(cuda, kind, right):
    torch.manual_seed(0)
    rows = torch.randint(0, 20, (3, 17)).to(kind)
    values = torch.randint(-2, 22, (3, 9)).to(kind)
    ordered, order = rows.sort(-1)
    wanted = torch.searchsorted(ordered, values, right=right)
    found = torch.searchsorted(ordered.cuda(), values.cuda(), right=right)
    assert found.tolist() == wanted.tolist() and found.dtype == torch.int64
    found = torch.searchsorted(rows.cuda(), values.cuda(), right=right, sorter=order.cuda())
    assert found.tolist() == wanted.tolist()
    small = torch.bucketize(values.cuda(), ordered[0].cuda(), out_int32=True, right=right)
    assert small.tolist() == torch.bucketize(values, ordered[0], right=right).tolist()
    assert small.dtype == torch.int32


def test_numbers_and_what_is_no_number(cuda):
    line = torch.tensor([0.0, 1.0, 1.0, float("inf"), float("nan")])
    for value in (1, -3.0, float("nan"), float("inf")):
        found = torch.searchsorted(line.cuda(), value)
        assert found.item() == torch.searchsorted(line, value).item()
        assert found.device.type == "cuda"
    with pytest.raises(RuntimeError, match="dimensions of boundaries"):
        torch.searchsorted(torch.ones(2, 3, device="cuda"), torch.ones(3, 3, device="cuda"))


@pytest.mark.parametrize("limits", [(0, 0), (-1, 1.5)])
def test_histograms(cuda, limits):
    torch.manual_seed(1)
    x = torch.randn(300)
    found = torch.histc(x.cuda(), 7, *limits)
    assert found.tolist() == torch.histc(x, 7, *limits).tolist() and found.is_cuda


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_distinct_slices(cuda, dim):
    torch.manual_seed(0)
    x = torch.randint(0, 2, (6, 3, 2)).float()
    for function in (torch.unique, torch.unique_consecutive):
        wanted = function(x, dim=dim, return_inverse=True, return_counts=True)
        found = function(x.cuda(), dim=dim, return_inverse=True, return_counts=True)
        for one, other in zip(wanted, found):
            assert other.is_cuda and other.tolist() == one.tolist()


def test_membership(cuda):
    x = torch.tensor([[1.0, 2.0, 3.0], [float("nan"), 5.0, -6.0]])
    tests = torch.tensor([3, 5, 9, -6])
    for invert in (False, True):
        found = torch.isin(x.cuda(), tests.cuda(), invert=invert)
        assert found.tolist() == torch.isin(x, tests, invert=invert).tolist()
    assert torch.isin(x.cuda(), 2.0).tolist() == torch.isin(x, 2.0).tolist()
    assert torch.isin(9, tests.cuda()).item() is True
    assert not torch.isin(x.cuda(), torch.empty(0, device="cuda")).any()
