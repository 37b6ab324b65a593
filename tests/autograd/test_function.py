"""Functions whose gradient the user writes, in both styles."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import Function, forward_ad, gradcheck, gradgradcheck
from rushlight.autograd.function import once_differentiable


def double(*values: float) -> Any:
    return torch.tensor(values or (0.5, 1.0, 1.5), dtype=torch.float64, requires_grad=True)


class OuterLoop(Function):
    """The context comes with `forward`."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any, factor: float = 2.0) -> Any:
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return x * y * factor

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad * y * ctx.factor, grad * x * ctx.factor, None


class Apart(Function):
    """`setup_context` has the context."""

    @staticmethod
    def forward(x: Any, y: Any, factor: float = 2.0) -> Any:
        return x * y * factor

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        x, y, ctx.factor = inputs
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad * y * ctx.factor, grad * x * ctx.factor, None

    @staticmethod
    def jvp(ctx: Any, dx: Any, dy: Any, _: Any) -> Any:
        x, y = ctx.saved_for_forward
        return (dx * y + x * dy) * ctx.factor


@pytest.mark.parametrize("function", [OuterLoop, Apart])
def test_both_styles(function: Any) -> None:
    x, y = double(), double(2.0, 3.0, 4.0)
    assert gradcheck(lambda x, y: function.apply(x, y, 3.0), (x, y))
    assert gradgradcheck(lambda x, y: function.apply(x, y, 3.0), (x, y))
    out = function.apply(x, y, 3.0)
    assert out.grad_fn.name() == f"{function.__name__}Backward"
    assert out.grad_fn.factor == 3.0
    assert not function.apply(x.detach(), y.detach(), 3.0).requires_grad


def test_tangents() -> None:
    x, y = double().detach(), double(2.0, 3.0, 4.0).detach()
    with forward_ad.dual_level():
        out = Apart.apply(forward_ad.make_dual(x, torch.ones_like(x)), y, 3.0)
        assert torch.equal(forward_ad.unpack_dual(out).tangent, y * 3)


def test_keywords_need_setup_context() -> None:
    x = double()
    assert torch.equal(Apart.apply(x, y=x, factor=1.0), x * x)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        OuterLoop.apply(x, x, factor=1.0)


def test_which_inputs_need_gradients() -> None:
    seen: list[Any] = []

    class Noting(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, z: int) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            seen.append(ctx.needs_input_grad)
            return grad, None, None

    Noting.apply(double(), double().detach(), 3).sum().backward()
    assert seen == [(True, False, False)]


def test_outputs_without_gradients() -> None:
    class Sorted(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            values, order = x.sort()
            ctx.mark_non_differentiable(order)
            ctx.save_for_backward(order)
            return values, order

        @staticmethod
        def backward(ctx: Any, grad: Any, _: Any) -> Any:
            (order,) = ctx.saved_tensors
            return torch.zeros_like(grad).scatter(0, order, grad)

    values, order = Sorted.apply(double(3.0, 1.0, 2.0))
    assert values.requires_grad
    assert not order.requires_grad
    assert gradcheck(lambda x: Sorted.apply(x)[0], (double(3.0, 1.0, 2.0),))


@pytest.mark.parametrize("materializes", [True, False])
def test_gradients_that_did_not_arrive(materializes: bool) -> None:
    seen: list[Any] = []

    class Two(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(materializes)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx: Any, one: Any, two: Any) -> Any:
            seen.append(two)
            return one

    Two.apply(double())[0].sum().backward()
    assert (seen[0] is None) is not materializes


def test_once_differentiable() -> None:
    class Once(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 * ctx.saved_tensors[0]

    x = double()
    v = torch.ones_like(x).requires_grad_()
    (slope,) = torch.autograd.grad(Once.apply(x), x, v, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        slope.sum().backward()


def returning(gradients: Any) -> Any:
    class Returns(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, k: int) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return gradients(grad)

    return Returns.apply(double(), 1).sum()


@pytest.mark.parametrize(
    "gradients, error, message",
    [
        (lambda g: g, RuntimeError, "incorrect number of gradients .expected 2, got 1"),
        (lambda g: (g, None, g), RuntimeError, "incorrect number of gradients"),
        (lambda g: (g, g), RuntimeError, "gradient different from None at position 2"),
        (lambda g: (3, None), TypeError, "expected Variable or None"),
        (lambda g: (g[:2], None), RuntimeError, "returned an invalid gradient at index 0"),
    ],
)
def test_wrong_gradients(gradients: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        returning(gradients).backward()


def test_trailing_nones_are_forgiven() -> None:
    returning(lambda g: (g, None, None)).backward()


def test_saved_tensors_are_released() -> None:
    x = double()
    out = OuterLoop.apply(x, x, 1.0).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        out.backward()


def test_only_tensors_can_be_saved() -> None:
    class Saves(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(3)
            return x

    with pytest.raises(TypeError, match="save_for_backward can only save variables"):
        Saves.apply(double())


def test_what_was_changed_must_be_returned() -> None:
    class Changes(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.clone()

    with pytest.raises(RuntimeError, match="marked as dirty"):
        Changes.apply(double() * 1)


def test_missing_methods() -> None:
    class Empty(Function):
        pass

    with pytest.raises(NotImplementedError, match="must implement the forward function"):
        Empty.apply(double())

    class Forward(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    with pytest.raises(NotImplementedError, match="either the backward or vjp method"):
        Forward.apply(double()).sum().backward()

    class Both(Forward):
        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

        @staticmethod
        def vjp(ctx: Any, grad: Any) -> Any:
            return grad

    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        Both.apply(double()).sum().backward()


def test_instances_are_relics() -> None:
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        relic = OuterLoop()
    with pytest.raises(RuntimeError, match="Legacy autograd function"):
        relic(double())


class Passing(Function):
    """Gives its arguments back."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        return args if len(args) > 1 else args[0]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class Viewing(Function):
    """Gives a view of a tensor of its own."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return (x * 2).view(-1)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def test_an_argument_that_is_given_back_is_a_view_of_it() -> None:
    x = double(1, 2, 3).requires_grad_()
    y = x * 2
    for given, base in ((x, x), (y, y), (y[1:], y)):
        made = Passing.apply(given)
        assert made is not given
        assert made._base is base
        assert made.grad_fn.name() == "PassingBackward"


@pytest.mark.parametrize("function", [Passing, Viewing])
def test_views_that_functions_give_cannot_be_changed(function: Any) -> None:
    made = function.apply(double(1, 2).requires_grad_() * 2)
    with pytest.raises(
        RuntimeError, match=r"created inside a custom Function .* cloning the output"
    ):
        made.relu_()
    with pytest.raises(RuntimeError, match=r"Output 0 of Slice is a view .* a custom Function"):
        made[1:].mul_(2)
    one, _ = Passing.apply(made, made)
    with pytest.raises(RuntimeError, match=r"Output 0 of Passing.* returns multiple views"):
        one.mul_(2)


def test_views_that_functions_give_cannot_follow_their_base() -> None:
    x = double(1, 2).requires_grad_() * 2
    made = Passing.apply(x)
    x.mul_(2)
    with pytest.raises(
        RuntimeError, match=r"its base or another view of its base .* custom Function"
    ):
        made.sum()


def test_an_argument_given_back_without_recording_wants_no_gradient() -> None:
    x = double(1, 2).requires_grad_()
    with torch.no_grad():
        made = Passing.apply(x)
    assert made is not x
    assert not made.requires_grad
    assert made.data_ptr() == x.data_ptr()
