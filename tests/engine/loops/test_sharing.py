"""Which dimensions threads share, and that nothing depends on it."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.core.symbolic import SymInt, Trace, evaluate
from rushlight.engine.loops.plan import Loop, _shareable, _shared_dimension

RNG = np.random.default_rng(4)


@pytest.fixture(params=[2, 3, 7])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    "sizes, kernel_dims, splittable, shares, wanted",
    [
        ([4000, 64, 4], 2, range(3), 4, (1, 64)),
        ([4000, 8, 8, 4], 2, range(4), 4, (4, 32)),
        ([4000, 8, 2, 4], 2, range(4), 4, (0, 4000)),
        ([4000, 64, 4], 2, range(3), 1, (0, 4000)),
        ([4000, 8, 8, 4], 2, [0, 3], 4, (0, 4000)),
        ([20, 8], 2, range(2), 4, (0, 20)),
        ([20], 1, [], 4, (-1, 1)),
    ],
)
def test_the_outermost_dimension_that_is_long_enough(
    sizes, kernel_dims, splittable, shares, wanted
):
    choices = _shareable(sizes, kernel_dims, splittable) or [(-1, 1)]
    assert _shared_dimension(choices, shares) == wanted


def test_one_program_serves_small_and_large_loops_with_one_dimension_to_share():
    def sum_of(n: int) -> Trace:
        with Trace([n], [True]) as trace:
            Loop(0, [*trace.inputs], [[4]], [(1, 4)], 1, [0], trace.inputs[0] * 4)
        return trace

    small = sum_of(100)
    for n in (3, 1 << 20):
        known = evaluate(small, [n])
        assert known is not None
        given = [known[w.place] if type(w) is SymInt else w for w in small.tables[-1].words]
        with Trace([n], [False]) as plain:
            Loop(0, [n], [[4]], [(1, 4)], 1, [0], n * 4)
        wanted = plain.tables[-1].words
        assert given[:7] + given[8:] == wanted[:7] + wanted[8:]


@pytest.mark.parametrize("outer", [(7, 6), (41, 1), (2, 3, 11), (64, 5)], ids=str)
def test_outer_dimensions_are_shared_as_one(threads, outer):
    whole = RNG.standard_normal((*(n + 1 for n in outer), 6, 1030)).astype("float32")
    a = whole[(*(slice(n) for n in outer), slice(5), slice(1000))]
    b = RNG.standard_normal((5, 1)).astype("float32")
    x = torch.from_numpy(whole)[(*(slice(n) for n in outer), slice(5), slice(1000))]
    np.testing.assert_array_equal((x * torch.from_numpy(b)).numpy(), a * b)
    np.testing.assert_array_equal(x.amax(-1).numpy(), a.max(-1))
