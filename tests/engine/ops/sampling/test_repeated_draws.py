"""Small random tensors made again and again draw what the same calls with a generator draw."""

from __future__ import annotations

import pytest

import rushlight as torch

CALLS = {
    "rand": lambda n, **k: torch.rand(n, **k),
    "rand of doubles": lambda n, **k: torch.rand(2, n, dtype=torch.float64, **k),
    "randn": lambda n, **k: torch.randn(n, **k),
    "randn of doubles": lambda n, **k: torch.randn(n, dtype=torch.float64, **k),
    "randn of halves": lambda n, **k: torch.randn(n, dtype=torch.float16, **k),
    "randn of complex numbers": lambda n, **k: torch.randn(n, dtype=torch.complex64, **k),
    "randint": lambda n, **k: torch.randint(10, (n,), **k),
    "randint of many": lambda n, **k: torch.randint(-5, 1 << 40, (n,), **k),
    "randint of floats": lambda n, **k: torch.randint(7, (n,), dtype=torch.float32, **k),
    "randperm": lambda n, **k: torch.randperm(n, **k),
    "randperm of int32": lambda n, **k: torch.randperm(n, dtype=torch.int32, **k),
    "normal": lambda n, **k: torch.normal(1.0, 2.0, (n,), **k),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 40, 700, 40000])
def test_the_stream_is_the_same(name, n):
    generator = torch.Generator().manual_seed(7)
    torch.manual_seed(7)
    seen = []
    for _ in range(5):
        found = CALLS[name](n)
        assert torch.equal(found, CALLS[name](n, generator=generator))
        seen.append(found)
    if n > 14:
        assert not torch.equal(seen[2], seen[3]) and not torch.equal(seen[3], seen[4])


@pytest.mark.parametrize("like", [torch.rand_like, torch.randn_like,
    lambda x: torch.randint_like(x, 9)])  # fmt: skip
def test_like_a_tensor_of_any_strides(like):
    x = torch.zeros(3, 20).t()
    torch.manual_seed(1)
    first = [like(x) for _ in range(4)]
    torch.manual_seed(1)
    assert all(torch.equal(a, like(x)) for a in first)
    assert all(a.stride() == x.stride() for a in first)


def test_seeds_and_states_count():
    torch.manual_seed(3)
    first = [torch.randn(16) for _ in range(4)]
    state = torch.get_rng_state()
    after = torch.randn(16)
    torch.set_rng_state(state)
    assert torch.equal(torch.randn(16), after)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        assert all(torch.equal(a, torch.randn(16)) for a in first)
    assert not torch.equal(torch.randn(16), after)


def test_gradients_and_other_options():
    for _ in range(4):
        assert torch.randn(16, requires_grad=True).requires_grad
        assert not torch.randn(16).requires_grad
        assert torch.rand(16, device="meta").is_meta
        assert torch.rand(4, out=torch.empty(0)).shape == (4,)


def test_mixed_with_other_draws():
    torch.manual_seed(11)
    x = torch.empty(6)
    first = [(torch.rand(3), x.normal_().clone(), torch.randn(5)) for _ in range(4)]
    generator = torch.Generator().manual_seed(11)
    for a, b, c in first:
        assert torch.equal(a, torch.rand(3, generator=generator))
        assert torch.equal(b, x.normal_(generator=generator))
        assert torch.equal(c, torch.randn(5, generator=generator))
