"""Gradients of operators that programs define."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import Tensor
from rushlight.autograd import gradcheck, gradgradcheck
from rushlight.library import custom_op, register_autograd


def double(*size: int) -> Any:
    return (
        torch.linspace(0.5, 1.5, int(np.prod(size)), dtype=torch.float64)
        .reshape(size)
        .requires_grad_()
    )


def test_registered_gradient() -> None:
    @custom_op("gradienttest::sine", mutates_args=())
    def sine(x: Tensor) -> Tensor:
        return torch.from_numpy(np.sin(x.numpy()))

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        (x,) = inputs
        ctx.save_for_backward(x)

    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0].cos()

    sine.register_autograd(backward, setup_context=setup)
    x = double(3)
    assert gradcheck(sine, (x,))
    assert gradgradcheck(sine, (x,))
    assert sine(x).grad_fn.name() == "GeneratedBackwardFor_gradienttest_sine_defaultBackward"
    with torch.no_grad():
        assert not sine(x).requires_grad


def test_lists_and_keywords() -> None:
    @custom_op("gradienttest::weighted", mutates_args=())
    def weighted(xs: Sequence[Tensor], factor: float, *, power: int = 1) -> Tensor:
        return sum(xs) ** power * factor  # type: ignore[no-any-return]

    seen = []

    def setup(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
        xs, ctx.factor = inputs
        ctx.power = keyword_only_inputs["power"]
        ctx.save_for_backward(*xs)

    def backward(ctx: Any, grad: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        total = sum(ctx.saved_tensors)
        one = grad * ctx.factor * ctx.power * total ** (ctx.power - 1)
        return [one] * len(ctx.saved_tensors), None

    register_autograd("gradienttest::weighted", backward, setup_context=setup)
    x, y = double(3), double(3).detach()
    weighted([x, y], 2.0, power=2).sum().backward()
    assert torch.allclose(x.grad, 4 * (x.detach() + y))
    assert seen == [([True, False], False)]


def test_lists_as_results() -> None:
    @custom_op("gradienttest::both", mutates_args=())
    def both(x: Tensor) -> list[Tensor]:
        return [x * 2, x * 3]

    def backward(ctx: Any, grads: Any) -> Any:
        return grads[0] * 2 + grads[1] * 3

    both.register_autograd(backward)
    x = double(2)
    one, two = both(x)
    (one + two).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_no_gradient_registered() -> None:
    @custom_op("gradienttest::silent", mutates_args=())
    def silent(x: Tensor) -> Tensor:
        return x * 2

    out = silent(double(2))
    assert out.requires_grad
    with pytest.raises(NotImplementedError, match="no autograd formula was registered"):
        out.sum().backward()


def test_wrong_number_of_gradients() -> None:
    @custom_op("gradienttest::pair", mutates_args=())
    def pair(x: Tensor, y: Tensor) -> Tensor:
        return x * y

    pair.register_autograd(lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="returned 1 gradients"):
        pair(double(2), double(2)).sum().backward()


def test_operators_that_write_are_refused() -> None:
    @custom_op("gradienttest::fill", mutates_args={"x"})
    def fill(x: Tensor) -> None:
        x.fill_(1)

    with pytest.raises(RuntimeError, match="non-functional operator"):
        fill.register_autograd(lambda ctx: None)
