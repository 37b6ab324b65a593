"""Values of pointwise operators against numpy and closed forms."""

import math

import numpy as np
import pytest

import rushlight as rl

X = np.array([-2.5, -1.0, -0.0, 0.0, 0.3, 1.0, 7.25], np.float32)


def run(name: str, *args, **kwargs):
    args = [rl.from_numpy(a.copy()) if isinstance(a, np.ndarray) else a for a in args]
    return getattr(rl, name)(*args, **kwargs).numpy()


UNARY = [
    "exp", "expm1", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "floor",
    "ceil", "trunc", "abs", "sign", "signbit", "isnan", "isfinite", "isinf", "rad2deg", "square",
    "negative", "positive", "sinc",
]  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_one_operand_as_in_numpy(name):
    np.testing.assert_allclose(run(name, X), getattr(np, name)(X), rtol=3e-6, atol=1e-7)


BINARY = [
    "add", "multiply", "subtract", "true_divide", "maximum", "minimum", "fmax", "fmin", "hypot",
    "copysign", "logaddexp", "greater", "less_equal", "not_equal", "logical_xor", "nextafter",
    "arctan2", "heaviside",
]  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_two_operands_broadcast_as_in_numpy(name):
    y = np.array([[1.5], [-3.0]], np.float32)
    np.testing.assert_allclose(run(name, X, y), getattr(np, name)(X, y), rtol=3e-6, atol=1e-7)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint8])
def test_division_of_integers(kind):
    x = np.array([-7, -1, 0, 5, 100] if kind != np.uint8 else [7, 1, 0, 5, 100], kind)
    y = np.array([3, -2, 5, -5, 7] if kind != np.uint8 else [3, 2, 5, 5, 7], kind)
    np.testing.assert_array_equal(run("floor_divide", x, y), x // y)
    np.testing.assert_array_equal(run("remainder", x, y), x % y)
    np.testing.assert_array_equal(run("fmod", x, y), np.fmod(x, y))
    np.testing.assert_array_equal(run("div", x, y, rounding_mode="trunc"), np.trunc(x / y))
    np.testing.assert_array_equal(run("gcd", x, y), np.gcd(x, y))


def test_remainders_of_floats_are_exact_for_any_quotient():
    x = np.array([1e30, -5.5, 5.5, 1e-30, 2.0**60 + 2.0**10], np.float64)
    y = np.array([3.0, 2.0, -2.0, math.inf, 7.0], np.float64)
    np.testing.assert_array_equal(run("fmod", x, y), np.fmod(x, y))
    np.testing.assert_array_equal(run("remainder", x, y), np.remainder(x, y))


def test_logic_of_bools():
    a, b = np.array([True, True, False]), np.array([True, False, False])
    np.testing.assert_array_equal(run("add", a, b), a | b)
    np.testing.assert_array_equal(run("mul", a, b), a & b)
    np.testing.assert_array_equal(run("lt", b, a), ~b & a)
    np.testing.assert_array_equal(run("maximum", a, b), a | b)


def test_shifts_out_of_range():
    x, count = np.array([1, -8, 5], np.int32), np.array([33, 40, -1], np.int32)
    np.testing.assert_array_equal(run("bitwise_left_shift", x, count), [0, 0, 0])
    np.testing.assert_array_equal(run("bitwise_right_shift", x, count), [0, -1, 0])


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, -0.5, 2.5])
def test_powers(exponent):
    x = np.array([0.25, 1.0, 3.0], np.float64)
    np.testing.assert_allclose(run("pow", x, exponent), x**exponent, rtol=1e-15)


def test_limits_let_nan_through():
    x = np.array([math.nan, -3.0, 3.0], np.float32)
    np.testing.assert_array_equal(run("clamp", x, -1, 1), [math.nan, -1, 1])
    np.testing.assert_array_equal(run("clamp", x, min=0.5), [math.nan, 0.5, 3])
    np.testing.assert_array_equal(run("relu", x), [math.nan, 0, 3])


