"""Kernels are found by what decides their text."""

import pytest

from rushlight.engine.loops import kernels
from rushlight.engine.loops.expr import arg, const
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.reduce_kernel import reduce_address
from rushlight.engine.loops.reductions import max_of, sum_of
from rushlight.engine.loops.scan_kernel import cumulative_product, cumulative_sum, scan_address
from rushlight.engine.loops.target import host_target
from rushlight.engine.native import machine, observe

TEXT = "define void @KERNEL(ptr %data, ptr %sizes, ptr %strides) {{ ; {}\nret void }}"
written = []


def write(*facts):
    written.append(facts)
    return TEXT.format(facts)


@pytest.fixture(autouse=True)
def nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    written.clear()
    forget()
    yield
    forget()


def forget():
    kernels._address.cache_clear()
    machine._addresses.clear()
    machine._recent.clear()


def test_a_kernel_that_is_on_disk_is_not_written_again():
    for _ in range(2):
        assert kernels.kernel_address(write, "f32", 1)
        forget()
    assert written == [("f32", 1)]


def test_other_facts_are_another_kernel():
    found = [
        kernels.kernel_address(write, *facts) for facts in (("f32",), ("f64",), (0,), (False,))
    ]
    assert len(set(found)) == 4 and written == [("f32",), ("f64",), (0,), (False,)]


def test_who_listens_hears_the_text():
    heard = []
    kernels.kernel_address(write, 1)
    with observe.listening(lambda kind, value: heard.append((kind, value))):
        kernels.kernel_address(write, 1)
    assert heard == [("ir", (TEXT.format((1,)), machine.PLAIN))]


def test_programs_are_told_apart_by_what_they_compute():
    def program(*outputs):
        return Program(outputs, host_target()).description()

    x, y = arg(0, "f32"), arg(1, "f32")
    same = {program(x + y), program(arg(0, "f32") + arg(1, "f32"))}
    others = [
        program(x - y), program(y + x), program(x + y, x), program(x, x + y),
        program(x + const("f32", 0.0)), program(x + const("f32", -0.0)),
        program(arg(0, "f64") + arg(1, "f64")),
    ]  # fmt: skip
    assert len(same) == 1 and len({*same, *others}) == 8


def test_scans_and_reductions_have_addresses_of_their_own():
    given = (["f32"], ["f32"], "cc")
    found = [
        scan_address(cumulative_sum("f32"), *given, False),
        scan_address(cumulative_sum("f32"), *given, True),
        scan_address(cumulative_product("f32"), *given, False),
        reduce_address(sum_of("f32"), *given, False, False),
        reduce_address(sum_of("f32"), *given, False, True),
        reduce_address(max_of("f32"), *given, False, False),
    ]
    assert len(set(found)) == 6
    assert scan_address(cumulative_sum("f32"), *given, False) == found[0]
