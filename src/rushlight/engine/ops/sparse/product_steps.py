"""The product of a sparse and a dense matrix in machine code: rows that are added to rows.

Nothing is put together in between, and the order of the sums is that of the values. What is done
with a row is a generated loop for the element type; the walk over the values is the same for all
types. Threads share the columns, so that no two of them write to one element. Arguments travel in a
block of words that all threads read; `CONTEXT` names them.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from rushlight.engine.core.dtype import dtype
from rushlight.engine.loops.map_kernel import map_ir
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.native import machine, runtime, threads
from rushlight.engine.native.lowlevel import Module, invoke, load, stack, store

module = Module("sparse_products")

# What the context holds, in this order; `wrong` is set where an index is outside.
CONTEXT = (
    "rows", "columns", "values", "dense", "out", "count", "height", "inner", "width", "itemsize",
    "kernel", "wrong",
)  # fmt: skip
(
    ROWS, COLUMNS, VALUES, DENSE, OUT, COUNT, HEIGHT, INNER, WIDTH, ITEMSIZE,
    KERNEL, WRONG,
) = range(0, 8 * len(CONTEXT), 8)  # fmt: skip

# From so many products on, threads share them; each gets at least so many columns.
SHARED = 1 << 15
FEWEST_COLUMNS = 8
# The operands of the loop over a row: the sums, written and read, the row that is added, a factor.
LETTERS = "cccs"


@module.function
def multiply_share(context: int, part: int, parts: int) -> int:
    """One thread's columns."""
    width = load(context + WIDTH)
    itemsize = load(context + ITEMSIZE)
    first = width * part // parts
    sizes = stack(2)
    store(sizes, width * (part + 1) // parts - first)
    store(sizes + 8, 1)
    strides = stack(8)
    for k in range(8):
        store(strides + k * 8, 0)
    pointers = stack(4)
    rows = load(context + ROWS)
    columns = load(context + COLUMNS)
    values = load(context + VALUES)
    dense = load(context + DENSE) + first * itemsize
    out = load(context + OUT) + first * itemsize
    height = load(context + HEIGHT)
    inner = load(context + INNER)
    kernel = load(context + KERNEL)
    for k in range(load(context + COUNT)):
        row = load(rows + k * 8)
        column = load(columns + k * 8)
        if row < 0 or row >= height or column < 0 or column >= inner:
            store(context + WRONG, 1)
            return 0
        target = out + row * width * itemsize
        store(pointers, target)
        store(pointers + 8, target)
        store(pointers + 16, dense + column * width * itemsize)
        store(pointers + 24, values + k * itemsize)
        invoke(kernel, pointers, sizes, strides)
    return 0


@module.function
def multiply_together(region: int, context: int, parts: int) -> int:
    invoke(region, multiply_share, context, parts)
    return 0


@functools.cache
def _machine_code() -> Any:
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
    return prototype(module.address(multiply_together))


@functools.cache
def _row_kernel(kind: dtype) -> int:
    """The loop that adds a row times a factor to a row of sums."""
    compute = compute_type(kind)

    def body(total: Any, row: Any, factor: Any) -> Any:
        return total + row * factor

    return machine.address(map_ir(body, [kind.memory], [kind.memory] * 3, [compute] * 3, LETTERS))


def _parts_for(count: int, width: int) -> int:
    if count * width < SHARED:
        return 1
    return max(1, min(width // FEWEST_COLUMNS, threads.get_size()))


def run(kind: dtype, **arguments: int) -> bool:
    """Add the product to ``out``; False if an index was outside. Names as in `CONTEXT`."""
    parts = _parts_for(arguments["count"], arguments["width"])
    if parts > 1:
        threads.ensure_started()
    arguments |= {"itemsize": kind.itemsize, "kernel": _row_kernel(kind)}
    context = (ctypes.c_int64 * len(CONTEXT))(*(arguments.get(name, 0) for name in CONTEXT))
    region = runtime.module.address(threads.run_region)
    _machine_code()(region, ctypes.addressof(context), parts)
    return not context[len(CONTEXT) - 1]
