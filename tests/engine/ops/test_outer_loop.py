"""Loops that run together for each index of some dimensions."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.loops.plan import Plan
from rushlight.engine.ops.kinds import nested_loops
from rushlight.engine.ops.kinds.elementwise import Constant, elementwise_loop, shaped
from rushlight.engine.ops.kinds.nested_loops import ChainBuilder, OuterLoop
from rushlight.engine.ops.kinds.product_loops import matrix_loop

f32 = dtypes.float32


@pytest.fixture(params=[1, 2, 5])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def run(chain, size, *inputs):
    loop, scratch = chain.finish()
    out = shaped(size, torch.empty(size).stride(), f32)
    return Plan(loop, [out, *scratch], len(scratch)).produce(*inputs)


def row(n):
    return shaped((n,), (1,), f32)


@pytest.mark.parametrize("dims", [(1, 1), (7, 1), (3, 4), (64, 3), (0, 2)])
def test_scratch_is_used_again(threads, dims):
    """The second loop reads what the first one left for the same index, in every thread."""
    n = 1000
    chain = ChainBuilder(1, 1)
    group = OuterLoop(chain, dims)
    apart = [dims[1] * n * 4, n * 4]
    x, out = (group.add_operand(place, apart) for place in (("in", 0), ("out", 0)))
    _, scratch = group.add_scratch((n,), f32)
    names = ["f32", "f32"]
    held = Constant(3.0, "f32")
    loop = elementwise_loop(lambda c, x: x * c, [row(n)], [held, row(n)], ["f32"], names, names)
    group.add(loop, [scratch, 0, x])
    loop = elementwise_loop(lambda x: x + 1, [row(n)], [row(n)], ["f32"], ["f32"], ["f32"])
    group.add(loop, [out, scratch])
    group.finish()
    given = torch.arange(float(dims[0] * dims[1] * n)).reshape(*dims, n)
    assert torch.equal(run(chain, (*dims, n), given), given * 3 + 1)


@pytest.mark.parametrize("count", [1, 6])
def test_threads_share_large_loops_of_few_indices(threads, count):
    rng = np.random.default_rng(0)
    a, b = (torch.from_numpy(rng.normal(size=(count, 130, 130)).astype("f")) for _ in range(2))
    chain = ChainBuilder(1, 2)
    group = OuterLoop(chain, (count,))
    size = 130 * 130 * 4
    x, y, out = (group.add_operand(p, [size]) for p in (("in", 0), ("in", 1), ("out", 0)))
    strides = [[0, 1, 130], [1, 0, 130], [130, 1, 0]]
    group.add(matrix_loop([f32] * 3, f32, [130] * 3, strides), [out, x, y, 0])
    group.finish()
    torch.testing.assert_close(run(chain, (count, 130, 130), a, b), a @ b)


def test_plans_are_made_anew_for_another_number_of_threads(monkeypatch):
    parts = []
    made = nested_loops.outer_loop
    monkeypatch.setattr(
        nested_loops, "outer_loop", lambda *given: parts.append(given[4]) or made(*given)
    )
    before = torch.get_num_threads()
    q = torch.arange(4 * 6 * 40 * 8).reshape(4, 6, 40, 8) % 7 / 7
    found = []
    try:
        for number in (1, 3, 3):
            torch.set_num_threads(number)
            found.append(torch.nn.functional.scaled_dot_product_attention(q, q, q))
    finally:
        torch.set_num_threads(before)
    assert parts[-2:] == [1, 3]
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_strides_follow_their_dimensions(threads):
    """Threads share the largest dimension, whichever place it has."""
    n = 500
    chain = ChainBuilder(1, 1)
    group = OuterLoop(chain, (2, 9, 3))
    strides = [27 * n * 4, 3 * n * 4, n * 4]
    x, out = (group.add_operand(place, strides) for place in (("in", 0), ("out", 0)))
    loop = elementwise_loop(lambda x: x + 1, [row(n)], [row(n)], ["f32"], ["f32"], ["f32"])
    group.add(loop, [out, x])
    group.finish()
    given = torch.arange(54.0 * n).reshape(2, 9, 3, n)
    assert torch.equal(run(chain, (2, 9, 3, n), given), given + 1)
