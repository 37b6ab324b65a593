"""GPU kernels compile to PTX without calls and have the expected structure."""

from __future__ import annotations

import re

import pytest

from rushlight.engine.loops import expr, reductions
from rushlight.engine.loops.casts import FLOAT8, MEMORY_BYTES
from rushlight.engine.loops.expr import convert
from rushlight.engine.loops.ptx_reduction import reduce_ptx_ir
from rushlight.engine.loops.ptx_text import map_ptx_ir, ptx


def instructions(text: str) -> set[str]:
    return {m.group(1) for m in re.finditer(r"^\s*(?:@!?%p\d+ )?([a-z][a-z0-9_.]*)", text, re.M)}


def test_contiguous_map_moves_vectors():
    ir = map_ptx_ir(
        lambda a, b: expr.fma(a, b, 1.0),
        ["f32"],
        ["f32"] * 2,
        ["f32"] * 2,
        1,
        contiguous=True,
        each=4,
    )
    found = instructions(ptx(ir))
    assert any(x.startswith("ld.global.v4") for x in found)
    assert any(x.startswith("st.global.v4") for x in found)
    assert "fma.rn.f32" in found and not any(x.startswith("call") for x in found)


@pytest.mark.parametrize("memory", sorted(MEMORY_BYTES))
def test_every_type_through_a_strided_map(memory):
    param = "f32" if memory in FLOAT8 else memory
    text = ptx(map_ptx_ir(lambda x: x, [memory], [memory], [param], 3))
    found = instructions(text)
    assert ".visible .entry KERNEL" in text
    assert any(x.startswith("ld.global") for x in found)
    assert any(x.startswith("st.global") for x in found)


@pytest.mark.parametrize("type", ["f32", "f64", "i8", "u8", "i32", "u64"])
def test_operations_compile(type):
    def body(a, b):
        results = [a + b, a * b, a / b, expr.minimum(a, b), abs(a), a % b, convert(a < b, type)]
        if type in expr.FLOATS:
            results += [expr.sqrt(a), expr.floor(a), expr.rint(b), expr.copysign(a, b)]
        else:
            results += [a & b, ~a, a << 1, a >> 1, expr.clz(a), expr.mulhi(a, b)]
        return results

    number = len(body(expr.arg(0, type), expr.arg(1, type)))
    text = ptx(map_ptx_ir(body, [type] * number, [type] * 2, [type] * 2, 2))
    assert ".visible .entry KERNEL" in text
    assert ".extern .func" not in text


def test_tables_are_constants():
    ir = map_ptx_ir(lambda x: expr.table([1.0, 2.0, 4.0, 8.0], x & 3, "f32"),
                    ["f32"], ["i32"], ["i32"], 1)  # fmt: skip
    assert "ld.global" in ptx(ir)


REDUCTIONS = {
    "sum": (reductions.sum_of("f32"), ["f32"], "f32"),
    "any": (reductions.any_of(), ["bool"], "i8"),
    "argmax": (reductions.place_of_max("f32"), ["i64"], "bf16"),
    "variance": (
        reductions.variance_of("f32", lambda t, n: t[2] / convert(n, "f64")), ["f32"], "f16"),
    "complex": (reductions.complex_sum_of("c64"), ["c64"], "c64"),
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_join_threads_and_warps(name):
    reduction, outs, memory = REDUCTIONS[name]
    text = ptx(reduce_ptx_ir(reduction, outs, [memory]))
    found = instructions(text)
    assert "shfl.sync.down.b32" in found
    assert any(x.startswith(("bar.sync", "barrier.sync")) for x in found)
    assert any(x.startswith("st.shared") for x in found)
    assert not any(x.startswith("call") for x in found)