def test_activations():
    x = np.linspace(-6, 6, 25)
    aten = rl.ops.aten
    t = rl.from_numpy(x)
    error = np.array([math.erf(v / math.sqrt(2)) for v in x])
    np.testing.assert_allclose(aten.gelu(t).numpy(), x * (1 + error) / 2, atol=1e-15)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    tanh = x * (1 + np.tanh(inner)) / 2
    np.testing.assert_allclose(aten.gelu(t, approximate="tanh").numpy(), tanh, atol=1e-14)
    np.testing.assert_allclose(aten.silu(t).numpy(), x / (1 + np.exp(-x)), rtol=1e-14)
    mish = x * np.tanh(np.log1p(np.exp(x)))
    np.testing.assert_allclose(aten.mish(t).numpy(), mish, rtol=1e-13)
    single = aten.gelu(t.to(rl.float32)).numpy()
    np.testing.assert_allclose(single, x * (1 + error) / 2, atol=1e-6)


def test_losses_reduce():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([1.5, 0.0, 4.0])
    a, b = rl.from_numpy(x), rl.from_numpy(y)
    aten = rl.ops.aten
    np.testing.assert_allclose(aten.mse_loss(a, b, 0).numpy(), (x - y) ** 2)
    huber = np.where(abs(x - y) <= 1, 0.5 * (x - y) ** 2, abs(x - y) - 0.5)
    np.testing.assert_allclose(aten.huber_loss(a, b, 0).numpy(), huber)


def test_polynomials_and_incomplete_gamma():
    x, n = np.array([0.3, -0.7, 1.5]), np.array([0.0, 3.0, 2.0])
    want = [1.0, 4 * (-0.7) ** 3 + 3 * 0.7, 2 * 1.5**2 - 1]
    given = rl.special.chebyshev_polynomial_t(rl.from_numpy(x), rl.from_numpy(n))
    np.testing.assert_allclose(given.numpy(), want, rtol=1e-14)
    a, v = np.array([1.0, 1.0, 2.0]), np.array([0.5, 3.0, 3.0])
    upper = np.exp(-v) * np.array([1, 1, 4.0])
    np.testing.assert_allclose(run("igammac", a, v), upper, rtol=1e-13)
    np.testing.assert_allclose(run("igamma", a, v), 1 - upper, rtol=1e-13)


def test_frexp_has_two_results():
    mantissa, exponent = rl.frexp(rl.from_numpy(np.array([8.0, -0.75, 0.0], np.float32)))
    np.testing.assert_array_equal(mantissa.numpy(), [0.5, -0.75, 0])
    np.testing.assert_array_equal(exponent.numpy(), [4, 0, 0])


def test_complex_numbers():
    z = np.array([1 + 2j, -0.5j, -3 + 0j])
    np.testing.assert_allclose(run("abs", z), abs(z))
    np.testing.assert_allclose(run("angle", z), np.angle(z))
    np.testing.assert_allclose(run("exp", z), np.exp(z))
    np.testing.assert_allclose(run("mul", z, z), z * z)
    np.testing.assert_allclose(run("logaddexp", z, z), np.log(2 * np.exp(z)))


def test_one_element_beside_half_precision_is_not_rounded_when_it_multiplies() -> None:
    """The number 2**-30 is none of half precision; the product with it may be."""
    tiny, large = rl.tensor(2.0**-30), rl.full((3,), 2.0**15, dtype=rl.float16)
    assert (large * tiny).tolist() == [2.0**-15] * 3
    assert (tiny * large).tolist() == [0.0] * 3
    small = rl.full((3,), 2.0**-24, dtype=rl.float16)
    assert (small / tiny).tolist() == [64.0] * 3
    assert small.clone().div_(tiny).tolist() == [64.0] * 3
    assert (large + tiny).dtype is rl.float16
