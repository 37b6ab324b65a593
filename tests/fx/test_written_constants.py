"""Tensors that a program writes down: a trace keeps their elements as they are written."""

import pytest

import rushlight as torch
from rushlight.fx.experimental.proxy_tensor import make_fx


@pytest.mark.parametrize("options", [{}, {"tracing_mode": "fake"}, {"pre_dispatch": True}])
def test_constant_that_the_program_changes(options):
    def program(x):
        y = torch.tensor(3)
        y.add_(1)
        return x + y

    traced = make_fx(program, **options)(torch.zeros(2))
    for _ in range(2):
        assert traced(torch.zeros(2)).tolist() == [4.0, 4.0]
