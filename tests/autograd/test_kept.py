"""What steps keep decides what a program may change in place: PyTorch's programs rely on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

Function = Callable[[Any], Any]

KEEP_RESULT: dict[str, Function] = {
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "softmax": lambda x: x.softmax(0),
}
KEEP_NEITHER: dict[str, Function] = {
    "by a number": lambda x: x / 2,
    "from a number": lambda x: 1 - x,
    "a constant factor": lambda x: torch.addcmul(x, x, torch.ones(3).double()),
    "constant weights": lambda x: F.linear(x, torch.ones(2, 3).double(), torch.ones(2).double()),
    "where": lambda x: torch.where(x > 0, x, x * 2),
    "lerp": lambda x: torch.lerp(x, x * 3, 0.3),
    "frac": torch.frac,
    "sign": torch.sign,
    "floor": torch.floor,
    "remainder": lambda x: x % 2,
    "fmod": lambda x: torch.fmod(x, 2),
}
KEEP_ARGUMENT: dict[str, Function] = {"log": torch.log, "sin": torch.sin, "square": torch.square}


def gradient(function: Function, change_argument: bool = False, change_result: bool = False) -> Any:
    start = torch.tensor([0.3, 0.5, 0.7], dtype=torch.float64, requires_grad=True)
    argument = start * 1
    result = function(argument)
    with torch.no_grad():
        if change_argument:
            argument.zero_()
        if change_result:
            result.zero_()
    result.sum().backward()
    return start.grad


def by_differences(function: Function) -> Any:
    x, step = torch.tensor([0.3, 0.5, 0.7], dtype=torch.float64), 1e-6
    slopes = []
    for place in range(3):
        move = torch.zeros(3, dtype=torch.float64)
        move[place] = step
        slopes.append((function(x + move).sum() - function(x - move).sum()) / (2 * step))
    return torch.stack(slopes)


@pytest.mark.parametrize("name", KEEP_RESULT)
def test_an_argument_that_is_not_needed_may_change(name: str) -> None:
    function = KEEP_RESULT[name]
    torch.testing.assert_close(gradient(function, change_argument=True), by_differences(function))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        gradient(function, change_result=True)


@pytest.mark.parametrize("name", KEEP_NEITHER)
def test_steps_that_keep_no_tensor_let_both_change(name: str) -> None:
    function = KEEP_NEITHER[name]
    found = gradient(function, change_argument=True, change_result=True)
    torch.testing.assert_close(found, by_differences(function))


@pytest.mark.parametrize("name", KEEP_ARGUMENT)
def test_an_argument_that_is_needed_must_not_change(name: str) -> None:
    function = KEEP_ARGUMENT[name]
    torch.testing.assert_close(gradient(function, change_result=True), by_differences(function))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        gradient(function, change_argument=True)


@pytest.mark.parametrize("name", ["relu", "tanh", "sigmoid", "exp", "sqrt"])
@pytest.mark.parametrize("part", [slice(None), slice(1, None)], ids=["whole", "view"])
def test_in_place_steps_that_keep_their_result(name: str, part: slice) -> None:
    def in_place(x: Any) -> Any:
        changed = x * 1
        getattr(changed[part] if part.start else changed, f"{name}_")()
        return changed

    def apart(x: Any) -> Any:
        return torch.cat([x[: part.start or 0], getattr(x[part], name)()])

    x = torch.tensor([0.3, -0.5, 0.7], dtype=torch.float64).abs_().requires_grad_()
    torch.testing.assert_close(in_place(x), apart(x))
    torch.testing.assert_close(gradient(in_place), gradient(apart))
    assert torch.autograd.gradcheck(in_place, x)
    assert torch.autograd.gradgradcheck(in_place, x)


def test_changing_in_place_copies_only_what_a_gradient_needs() -> None:
    start = torch.ones(1000, requires_grad=True)
    changed = start * 1
    before = changed.data_ptr()
    torch.mul(changed, 2).relu_()
    changed.mul_(torch.full((1000,), 3.0)).div_(2).relu_()
    assert changed.data_ptr() == before
    assert changed.grad_fn._saved_result.data_ptr() == before
    changed.sum().backward()
    assert start.grad.eq(1.5).all()


def test_a_product_in_place_with_itself_needed() -> None:
    weight = torch.tensor([2.0, 3.0], requires_grad=True)
    changed = torch.tensor([5.0, 7.0])
    changed.mul_(weight)
    changed.sum().backward()
    assert weight.grad.tolist() == [5.0, 7.0]


def test_samples_of_probabilities_with_a_history() -> None:
    chances = F.softmax(torch.tensor([[0.0, 1.0]], requires_grad=True), -1)
    for several, again in [(1, False), (1, True), (4, True), (2, False)]:
        torch.manual_seed(0)
        found = torch.multinomial(chances, several, again)
        torch.manual_seed(0)
        assert found.equal(torch.multinomial(chances.detach(), several, again))
        assert not found.requires_grad


@pytest.mark.parametrize("rows", [(), (4,), (2, 3), (2, 0), (0,)])
def test_each_gradient_of_linear_by_itself(rows: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(0)
    shapes = [(*rows, 5), (6, 5), (6,)]
    values = [torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes]
    for wanted in ({0}, {1}, {2}, {0, 2}, {0, 1, 2}):
        leaves = [v.clone().requires_grad_(k in wanted) for k, v in enumerate(values)]
        assert torch.autograd.gradcheck(F.linear, leaves)
