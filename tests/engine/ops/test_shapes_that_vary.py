"""Calls whose shapes and positions hardly ever come again."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.engine.dispatch import call_cache
from rushlight.engine.ops.kinds import elementwise


def test_kernels_are_written_once_for_all_sizes(monkeypatch: Any) -> None:
    torch.ones(3) * 2 + torch.zeros(3)
    monkeypatch.setattr(elementwise, "_written", None)
    for n in range(70, 80):
        found = torch.ones(n) * 2 + torch.zeros(n)
        assert found.tolist() == [2.0] * n
        assert torch.ones(n, 1).clone().sum() == n


def test_numbers_that_are_equal_but_not_alike_have_kernels_of_their_own() -> None:
    x = torch.tensor([1.0, 4.0, 9.0])
    for _ in range(2):
        for n in (3, 2):
            assert x[:n].pow(2).tolist() == [1.0, 16.0, 81.0][:n]
            assert x[:n].pow(0.5).tolist() == [1.0, 2.0, 3.0][:n]
            assert torch.copysign(x[:n], 0.0).tolist() == [1.0, 4.0, 9.0][:n]
            assert torch.copysign(x[:n], -0.0).tolist() == [-1.0, -4.0, -9.0][:n]
            assert torch.div(x[:n], 2, rounding_mode="floor").tolist() == [0.0, 2.0, 4.0][:n]
            assert torch.div(x[:n], 2).tolist() == [0.5, 2.0, 4.5][:n]


@pytest.mark.parametrize("shape", [(2000,), (2000, 3)])
def test_every_row_by_itself(shape: tuple[int, ...]) -> None:
    x = torch.arange(torch.Size(shape).numel()).reshape(shape)
    rows = x.tolist()
    for _ in range(2):
        assert [x[i].tolist() for i in range(2000)] == rows
        assert [x[-i].tolist() for i in range(1, 2001)] == rows[::-1]
        # What is called with the same arguments in between goes on working.
        assert x[5:7].tolist() == rows[5:7]
    for place in (2000, -2001):
        with pytest.raises(IndexError, match=f"index {place} is out of bounds for dimension 0"):
            x[place]
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor|too many indices"):
        torch.tensor(1)[0]


def test_a_row_is_a_view() -> None:
    x = torch.zeros(3, 2)
    row = x[1]
    row += 1
    assert row._base is x
    assert x.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    x.requires_grad_()
    assert x[0].grad_fn is not None


def test_a_table_of_calls_grows_and_is_bounded() -> None:
    double = call_cache.public_function("double", lambda x, n: torch.mul(x, n))
    x = torch.ones(2)
    binding = double.__self__
    for count in range(2):
        for n in range(2000):
            assert double(x.reshape(1, 2) if n % 2 else x, n)[..., 0].item() == n
        assert len(binding._kept) <= call_cache._MOST_SLOTS, count
    shapes = [torch.ones(n + 1) for n in range(100)]
    for _ in range(4):
        assert [(s + s).sum().item() for s in shapes] == [2.0 * (n + 1) for n in range(100)]
