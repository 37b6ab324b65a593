"""Scan kernels against numpy: contiguous, strided and kept-dimension shapes."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_call import run
from test_map_kernel import NO_MASKS

from rushlight.engine.loops import scan_kernel as s
from rushlight.engine.loops.evaluator import image_dtype

SIZES = [(0, 2), (1, 1), (7, 3), (8, 1), (16, 17), (131, 40), (1000, 2)]
LAYOUTS = [{}, {"kept": True}, {"general": True}, {"kept": True, "general": True},
           {"target": NO_MASKS}, {"target": NO_MASKS, "kept": True}]  # fmt: skip


def scan(record, outs, memory, x, kept=False, general=False, **options):
    def place(a):
        room = np.zeros((*(a.shape if kept else a.shape[::-1]), 2), a.dtype)
        room[..., 0] = a if kept else a.T
        view = room[..., 0] if general else np.ascontiguousarray(room[..., 0])
        return view if kept else view.T

    arrays = [place(np.zeros(x.shape, image_dtype(m))) for m in outs] + [place(x)]
    inner = ("g" if general else "c") * len(arrays)
    run(s.scan_ir(record, outs, [memory], inner, kept=kept, **options), arrays)
    return arrays[: len(outs)]


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.integers(-5, 6, shape)
    return x.astype(dtype) if np.dtype(dtype).kind == "i" else (x / 3).astype(dtype)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("shape", SIZES)
def test_sums(layout, shape):
    x = numbers(shape, np.float32)
    (got,) = scan(s.cumulative_sum("f64"), ["f32"], "f32", x, **layout)
    np.testing.assert_array_equal(got, np.cumsum(x.astype(np.float64), 0).astype(np.float32))
    x = numbers(shape, np.int8)
    (got,) = scan(s.cumulative_sum("i64"), ["i64"], "i8", x, **layout)
    np.testing.assert_array_equal(got, np.cumsum(x.astype(np.int64), 0))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_products(layout):
    x = 1 + numbers((70, 20), np.float64) / 50
    (got,) = scan(s.cumulative_product("f64"), ["f64"], "f64", x, **layout)
    np.testing.assert_allclose(got, np.cumprod(x, 0), rtol=1e-12)
    z = (x + 0.1j * x[::-1]).astype(np.complex64)
    (got,) = scan(s.cumulative_complex("c64", True), ["c64"], "c64", z, **layout)
    np.testing.assert_allclose(got, np.cumprod(z, 0), rtol=2e-4)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("memory", ["f32", "i16"])
def test_extremes_with_places(layout, memory):
    for shape in SIZES[1:]:
        x = numbers(shape, image_dtype(memory))
        if memory == "f32" and shape[0] > 100:
            x[50, 0] = np.nan
        best, place = scan(s.cumulative_max(memory), [memory, "i64"], memory, x, **layout)
        for k in range(shape[1]):
            value, where = -np.inf, -1
            for i, v in enumerate(x[:, k]):
                if np.isnan(v) or (not np.isnan(value) and v >= value):
                    value, where = v, i
                np.testing.assert_equal(best[i, k], value)
                assert place[i, k] == where
        low, _ = scan(s.cumulative_min(memory), [memory, "i64"], memory, x, **layout)
        np.testing.assert_array_equal(low, np.minimum.accumulate(x, 0))


def test_in_place():
    x = np.arange(100, dtype=np.float64).reshape(-1, 1)
    wanted = np.cumsum(x, 0)
    run(s.scan_ir(s.cumulative_sum("f64"), ["f64"], ["f64"], "cc"), [x, x])
    np.testing.assert_array_equal(x, wanted)
