"""numpy's generalised functions as kernels: their inner loops are called by machine code.

A ufunc's fields are numpy's C interface, the same for all its versions. What is asked of them here is
checked against what Python says of the same function.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from rushlight.engine.native import heap_types
from rushlight.engine.native.lowlevel import (
    Module,
    invoke,
    load,
    stack,
    store,
    store_float,
    store_float32,
    to_float,
)

# Compiled when the first such function is used, after the run-time system.
module = Module("ufuncs")

_COUNTS = heap_types.HEADER  # inputs, outputs, all of them: 32 bits each
_LOOPS, _DATA, _TYPES = _COUNTS + 16, _COUNTS + 24, _COUNTS + 32


class CORE:
    """Positions of the words about a function over one dimension and a factor, in bytes."""

    loop = 0
    data = 8
    factor = 16  # address of a number; 0 if it is one by a length
    length_in = 24
    length_out = 32
    step_in = 40  # bytes from one element to the next
    step_out = 48
    divisor = 56  # that length
    is_single = 64  # whether the number is in single precision


@module.function
def one_dimension(pointers: int, sizes: int, strides: int) -> int:
    """A kernel over rows: ``(n),()->(m)``. Operands: the words, the rows (written), the rows given."""
    core = load(pointers)
    arguments = stack(3)
    store(arguments, load(pointers + 16))
    factor = load(core + CORE.factor)
    if factor == 0:
        factor = stack(1)
        part = 1.0 / to_float(load(core + CORE.divisor))
        if load(core + CORE.is_single) != 0:
            store_float32(factor, part)
        else:
            store_float(factor, part)
    store(arguments + 8, factor)
    store(arguments + 16, load(pointers + 8))
    lengths = stack(3)
    store(lengths, load(sizes))
    store(lengths + 8, load(core + CORE.length_in))
    store(lengths + 16, load(core + CORE.length_out))
    steps = stack(5)
    store(steps, load(strides + 16))
    store(steps + 8, 0)
    store(steps + 16, load(strides + 8))
    store(steps + 24, load(core + CORE.step_in))
    store(steps + 32, load(core + CORE.step_out))
    invoke(load(core + CORE.loop), arguments, lengths, steps, load(core + CORE.data))
    return 0


@functools.cache
def loop_of(function: Any, types: str) -> tuple[int, int]:
    """The inner loop of a ufunc for a signature such as ``Ff->F``, and what it is given besides."""
    here = id(function)
    counts = (ctypes.c_int32 * 3).from_address(here + _COUNTS)
    number = ctypes.c_int32.from_address(here + _TYPES).value
    if [*counts, number] != [function.nin, function.nout, function.nargs, len(function.types)]:
        raise NotImplementedError(f"{function}: numpy's functions are laid out in an unknown way")
    place = function.types.index(types) * 8
    loops, data = (ctypes.c_int64.from_address(here + at).value for at in (_LOOPS, _DATA))
    given = ctypes.c_int64.from_address(data + place).value if data else 0
    return ctypes.c_int64.from_address(loops + place).value, given
