"""Products with vectors, Jacobians and Hessians."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([2.0, 0.5, 1.0])


def elementwise(x: Any) -> Any:
    return x**2 * Y


def cubes(x: Any) -> Any:
    return (x**3).sum()


def mixed(x: Any, y: Any) -> Any:
    return (x * y * y).sum()


def both(x: Any, y: Any) -> Any:
    return (x * y).sum(), x.exp()


def test_vjp() -> None:
    value, product = vjp(elementwise, X, torch.ones(3))
    assert torch.equal(value, X**2 * Y)
    assert torch.equal(product, 2 * X * Y)
    assert not product.requires_grad
    assert torch.equal(vjp(cubes, X)[1], 3 * X**2)
    (_, _), (by_x, by_y) = vjp(both, (X, Y), (torch.ones(()), torch.zeros(3)))
    assert torch.equal(by_x, Y)
    assert torch.equal(by_y, X)


def test_jvp() -> None:
    value, product = jvp(elementwise, X, Y)
    assert torch.equal(value, X**2 * Y)
    assert torch.equal(product, 2 * X * Y * Y)
    _, (first, second) = jvp(both, (X, Y), (Y, X))
    assert torch.allclose(first, (Y * Y + X * X).sum())
    assert torch.allclose(second, X.exp() * Y)


@pytest.mark.parametrize("product", [hvp, vhp])
def test_products_with_hessians(product: Any) -> None:
    value, found = product(cubes, X, X)
    assert value.item() == 36.0
    assert torch.equal(found, 6 * X * X)
    _, (by_x, by_y) = product(mixed, (X, Y), (X, Y))
    assert torch.equal(by_x, 2 * Y * Y)
    assert torch.equal(by_y, 2 * Y * X + 2 * X * Y)


def test_jacobian() -> None:
    assert torch.equal(jacobian(elementwise, X), torch.diag(2 * X * Y))
    (first, second) = jacobian(both, (X, Y))
    assert torch.equal(first[0], Y)
    assert torch.allclose(second[0], torch.diag(X.exp()))
    assert torch.equal(second[1], torch.zeros(3, 3))
    assert jacobian(lambda x: x[:0], X).shape == (0, 3)


def test_jacobian_of_matrices_has_all_sizes() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    found = jacobian(lambda x: x.t() * 2, x)
    assert found.shape == (3, 2, 2, 3)
    assert found[2, 1, 1, 2].item() == 2.0


def test_jacobian_forward_is_jacobian_backward() -> None:
    ahead = jacobian(both, (X, Y), vectorize=True, strategy="forward-mode")
    back = jacobian(both, (X, Y))
    for one, other in zip(ahead, back):
        assert all(torch.allclose(a, b) for a, b in zip(one, other))


@pytest.mark.parametrize(
    "options", [{}, {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}]
)
def test_hessian(options: Any) -> None:
    assert torch.allclose(hessian(cubes, X, **options), torch.diag(6 * X))
    if not options:
        (xx, xy), (yx, yy) = hessian(mixed, (X, Y))
        assert torch.equal(xx, torch.zeros(3, 3))
        assert torch.equal(xy, torch.diag(2 * Y))
        assert torch.equal(yx, xy)
        assert torch.equal(yy, torch.diag(2 * X))


def test_results_can_be_differentiated() -> None:
    x = X.clone().requires_grad_()
    found = jacobian(lambda x: x**3, x, create_graph=True)
    found.sum().backward()
    assert torch.equal(x.grad, 6 * X)
    for function in (vjp, jvp):
        assert function(elementwise, x, X, create_graph=True)[1].requires_grad
    assert hvp(cubes, x, X, create_graph=True)[1].requires_grad


def test_constant_results() -> None:
    assert torch.equal(jacobian(lambda x: Y * 2, X), torch.zeros(3, 3))
    assert torch.equal(jvp(lambda x: Y * 2, X, X)[1], torch.zeros(3))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: jacobian(lambda x: Y * 2, X, strict=True), "Output 0 .* does not require grad"),
        (lambda: jacobian(both, (X, Y), strict=True), "Output 1 .* independent of input 1"),
        (lambda: hessian(lambda x: x.sum(), X, strict=True), "While computing the hessian"),
        (lambda: hvp(lambda x: x.sum() * 2, X, X, strict=True), "While computing the hessian"),
        (lambda: vjp(lambda x, y: x * 2, (X, Y), X, strict=True), "independent of input 1"),
        (
            lambda: vjp(lambda x: x * 2, X, X, create_graph=True, strict=True),
            "The jacobian of the user-provided function is independent of input 0",
        ),
        (
            lambda: vhp(lambda x: (x * x).sum(), X, X, create_graph=True, strict=True),
            "The hessian of the user-provided function is independent of input 0",
        ),
        (lambda: vjp(elementwise, X), "v can only be None if the user-provided function returns"),
        (lambda: jvp(elementwise, X), "v can only be None if the input"),
        (lambda: vjp(elementwise, X, torch.ones(2)), "v has invalid size"),
        (lambda: vjp(both, (X, Y), (torch.ones(()),)), "v is a tuple of invalid length"),
        (lambda: hvp(elementwise, X, X), "should contain a single element"),
        (lambda: hessian(both, (X, Y)), "should return a single Tensor"),
        (
            lambda: jacobian(both, (X, Y), vectorize=True, strict=True),
            "`strict=True` and `vectorized=True` are not supported together",
        ),
        (
            lambda: jacobian(both, (X, Y), strategy="forward-mode", strict=True),
            "are not supported together",
        ),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call()


def test_other_errors() -> None:
    with pytest.raises(TypeError, match="inputs given to vjp must be either a Tensor or a tuple"):
        vjp(elementwise, 3)
    with pytest.raises(NotImplementedError, match="only implemented for `vectorize=True`"):
        jacobian(both, (X, Y), strategy="forward-mode")
    with pytest.raises(NotImplementedError, match="create_graph=True"):
        jacobian(both, (X, Y), strategy="forward-mode", create_graph=True)
    with pytest.raises(AssertionError, match="Expected strategy"):
        jacobian(both, (X, Y), strategy="sideways")
