"""Products of matrices: squares, odd sizes, transposed operands, vectors, batches, affine maps."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import peak

peak_operations = cache(peak.peak_operations)

Function = Callable[..., Any]


def workloads() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    made: dict[str, Callable[[Any], Callable[[], Any]]] = {}

    def values(t: Any, size: tuple[int, ...], dtype: str, seed: int) -> Any:
        count = 1
        for n in size:
            count *= n
        mixed = (t.arange(count, dtype=t.int64) * (7919 + seed)) % 1009
        return ((mixed.to(t.float32) - 504) / 101).to(getattr(t, dtype)).reshape(size)

    def add(
        title: str, function: Function, *sizes: tuple[int, ...], dtype: str = "float32"
    ) -> None:
        def make(t: Any) -> Callable[[], Any]:
            inputs = [values(t, size, dtype, k) for k, size in enumerate(sizes)]
            return lambda: function(t, *inputs)

        made[title] = make

    def turned(title: str, size: int, first: bool, second: bool) -> None:
        def make(t: Any) -> Callable[[], Any]:
            a, b = (values(t, (size, size), "float32", k) for k in (0, 1))
            a, b = a.t() if first else a, b.t() if second else b
            return lambda: t.mm(a, b)

        made[title] = make

    def mm(t: Any, a: Any, b: Any) -> Any:
        return t.mm(a, b)

    for n in (4, 16, 32, 64, 128, 256, 512, 1024, 2048):
        add(f"square {n}", mm, (n, n), (n, n))
    for m, k, n in ((33, 70, 19), (127, 129, 131), (64, 576, 3136), (1000, 10, 1000)):
        add(f"odd {m}x{k}x{n}", mm, (m, k), (k, n))
    for n in (16, 256, 1024):
        turned(f"transposed B {n}", n, False, True)
        turned(f"transposed A {n}", n, True, False)
    for n in (16, 512, 2048):
        add(f"matvec {n}", lambda t, a, x: t.mv(a, x), (n, n), (n,))
    add("dot 100000", lambda t, a, b: t.dot(a, b), (100000,), (100000,))
    for count, n in ((256, 4), (64, 16), (64, 32), (16, 128)):
        add(f"batched {count}x{n}", lambda t, a, b: t.bmm(a, b), (count, n, n), (count, n, n))
    add("matmul 4 dims", lambda t, a, b: a @ b, (2, 8, 64, 32), (2, 8, 32, 64))
    for n in (8, 64, 256):
        add(f"addmm {n}", lambda t, c, a, b: t.addmm(c, a, b), (n,), (n, n), (n, n))
    add(
        "linear 32x512", lambda t, x, w, b: t.nn.functional.linear(x, w, b),
        (32, 512), (512, 512), (512,),
    )  # fmt: skip
    for kind in ("float64", "bfloat16"):
        for n in (16, 128, 512):
            add(f"{kind} {n}", mm, (n, n), (n, n), dtype=kind)
    return made


def share_of_peak(title: str, seconds: float, threads: int) -> str:
    """For a square, how much of what its cores can do at most was reached."""
    kind, _, size = title.partition(" ")
    if kind != "square":
        return ""
    done = 2.0 * int(size) ** 3 / seconds
    return f"   {done / (peak_operations() * threads):4.0%} of peak"
