"""Products of complex numbers, which real products make."""

import math

import pytest

import rushlight as torch

REAL = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def numbers(*size, dtype=torch.complex128, start=0.3):
    count = math.prod(size)
    real = torch.arange(count, dtype=REAL[dtype]).add(start).sin()
    return torch.complex(real, real.mul(3).cos()).reshape(size)


def by_hand(a, b):
    """The real and imaginary part of a product from those of its factors."""
    real = a.real @ b.real - a.imag @ b.imag
    return torch.complex(real, a.real @ b.imag + a.imag @ b.real)


SIZES = [
    ((3,), (3,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3), (3, 4)), ((2, 2, 3), (3,)),
    ((5, 1, 2, 3), (2, 3, 4)), ((3,), (2, 3, 4)), ((0, 3), (3, 4)), ((2, 0), (0, 4)), ((0,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("sizes", SIZES)
def test_all_ranks(sizes, dtype):
    a, b = (numbers(*size, dtype=dtype, start=k) for k, size in enumerate(sizes))
    for _ in range(3):
        torch.testing.assert_close(a @ b, by_hand(a, b))


def test_layouts_and_conjugates():
    a, b = numbers(3, 4), numbers(5, 4).t()
    torch.testing.assert_close(a.t().contiguous().t() @ b, by_hand(a, b))
    torch.testing.assert_close(a.conj() @ b, by_hand(a.conj().resolve_conj(), b))
    torch.testing.assert_close(a @ b.conj(), by_hand(a, b.conj().resolve_conj()))
    x, y = numbers(7), numbers(7, start=2.0)
    torch.testing.assert_close(torch.vdot(x, y), (x.conj() * y).sum())
    torch.testing.assert_close(torch.outer(x, y), x[:, None] * y)


def test_summands_and_factors():
    a, b, c = numbers(3, 4), numbers(4, 5), numbers(5)
    expected = by_hand(a, b) * (1 - 2j) + 0.5j * c
    torch.testing.assert_close(torch.addmm(c, a, b, beta=0.5j, alpha=1 - 2j), expected)
    nothing = torch.full((3, 5), math.nan, dtype=torch.complex128)
    torch.testing.assert_close(torch.addmm(nothing, a, b, beta=0), by_hand(a, b))
    torch.testing.assert_close(torch.nn.functional.linear(a, b.t(), c), by_hand(a, b) + c)
    summed = torch.addr(numbers(4, 5), a[0], c, beta=1j, alpha=2)
    torch.testing.assert_close(summed, 1j * numbers(4, 5) + 2 * a[0][:, None] * c)


def test_ever_new_sizes_have_programs(learned_at_once):
    weight = numbers(4, 5)
    for n in range(2, 12):
        torch.testing.assert_close(numbers(n, 4) @ weight, by_hand(numbers(n, 4), weight))
