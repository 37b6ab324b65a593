"""Parameters that a distribution does not take are refused, also where calls repeat."""

from __future__ import annotations

import math

import pytest

import rushlight as torch

CASES = [
    (torch.bernoulli, [0.5, 1.1], "p_in >= 0 && p_in <= 1"),
    (torch.bernoulli, [-0.1, 0.5], "p_in >= 0 && p_in <= 1"),
    (torch.bernoulli, [0.5, math.nan], "p_in >= 0 && p_in <= 1"),
    (torch.poisson, [1.0, -1.0], "invalid Poisson rate"),
    (torch.poisson, [1.0, math.nan], "invalid Poisson rate"),
    (lambda x: torch.normal(0.0, x), [1.0, -1.0], "all elements of std >= 0.0"),
    (lambda x: torch.multinomial(x, 2, True), [-1.0, math.inf], "entry < 0"),
    (lambda x: torch.multinomial(x, 2, True), [1.0, math.inf], "infinity or NaN"),
    (lambda x: torch.multinomial(x, 2, True), [0.0, 0.0], "sum of probabilities <= 0"),
    (lambda x: torch.multinomial(x, 1), [1.0, math.inf], "either `inf`, `nan` or element < 0"),
    (lambda x: torch.multinomial(x, 1), [0.0, 0.0], "sum of probabilities <= 0"),
]


@pytest.mark.parametrize(("call", "values", "message"), CASES)
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_refused(call, values, message, kind):
    good, bad = torch.full((2,), 0.5, dtype=kind), torch.tensor(values, dtype=kind)
    for _ in range(4):
        call(good)
        before = torch.get_rng_state()
        with pytest.raises(RuntimeError, match=message):
            call(bad)
        assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(("call", "values", "message"), CASES)
def test_refused_for_new_sizes(call, values, message):
    for n in range(10, 40):
        call(torch.full((n,), 0.5))
        if message.startswith("sum"):
            bad = torch.zeros(n)
        else:
            bad = torch.tensor([0.5] * (n - 2) + values)
        with pytest.raises(RuntimeError, match=message):
            call(bad)


def test_every_row_needs_a_weight():
    for _ in range(4):
        assert torch.multinomial(torch.eye(3), 2, True).tolist() == [[0, 0], [1, 1], [2, 2]]
        with pytest.raises(RuntimeError, match="sum of probabilities <= 0"):
            torch.multinomial(torch.tensor([[1.0, 1.0], [0.0, 0.0]]), 2, True)


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64], ids=str)
def test_wide_unsigned_integers_are_drawn_from_ranges(dtype) -> None:
    torch.manual_seed(7)
    drawn = torch.randint(3, 60000, (200,), dtype=dtype)
    torch.manual_seed(7)
    assert drawn.tolist() == torch.randint(3, 60000, (200,)).tolist()
    assert max(torch.empty(50, dtype=dtype).random_(9).tolist()) < 9
    with pytest.raises(RuntimeError, match="from is out of bounds for"):
        torch.empty(3, dtype=dtype).random_(-1, 5)
    with pytest.raises(NotImplementedError, match="random_kernel_cpu"):
        torch.empty(3, dtype=dtype).random_()
    with pytest.raises(NotImplementedError, match="bernoulli_scalar_cpu_"):
        torch.empty(3, dtype=dtype).bernoulli_(0.5)
    assert torch.empty(0, dtype=dtype).random_().shape == (0,)


def test_integers_without_a_type_are_of_64_bits():
    for made in (
        torch.randint(5, (3,), dtype=None),
        torch.randint(1, 5, (3,), dtype=None, device=None),
        torch.randint(high=5, size=(3,), generator=torch.Generator(), dtype=None),
        torch.randperm(3, dtype=None),
    ):
        assert made.dtype is torch.int64
