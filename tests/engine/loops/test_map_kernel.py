"""Map kernels against the evaluator: every type, stride class, size and operation."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_call import run

from rushlight.engine.loops import expr, target
from rushlight.engine.loops.casts import FLOAT8, MEMORY_BYTES, raw_type
from rushlight.engine.loops.evaluator import evaluate_map, image_dtype, raw_dtype
from rushlight.engine.loops.expr import FLOATS, INTS, SIGNED, const, convert, select
from rushlight.engine.loops.map_kernel import map_ir

MEMORY = tuple(MEMORY_BYTES)
NO_MASKS = target.Target(vector_bytes=32, masks=False, half=False, fma=False)


def numbers(memory: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Memory images with ordinary and special values."""
    rng = np.random.default_rng(seed)
    if memory in ("f32", "f64", "c64", "c128"):
        parts = 2 if memory[0] == "c" else 1
        x = rng.standard_normal((*shape, parts)) * 10.0 ** rng.integers(-3, 4, (*shape, parts))
        flat = x.reshape(-1)
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 3e38]
        flat[: len(special)] = special[: len(flat)]
        return x.astype(raw_dtype(memory)).view(image_dtype(memory))[..., 0]
    if memory == "bool":
        return rng.integers(0, 2, shape, np.uint8)
    dtype = image_dtype(memory)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def same(got: np.ndarray, wanted: np.ndarray, memory: str) -> None:
    raw = raw_dtype(memory)
    if memory in ("f16", "bf16", "c32"):
        mask = 0x7C00 if memory != "bf16" else 0x7F80
        a, b = (
            np.ascontiguousarray(got).view(np.uint16),
            np.ascontiguousarray(wanted).view(np.uint16),
        )
        nan = ((a & 0x7FFF) > mask) & ((b & 0x7FFF) > mask)
        np.testing.assert_array_equal(np.where(nan, 0, a), np.where(nan, 0, b))
        return
    got, wanted = (np.ascontiguousarray(x).view(raw) for x in (got, wanted))
    np.testing.assert_array_equal(got, wanted)


def check(body, outs, ins, params, inner, shape, seed=0, **options):
    """Run over arrays laid out as ``inner`` says, compare with the evaluator."""
    arrays = []
    for k, (memory, letter) in enumerate(zip([*outs, *ins], inner)):
        n0, n1 = shape
        if letter == "c":
            base = numbers(memory, (n1, n0), seed + k).T
        elif letter == "t":
            base = numbers(memory, (n0, n1 + 3), seed + k)[:, :n1]
        elif letter == "s" and k >= len(outs):
            base = np.broadcast_to(numbers(memory, (1, n1), seed + k), shape)
        else:
            base = numbers(memory, (n1, n0, 2), seed + k)[:, :, 1].T
        arrays.append(base)
    wanted = evaluate_map(body, outs, ins, params, arrays[len(outs) :])
    wanted = [np.broadcast_to(w, shape) for w in wanted]
    run(map_ir(body, outs, ins, params, inner, **options), arrays)
    for got, want, memory in zip(arrays, wanted, outs):
        same(got, want, memory)


@pytest.mark.parametrize("size", [0, 1, 2, 15, 16, 17, 63, 64, 65, 100, 259])
@pytest.mark.parametrize("inner", ["ccc", "ccs", "csc", "cgc", "ggc", "ggg", "sss"])
def test_sizes_and_strides(size, inner):
    check(lambda a, b: a * 2 + b, ["f32"], ["f32", "f32"], ["f32", "f32"], inner, (size, 3))


@pytest.mark.parametrize("inner", ["ccc", "ggs", "ccs"])
def test_without_masks(inner):
    for size in (1, 7, 8, 9, 40):
        check(
            lambda a, b: a * 2 + b,
            ["f32"],
            ["f32", "i8"],
            ["f32", "f32"],
            inner,
            (size, 2),
            target=NO_MASKS,
        )


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("inner", ["cc", "gg"])
def test_copy_of_every_type(memory, inner):
    same_type = memory if memory not in FLOAT8 else "f32"
    check(lambda x: x, [memory], [memory], [same_type], inner, (37, 2))


