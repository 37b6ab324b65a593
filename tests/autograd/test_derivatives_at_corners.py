"""Derivatives where functions have corners, poles or choices, and what second ones see of them."""

import math

import pytest

import rushlight as torch


def derivatives(function, *numbers):
    """The first and the second derivative at some points."""
    x = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return first.tolist(), second.tolist()


def test_powers_of_zero():
    for exponent in (0, 0.0):
        first, second = derivatives(lambda x, e=exponent: x**e, 0.0, 2.0)
        assert first == [0.0, 0.0] and second == [0.0, 0.0]
    for exponent in (1, 1.0, True):
        first, second = derivatives(lambda x, e=exponent: x.pow(e), 0.0, 2.0)
        assert first == [1.0, 1.0] and second == [0.0, 0.0]


def test_sinc_at_zero():
    first, second = derivatives(torch.sinc, 0.0, 1.0)
    assert first[0] == 0.0 and second[0] == pytest.approx(-(math.pi**2) / 3)
    assert first[1] == pytest.approx(-1) and second[1] == pytest.approx(2)


@pytest.mark.parametrize("name", ["elu", "celu", "selu"])
def test_exponential_units_at_zero(name):
    _, second = derivatives(getattr(torch.nn.functional, name), 0.0, 1.0)
    assert second == [0.0, 0.0]


def test_logaddexp_of_equal_numbers():
    c = torch.tensor([0.0, 2.0], dtype=torch.float64)
    first, second = derivatives(lambda x: torch.logaddexp(x, c), 0.0, 2.0)
    assert first == [0.5, 0.5] and second == [0.25, 0.25]
    first, second = derivatives(lambda x: torch.logaddexp2(c, x), 0.0, 2.0)
    assert first == [0.5, 0.5] and second == pytest.approx([math.log(2) / 4] * 2)


