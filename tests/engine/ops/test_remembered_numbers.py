"""Calls that are remembered take numbers of every type again."""

import pytest

import rushlight as torch
from rushlight.engine.dispatch.call_cache.binding import Binding

NUMBERS = (0, 0, 0.0, 0.0, 1.5, 1.5, True, True, 2, 2.0, 2.0, -1.0, -1)


@pytest.mark.parametrize("kind", [torch.int64, torch.uint8, torch.bool, torch.float32])
def test_filled_tensors(kind):
    like = torch.zeros(3, dtype=kind)
    for number in NUMBERS:
        if kind is torch.uint8 and number < 0:
            continue
        wanted = torch.tensor([number] * 2).to(kind).tolist()
        assert like.new_full((2,), number).tolist() == wanted
        assert torch.full((2,), number, dtype=kind).tolist() == wanted


def asked_python(call):
    """Whether the last of many equal calls still went through Python."""
    asked = []
    miss = Binding.miss

    def counted(self, *args, **kwargs):
        asked.append(self._name)
        return miss(self, *args, **kwargs)

    for _ in range(10):
        call()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Binding, "miss", counted)
        call()
    return asked


def test_one_number_in_two_places():
    x = torch.tensor([-1.0, 0.5, 2.0])
    assert not asked_python(lambda: torch.threshold(x, 0, 0))
    for limit, value in [(0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5), (0, 0), (0.25, 7)]:
        for _ in range(3):
            wanted = [v if v > limit else float(value) for v in x.tolist()]
            assert torch.threshold(x, limit, value).tolist() == wanted


def test_complex_numbers():
    x = torch.tensor([1.5, -2.0])
    for z in (1j, 2 + 0.5j, complex(-0.0, 1), complex(0.0, -1), 1j):
        for _ in range(4):
            wanted = [complex(v) * z for v in x.tolist()]
            assert (x * z).tolist() == wanted
            assert (z * x).tolist() == wanted
    assert not asked_python(lambda: x * 1j)
    assert torch.full((1,), 2j).tolist() == [2j]


DRAWS = [
    lambda g: torch.randn(3, 2, generator=g),
    lambda g: torch.rand(5, generator=g, dtype=torch.float64),
    lambda g: torch.randperm(9, generator=g),
    lambda g: torch.randint(0, 9, (4,), generator=g),
    lambda g: torch.empty(4).exponential_(generator=g),
    lambda g: torch.bernoulli(torch.full((7,), 0.5), generator=g),
    lambda g: torch.normal(torch.zeros(3), torch.ones(3), generator=g),
]


@pytest.mark.parametrize("draw", DRAWS)
def test_generators_keep_their_own_streams(draw):
    streams = [torch.Generator().manual_seed(seed) for seed in range(3)]
    alone = []
    for seed in range(3):
        own = torch.Generator().manual_seed(seed)
        alone.append([draw(own) for _ in range(6)])
    for k in range(6):
        for stream, wanted in zip(streams, alone):
            assert torch.equal(draw(stream), wanted[k])
    for _ in range(20):
        # The next of these may lie where the last one did.
        assert torch.equal(draw(torch.Generator().manual_seed(1)), alone[1][0])


def test_draws_from_a_generator_are_remembered():
    stream = torch.Generator()
    assert not asked_python(lambda: torch.randn(3, generator=stream))


def test_names_that_are_put_together_are_names():
    x, name = torch.tensor([1.26, -1.26]), "".join(["dec", "imals"])
    for _ in range(6):
        assert torch.round(x, **{name: 1}).allclose(torch.tensor([1.3, -1.3]))


def test_repeats_of_a_known_number():
    x, counts = torch.arange(6.0).view(3, 2), torch.tensor([1, 0, 2])
    wanted = x[torch.tensor([0, 2, 2])]
    assert not asked_python(lambda: x.repeat_interleave(counts, 0, output_size=3))
    for _ in range(4):
        assert torch.equal(x.repeat_interleave(counts, 0, output_size=3), wanted)
    with pytest.raises(RuntimeError, match="allocated size does not match"):
        x.repeat_interleave(torch.tensor([1, 1, 2]), 0, output_size=3)
    for _ in range(4):
        assert torch.repeat_interleave(counts, output_size=3).tolist() == [0, 2, 2]


def test_generators_that_are_gone_are_not_drawn_from():
    """A class of calls knows a generator by where it lies: nothing else comes there meanwhile."""
    for n in range(2, 60):
        drawn = torch.randn(n, 2, generator=torch.Generator().manual_seed(n))
        torch.manual_seed(n)
        assert torch.equal(drawn, torch.randn(n, 2))
