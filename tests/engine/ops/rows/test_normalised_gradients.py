"""Gradients of normalisations: those from two sums are those of the recorded formulas."""

from __future__ import annotations

import pytest

import rushlight as torch

F = torch.nn.functional


def layer(x, w, b):
    return F.layer_norm(x, x.shape[1:], w.reshape(-1)[: x[0].numel()].reshape(x.shape[1:]))


def group(x, w, b):
    return F.group_norm(x, 3, w[:6], b[:6])


def batch(x, w, b):
    return F.batch_norm(x, None, None, w[:6], b[:6], True)


def fixed(x, w, b):
    mean = torch.arange(6, dtype=x.dtype)
    return F.batch_norm(x, mean, mean + 1, w[:6], b[:6])


def without_parameters(x, w, b):
    return F.batch_norm(F.group_norm(x, 2), None, None, None, None, True)


@pytest.mark.parametrize("norm", [layer, group, batch, fixed, without_parameters])
@pytest.mark.parametrize("last", [False, True])
def test_with_and_without_recording(norm, last):
    torch.manual_seed(0)
    x = torch.randn(4, 6, 5, 7, dtype=torch.float64)
    if last:
        x = x.contiguous(memory_format=torch.channels_last)
    x.requires_grad_()
    w, b = (torch.randn(6 * 35, dtype=torch.float64, requires_grad=True) for _ in range(2))
    grad = torch.randn(4, 6, 5, 7, dtype=torch.float64)
    plain = torch.autograd.grad(norm(x, w, b), (x, w, b), grad, allow_unused=True)
    recorded = torch.autograd.grad(
        norm(x, w, b), (x, w, b), grad, allow_unused=True, create_graph=True
    )
    for found, wanted in zip(plain, recorded):
        assert (found is None) == (wanted is None)
        if found is not None:
            assert torch.allclose(found, wanted, rtol=1e-9, atol=1e-11)
