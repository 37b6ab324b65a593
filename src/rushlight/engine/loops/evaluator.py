"""The meaning of expressions and loops, in numpy: what printed kernels are tested against.

It is written for clarity: whole arrays at once, one table of operations, no vectors or tails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rushlight.engine.loops import casts
from rushlight.engine.loops.expr import BITS, FLOATS, INTS, Value, schedule
from rushlight.engine.loops.reduction import Reduction
from rushlight.engine.loops.target import Target
from rushlight.engine.loops.verify import verify

EVERYTHING = Target(half=True, scales=True)

DTYPES: dict[str, Any] = {
    "bool": np.bool_, "f16": np.uint16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
    **{f"{k}{n}": np.dtype(f"{k}{n // 8}") for k in "iu" for n in (8, 16, 32, 64)},
}  # fmt: skip


def evaluate(outputs: Sequence[Value], arguments: Mapping[int, Any]) -> list[Any]:
    """The outputs' values, with halves and float8 as their bits."""
    order, results = schedule(casts.lower(*schedule(outputs), EVERYTHING))
    verify(order)
    known: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for value in order:
            operands = [known[id(a)] for a in value.args]
            known[id(value)] = _compute(value, operands, arguments)
    return [known[id(value)] for value in results]


def _compute(value: Value, operands: list[Any], arguments: Mapping[int, Any]) -> Any:
    dtype = DTYPES[value.type]
    if value.op == "arg":
        return np.asarray(arguments[value.attr], dtype)
    if value.op == "const":
        if value.type in ("f16", "bf16"):
            from rushlight.engine.loops.ir_text import literal

            return np.asarray(int(literal(value.type, value.attr)), np.uint16)
        return np.asarray(value.attr, dtype)
    if value.op == "convert":
        return _convert(operands[0], value.args[0].type, value.type)
    if value.op == "bitcast":
        return operands[0].view(dtype)
    if value.op == "table":
        return np.asarray(value.attr, dtype)[operands[0]]
    return np.asarray(_OPERATIONS[value.op](*operands), dtype)


def _convert(x: Any, source: str, type: str) -> Any:
    if source == "f16":
        return x.view(np.float16).astype(np.float32)
    if type == "f16":
        return x.astype(np.float16).view(np.uint16)
    if type == "bool":
        return x != 0
    if source in FLOATS and type in INTS:
        limit = 2.0 ** (BITS[type] - 1)
        fits = (x >= -limit) & (x < limit)
        return np.where(fits, np.where(fits, x, 0).astype(DTYPES[type]), -(2 ** (BITS[type] - 1)))
    return x.astype(DTYPES[type])


def _extended(x: Any) -> Any:
    return x.astype(np.float64 if x.dtype == np.float32 else np.longdouble)


def _fma(a: Any, b: Any, c: Any) -> Any:
    return (_extended(a) * _extended(b) + _extended(c)).astype(a.dtype)


def _is_float(x: Any) -> bool:
    return bool(np.issubdtype(x.dtype, np.floating))


def _divide(a: Any, b: Any) -> Any:
    if _is_float(a):
        return a / b
    a, b = np.broadcast_arrays(a, b)
    quotients = (
        abs(int(x)) // abs(int(y)) * (1 if (x < 0) == (y < 0) else -1) if y else 0
        for x, y in zip(a.ravel(), b.ravel())
    )
    wrapped = [q if -(2**63) <= q < 2**63 or a.dtype.kind == "u" else q - 2**64 for q in quotients]
    return np.array(wrapped, dtype=object).astype(a.dtype).reshape(a.shape)


def _remainder(a: Any, b: Any) -> Any:
    return np.fmod(a, b) if _is_float(a) else a - _divide(a, b) * b


def _high_product(a: Any, b: Any) -> Any:
    bits = a.dtype.itemsize * 8
    return (a.astype(object) * b.astype(object)) // (1 << bits)


def _leading_zeros(x: Any) -> Any:
    bits = x.dtype.itemsize * 8
    flat = [bits - (int(v) & ((1 << bits) - 1)).bit_length() for v in np.ravel(x)]
    return np.array(flat, x.dtype).reshape(np.shape(x))


