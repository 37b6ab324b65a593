"""Tensors that follow from numbers are the same each time, and each a tensor of its own."""

from __future__ import annotations

import pytest

import rushlight as torch

CALLS = [
    lambda: torch.eye(3), lambda: torch.eye(2, 5, dtype=torch.int64), lambda: torch.eye(0),
    lambda: torch.linspace(0, 1, 5), lambda: torch.linspace(3, -2, 7, dtype=torch.float64),
    lambda: torch.logspace(0, 2, 3), lambda: torch.linspace(1, 1, 1), lambda: torch.eye(64, 64),
    lambda: torch.linspace(0, 1, 5000), lambda: torch.linspace(0, 10, 3, dtype=torch.complex64),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_results_are_equal_and_apart(call):
    first = call()
    expected = first.tolist()
    for _ in range(4):
        made = call()
        assert made.tolist() == expected and made.dtype is first.dtype
        made.zero_()


def test_every_number_counts():
    for _ in range(2):
        for end in range(1, 6):
            assert torch.linspace(0, end, 3).tolist() == [0.0, end / 2, end]
            assert torch.linspace(0.0, end + 0.5, 2).tolist() == [0.0, end + 0.5]
            assert torch.eye(end).sum().item() == end


def test_tensors_as_ends_are_read_each_time():
    end = torch.tensor(4.0)
    for k in range(4):
        end.fill_(float(k))
        assert torch.linspace(0, end, 2).tolist() == [0.0, k]


def test_gradients_and_devices():
    for _ in range(3):
        assert torch.eye(3, requires_grad=True).requires_grad
        assert torch.linspace(0, 1, 3, device="meta").is_meta
        assert not torch.eye(3).requires_grad
