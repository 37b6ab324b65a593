"""Generators, seeds, states and what calls do with them."""

from __future__ import annotations

import pickle

import pytest

import rushlight as torch


def test_manual_seed_gives_the_generator():
    assert torch.manual_seed(3) is torch.default_generator
    assert torch.initial_seed() == 3
    torch.manual_seed(-1)
    assert torch.initial_seed() == 2**64 - 1
    with pytest.raises(ValueError, match="Overflow"):
        torch.manual_seed(2**64)


def test_seed_is_unforeseen():
    assert torch.seed() != torch.seed()


def test_state_is_a_place_in_the_stream():
    torch.manual_seed(5)
    torch.randn(3)
    state = torch.get_rng_state()
    first = torch.randn(3), torch.randn(20), torch.rand(700)
    torch.set_rng_state(state)
    for before, again in zip(first, (torch.randn(3), torch.randn(20), torch.rand(700))):
        assert torch.equal(before, again)


def test_wrong_states():
    g = torch.Generator()
    with pytest.raises(TypeError, match="ByteTensor"):
        g.set_state(torch.zeros(5056))
    with pytest.raises(RuntimeError, match="size 5056"):
        g.set_state(torch.zeros(5, dtype=torch.uint8))
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        g.set_state(torch.zeros(5056, dtype=torch.uint8))


def test_generator_of_its_own():
    torch.manual_seed(1)
    g = torch.Generator().manual_seed(9)
    a = torch.rand(4, generator=g)
    b = torch.rand(4)
    assert not torch.equal(a, b)
    torch.manual_seed(1)
    assert torch.equal(torch.rand(4), b)
    twin = g.clone_state()
    assert torch.equal(torch.randn(5, generator=g), torch.randn(5, generator=twin))
    copy = pickle.loads(pickle.dumps(g.get_state().tolist()))
    twin.set_state(torch.tensor(copy, dtype=torch.uint8))
    assert torch.equal(torch.randn(5, generator=g), torch.randn(5, generator=twin))


def test_fork_rng():
    torch.manual_seed(2)
    with torch.random.fork_rng():
        inside = torch.rand(3)
    assert torch.equal(inside, torch.rand(3))


def test_repeated_calls_go_on():
    torch.manual_seed(0)
    drawn = [torch.rand(3) for _ in range(6)]
    assert len({tuple(t.tolist()) for t in drawn}) == 6
    kept = [torch.nn.functional.dropout(torch.ones(64)) for _ in range(6)]
    assert len({tuple(t.tolist()) for t in kept}) == 6


def test_ranges_of_either_width_on_one_shape():
    for _ in range(2):
        assert torch.randint(0, 10, (5,)).max() < 10
        wide = torch.randint(2**40, 2**41, (5,))
        assert wide.min() >= 2**40 and wide.max() < 2**41
        whole = torch.empty(5, dtype=torch.int64).random_(-(2**63), None)
        assert whole.abs().max() > 2**40


@pytest.mark.parametrize("call", ["rand", "randn", "randperm"])
def test_meta(call):
    size = 4 if call == "randperm" else (2, 3)
    made = getattr(torch, call)(size, device="meta")
    assert made.device.type == "meta"


def test_out_and_like():
    torch.manual_seed(0)
    expected = torch.rand(5)
    torch.manual_seed(0)
    out = torch.empty(5)
    assert torch.rand(5, out=out) is out
    assert torch.equal(out, expected)
    torch.manual_seed(0)
    assert torch.equal(torch.rand_like(out), expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.uniform_(2, 1), RuntimeError, r"found from=2 > to=1"),
        (lambda t: t.normal_(0, -1), RuntimeError, r"std >= 0.0, but found std -1"),
        (lambda t: t.random_(5, 5), RuntimeError, r"from=5 >= to=5"),
        (lambda t: t.bernoulli_(1.5), RuntimeError, r"\[0, 1\], but got p=1.5"),
        (lambda t: t.long().uniform_(), NotImplementedError, "not implemented for 'Long'"),
        (lambda t: t.expand(2, 3).uniform_(), RuntimeError, "single memory location"),
        (lambda t: torch.multinomial(t, 4), RuntimeError, "without replacement"),
        (lambda t: torch.multinomial(-t - 1, 1), RuntimeError, "element < 0"),
        (lambda t: torch.nn.functional.dropout(t, 2.0), ValueError, "between 0 and 1"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(torch.ones(3))
