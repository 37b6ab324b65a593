"""Gradients against differences: the first, the second, and the tangents of forward mode."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import forward_ad

F = torch.nn.functional
STEP = 1e-6


def numbers(*size, low=-2.0, high=2.0, seed=0):
    rng = np.random.default_rng([seed, *size])
    return rng.uniform(low, high, size)


def positive(*size, seed=0):
    return numbers(*size, low=0.2, high=2.0, seed=seed)


def share(*size, seed=0):
    return numbers(*size, low=0.1, high=0.9, seed=seed)


LENGTHS = torch.tensor([2, 0, 3])
INDEX = torch.tensor([0, 2, 0])

# What is differentiated, and the arrays it is differentiated by.
CASES = {
    "mse_loss": (F.mse_loss, [numbers(3, 2), numbers(3, 2, seed=1)]),
    "mse_loss, sum, broadcast": (
        lambda x, t: F.mse_loss(x, t.expand(3, 2), reduction="sum"),
        [numbers(3, 2), numbers(2, seed=1)],
    ),
    "smooth_l1_loss": (
        lambda x, t: F.smooth_l1_loss(x, t, reduction="none", beta=0.7),
        [numbers(5), numbers(5, seed=1)],
    ),
    "huber_loss": (lambda x, t: F.huber_loss(x, t, delta=0.4), [numbers(5), numbers(5, seed=1)]),
    "soft_margin_loss": (F.soft_margin_loss, [numbers(5), numbers(5, seed=1)]),
    "binary_cross_entropy": (
        lambda x, t, w: F.binary_cross_entropy(x, t, w.detach()),
        [share(4), share(4, seed=1), share(4, seed=2)],
    ),
    "binary_cross_entropy_with_logits": (
        lambda x, t: F.binary_cross_entropy_with_logits(
            x, t, pos_weight=torch.tensor([0.5, 2.0], dtype=torch.float64)
        ),
        [numbers(3, 2), share(3, 2, seed=1)],
    ),
    "glu": (lambda x: F.glu(x, 0), [numbers(4, 3)]),
    "logsigmoid": (F.logsigmoid, [numbers(5)]),
    "polar": (lambda a, b: torch.view_as_real(torch.polar(a, b)), [positive(3), numbers(3)]),
    "complex": (lambda a, b: torch.view_as_real(torch.complex(a, b)), [numbers(3), numbers(3)]),
    "igamma": (lambda x: torch.igamma(torch.full_like(x, 1.5), x), [positive(4)]),
    "igammac": (lambda x: torch.igammac(torch.full_like(x, 1.5), x), [positive(4)]),
    "zeta": (lambda q: torch.special.zeta(2.5, q), [positive(4)]),
    "polygamma": (lambda x: torch.polygamma(2, x), [positive(4)]),
    "digamma": (torch.digamma, [positive(4)]),
    "clamp": (lambda x: x.clamp(-0.5, 0.5), [numbers(6)]),
    "where": (lambda a, b: torch.where(a > b, a * b, b), [numbers(5), numbers(5, seed=1)]),
    "nanmean": (lambda x: x.nanmean(1), [numbers(3, 4)]),
    "logcumsumexp": (lambda x: x.logcumsumexp(1), [numbers(2, 5)]),
    "logcumsumexp, far apart": (lambda x: (x * 100).logcumsumexp(0), [numbers(6)]),
    "rms_norm": (
        lambda x, w: F.rms_norm(x, (4,), w, 0.1),
        [numbers(3, 4), numbers(4, seed=1)],
    ),
    "native_group_norm": (
        lambda x, w, b: torch.cat(
            [t.flatten() for t in torch.native_group_norm(x, w, b, 2, 4, 3, 2, 0.1)]
        ),
        [numbers(2, 4, 3), numbers(4, seed=1), numbers(4, seed=2)],
    ),
    "constant_pad_nd": (
        lambda x: torch.constant_pad_nd(x, [1, -1, 2, 0], 7.0),
        [numbers(3, 4)],
    ),
    **{
        f"segment_reduce, {reduce}": (
            lambda x, reduce=reduce: torch.segment_reduce(x, reduce, lengths=LENGTHS)[::2],
            [numbers(5, 2)],
        )
        for reduce in ("sum", "mean", "max", "min", "prod")
    },
    "repeat": (lambda x: x.repeat(2, 3), [numbers(2, 2)]),
    "tile": (lambda x: x.tile((2, 2, 1)), [numbers(2, 2)]),
    "index_select": (lambda x: x.index_select(0, INDEX), [numbers(3, 2)]),
    "safe_softmax": (lambda x: torch.ops.aten._safe_softmax(x, 1), [numbers(2, 3)]),
    "masked softmax": (
        lambda x: torch.masked.softmax(x, 1, mask=torch.tensor([[True, False, True]])),
        [numbers(2, 3)],
    ),
}

# Only the first derivative is there.
ONCE = {"segment_reduce, prod"}


def tensors(arrays):
    return [torch.from_numpy(a.copy()).requires_grad_() for a in arrays]


def weights(result, seed):
    return torch.from_numpy(np.asarray(numbers(*result.shape, seed=seed)))


def weighted_sum(function, seed=7):
    """A function to a number, with a gradient that differs from place to place."""

    def total(*given):
        result = function(*given)
        return (result * weights(result, seed)).sum()

    return total


def differences(function, arrays):
    """The gradient of a function to a number, from its values."""
    found = []
    for place, array in enumerate(arrays):
        changes = np.zeros_like(array)
        for where in np.ndindex(array.shape):
            values = []
            for step in (STEP, -STEP):
                moved = [a.copy() for a in arrays]
                moved[place][where] += step
                values.append(function(*tensors(moved)).item())
            changes[where] = (values[0] - values[1]) / (2 * STEP)
        found.append(changes)
    return found


def gradients(function, arrays, **options):
    given = tensors(arrays)
    found = torch.autograd.grad(function(*given), given, allow_unused=True, **options)
    return [torch.zeros_like(x) if g is None else g for g, x in zip(found, given)]


@pytest.mark.parametrize("name", CASES)
def test_first_derivatives(name):
    function, arrays = CASES[name]
    total = weighted_sum(function)
    wanted = differences(total, arrays)
    if name == "binary_cross_entropy":
        wanted[2][:] = 0
    for found, expected in zip(gradients(total, arrays), wanted):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", [n for n in CASES if n not in ONCE])
def test_second_derivatives(name):
    function, arrays = CASES[name]
    total = weighted_sum(function)

    def slope(*given):
        found = torch.autograd.grad(total(*given), given, create_graph=True, allow_unused=True)
        parts = [(g * weights(g, 3 + k)).sum() for k, g in enumerate(found) if g is not None]
        return torch.stack(parts).sum()

    given = tensors(arrays)
    result = slope(*given)
    wanted = differences(slope, arrays)
    if name == "binary_cross_entropy":
        wanted[2][:] = 0
    if not result.requires_grad:
        assert not any(w.any() for w in wanted)
        return
    found = torch.autograd.grad(result, given, allow_unused=True)
    for one, expected in zip(found, wanted):
        one = np.zeros_like(expected) if one is None else one.numpy()
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_tangents_agree_with_gradients(name):
    function, arrays = CASES[name]
    total = weighted_sum(function)
    directions = [torch.from_numpy(numbers(*a.shape, seed=11)) for a in arrays]
    expected = sum(
        (g * d).sum().item() for g, d in zip(gradients(total, arrays), directions, strict=True)
    )
    with forward_ad.dual_level():
        duals = [
            forward_ad.make_dual(torch.from_numpy(a.copy()), d) for a, d in zip(arrays, directions)
        ]
        tangent = forward_ad.unpack_dual(total(*duals)).tangent
    assert tangent.item() == pytest.approx(expected, rel=1e-9, abs=1e-12)


# -- what is not a matter of differences --


def test_a_choice_of_zero_has_no_gradient_whatever_arrives():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    (found,) = torch.autograd.grad(x.clamp(min=0), x, torch.tensor([math.nan, 3.0]))
    assert found.tolist() == [0, 3]


def test_rows_of_minus_infinity_have_no_gradient():
    x = torch.full((2, 3), -math.inf, requires_grad=True)
    torch.ops.aten._safe_softmax(x, 1).sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_inplace_functions_that_need_what_they_overwrite():
    for change in (lambda x: x.polygamma_(1), lambda x: x.mvlgamma_(2)):
        x = torch.tensor([1.5, 2.5], dtype=torch.float64, requires_grad=True)
        change(x.clone()).sum().backward()
        above = differences(lambda x: change(x.clone()).sum(), [x.detach().numpy()])[0]  # noqa: B023
        np.testing.assert_allclose(x.grad.numpy(), above, rtol=1e-6)


def test_running_statistics_are_updated_while_a_step_is_recorded():
    x = torch.from_numpy(numbers(3, 2)).requires_grad_()
    mean, var = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    found = torch.ops.aten._native_batch_norm_legit(x, None, None, mean, var, True, 1.0, 1e-5)
    np.testing.assert_allclose(mean.numpy(), x.detach().numpy().mean(0))
    (found[0] * weights(found[0], 1)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy().sum(0), 0, atol=1e-12)


def test_a_batch_of_nothing_gives_its_parameters_gradients():
    x = torch.empty(0, requires_grad=True)
    w = torch.empty(0, requires_grad=True)
    torch.batch_norm(x, w, None, None, None, True, 0.1, 1e-5, False).sum().backward()
    assert w.grad.shape == (0,) and x.grad.shape == (0,)


@pytest.mark.parametrize("name", ["chebyshev_polynomial_t", "hermite_polynomial_he"])
def test_polynomials_are_constants_to_autograd(name):
    x = torch.rand(3, requires_grad=True)
    assert not getattr(torch.special, name)(x, 2).requires_grad


def test_arguments_without_a_derivative_say_so():
    x, y = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
    with pytest.raises(NotImplementedError, match="igamma: input"):
        torch.igamma(x, y).sum().backward()
    with pytest.raises(NotImplementedError, match="'zeta'"):
        torch.special.zeta(x, y).sum().backward()


# At corners and where a formula would divide zero by zero: the function, where, its gradients there.
CORNERS = [
    (lambda x: x.clamp(-1, 1), [1.0], [1]),
    (lambda x: x.clamp(-1, 1), [-1.5], [0]),
    (lambda x: x.clamp_max(2), [2.0], [1]),
    (torch.relu, [0.0], [0]),
    (torch.maximum, [1.0, 1.0], [0.5, 0.5]),
    (torch.minimum, [1.0, 2.0], [1, 0]),
    (torch.fmax, [1.0, 1.0], [1, 0]),
    (lambda x, low: x.clamp(min=low), [1.0, 1.0], [1, 0]),
    (lambda x, low, high: x.clamp(low, high), [1.0, 3.0, 2.0], [0, 0, 1]),
    (torch.atan2, [0.0, 0.0], [0, 0]),
    (torch.pow, [math.inf, 0.0], [0, math.inf]),
    (torch.abs, [0.0], [0]),
    (torch.logit, [2.0], [math.nan]),
    (lambda x: torch.logit(x, 0.1), [0.05], [0]),
    (torch.angle, [math.nan], [0]),
    (F.hardswish, [math.inf], [1]),
    (lambda x: F.softshrink(x), [0.5], [0]),
    (lambda x, y: F.huber_loss(x, y), [math.nan, 0.0], [math.nan, math.nan]),
    (lambda x, y: F.smooth_l1_loss(x, y, beta=0.0), [1.0, 1.0], [0, 0]),
    (lambda x, y: F.binary_cross_entropy(x, y), [0.0, 0.0], [0, math.inf]),
]


@pytest.mark.parametrize("place", range(len(CORNERS)))
def test_corners(place):
    function, values, wanted = CORNERS[place]
    given = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]
    found = torch.autograd.grad(function(*given), given)
    np.testing.assert_array_equal([g.item() for g in found], wanted)


def test_the_size_and_the_angle_of_a_complex_zero_have_no_gradient():
    for function in (torch.abs, torch.angle):
        z = torch.tensor([0j, 3 + 4j], requires_grad=True)
        function(z).sum().backward()
        assert z.grad[0].item() == 0
        expected = 0.6 + 0.8j if function is torch.abs else (-4 + 3j) / 25
        assert z.grad[1].item() == pytest.approx(expected, rel=1e-6)


def test_views_of_a_tensor_whose_tangent_has_other_strides():
    x = torch.arange(6.0).reshape(2, 3)
    direction = torch.arange(6.0).reshape(3, 2).t()
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x.clone(), direction)
        flat = forward_ad.unpack_dual((dual * 1).view(6)).tangent
        assert flat.tolist() == direction.flatten().tolist()
        changed = dual * 1
        changed[0] = changed[0] * 2
        tangent = forward_ad.unpack_dual(changed).tangent
        assert tangent.tolist() == (direction * torch.tensor([[2.0], [1.0]])).tolist()
