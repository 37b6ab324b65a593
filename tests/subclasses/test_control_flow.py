"""Operators that take functions."""

import pytest

import rushlight as torch
from rushlight._higher_order_ops import map as mapped
from rushlight._higher_order_ops import while_loop
from rushlight.fx.experimental.proxy_tensor import make_fx


def test_branches():
    x = torch.ones(3, requires_grad=True)
    for pred, factor in (True, 2), (torch.tensor(False), 3):
        made = torch.cond(pred, lambda x: x * 2, lambda x: x * 3, (x,))
        assert torch.autograd.grad(made.sum(), x)[0].tolist() == [factor] * 3
    with pytest.raises(RuntimeError, match="Expected pred to be bool or tensor"):
        torch.cond("yes", torch.sin, torch.cos, (x,))
    with pytest.raises(RuntimeError, match="only consists of tensor leaves"):
        torch.cond(True, torch.sin, torch.cos, ("x",))
    with pytest.raises(NotImplementedError, match="cond within make_fx"):
        make_fx(lambda x: torch.cond(True, torch.sin, torch.cos, (x,)))(torch.ones(2))


def test_loops():
    x = torch.arange(6.0).view(3, 2)
    made = mapped(lambda x, y: {"sum": x["a"] + y}, {"a": x}, torch.ones(2))
    assert torch.equal(made["sum"], x + 1)
    with pytest.raises(RuntimeError, match="consistent"):
        mapped(lambda x: x[0], [torch.ones(2), torch.ones(3)])
    found = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))
    assert found[0].item() == 3 and torch.equal(found[1], x * 8)
