"""Backward passes that are batched: what they give is recorded only if that is asked for."""

import pytest

import rushlight as torch


def square(w):
    return w * w


def distance(w):
    return (w - 1).abs() + w.sin()


@pytest.mark.parametrize("function", [square, distance])
@pytest.mark.parametrize("create_graph", [False, True])
def test_rows_of_a_jacobian(function, create_graph):
    w = torch.tensor([0.5, 2.0], requires_grad=True)
    out = function(w)

    def row(v):
        return torch.autograd.grad(out, w, v, retain_graph=True, create_graph=create_graph)[0]

    for found in (
        torch.vmap(row)(torch.eye(2)),
        torch.autograd.grad(
            out,
            w,
            torch.eye(2),
            retain_graph=True,
            create_graph=create_graph,
            is_grads_batched=True,
        )[0],
    ):
        assert found.requires_grad is create_graph
        (wanted,) = torch.autograd.grad(out.sum(), w, retain_graph=True)
        torch.testing.assert_close(found.detach(), torch.diag(wanted))
        if create_graph:
            assert torch.autograd.grad(found.sum(), w)[0].shape == (2,)


def test_a_transformation_that_asks_for_gradients_is_recorded():
    w = torch.tensor([0.5, 2.0], requires_grad=True)
    found = torch.vmap(torch.func.grad(lambda w: w**3))(w)
    torch.testing.assert_close(torch.autograd.grad(found.sum(), w)[0], 6 * w.detach())