@pytest.mark.parametrize("source", MEMORY)
@pytest.mark.parametrize("kind", ["native", "plain"])
def test_conversions(source, kind):
    options = {} if kind == "native" else {"target": NO_MASKS}
    for memory in MEMORY:
        param = source if source not in FLOAT8 else "f32"
        check(lambda x: x, [memory], [source], [param], "cc", (67, 1), **options)


UNARY = {
    "neg": lambda x: -x, "abs": abs, "sqrt": expr.sqrt, "floor": expr.floor, "ceil": expr.ceil,
    "trunc": expr.trunc, "rint": expr.rint, "not": lambda x: ~x, "clz": expr.clz,
    "shr": lambda x: x >> 3, "shl": lambda x: x << 2, "inverse": lambda x: 1 / x,
}  # fmt: skip
BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / select(b == 0, const(b.type, 1), b),
    "rem": lambda a, b: a % select(b == 0, const(b.type, 1), b),
    "mulhi": expr.mulhi, "min": expr.minimum, "max": expr.maximum,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "copysign": expr.copysign,
}  # fmt: skip


@pytest.mark.parametrize("type", [*INTS, "f32", "f64"])
def test_unary_operations(type):
    for name, body in UNARY.items():
        if type in FLOATS and name in ("not", "clz", "shr", "shl"):
            continue
        if type in INTS and name in ("sqrt", "floor", "ceil", "trunc", "rint", "inverse"):
            continue
        check(body, [type], [type], [type], "cc", (70, 1))


@pytest.mark.parametrize("type", [*INTS, "f32", "f64"])
def test_binary_operations(type):
    for name, body in BINARY.items():
        if type in FLOATS and name in ("and", "or", "xor", "mulhi"):
            continue
        if type in INTS and name == "copysign":
            continue
        check(body, [type], [type, type], [type, type], "ccc", (90, 1), seed=5)


def test_division_never_traps():
    for type in INTS:
        dtype = np.dtype(image_dtype(type))
        low = np.iinfo(dtype).min
        a = np.array([1, low, low, 7] * 9, dtype).reshape(-1, 1)
        b = np.array([0, 1, 0, 3] * 9, dtype).reshape(-1, 1)
        if type in SIGNED:
            b[1] = -1
        out = np.zeros_like(a)
        run(map_ir(lambda x, y: x / y, [type], [type, type], [type, type], "ccc"), [out, a, b])
        assert out[3, 0] == 2
        if type in SIGNED:
            assert out[1, 0] == low


def test_comparisons_and_select():
    for type in (*INTS, "f32", "f64"):
        for compare in (
            lambda a, b: a < b,
            lambda a, b: a <= b,
            lambda a, b: a > b,
            lambda a, b: a >= b,
            lambda a, b: a == b,
            lambda a, b: a != b,
        ):
            check(compare, ["bool"], [type, type], [type, type], "ccc", (67, 1))
        check(
            lambda a, b: (select(a < b, a, b), (a < b) ^ (b == 0)),
            [type, "bool"],
            [type, type],
            [type, type],
            "cccc",
            (67, 1),
        )


def test_complex():
    def body(a, b):
        return a * b + a.conj(), a == b

    for memory in ("c64", "c128"):
        for inner in ("cccc", "cgcg", "ccsc"):
            check(body, [memory, "bool"], [memory, memory], [memory, memory], inner, (21, 2))


def test_table_and_index_types():
    values = [1.5, -2.0, 3.25, 8.0]
    for index in ("i8", "u8", "i32", "i64"):
        check(
            lambda x, i=index: expr.table(values, x & 3, "f32"),
            ["f32"],
            [index],
            [index],
            "cc",
            (50, 1),
        )


def test_remainder_of_far_apart_floats():
    for type in ("f32", "f64"):
        for plain in ({}, {"target": NO_MASKS} if type == "f32" else {}):
            dtype = raw_dtype(type)
            big = np.finfo(dtype).max
            a = np.array([big, -big, 5.5, 1e30, 7.0, np.inf, 3.0, np.nan, 0.0, -0.0, 1e20], dtype)
            b = np.array([3e-20, 7.0, -2.0, 1e-30, np.inf, 2.0, 0.0, 1.0, 3.0, 3.0, 3.0], dtype)
            a, b = np.tile(a, 3).reshape(-1, 1), np.tile(b, 3).reshape(-1, 1)
            out = np.zeros_like(a)
            run(
                map_ir(lambda x, y: x % y, [type], [type] * 2, [type] * 2, "ccc", **plain),
                [out, a, b],
            )
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(out, np.fmod(a, b))


