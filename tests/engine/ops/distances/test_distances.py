"""Distances between rows."""

import math

import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, math.inf])
def test_distances_within_a_set(p):
    rows = torch.randn(5, 3)
    full = torch.cdist(rows, rows, p=p)
    i, j = torch.triu_indices(5, 5, 1)
    assert torch.allclose(torch.pdist(rows, p), full[i, j], atol=1e-5)
    assert torch.pdist(rows[:1]).shape == (0,)
    with pytest.raises(RuntimeError, match="only supports 2D tensors"):
        torch.pdist(rows[0])


POWERS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf]
NO_PRODUCT = "donot_use_mm_for_euclid_dist"


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("columns", [1, 3, 40])
def test_distances_are_norms_of_differences(p, columns):
    torch.manual_seed(columns)
    a, b = torch.randn(2, 1, 7, columns), torch.randn(3, 30, columns).transpose(-1, -2).contiguous()
    b = b.transpose(-1, -2)
    found = torch.cdist(a, b, p=p, compute_mode=NO_PRODUCT)
    expected = torch.linalg.vector_norm(a.unsqueeze(-2) - b.unsqueeze(-3), p, -1)
    assert found.shape == (2, 3, 7, 30) and torch.allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("columns", [2, 33])
def test_gradients_of_distances(p, columns):
    torch.manual_seed(columns)
    a = torch.randn(1, 3, columns, dtype=torch.float64, requires_grad=True)
    b = torch.randn(2, 4, columns, dtype=torch.float64, requires_grad=True)

    def distances(a, b):
        return torch.cdist(a, b, p=p, compute_mode=NO_PRODUCT)

    assert gradcheck(distances, (a, b), check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(distances, (a, b))


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("rows", [4, 30])
def test_rows_at_the_same_place_do_not_move(p, rows):
    rows = torch.arange(float(rows))[:, None].repeat(1, 3)
    a, b = rows.clone().requires_grad_(), rows.clone().requires_grad_()
    chosen = torch.eye(len(rows), dtype=torch.bool)
    torch.cdist(a, b, p=p)[chosen].sum().backward()
    assert not a.grad.any() and not b.grad.any()


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_distances_of_a_batch_under_vmap(p):
    a, b = torch.randn(4, 5, 3), torch.randn(6, 3)

    def distances(x):
        return torch.cdist(x, b, p=p)

    assert torch.allclose(torch.vmap(distances)(a), distances(a), atol=1e-5)
    grads = torch.vmap(torch.func.grad(lambda x: distances(x).sum()))(a)
    own = a.clone().requires_grad_()
    distances(own).sum().backward()
    assert torch.allclose(grads, own.grad, atol=1e-5)


def test_many_distances_need_no_room_for_differences():
    rows = torch.randn(600, 400)
    torch.cpu.reset_peak_memory_stats()
    before = torch.cpu.memory_allocated()
    torch.cdist(rows, rows, p=1.0)
    assert torch.cpu.max_memory_allocated() - before < 20 * 600 * 600
