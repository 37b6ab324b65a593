"""Reduction kernels against the evaluator and numpy: both shapes, every kind, odd sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_call import run
from test_map_kernel import NO_MASKS

from rushlight.engine.loops import reductions as r
from rushlight.engine.loops.evaluator import evaluate_reduction, image_dtype
from rushlight.engine.loops.expr import convert, sqrt
from rushlight.engine.loops.reduce_kernel import reduce_ir
from rushlight.engine.loops.reduction import final, partial

SHAPES = [(0, 1, 3), (1, 1, 1), (5, 2, 3), (16, 1, 17), (200, 3, 2), (131, 1, 70), (3000, 1, 2)]


def reduce(reduction, outs, ins, arrays, kept=False, general=False, **options):
    """Run over arrays of axes (dim 0, dim 1, dim 2)."""
    shape = arrays[0].shape
    laid = []
    for a in arrays:
        order = (1, 0, 2) if kept else (2, 1, 0)
        room = (2,) if general else (1,)
        padded = np.zeros(tuple(shape[d] for d in order) + room, a.dtype)
        padded[..., 0] = a.transpose(order)
        laid.append(padded[..., 0].transpose(np.argsort(order)))
    results = [np.zeros(shape[2], image_dtype(m)) for m in outs]
    views = [np.lib.stride_tricks.as_strided(x, shape, (0, 0, x.strides[0])) for x in results]
    letter = "g" if general else "c"
    inner = letter * (len(outs) + len(ins))
    if kept:
        inner = "c" * len(outs) + letter * len(ins)
    ir = reduce_ir(reduction, outs, ins, inner, kept=kept, **options)
    run(ir, [*views, *laid])
    return results


def data(memory, shape, seed=0):
    rng = np.random.default_rng(seed)
    dtype = image_dtype(memory)
    if memory in ("f32", "f64"):
        return rng.standard_normal(shape).astype(dtype)
    if memory in ("c64", "c128"):
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    if memory == "bool":
        return rng.integers(0, 2, shape, np.uint8).astype(bool)
    return rng.integers(0, 100, shape).astype(dtype)


LAYOUTS = [{}, {"kept": True}, {"general": True}, {"kept": True, "general": True},
           {"target": NO_MASKS}, {"target": NO_MASKS, "kept": True}]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("memory", ["f32", "f64", "i32", "u8", "bool"])
def test_sum(memory, layout):
    kind = r.sum_type(memory)
    out = memory if memory in ("f32", "f64") else "i64"
    for shape in SHAPES:
        x = data(memory, shape)
        (got,) = reduce(r.sum_of(kind), [out], [memory], [x], **layout)
        wanted = x.astype(np.float64 if out != "i64" else np.int64).sum((0, 1))
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


SIMPLE = {
    "product": (r.product_of("f32"), ["f32"], "f32"),
    "max": (r.max_of("f32"), ["f32"], "f32"),
    "min": (r.min_of("i16"), ["i16"], "i16"),
    "both": (r.min_and_max_of("f64"), ["f64", "f64"], "f64"),
    "max_place": (r.max_with_place("f32"), ["f32", "i64"], "f32"),
    "min_place": (r.min_with_place("i32"), ["i32", "i64"], "i32"),
    "argmax": (r.place_of_max("u8"), ["i64"], "u8"),
    "any": (r.any_of(), ["bool"], "i32"),
    "all": (r.all_of(), ["bool"], "bool"),
    "count": (r.count_nonzero(), ["i64"], "f32"),
    "norm0": (r.norm_of("f32", 0), ["f32"], "f32"),
    "norm1": (r.norm_of("f32", 1), ["f32"], "f32"),
    "norm2": (r.norm_of("f32", 2), ["f32"], "f32"),
    "norm_inf": (r.norm_of("f32", math.inf), ["f32"], "f32"),
    "mean": (r.mean_of("f32"), ["f32"], "f32"),
    "nansum": (r.nansum_of("f32"), ["f32"], "f32"),
    "complex": (r.complex_sum_of("c64"), ["c64"], "c64"),
    "var": (
        r.variance_of("f32", lambda t, n: [t[2] / (convert(n, "f64") - 1), t[1]]),
        ["f32", "f32"],
        "f32",
    ),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("name", SIMPLE)
def test_kinds_against_the_evaluator(name, layout):
    reduction, outs, memory = SIMPLE[name]
    for shape in [(1, 1, 1), (7, 2, 3), (131, 1, 5), (40, 1, 70)]:
        x = data(memory, shape, 3)
        got = reduce(reduction, outs, [memory], [x], **layout)
        wanted = evaluate_reduction(reduction, outs, [memory], [x.transpose(1, 0, 2)])
        for a, b in zip(got, wanted):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("kept", [False, True])
def test_nan_wins_and_its_first_place_is_found(kept):
    for size in (5, 100, 5000):
        for at in (0, 3, size - 1):
            x = data("f32", (size, 1, 3))
            x[at:, 0, 1] = np.nan
            value, place = reduce(r.max_with_place("f32"), ["f32", "i64"], ["f32"], [x], kept)
            assert np.isnan(value[1]) and place[1] == at
            assert place[0] == x[:, 0, 0].argmax()
            (low,) = reduce(r.min_of("f32"), ["f32"], ["f32"], [x], kept)
            assert np.isnan(low[1]) and low[0] == x[:, 0, 0].min()


@pytest.mark.parametrize("kept", [False, True])
def test_first_of_equal_elements(kept):
    for worst in (-np.inf, 2.0):
        x = np.full((300, 2, 3), worst, np.float32)
        _, place = reduce(r.max_with_place("f32"), ["f32", "i64"], ["f32"], [x], kept)
        assert place.tolist() == [0, 0, 0]
        x[77, 1] = 5
        x[99, 1] = 5
        _, place = reduce(r.max_with_place("f32"), ["f32", "i64"], ["f32"], [x], kept)
        assert place.tolist() == [377] * 3


@pytest.mark.parametrize("kept", [False, True])
def test_variance_without_cancellation(kept):
    x = (np.random.default_rng(1).standard_normal((9000, 1, 4)) + 1e4).astype(np.float32)
    reduction = r.variance_of("f32", lambda t, n: sqrt(t[2] / (convert(n, "f64") - 1)))
    (got,) = reduce(reduction, ["f64"], ["f32"], [x], kept)
    np.testing.assert_allclose(got, x.astype(np.float64).std((0, 1), ddof=1), rtol=1e-6)


def test_sum_is_accurate():
    x = np.random.default_rng(2).random((1_000_000, 1, 1)).astype(np.float32)
    (got,) = reduce(r.sum_of("f32"), ["f32"], ["f32"], [x])
    exact = x.astype(np.float64).sum()
    assert abs(float(got[0]) - exact) <= 2e-7 * exact


@pytest.mark.parametrize("name", ["sum", "argmax", "var"])
def test_parts_and_final(name):
    size, part = 1000, 128
    x = data("f32", (size, 1, 1))
    x[100] = x[900] = 50
    reduction = {
        "sum": r.sum_of("f32"),
        "argmax": r.place_of_max("f32"),
        "var": r.variance_of("f32", lambda t, n: t[2] / convert(n, "f64")),
    }[name]
    stages = []
    for start in range(0, size, part):
        piece = x[start : start + part]
        stages.append(reduce(partial(reduction), reduction.totals, ["f32"], [piece]))
    totals = [np.concatenate(column).reshape(-1, 1, 1) for column in zip(*stages)]
    numbers = [np.full_like(totals[0], n, np.int64) for n in (size, part)]
    out = "i64" if name == "argmax" else "f64"
    ins = [*reduction.totals, "i64", "i64"]
    (got,) = reduce(final(reduction), [out], ins, [*totals, *numbers])
    wide = x.astype(np.float64)
    wanted = {"sum": wide.sum(), "argmax": 100, "var": wide.var()}[name]
    np.testing.assert_allclose(got[0], wanted, rtol=1e-6)


def test_scaled_sum_of_exponentials():
    # Squares stand for exponentials here: the structure is what is tested.
    reduction = r.log_sum_exp("f32", lambda x: 1 / (1 - x), lambda x: x)
    for kept in (False, True):
        x = data("f32", (50, 1, 3))
        x[:, 0, 2] = -np.inf
        (got,) = reduce(reduction, ["f32"], ["f32"], [x], kept)
        top = x.max(0)[0]
        shift = np.where(np.isinf(top), 0, top)
        with np.errstate(all="ignore"):
            wanted = (1 / (1 - (x - shift))).sum(0)[0] + shift
        np.testing.assert_allclose(got, wanted, rtol=1e-5)
