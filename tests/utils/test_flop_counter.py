"""Counts of floating-point operations by operator and module."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.utils.flop_counter import FlopCounterMode, register_flop_formula

aten = torch.ops.aten


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3)
        self.head = nn.Sequential(nn.Linear(36, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x):
        return self.head(self.convolution(x).flatten(2))


def test_forward_and_backward_count_by_module():
    with FlopCounterMode(display=False) as counter:
        Net()(torch.randn(2, 3, 8, 8)).sum().backward()
    convolution = 2 * 2 * 36 * 4 * 27
    linear = [2 * 8 * 36 * 8, 2 * 8 * 8 * 2]
    counts = counter.get_flop_counts()
    # The image needs no gradient: the convolution's backward pass is that of its weight.
    both = {aten.convolution: convolution, aten.convolution_backward: convolution}
    assert counts["Net.convolution"] == both
    assert counts["Net.head.2"] == {aten.addmm: linear[1], aten.mm: 2 * linear[1]}
    assert counts["Net.head"] == {aten.addmm: sum(linear), aten.mm: 2 * sum(linear)}
    assert counter.get_total_flops() == 2 * convolution + 3 * sum(linear)
    assert counts["Net"] == counts["Global"]


def test_the_backward_pass_of_a_convolution_counts_as_such():
    x = torch.randn(5, 2, 9, requires_grad=True)
    for layer, forward in (
        (nn.Conv1d(2, 4, 3), 2 * 5 * 7 * 24),
        (nn.ConvTranspose1d(2, 3, 3), 1620),
    ):
        with FlopCounterMode(display=False) as counter:
            layer(x).sum().backward()
        expected = {aten.convolution: forward, aten.convolution_backward: 2 * forward}
        assert counter.get_flop_counts()["Global"] == expected


def test_products():
    a, b = torch.randn(2, 3, 4, 5), torch.randn(3, 5, 6)
    with FlopCounterMode(display=False) as counter:
        a @ b
        a[0, 0] @ b[0]
        torch.nn.functional.linear(a, torch.randn(7, 5))
    counts = counter.get_flop_counts()["Global"]
    assert counts == {aten.bmm: 2 * 6 * 4 * 5 * 6, aten.mm: 2 * 4 * 5 * 6 + 2 * 24 * 5 * 7}


def test_steps_of_recurrent_layers():
    with FlopCounterMode(display=False) as counter:
        nn.RNN(4, 3, bias=False)(torch.randn(6, 2, 4))
    assert counter.get_total_flops() == 2 * 6 * 2 * 3 * (4 + 3)


def test_table(capsys):
    model = nn.Sequential(nn.Linear(512, 512), nn.Linear(512, 4096))
    with FlopCounterMode(depth=1):
        model(torch.randn(700, 512))
    shown = capsys.readouterr().out.splitlines()
    assert [line.split() for line in shown[2:]] == [
        ["Sequential", "3303.014M", "100.00%"],
        ["-", "aten.addmm", "3303.014M", "100.00%"],
    ]


def test_nothing_counts_outside_products():
    with FlopCounterMode(display=False) as counter:
        torch.ones(2) + 1
    assert counter.get_total_flops() == 0
    assert counter.get_table().splitlines()[2].split() == ["Global", "0", "0%"]


def test_own_formulas():
    def relu(shape, out_shape=None):
        assert out_shape == shape
        return shape[0] * 10

    with FlopCounterMode(display=False, custom_mapping={aten.relu: relu}) as counter:
        torch.relu(torch.ones(2, 3))
    assert counter.get_flop_counts()["Global"] == {aten.relu: 20}
    with pytest.raises(RuntimeError, match=r"duplicate registrations for aten\.mm"):
        register_flop_formula([aten.mm])(relu)