def test_fma():
    check(lambda a, b, c: expr.fma(a, b, c), ["f32"], ["f32"] * 3, ["f32"] * 3, "cccc", (67, 1))


def test_in_place():
    a = np.arange(100, dtype=np.float32).reshape(-1, 1)
    run(map_ir(lambda x: x + 1, ["f32"], ["f32"], ["f32"], "cc"), [a, a])
    np.testing.assert_array_equal(a[:, 0], np.arange(1, 101))


def test_float_to_int_out_of_range():
    x = np.array([300.0, -1, np.nan, np.inf, -np.inf, 70000, 3e9, -3e9], np.float32).reshape(-1, 1)
    wanted = {
        "i8": [44, -1, 0, 0, 0, 112, 0, 0],
        "u8": [44, 255, 0, 0, 0, 112, 0, 0],
        "i16": [300, -1, 0, 0, 0, 4464, 0, 0],
        "i32": [300, -1, *[-(2**31)] * 3, 70000, *[-(2**31)] * 2],
        "i64": [300, -1, *[-(2**63)] * 3, 70000, 3000000000, -3000000000],
    }
    for type, values in wanted.items():
        out = np.zeros(x.shape, image_dtype(type))
        run(map_ir(lambda v: v, [type], ["f32"], ["f32"], "cc"), [out, x])
        assert out[:, 0].tolist() == values


def test_half_rounding_to_even():
    x = (
        np.random.default_rng(1)
        .integers(0, 2**32, 5000, np.uint64)
        .astype(np.uint32)
        .view(np.float32)
        .reshape(-1, 1)
    )
    for options in ({}, {"target": NO_MASKS}):
        out = np.zeros(x.shape, np.uint16)
        run(map_ir(lambda v: v, ["f16"], ["f32"], ["f32"], "cc", **options), [out, x])
        with np.errstate(all="ignore"):
            same(out, x.astype(np.float16).view(np.uint16), "f16")


@pytest.mark.parametrize("inner", ["ccc", "ccs", "csc"])
@pytest.mark.parametrize("memory", ["u8", "i64", "f32"])
@pytest.mark.parametrize("operations", [1, 12, 60])
def test_rows_of_all_lengths_without_masks(operations, memory, inner):
    """What is left behind the last whole vector, of cheap programs, of longer ones, of long ones."""

    def body(a, b):
        for _ in range(operations):
            a = expr.maximum(a, b) if operations == 1 else a * b + a
        return a

    for size in (1, 2, 7, 8, 9, 31, 33, 127, 129, 255):
        check(body, [memory], [memory] * 2, [memory] * 2, inner, (size, 2), target=NO_MASKS)


def test_cheap_rows_end_without_lanes_of_vectors():
    ir = map_ir(lambda a: a * a, ["i32"], ["i32"], ["i32"], "cc", target=NO_MASKS)
    assert "insertelement" not in ir and "extractelement" not in ir


def test_a_body_must_give_each_output():
    with pytest.raises(TypeError):
        map_ir(lambda x: (x, x), ["f32"], ["f32"], ["f32"], "cc")


def test_halves_are_read_as_raw_bits():
    assert raw_type("c32") == "f16" and convert(const("f32", 1), "f32").type == "f32"


@pytest.mark.parametrize("inner", ["tc", "ct", "cct", "tcg", "ctst", "tt"])
@pytest.mark.parametrize("memory", ["f32", "f64", "u8", "bf16", "c64", "c128", "bool"])
def test_transposed_operands(inner, memory):
    ins = [memory] * (len(inner) - 1)
    param = "f32" if memory == "bf16" else memory

    def body(*xs):
        return xs[0] if len(xs) == 1 or memory == "bool" else xs[0] + xs[-1]

    for shape in ((3, 5), (16, 16), (35, 18), (1, 40), (40, 0)):
        check(body, [memory], ins, [param] * len(ins), inner, shape)
    check(body, [memory], ins, [param] * len(ins), inner, (35, 18), target=NO_MASKS)


@pytest.mark.parametrize("memory", ["f32", "u8", "c64"])
def test_streamed_stores(memory):
    for size in (1, 5, 64, 500):
        check(lambda x: x + x, [memory], [memory], [memory], "cc", (size, 3), stream=True)
