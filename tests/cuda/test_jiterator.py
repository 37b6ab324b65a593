"""Operators from scalar functions in C++."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.cuda import jiterator
from rushlight.cuda._scalar_code import ScalarFunction


def test_an_operator(cuda):
    code = "template <typename T> T my_kernel(T x, T y, T alpha) { return -x * y + x - y + alpha; }"
    operator = jiterator._create_jit_fn(code, alpha=0)
    x, y = torch.randn(3, 1), torch.randn(4)
    found = operator(x.cuda(), y.cuda(), alpha=3.14)
    torch.testing.assert_close(found.cpu(), -x * y + x - y + 3.14)
    assert found.is_cuda and operator(x.cuda(), y.cuda()).shape == (3, 4)
    with pytest.raises(KeyError, match="beta"):
        operator(x.cuda(), y.cuda(), beta=1)


def test_variables_choices_and_types(cuda):
    code = """template <typename T> T leaky(const T x) {
        // what is small
        const T slope = T(0.25);
        T found = x;
        if (x < 0 && !(x < static_cast<T>(-2))) { found *= slope; } else if (x > 1.5f) return std::exp(-x);
        return found > 0 ? ::sqrt(found) : (T)(found - 1);
    }"""
    x = torch.linspace(-4, 4, 33, dtype=torch.float64)
    scaled = torch.where((x < 0) & ~(x < -2), x * 0.25, x)
    wanted = torch.where(
        x > 1.5, (-x).exp(), torch.where(scaled > 0, scaled.abs().sqrt(), scaled - 1)
    )
    torch.testing.assert_close(jiterator._create_jit_fn(code)(x.cuda()).cpu(), wanted)


def test_several_results(cuda):
    code = (
        "template <typename T> void both(T x, T y, T& sum, T& rest) { sum = x + y; rest = x % 3; }"
    )
    one, other = jiterator._create_multi_output_jit_fn(code, 2)(
        torch.arange(5, device="cuda"), torch.ones(5, dtype=torch.int32, device="cuda")
    )
    assert one.tolist() == [1, 2, 3, 4, 5] and other.tolist() == [0, 1, 2, 0, 1]
    assert one.dtype == torch.int64


def test_what_is_not_understood():
    with pytest.raises(Exception, match="Couldn't parse code"):
        ScalarFunction("T f(T x) { return x; }")
    with pytest.raises(NotImplementedError, match="loops"):
        ScalarFunction("template <typename T> T f(T x) { while (x) x = x - 1; return x; }")(1)
    assert ScalarFunction("template <typename T> T f(T x) { return (x + 1) * 2 - x / 2; }")(5) == 10