@pytest.mark.parametrize("function", [
    lambda x: torch.maximum(x, x.detach()),
    lambda x: torch.minimum(x.detach(), x),
    lambda x: torch.fmax(x, x.detach()),
    lambda x: torch.fmin(x, -x.detach()),
    lambda x: x.clamp(-1, 1),
    lambda x: x.clamp(min=x.detach()),
    lambda x: torch.nan_to_num(x),
    lambda x: torch.fmod(x, torch.tensor(2.0)),
    lambda x: torch.remainder(x, torch.tensor(2.0)),
    lambda x: torch.xlogy(x, torch.tensor(2.0)),
    torch.deg2rad,
    torch.rad2deg,
])  # fmt: skip
def test_gradients_that_change_in_steps_only_have_no_history(function):
    x = torch.tensor([1.5, -0.5], requires_grad=True)
    (first,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    assert not first.requires_grad


@pytest.mark.parametrize("change", [
    lambda x, y: torch.addcdiv(y, x, x + 1),
    lambda x, y: torch.fmod(y, 2.0),
    lambda x, y: torch.remainder(y, x.detach()),
    lambda x, y: torch.div(y, 2.0, rounding_mode="trunc"),
    lambda x, y: torch.deg2rad(y),
])  # fmt: skip
def test_an_argument_that_no_gradient_needs_may_change(change):
    x = torch.tensor([1.5, 2.5], requires_grad=True)
    y = x * 1
    z = change(x, y)
    y.add_(1)
    z.sum().backward()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize("step", [
    lambda x: x * 2,
    lambda x: 2 * x,
    lambda x: x / 2,
    lambda x: torch.nn.functional.avg_pool2d(x.reshape(1, 2, 2), 2),
    lambda x: torch.fft.rfft(x).real,
])  # fmt: skip
def test_steps_are_passed_once(step):
    x = torch.ones(4, requires_grad=True)
    for _ in range(3):
        y = step(x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            y.backward()


def test_quotients_with_a_rounding_mode():
    x = torch.tensor([3.0, -7.0], requires_grad=True)
    y = torch.tensor([2.0, 2.0], requires_grad=True)
    torch.div(x, y, rounding_mode=None).sum().backward()
    assert x.grad.tolist() == [0.5, 0.5] and y.grad.tolist() == [-0.75, 1.75]
    x.grad = y.grad = None
    torch.remainder(x, y).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and y.grad.tolist() == [-1.0, 4.0]
    x.grad = y.grad = None
    torch.fmod(x, y).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and y.grad.tolist() == [-1.0, 3.0]


@pytest.mark.parametrize("function", [torch.abs, torch.angle])
def test_second_derivatives_at_complex_zero(function):
    z = torch.tensor([0j], dtype=torch.complex128, requires_grad=True)
    (first,) = torch.autograd.grad(function(z).sum(), z, create_graph=True)
    (second,) = torch.autograd.grad(torch.view_as_real(first).sum(), z)
    assert first.item() == 0 and second.item() == 0


def test_steps_that_have_kept_nothing_are_passed_again():
    place = torch.tensor([0])
    x, src = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    for _ in range(3):
        x.grad = None
        y = x.index_add(0, place, torch.ones(1)).sum()
        y.backward()
        y.backward()
        assert x.grad.tolist() == [2.0, 2.0]
        z = x.detach().index_add(0, place, src).sum()
        z.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            z.backward()


def test_rounded_quotients_change_in_steps_only():
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    y = torch.tensor([2.0, 8.0], requires_grad=True)
    for mode in ("floor", "trunc"):
        # The logarithm of 0 gives infinity, which must not become a nan.
        for quotient in (x.div(y, rounding_mode=mode), x.div(8.0, rounding_mode=mode)):
            wanted = (x, y) if quotient.grad_fn.next_functions[1][0] is not None else (x,)
            found = torch.autograd.grad(
                torch.special.entr(quotient).sum(), wanted, create_graph=True
            )
            for grad in found:
                assert grad.tolist() == [0.0, 0.0] and not grad.requires_grad


def test_no_gradient_passes_a_logarithm_that_does_not_exist():
    x = torch.ones(3, requires_grad=True)
    (grad,) = torch.autograd.grad(torch.xlogy(x, torch.tensor([0.5, -1.0, 2.0]))[0], x)
    assert grad.tolist() == pytest.approx([math.log(0.5), 0.0, 0.0])
    y = torch.tensor([2.0, 4.0], requires_grad=True)
    first, second = derivatives(lambda v: torch.xlogy(v, v), 2.0, 4.0)
    assert first == pytest.approx([math.log(2) + 1, math.log(4) + 1])
    assert second == pytest.approx([0.5, 0.25])
    (grad,) = torch.autograd.grad(torch.xlogy(3.0, y).sum(), y)
    assert grad.tolist() == [1.5, 0.75]


def test_parts_of_a_complex_number():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (grad,) = torch.autograd.grad(torch.complex(x, x * 2).real.sum(), x, create_graph=True)
    assert grad.tolist() == [1.0, 1.0] and not grad.requires_grad
    (grad,) = torch.autograd.grad(torch.complex(x, torch.ones(())).abs().square().sum(), x)
    assert grad.tolist() == pytest.approx([2.0, 4.0])


@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_smooth_l1_is_straight_from_beta_on(beta):
    def loss(x):
        return torch.nn.functional.smooth_l1_loss(
            x, torch.zeros_like(x), reduction="sum", beta=beta
        )

    first, second = derivatives(loss, -beta, -beta / 2, 0.0, beta / 2, beta)
    assert first == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert second == [0.0, 1 / beta, 1 / beta, 1 / beta, 0.0]


def test_smooth_l1_without_a_smooth_part():
    def loss(x):
        return torch.nn.functional.smooth_l1_loss(x, torch.zeros_like(x), reduction="sum", beta=0.0)

    x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    assert torch.autograd.grad(loss(x), x)[0].tolist() == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize("exponent", [0, 0.0])
def test_a_power_that_is_one_has_no_gradient_whatever_arrives(exponent):
    x = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
    infinite = torch.full((3,), float("inf"))
    assert torch.autograd.grad(x**exponent, x, infinite)[0].tolist() == [0.0] * 3
    assert (
        torch.autograd.grad(torch.float_power(x, exponent), x, infinite.double())[0].tolist()
        == [0.0] * 3
    )
