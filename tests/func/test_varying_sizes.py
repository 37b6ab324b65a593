"""Calls within transformations whose sizes vary: repeated, and without the memory, they are the same."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import rushlight as torch
from rushlight.func import grad, jvp, vmap
from tests.engine.dispatch.varying_calls import CALLS, classes_of, facts, of_size, without_memory

pytestmark = pytest.mark.usefixtures("learned_at_once")

TIMES = 6
FLOATS = "xyv"


def total(found: Any) -> Any:
    parts = found if isinstance(found, (tuple, list)) else [found]
    parts = [p for p in parts if torch.is_tensor(p) and p.dtype.is_floating_point]
    return sum((p * p).sum() for p in parts)


def batched(run, floats, batch):
    return vmap(run)(*(torch.stack([x * (1 - k / 16) for k in range(batch)]) for x in floats))


def of_gradient(run, floats, batch):
    return grad(lambda *x: total(run(*x)), argnums=(0, 1, 2))(*floats)


def pushed(run, floats, batch):
    return jvp(lambda *x: total(run(*x)), floats, tuple(torch.cos(x) for x in floats))


def per_sample(run, floats, batch):
    def one(*x):
        return of_gradient(run, x, batch)

    return batched(one, floats, batch)


# `of_gradient` alone is a part of `per_sample`.
WAYS = [batched, pushed, per_sample]


@pytest.mark.parametrize("call", CALLS)
def test_transformed_calls_with_ever_new_sizes(call, every_sample):
    # A call goes one way, and always the same; all ways are gone by many calls.
    for way in WAYS if every_sample else [Random(call).choice(WAYS)]:
        compare(call, way)


def compare(call, way):
    """Whether a call says the same with the memory of earlier ones as without, for many sizes."""
    sizes = Random(call + way.__name__)
    code = compile(call, call, "eval")

    def outcome(given, batch):
        def run(*floats):
            return eval(code, {**given, **dict(zip(FLOATS, floats))})

        try:
            return facts(way(run, tuple(given[name].clone() for name in FLOATS), batch))
        except Exception as error:
            return type(error).__name__, str(error)

    for _ in range(TIMES):
        n, m = (sizes.choice([1, 2, *range(5, 19)]) for _ in range(2))
        given, batch = of_size(n, m, 3, 2, sizes.randrange(n)), sizes.choice([1, 2, 3, 4])
        with without_memory():
            expected = outcome(given, batch)
        assert outcome(given, batch) == expected, f"{way.__name__}: {n}, {m}, batch of {batch}"


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_classes_of_transformed_calls_have_programs(way):
    for n in (21, 26, 33, 38, 45, 50, 57):
        floats = torch.ones(n, n + 3), torch.ones(n, n + 3), torch.ones(n)
        way(lambda x, y, v: torch.hypot(x, y) * 2, floats, n)
    known = [one for one in classes_of("hypot") if one.programs]
    assert known
    before = [one.tries for one in known]
    for n in (60, 67, 74):
        floats = torch.ones(n, n + 3), torch.ones(n, n + 3), torch.ones(n)
        way(lambda x, y, v: torch.hypot(x, y) * 2, floats, n)
    assert [one.tries for one in known] == before
