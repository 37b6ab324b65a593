"""The interpreter runs kernels of every family that is printed, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_interpreter import BadAddress, Deadlock, Memory, Module, Trap, launch

from rushlight.engine.loops import expr, reductions
from rushlight.engine.loops.ptx_reduction import reduce_ptx_ir
from rushlight.engine.loops.ptx_text import map_ptx_ir, ptx


def put(memory, array):
    """The device's address of a copy of an array."""
    address = memory.allocate(array.nbytes)
    memory.view(address, array.nbytes)[:] = np.frombuffer(array.tobytes(), np.uint8)
    return address


def words(*values):
    return [int(v).to_bytes(8, "little", signed=True) for v in values]


def run_map(ir, outs, ins, sizes, strides, blocks=2, width=64):
    memory = Memory(1 << 20)
    addresses = [put(memory, a) for a in (*outs, *ins)]
    kernel = Module(ptx(ir)).kernels["KERNEL"]
    launch(kernel, memory, blocks, width, words(*addresses, *sizes, *strides))
    return [
        np.frombuffer(memory.view(a, o.nbytes).tobytes(), o.dtype).reshape(o.shape)
        for a, o in zip(addresses, outs)
    ]


@pytest.mark.parametrize("each", [1, 4])
def test_a_contiguous_map(each):
    a, b = np.random.default_rng(0).normal(size=(2, 1003)).astype(np.float32)
    ir = map_ptx_ir(
        lambda x, y: expr.sqrt(abs(x)) / (1 + y * y), ["f32"], ["f32"] * 2, ["f32"] * 2, 1,
        contiguous=True, each=each,
    )  # fmt: skip
    (out,) = run_map(ir, [np.zeros_like(a)], [a, b], [1003], [4, 4, 4])
    np.testing.assert_array_equal(out, np.sqrt(np.abs(a)) / (1 + b * b))


def test_strides_and_half_precision():
    a = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float16)
    ir = map_ptx_ir(lambda x: x * 3, ["f32"], ["f16"], ["f32"], 2)
    out = np.zeros((7, 5), np.float32)
    (found,) = run_map(ir, [out], [a], [5, 7], [4, 14, 20, 2], blocks=1, width=32)
    np.testing.assert_array_equal(found, a.T.astype(np.float32) * 3)


def test_division_of_integers():
    a = np.array([7, -7, 7, -7, 0, 2**31 - 1], np.int32)
    b = np.array([2, 2, -2, -2, 5, -1], np.int32)
    ir = map_ptx_ir(lambda x, y: x / y, ["i32"], ["i32"] * 2, ["i32"] * 2, 1)
    (found,) = run_map(ir, [np.zeros_like(a)], [a, b], [6], [4, 4, 4])
    np.testing.assert_array_equal(found, np.fix(a / b).astype(np.int32))


@pytest.mark.parametrize("count", [1, 31, 64, 1000])
@pytest.mark.parametrize("width", [32, 256])
def test_a_sum(count, width):
    a = np.random.default_rng(1).normal(size=(3, count)).astype(np.float32)
    ir = reduce_ptx_ir(reductions.sum_of("f32"), ["f32"], ["f32"])
    (found,) = run_map(
        ir, [np.zeros(3, np.float32)], [a], [count, 1, 3], [0, 4, 0, 0, 4, 4 * count], 2, width
    )
    np.testing.assert_allclose(found, a.sum(1), rtol=1e-5, atol=1e-5)


def test_places_of_greatest():
    a = np.random.default_rng(1).integers(0, 50, size=(4, 200)).astype(np.float64)
    ir = reduce_ptx_ir(reductions.place_of_max("f64"), ["i64"], ["f64"])
    (found,) = run_map(ir, [np.zeros(4, np.int64)], [a], [200, 1, 4], [0, 8, 0, 0, 8, 1600], 3, 64)
    np.testing.assert_array_equal(found, a.argmax(1))


HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


def kernel_of(body):
    return Module(HEAD + ".visible .entry KERNEL()\n{\n" + body + "\nret;\n}").kernels["KERNEL"]


def test_memory_that_is_not_there():
    with pytest.raises(BadAddress, match="4 bytes at 0x10"):
        launch(kernel_of(".reg .b32 %r<2>;\nld.global.b32 %r1, [16];"), Memory(), 1, 32, [])


def test_memory_that_is_free_again():
    memory = Memory()
    address = memory.allocate(64)
    memory.free(address)
    with pytest.raises(BadAddress):
        launch(kernel_of(f"st.global.b32 [{address}], 1;"), memory, 1, 32, [])


def test_a_barrier_that_some_leave_out():
    body = """.reg .pred %p<2>;
    .reg .b32 %r<2>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 3;
    @%p1 bra $L1;
    bar.sync 0;
    $L2:
    bra $L2;
    $L1:
    shfl.sync.down.b32 %r1, %r1, 1, 31, -1;"""
    with pytest.raises(Deadlock):
        launch(kernel_of(body), Memory(), 1, 32, [])


def test_a_trap_names_the_kernel():
    with pytest.raises(Trap, match="KERNEL"):
        launch(kernel_of("trap;"), Memory(), 1, 32, [])


def test_atomic_sums():
    memory = Memory()
    address = put(memory, np.zeros(1, np.float32))
    launch(kernel_of(f"red.global.add.f32 [{address}], 0f3F800000;"), memory, 2, 64, [])
    assert memory.view(address, 4).view(np.float32)[0] == 128