def _either_nan(a: Any, b: Any, best: Any) -> Any:
    return np.where(a != a, a, np.where(b != b, b, best))


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divide, "ratio": _divide,
    "scaleb": lambda x, k: np.ldexp(x, k.astype(np.int32)), "rem": _remainder,
    "neg": lambda x: 0 - x if not _is_float(x) else -x, "abs": np.abs, "fma": _fma,
    "mulhi": _high_product, "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "rint": np.rint, "copysign": np.copysign,
    "minimum": lambda a, b: _either_nan(a, b, np.where(a < b, a, b)),
    "maximum": lambda a, b: _either_nan(a, b, np.where(a > b, a, b)),
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "not": np.invert, "shl": np.left_shift, "shr": np.right_shift,
    "clz": _leading_zeros, "select": np.where, "rare": np.where,
}  # fmt: skip


def evaluate_map(
    body: Callable[..., Any],
    outs: Sequence[str],
    ins: Sequence[str],
    params: Sequence[str],
    arrays: Sequence[Any],
) -> list[Any]:
    """What a map kernel writes, given memory images of the inputs (see `image`)."""
    from rushlight.engine.loops.map_kernel import trace

    return assemble(evaluate(trace(body, outs, ins, params), split(arrays, ins)), outs)


def split(arrays: Sequence[Any], memories: Sequence[str]) -> dict[int, Any]:
    """The parts of memory images, numbered as `trace` numbers arguments."""
    parts: list[Any] = []
    for array, memory in zip(arrays, memories, strict=True):
        if casts.parts(memory) == 2:
            pairs = np.ascontiguousarray(array).view(raw_dtype(memory)).reshape(*array.shape, 2)
            parts += [pairs[..., 0], pairs[..., 1]]
        else:
            parts.append(array.view(raw_dtype(memory)))
    return dict(enumerate(parts))


def assemble(parts: Sequence[Any], memories: Sequence[str]) -> list[Any]:
    """Memory images from parts."""
    parts = list(parts)
    images = []
    for memory in memories:
        mine, parts = parts[: casts.parts(memory)], parts[casts.parts(memory) :]
        dtype = image_dtype(memory)
        if len(mine) == 2:
            pair = np.stack(np.broadcast_arrays(*mine), axis=-1).astype(raw_dtype(memory))
            images.append(np.ascontiguousarray(pair).view(dtype)[..., 0])
        else:
            images.append(np.ascontiguousarray(mine[0]).view(dtype))
    return images


def raw_dtype(memory: str) -> Any:
    return np.dtype(DTYPES[casts.raw_type(memory)])


def image_dtype(memory: str) -> Any:
    """The numpy type with an element's size; types numpy lacks appear as their bits."""
    if memory in ("c64", "c128"):
        return np.dtype(np.complex64 if memory == "c64" else np.complex128)
    return np.dtype(np.uint32) if memory == "c32" else raw_dtype(memory)


def evaluate_reduction(
    reduction: Reduction, outs: Sequence[str], ins: Sequence[str], arrays: Sequence[Any]
) -> list[Any]:
    """What a reduction writes for memory images whose last axis is kept, the others reduced.

    Elements enter one after another, in one block, with accumulators as they are.
    """
    from rushlight.engine.loops.phase_programs import Programs

    programs = Programs(reduction, outs, ins, EVERYTHING)
    lines = [np.broadcast_to(a, arrays[0].shape).reshape(-1, a.shape[-1]) for a in arrays]
    count, kept = lines[0].shape
    number = np.full(kept, count, np.int64)

    def run(program: Any, *groups: Sequence[Any]) -> list[Any]:
        names = [x for group in groups for x in group]
        found = evaluate(program.outputs, dict(enumerate(names)))
        return [np.broadcast_to(x, (kept,)) for x in found]

    results: list[Any] = []
    if count:
        for k, phase in enumerate(reduction.phases):
            accs = [np.full(kept, v, DTYPES[t]) for t, v in zip(phase.accs, phase.init)]
            for i in range(count):
                parts = list(split([line[i] for line in lines], ins).values())
                place = np.full(kept, i, np.int32)
                accs = run(programs.steps[k], parts, accs, [place], results)
            results = [*results, *run(programs.closes[k], accs, [number])]
    totals = [np.full(kept, v, DTYPES[t]) for t, v in zip(reduction.totals, reduction.start)]
    if count:
        found = run(programs.collect, results, [number], [np.zeros(kept, np.int64)])
        totals = run(programs.combine, totals, found)
    return assemble(run(programs.finish, totals, [number]), outs)
