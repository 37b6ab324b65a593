"""Calls that draw numbers for ever new sizes draw what the same calls with a generator draw."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.nn import functional


def shares(n, **options):
    return (torch.arange(n, **options) + 1) / (n + 1)


CALLS = {
    "rand": lambda n, **k: torch.rand(n, **k),
    "rand of halves": lambda n, **k: torch.rand(n, dtype=torch.float16, **k),
    "rand of complex numbers": lambda n, **k: torch.rand(n, dtype=torch.complex64, **k),
    "randn": lambda n, **k: torch.randn(n, **k),
    "randn of matrices": lambda n, **k: torch.randn(3, n, dtype=torch.float64, **k),
    "randn of halves": lambda n, **k: torch.randn(n, dtype=torch.bfloat16, **k),
    "randn of complex numbers": lambda n, **k: torch.randn(n, dtype=torch.complex128, **k),
    "randint": lambda n, **k: torch.randint(10, (n,), **k),
    "randint of many": lambda n, **k: torch.randint(-5, 1 << 40, (n,), **k),
    "randperm": lambda n, **k: torch.randperm(n, **k),
    "randperm of int32": lambda n, **k: torch.randperm(n, dtype=torch.int32, **k),
    "normal of numbers": lambda n, **k: torch.normal(1.0, 2.0, (n,), **k),
    "normal of means": lambda n, **k: torch.normal(shares(n), 2.0, **k),
    "normal of both": lambda n, **k: torch.normal(shares(n), shares(n), **k),
    "uniform_": lambda n, **k: torch.empty(n).uniform_(-1, 2, **k),
    "normal_ of columns": lambda n, **k: torch.empty(n, 3).t().normal_(**k),
    "normal_ of a part": lambda n, **k: torch.zeros(n + 3)[2:].normal_(1, 2, **k),
    "normal_ of a complex part": lambda n, **k: torch.zeros(n + 3, dtype=torch.complex64)[
        2:
    ].normal_(**k),
    "bernoulli": lambda n, **k: torch.bernoulli(shares(n), **k),
    "bernoulli of doubles": lambda n, **k: torch.bernoulli(shares(n, dtype=torch.float64), **k),
    "bernoulli_": lambda n, **k: torch.empty(n).bernoulli_(0.3, **k),
    "exponential_": lambda n, **k: torch.empty(n).exponential_(2.0, **k),
    "cauchy_": lambda n, **k: torch.empty(n, dtype=torch.float64).cauchy_(**k),
    "log_normal_": lambda n, **k: torch.empty(n).log_normal_(**k),
    "geometric_": lambda n, **k: torch.empty(n, dtype=torch.int64).geometric_(0.2, **k),
    "random_": lambda n, **k: torch.empty(n, dtype=torch.int16).random_(**k),
    "poisson": lambda n, **k: torch.poisson(shares(n) * 20, **k),
    "binomial": lambda n, **k: torch.binomial(torch.full((n,), 30.0), shares(n), **k),
    "gamma": lambda n, **k: torch._standard_gamma(shares(n) * 3, **k),
    "dirichlet": lambda n, **k: torch._sample_dirichlet(shares(2 * n).add(1).view(n, 2), **k),
    "multinomial": lambda n, **k: torch.multinomial(shares(n), 5, True, **k),
    "multinomial of rows": lambda n, **k: torch.multinomial(shares(2 * n).view(2, n), 5, True, **k),
    "multinomial without replacement": lambda n, **k: torch.multinomial(shares(n), n // 2 + 1, **k),
}
# Each size is new, comes again, or comes again later; some need other branches than most.
SIZES = [*range(1, 40), 17, 17, 17, 400, 400, 401, 399, *range(60, 40, -1), 20000, 20000, 3]


@pytest.mark.parametrize("name", CALLS)
def test_the_stream_is_the_same(name):
    generator = torch.Generator().manual_seed(7)
    torch.manual_seed(7)
    for n in SIZES:
        assert torch.equal(CALLS[name](n), CALLS[name](n, generator=generator)), n
    assert torch.equal(torch.get_rng_state(), generator.get_state())


@pytest.mark.parametrize("inplace", [False, True])
def test_dropout(inplace):
    generator = torch.Generator().manual_seed(7)
    torch.manual_seed(7)
    for n in SIZES:
        kept = torch.empty(n).bernoulli_(0.75, generator=generator)
        found = functional.dropout(shares(n), 0.25, inplace=inplace)
        assert torch.equal(found, shares(n) * (kept / 0.75)), n
    assert torch.equal(torch.get_rng_state(), generator.get_state())


def test_gradients_of_dropout():
    torch.manual_seed(7)
    for n in SIZES:
        x = torch.ones(n, requires_grad=True)
        found = functional.dropout(x, 0.25)
        found.sum().backward()
        assert torch.equal(x.grad, found.detach())


@pytest.mark.parametrize(
    "call",
    [torch.rand, torch.randn, torch.randperm, lambda n, **k: torch.normal(1.0, 2.0, (n,), **k)],
)
def test_outputs_that_get_the_shape_of_the_result(call):
    generator = torch.Generator().manual_seed(7)
    torch.manual_seed(7)
    kind = call(1, generator=torch.Generator()).dtype
    for n in SIZES:
        same = torch.empty(n, dtype=kind)
        assert torch.equal(call(n, out=same), call(n, generator=generator))
        grown = torch.empty(0, dtype=kind)
        assert torch.equal(call(n, out=grown), call(n, generator=generator))


def test_generators_are_told_apart():
    first, second = torch.Generator(), torch.Generator()
    for n in SIZES:
        first.manual_seed(n)
        second.manual_seed(n)
        torch.manual_seed(n)
        drawn = torch.rand(n, generator=first)
        assert torch.equal(drawn, torch.rand(n))
        torch.rand(n)
        assert torch.equal(drawn, torch.rand(n, generator=second))


def test_a_write_is_counted_once():
    x = torch.zeros(20)
    before = x._version
    for k in range(1, 6):
        x.normal_()
        assert x._version == before + k


@pytest.mark.parametrize(
    "call",
    [
        torch.rand,
        torch.randn,
        torch.randperm,
        lambda n: torch.randint(5, (n,)),
        lambda n: torch.randn(n, dtype=torch.float64),
        lambda n: functional.dropout(torch.empty(n), 0.5),
        lambda n: torch.empty(n).exponential_(),
    ],
)
def test_new_sizes_take_the_short_way(call, monkeypatch):
    from rushlight.engine.ops.sampling import streams

    for n in range(20, 60):
        call(n)
    made = []
    fill = streams.Filling.fill
    monkeypatch.setattr(streams.Filling, "fill", lambda *given: made.append(1) or fill(*given))
    for n in range(60, 80):
        call(n)
    assert not made
