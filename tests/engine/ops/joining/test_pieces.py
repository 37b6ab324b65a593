"""Lists of small dense tensors are joined by one loop, whatever the dimension."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch


def arrays(count, size):
    rng = np.random.default_rng(0)
    return [rng.integers(-100, 100, size) for _ in range(count)]


@pytest.mark.parametrize("kind", [torch.int8, torch.int16, torch.float32, torch.float64,
    torch.complex64, torch.bool])  # fmt: skip
@pytest.mark.parametrize("count", [3, 64, 250, 251])
@pytest.mark.parametrize(
    "size, dim", [((5,), 0), ((5,), -1), ((3, 4), 1), ((3, 4), 2), ((2, 0), 0)]
)
def test_stacks(kind, count, size, dim):
    given = arrays(count, size)
    expected = torch.from_numpy(np.stack(given, dim)).to(kind)
    tensors = [torch.from_numpy(x).to(kind) for x in given]
    for _ in range(3):
        assert torch.equal(torch.stack(tensors, dim), expected)


@pytest.mark.parametrize("count", [3, 64])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_cats_of_different_sizes(count, dim):
    given = []
    for k in range(count):
        size = [2, 3, 4]
        size[dim] = k % 4
        given.append(np.random.default_rng(k).standard_normal(size))
    expected = np.concatenate(given, dim)
    for _ in range(3):
        assert np.array_equal(
            torch.cat([torch.from_numpy(x) for x in given], dim).numpy(), expected
        )


def test_other_layouts_and_types():
    rows = [torch.arange(12.0).view(3, 4).t() + k for k in range(6)]
    assert torch.equal(torch.stack(rows, 1), torch.stack([r.contiguous() for r in rows], 1))
    mixed = [torch.ones(3), torch.ones(3, dtype=torch.int64), torch.ones(3).half()]
    assert torch.stack(mixed).dtype is torch.float32
    parts = torch.arange(40.0).view(8, 5)
    assert torch.equal(torch.cat([parts[k] for k in range(8)]), parts.flatten())


def test_one_tensor_many_times_and_gradients():
    x = torch.arange(4.0, requires_grad=True)
    for _ in range(3):
        torch.stack([x] * 50).sum().backward()
    assert torch.equal(x.grad, torch.full((4,), 150.0))


def test_large_sources_are_the_same():
    given = [torch.randn(300, 300) for _ in range(5)]
    assert torch.equal(torch.cat(given, 1), torch.cat([g.t() for g in given], 0).t())


def test_empty_vectors_are_joined_along_any_dimension():
    assert torch.cat([torch.ones(0), torch.ones(0)], dim=3).shape == (0,)
