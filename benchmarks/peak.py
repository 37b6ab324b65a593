"""What a core can do at most: multiply-adds of single precision on registers alone."""

from __future__ import annotations

import ctypes
import time

from rushlight.engine.loops.target import host_target
from rushlight.engine.native import machine

# So many independent sums hide a multiply-add's latency.
SUMS = 16
STEPS = 1_000_000


def _kernel_text(lanes: int) -> str:
    """A function that takes its number of steps; each is one multiply-add for every sum."""
    vector = f"<{lanes} x float>"
    values = [f"%s{k}" for k in range(SUMS)]
    phis = "\n".join(
        f"%s{k} = phi {vector} [ %start{k}, %entry ], [ %n{k}, %loop ]" for k in range(SUMS)
    )
    steps = "\n".join(
        f"%n{k} = call {vector} @llvm.fma.v{lanes}f32({vector} {value}, {vector} %x, {vector} %x)"
        for k, value in enumerate(values)
    )
    starts = "\n".join(
        f"%start{k} = insertelement {vector} %x, float {float(k)}, i64 0" for k in range(SUMS)
    )
    stores = "\n".join(
        f"%p{k} = getelementptr {vector}, ptr %out, i64 {k}\n"
        f"store {vector} %n{k}, ptr %p{k}, align 4"
        for k in range(SUMS)
    )
    return f"""
declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})
define void @peak(ptr %out, i64 %steps) {{
entry:
%x = load {vector}, ptr %out, align 4
{starts}
br label %loop
loop:
%i = phi i64 [ 0, %entry ], [ %next, %loop ]
{phis}
{steps}
%next = add i64 %i, 1
%more = icmp slt i64 %next, %steps
br i1 %more, label %loop, label %done
done:
{stores}
ret void
}}
"""


def peak_operations() -> float:
    """Operations per second, the best of several runs; a multiply-add counts as two."""
    lanes = host_target().vector_bytes // 4
    found = machine.library(_kernel_text(lanes), ("peak",))["peak"]
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(found)
    room = (ctypes.c_float * (lanes * SUMS))(*[0.5] * (lanes * SUMS))
    best = float("inf")
    for _ in range(9):
        start = time.perf_counter()
        run(ctypes.addressof(room), STEPS)
        best = min(best, time.perf_counter() - start)
    return 2.0 * lanes * SUMS * STEPS / best
