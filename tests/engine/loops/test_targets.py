"""Kernels for other processors: they compile, and nothing outside the module is called."""

from __future__ import annotations

import functools
import re

import llvmlite.binding as llvm
import pytest

from rushlight.engine.loops import expr, reductions, row_kernel, scan_kernel
from rushlight.engine.loops.amx_kernel import amx_ir
from rushlight.engine.loops.casts import FLOAT8, MEMORY_BYTES
from rushlight.engine.loops.expr import convert
from rushlight.engine.loops.map_kernel import map_ir
from rushlight.engine.loops.matmul_kernel import matmul_ir
from rushlight.engine.loops.reduce_kernel import reduce_ir
from rushlight.engine.loops.target import target_of
from rushlight.engine.native import machine

PROCESSORS = {
    "avx512": ("x86_64-unknown-linux-gnu", "skylake-avx512"),
    "amx": ("x86_64-unknown-linux-gnu", "sapphirerapids"),
    "avx2": ("x86_64-unknown-linux-gnu", "haswell"),
    "sse4": ("x86_64-unknown-linux-gnu", "nehalem"),
    "neon": ("aarch64-unknown-linux-gnu", "neoverse-n1"),
    "apple": ("arm64-apple-macosx14", "apple-m1"),
}
FLAGS = {
    "avx512": "+sse2,+avx2,+fma,+f16c,+avx512f,+avx512bw,+avx512dq,+avx512vl",
    "amx": "+sse2,+avx2,+fma,+f16c,+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,"
    "+amx-tile,+amx-bf16",
    "avx2": "+sse2,+avx2,+fma,+f16c",
    "sse4": "+sse2",
    "neon": "+neon",
    "apple": "+neon",
}


def assembly_of(ir: str, name: str) -> str:
    """What a kernel becomes on a processor, with the options that kernels are compiled with."""
    module = llvm.parse_assembly(ir)
    module.triple = PROCESSORS[name][0]
    module.verify()
    with machine._get_compiler()._emitter_for(ir, machine.PLAIN):
        return str(machine_of(name).emit_assembly(module))


@functools.cache
def machine_of(name: str) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, cpu = PROCESSORS[name]
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, opt=2, reloc="pic", codemodel="small"
    )


def external_symbols(ir: str, name: str) -> set[str]:
    """Names that the compiled kernel refers to and does not define."""
    text = assembly_of(ir, name)
    called = re.findall(r"^\s+(?:callq?|jmp|bl|b)\s+\*?\"?([A-Za-z_]\w*)", text, re.M)
    return set(called) - set(re.findall(r"^\"?([A-Za-z_]\w*)\"?:", text, re.M))


def test_calls_are_noticed():
    remainder = """define void @KERNEL(ptr %a) {
        %x = load <2 x double>, ptr %a
        %y = frem <2 x double> %x, %x
        store <2 x double> %y, ptr %a
        ret void }"""
    for name in PROCESSORS:
        assert {x.lstrip("_") for x in external_symbols(remainder, name)} == {"fmod"}


@pytest.mark.parametrize("name", PROCESSORS)
def test_conversions_need_no_library(name):
    target = target_of(FLAGS[name])
    outs = [m for m in MEMORY_BYTES if m[0] != "c"]
    for source in MEMORY_BYTES:
        param = "f32" if source in FLOAT8 else source
        ir = map_ir(
            lambda x: [x] * len(outs),
            outs,
            [source],
            [param],
            "c" * (len(outs) + 1),
            target=target,
        )
        assert external_symbols(ir, name) == set()


@pytest.mark.parametrize("name", PROCESSORS)
@pytest.mark.parametrize("type", ["f32", "f64", "i8", "i32", "u64"])
def test_operations_need_no_library(name, type):
    target = target_of(FLAGS[name])

    def body(a, b):
        results = [a + b, a * b, a / b, expr.minimum(a, b), abs(a), a % b, convert(a < b, type)]
        if type in expr.FLOATS:
            results += [
                expr.sqrt(a),
                expr.floor(a),
                expr.rint(b),
                expr.copysign(a, b),
                expr.fma(a, b, a),
                expr.trunc(a),
                expr.ceil(a),
            ]
        else:
            results += [a & b, ~a, a << 1, a >> 1, expr.clz(a), expr.mulhi(a, b)]
        return results

    number = len(body(expr.arg(0, type), expr.arg(1, type)))
    for letter in "cg":
        ir = map_ir(
            body, [type] * number, [type] * 2, [type] * 2, letter * (number + 2), target=target
        )
        assert external_symbols(ir, name) == set()


@pytest.mark.parametrize("name", PROCESSORS)
def test_families_need_no_library(name):
    target = target_of(FLAGS[name])
    for kept in (False, True):
        texts = [
            reduce_ir(reductions.place_of_max("f32"), ["i64"], ["bf16"], "cc",
                      kept=kept, target=target),
            reduce_ir(reductions.variance_of("f32", lambda t, n: t[2]), ["f16"], ["f16"], "cc",
                      kept=kept, target=target),
            scan_kernel.scan_ir(scan_kernel.cumulative_max("i32"), ["i32", "i64"], ["i32"],
                                "ccc", kept=kept, target=target),
            row_kernel.row_ir(row_kernel.layer_norm("f32", 1e-5, True, True), ["f16"] + ["f32"] * 2,
                              ["f16"] * 3, "cccccc", kept=kept, target=target),
        ]  # fmt: skip
        for ir in texts:
            assert external_symbols(ir, name) == set()
    ir = map_ir(lambda x: x, ["u8"], ["u8"], ["u8"], "ct", target=target)
    assert external_symbols(ir, name) == set()


@pytest.mark.parametrize("name", PROCESSORS)
@pytest.mark.parametrize("type", ["f32", "f64", "i8", "i64"])
def test_products_need_no_library(name, type):
    target = target_of(FLAGS[name])
    for turned in (False, True):
        assert external_symbols(matmul_ir(type, turned, True, target), name) == set()


def test_amx():
    assert target_of(FLAGS["amx"]).amx and not target_of(FLAGS["avx512"]).amx
    for memory in ("f32", "bf16"):
        for turned in (False, True):
            ir = amx_ir(memory, turned, added=True)
            assert not external_symbols(ir, "amx")
            assert assembly_of(ir, "amx").count("tdpbf16ps") == 4
