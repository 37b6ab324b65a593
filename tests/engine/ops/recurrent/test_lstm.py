"""A whole sequence as one operator gives what single steps give."""

from __future__ import annotations

import pytest

import rushlight as torch


def by_cells(layer, x, backwards):
    """The layer's outputs, by `LSTMCell`."""
    suffix = "_reverse" if backwards else ""
    cell = torch.nn.LSTMCell(x.shape[2], layer.hidden_size).to(x.dtype)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(cell, name, getattr(layer, f"{name}_l0{suffix}"))
    states = (x.new_zeros(x.shape[1], layer.hidden_size),) * 2
    found = []
    for step in reversed(x.unbind(0)) if backwards else x.unbind(0):
        states = cell(step, states)
        found.append(states[0])
    return torch.stack(found[::-1] if backwards else found)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("batch", [1, 3, 20])
def test_values_and_gradients(kind, batch):
    torch.manual_seed(0)
    layer = torch.nn.LSTM(5, 18, bidirectional=True).to(kind)
    x = torch.randn(4, batch, 5, dtype=kind, requires_grad=True)
    whole = layer(x)[0]
    steps = torch.cat([by_cells(layer, x, False), by_cells(layer, x, True)], 2)
    assert torch.allclose(whole, steps, rtol=1e-5, atol=1e-6)
    inputs = [x, *layer.parameters()]
    found, wanted = (torch.autograd.grad(y.square().sum(), inputs) for y in (whole, steps))
    for a, b in zip(found, wanted):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-5)


def test_last_states_have_gradients():
    torch.manual_seed(0)
    layer = torch.nn.LSTM(3, 4, 2).double()
    x = torch.randn(3, 2, 3, dtype=torch.float64, requires_grad=True)
    states = tuple(torch.randn(2, 2, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))

    def last(x, hidden, cell):
        return layer(x, (hidden, cell))[1]

    assert torch.autograd.gradcheck(last, (x, *states))
    assert torch.autograd.gradgradcheck(last, (x, *states))


def test_one_step_and_no_batch():
    layer = torch.nn.LSTM(3, 4)
    assert layer(torch.ones(1, 3))[0].shape == (1, 4)
    assert layer(torch.ones(2, 0, 3))[0].shape == (2, 0, 4)
