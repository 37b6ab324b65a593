"""Helper functions of kernels that are compiled once for all of them."""

import ctypes
import platform
import re
import sys
from pathlib import Path

import pytest

from rushlight.engine.loops.matmul_kernel import matmul_ir
from rushlight.engine.loops.offset_kernel import offset_product_ir
from rushlight.engine.native import common_code, machine, object_cache

here = pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux",
    reason="LLVM links the objects of other machines",
)

# Long enough to be worth an object: each helper adds what the steps before it made of its argument.
STEPS = "".join(f"  %s{i + 1} = add i64 %s{i}, {i}\n" for i in range(1000))
HELPER = """define internal i64 @{name}(i64 %s0, i64 %more) noinline {{
entry:
{steps}  %least = call i64 @llvm.smin.i64(i64 %s1000, i64 %more)
  ret i64 %least
}}
"""
KERNEL = """define i64 @KERNEL(i64 %x) {{
entry:
  %a = call i64 @first(i64 %x, i64 {most})
  %b = call i64 @second(i64 %a, i64 {most})
  ret i64 %b
}}
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
"""
HELPERS = "".join(HELPER.format(name=name, steps=STEPS) for name in ("first", "second"))
GROWN = sum(range(1000))


def kernel(most: int) -> str:
    return HELPERS + KERNEL.format(most=most)


def call(ir: str, x: int) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(machine.address(ir))(x)


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """The names that each text defines which the compiler gets, in a process that knows no code."""
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    made = []
    compiler = machine._get_compiler()

    def noted(ir, optimise):
        made.append(re.findall(r"^define \w+ @([a-zA-Z]+)\w*\(", ir, re.M))
        return type(compiler).compile(compiler, ir, optimise)

    monkeypatch.setattr(compiler, "compile", noted, raising=False)
    forget()
    yield made
    forget()


def forget():
    machine._addresses.clear()
    machine._recent.clear()


def test_a_text_is_cut_between_helpers_and_what_calls_them():
    cut = common_code.cut(kernel(5))
    assert cut.names == ("first", "second")
    assert "KERNEL" not in cut.helpers and "internal" not in cut.helpers
    assert "smin" in cut.helpers and "smax" not in cut.helpers
    assert "declare i64 @first(i64 %s0, i64 %more)" in cut.rest and "%s7" not in cut.rest
    assert common_code.cut(kernel(5)).helpers == common_code.cut(kernel(6)).helpers


def test_short_helpers_and_those_that_need_more_stay():
    assert common_code.cut(kernel(5).replace(STEPS, "  %s1000 = add i64 %s0, 1\n")) is None
    tied = kernel(5).replace("i64 %more)\n  ret", "i64 %more)\n  load i64, ptr @table\n  ret")
    assert common_code.cut("@table = internal constant i64 7\n" + tied) is None


@here
def test_helpers_are_compiled_once(compiled):
    assert call(kernel(10**9), 1) == 1 + 2 * GROWN
    assert call(kernel(50), 1) == 50
    assert compiled == [["first", "second"], ["KERNEL"], ["KERNEL"]]
    assert object_cache.info()[1] >= 3
    forget()
    assert call(kernel(10**9), 2) == 2 + 2 * GROWN and call(kernel(50), 60) == 50
    assert len(compiled) == 3


@here
@pytest.mark.parametrize("damage", [lambda p: p.unlink(), lambda p: p.write_bytes(b"nothing")])
def test_helpers_that_are_lost_are_compiled_again(compiled, damage):
    call(kernel(10**9), 1)
    cut = common_code.cut(kernel(10**9))
    digest = machine._digest_of(cut.helpers, cut.names, machine.PLAIN)
    damage(Path(object_cache.folder(), f"{digest}.o"))
    forget()
    assert call(kernel(10**9), 1) == 1 + 2 * GROWN
    assert compiled == [["first", "second"], ["KERNEL"]] * 2


def test_products_of_a_type_have_the_same_helpers():
    products = [matmul_ir("f32", *how) for how in ((True, True), (False, True), (False, False))]
    assert len({common_code.cut(ir).helpers for ir in products}) == 1
    by_tables = [offset_product_ir("f32", False, block, False, False) for block in (4, 8, 16)]
    assert len({common_code.cut(ir).helpers for ir in by_tables}) == 1
    assert len({*products, *by_tables}) == 6
