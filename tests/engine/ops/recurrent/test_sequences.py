"""A whole sequence as one operator gives what single steps give, and its gradients."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.engine.ops.recurrent import recorded
from rushlight.engine.ops.recurrent.cells import CELLS
from rushlight.engine.ops.recurrent.sequences import Span, block_width, spans_of

MODES = list(CELLS)


def operands(mode, batch, width, count, kind, shown=None):
    """Given gates, first states, weight, bias and projection, all with gradients."""
    cell = CELLS[mode]
    gates = cell.gates * width
    torch.manual_seed(0)
    sizes = [
        (count, batch, gates), (batch, shown or width), (batch, width), (gates, shown or width),
        (gates,), (shown or width, width),
    ]  # fmt: skip
    made = [(0.4 * torch.randn(*s, dtype=kind)).requires_grad_() for s in sizes]
    if cell.states == 1:
        made[2] = None
    if shown is None:
        made[5] = None
    return made


def by_operator(mode, given, sizes=None, backwards=False):
    found = torch._recurrent_steps(*given, sizes, mode, backwards, True)
    return found[:3] if CELLS[mode].states > 1 else found[:2]


def by_steps(mode, given, sizes=None, backwards=False):
    rows, hidden, cell, *weights = given
    states = (hidden,) if cell is None else (hidden, cell)
    outputs, after = recorded.run(CELLS[mode], rows, states, tuple(weights), sizes, backwards)
    return outputs, *after


def assert_same(mode, given, sizes=None, backwards=False):
    tolerance = {"rtol": 1e-4, "atol": 1e-5}
    ours, wanted = (f(mode, given, sizes, backwards) for f in (by_operator, by_steps))
    for a, b in zip(ours, wanted, strict=True):
        assert torch.allclose(a, b, **tolerance)
    inputs = [x for x in given if x is not None]
    sums = [sum(y.square().sum() for y in found) for found in (ours, wanted)]
    for a, b in zip(*(torch.autograd.grad(s, inputs) for s in sums), strict=True):
        assert torch.allclose(a, b, **tolerance)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("batch", [1, 3, 20])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_values_and_gradients(mode, backwards, batch, kind):
    assert_same(mode, operands(mode, batch, 18, 4, kind), backwards=backwards)


@pytest.mark.parametrize("mode", MODES)
def test_one_step_alone_and_of_a_sequence(mode):
    given = operands(mode, 3, 5, 1, torch.float64)
    assert_same(mode, given)
    given[0] = given[0].detach()[0].requires_grad_()
    assert_same(mode, given)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("backwards", [False, True])
def test_packed_rows(mode, backwards):
    sizes = [4, 4, 3, 1, 1]
    given = operands(mode, 4, 6, 5, torch.float64)
    given[0] = given[0].detach().flatten(0, 1)[: sum(sizes)].clone().requires_grad_()
    assert_same(mode, given, sizes, backwards)


@pytest.mark.parametrize("sizes", [None, [3, 2, 2]])
@pytest.mark.parametrize("backwards", [False, True])
def test_projections(sizes, backwards):
    given = operands("LSTM", 3, 7, 3, torch.float64, 4)
    if sizes:
        given[0] = given[0].detach().flatten(0, 1)[: sum(sizes)].clone().requires_grad_()
    assert_same("LSTM", given, sizes, backwards)


@pytest.mark.parametrize("mode", MODES)
def test_large_weights_lie_in_blocks(mode):
    width = 400
    gates = CELLS[mode].gates * width
    assert block_width(width, gates, torch.float32) and gates % block_width(
        width, gates, torch.float32
    )
    given = operands(mode, 5, width, 3, torch.float32)
    for weight in (given[3], given[4]):
        weight.data.mul_(0.1)
    ours, wanted = by_operator(mode, given), by_steps(mode, given)
    for a, b in zip(ours, wanted, strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-5)
    inputs = [x for x in given if x is not None]
    found = [torch.autograd.grad(f[0].square().mean(), inputs) for f in (ours, wanted)]
    for a, b in zip(*found, strict=True):
        assert torch.allclose(a, b, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_half_precision_is_near(mode):
    given = operands(mode, 3, 8, 4, torch.float64)
    rounded = [None if x is None else x.bfloat16() for x in given]
    for a, b in zip(by_operator(mode, rounded), by_steps(mode, given), strict=True):
        assert a.dtype is torch.bfloat16
        assert torch.allclose(a.double(), b, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("mode", MODES)
def test_derivatives(mode):
    given = operands(mode, 2, 3, 3, torch.float64)
    tensors = [x for x in given if x is not None]

    def run(*values):
        rest = iter(values)
        return by_operator(mode, [None if x is None else next(rest) for x in given])

    assert torch.autograd.gradcheck(run, tensors)
    assert torch.autograd.gradgradcheck(run, tensors)


def test_derivatives_of_projections_and_packed_rows():
    given = operands("LSTM", 2, 3, 3, torch.float64, 2)
    given[0] = given[0].detach().flatten(0, 1)[:5].clone().requires_grad_()

    def run(rows, *others):
        return by_operator("LSTM", [rows, *others], [2, 2, 1], True)

    assert torch.autograd.gradcheck(run, given)
    assert torch.autograd.gradgradcheck(run, given)


@pytest.mark.parametrize("mode", MODES)
def test_only_what_is_wanted_has_a_gradient(mode):
    given = operands(mode, 2, 3, 3, torch.float64)
    for x in given[1:]:
        if x is not None:
            x.requires_grad_(False)
    found, wanted = (f(mode, given)[0].sum() for f in (by_operator, by_steps))
    found.backward()
    (expected,) = torch.autograd.grad(wanted, given[0])
    assert torch.allclose(given[0].grad, expected)
    assert all(x is None or x.grad is None for x in given[1:])


def test_last_states_have_gradients():
    torch.manual_seed(0)
    layer = torch.nn.LSTM(3, 4, 2).double()
    x = torch.randn(3, 2, 3, dtype=torch.float64, requires_grad=True)
    states = tuple(torch.randn(2, 2, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))

    def last(x, hidden, cell):
        return layer(x, (hidden, cell))[1]

    assert torch.autograd.gradcheck(last, (x, *states))
    assert torch.autograd.gradgradcheck(last, (x, *states))


def test_nothing_is_kept_without_gradients():
    given = operands("GRU", 2, 3, 3, torch.float32)
    with torch.no_grad():
        *_, before, kept = torch._recurrent_steps(*given, None, "GRU", False, False)
    assert before.shape == (0, 3) and kept.shape == (0, 12)


def test_one_step_and_no_batch():
    layer = torch.nn.LSTM(3, 4)
    assert layer(torch.ones(1, 3))[0].shape == (1, 4)
    assert layer(torch.ones(2, 0, 3))[0].shape == (2, 0, 4)
    assert torch.nn.GRUCell(3, 4)(torch.ones(0, 3)).shape == (0, 4)


@pytest.mark.parametrize("arrange", [lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
    lambda x: x.expand(x.shape) if x.dim() < 2 else x.flip(0).flip(0)])  # fmt: skip
def test_operands_of_any_strides(arrange):
    given = operands("GRU", 3, 4, 2, torch.float64)
    moved = [None if x is None else arrange(x) if x.dim() > 1 else x for x in given]
    for a, b in zip(by_operator("GRU", moved), by_operator("GRU", given), strict=True):
        assert torch.equal(a, b)


def test_spans():
    assert spans_of([3, 3, 1], False) == [Span(0, 3, 2), Span(6, 1, 1)]
    assert spans_of([3, 3, 1], True) == [Span(6, 1, 1), Span(0, 3, 2)]
    assert Span(0, 3, 2).split(False) == (Span(0, 3, 1), Span(3, 3, 1))
    assert Span(0, 3, 2).split(True) == (Span(3, 3, 1), Span(0, 3, 1))
