"""Row programs against numpy, along rows and down columns."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_call import run
from test_map_kernel import NO_MASKS

from rushlight.engine.loops import row_kernel as r
from rushlight.engine.loops.evaluator import image_dtype

LAYOUTS = [{}, {"kept": True}, {"general": True}, {"kept": True, "general": True},
           {"target": NO_MASKS}, {"target": NO_MASKS, "kept": True},
           {"buffers": True}, {"buffers": True, "general": True},
           {"buffers": True, "target": NO_MASKS}]  # fmt: skip
SHAPES = [(1, 1), (5, 3), (16, 17), (131, 70), (1000, 2), (300, 0)]


def rows(program, outs, arrays, memories, scalars=0, kept=False, general=False, **options):
    """Run over arrays of axes (row, kept); vectors of one axis are the same for all rows."""
    shape = arrays[0].shape

    def place(a):
        wide = np.zeros((*(a.shape if kept else a.shape[::-1]), 2), a.dtype)
        wide[..., 0] = a if kept else a.T
        view = wide[..., 0] if general else np.ascontiguousarray(wide[..., 0])
        return view if kept else view.T

    results, views = [], []
    for k, memory in enumerate(outs):
        if k >= len(outs) - scalars:
            x = np.zeros(shape[1], image_dtype(memory))
            views.append(np.lib.stride_tricks.as_strided(x, shape, (0, x.itemsize)))
        else:
            x = place(np.zeros(shape, image_dtype(memory)))
            views.append(x)
        results.append(x)
    letter = "g" if general else "c"
    inner = letter * len(outs)
    placed = []
    for a in arrays:
        if a.ndim == 1:
            placed.append(np.broadcast_to(a[:, None], shape))
            inner += "s" if kept else "c"
        else:
            placed.append(place(a))
            inner += letter
    run(r.row_ir(program, outs, memories, inner, kept=kept, **options), [*views, *placed])
    return results


def squared(x):
    """Stands for the exponential, whose expression lives elsewhere."""
    return 1 / (1 + x * x)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("memory", ["f32", "f64"])
def test_softmax_structure(layout, memory):
    for shape in SHAPES:
        x = np.random.default_rng(0).standard_normal(shape).astype(image_dtype(memory))
        (got,) = rows(r.softmax(memory, squared), [memory], [x], [memory], **layout)
        e = squared(x.astype(np.float64) - x.max(0))
        np.testing.assert_allclose(got, e / e.sum(0), rtol=1e-5)
        (got,) = rows(
            r.log_softmax(memory, squared, lambda v: v * 2), [memory], [x], [memory], **layout
        )
        np.testing.assert_allclose(got, x - x.max(0) - 2 * e.sum(0), rtol=1e-5, atol=1e-5)
        grad = x[::-1].copy()
        (got,) = rows(r.softmax_backward(memory), [memory], [grad, x], [memory] * 2, **layout)
        np.testing.assert_allclose(got, x * (grad - (grad * x).sum(0)), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("weight,bias", [(False, False), (True, False), (True, True)])
def test_layer_norm(layout, weight, bias):
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        x = (rng.standard_normal(shape) * 3 + 100).astype(np.float32)
        others = [rng.standard_normal(shape[0]).astype(np.float32) for _ in range(weight + bias)]
        memories = ["f32"] * (1 + len(others))
        got, mean, scale = rows(
            r.layer_norm("f32", 1e-5, weight, bias),
            ["f32"] * 3,
            [x, *others],
            memories,
            2,
            **layout,
        )
        wide = x.astype(np.float64)
        centre, spread = wide.mean(0), 1 / np.sqrt(wide.var(0) + 1e-5)
        wanted = (wide - centre) * spread
        if weight:
            wanted = wanted * others[0][:, None]
        if bias:
            wanted = wanted + others[1][:, None]
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=2e-5)
        np.testing.assert_allclose(mean, centre, rtol=1e-6)
        np.testing.assert_allclose(scale, spread, rtol=1e-4)


@pytest.mark.parametrize("layout", LAYOUTS[:2], ids=str)
def test_rms_norm_of_halves(layout):
    x = np.random.default_rng(0).standard_normal((70, 5)).astype(np.float16)
    got, scale = rows(
        r.rms_norm("f32", 0.0, False), ["f16", "f32"], [x.view(np.uint16)], ["f16"], 1, **layout
    )
    wide = x.astype(np.float64)
    wanted = wide / np.sqrt((wide**2).mean(0))
    np.testing.assert_allclose(got.view(np.float16), wanted, rtol=2e-3)
    np.testing.assert_allclose(scale, 1 / np.sqrt((wide**2).mean(0)), rtol=1e-5)


def test_buffered_values_of_several_phases():
    """The second buffer is made of the first, and of what the phases in between have found."""
    total = lambda k: r._sum("f32", lambda xs, earlier: xs[k])
    program = r.RowProgram(
        ("f32",),
        (total(0), total(1), total(2)),
        lambda xs, got: xs[2] - got[2] + xs[1] * got[1],
        buffered=(
            r.Buffered("f32", 1, lambda xs, got: xs[0] * got[0]),
            r.Buffered("f32", 2, lambda xs, got: xs[1] + xs[0] * got[1]),
        ),
    )
    x = np.random.default_rng(0).random((300, 5)).astype(np.float32)
    first = x * x.sum(0)
    second = first + x * first.sum(0)
    wanted = second - second.sum(0) + first * first.sum(0)
    for layout in LAYOUTS:
        (got,) = rows(program, ["f32"], [x], ["f32"], **layout)
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())
