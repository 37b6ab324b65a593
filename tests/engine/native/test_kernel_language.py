"""The kernel language: vectors, masks, memory, and what Python decides while it writes code."""

from __future__ import annotations

import ctypes
import functools

import expecttest
import llvmlite.binding as llvm
import numpy as np
import pytest

from rushlight.engine.native import machine
from rushlight.engine.native.lowlevel import (
    Pointer,
    absolute,
    address_of,
    apart,
    bits_as,
    broadcast,
    constant,
    count_of,
    define,
    divided,
    element,
    entry,
    extended,
    fence,
    first_lanes,
    gather,
    immediate,
    in_every_lane,
    inlined,
    intrinsic,
    is_within,
    kernel_text,
    lane,
    lane_mask,
    lanes_from,
    left_over,
    load,
    load_masked,
    maximum,
    minimum,
    multiply_add,
    narrowed,
    place,
    pointer,
    prefetch,
    put_lane,
    registers,
    room,
    scatter,
    select,
    shifted,
    shuffle,
    stack,
    store,
    store_masked,
    store_together,
    stream,
    sum_of_lanes,
    transpose,
    unordered,
    unroll,
    vector_of,
)

FOUR = vector_of(4, "float")
WORDS = vector_of(4, "i64")


def call(kernel, *arrays, sizes=(), **names):
    """Run a kernel, given as a function of places and sizes, on arrays."""

    @inlined
    def run(data, lengths, strides):
        kernel(
            *(load(data + 8 * k, "ptr") for k in range(len(arrays))),
            *(load(lengths + 8 * k) for k in range(len(sizes))),
            **names,
        )

    ir = kernel_text(run)
    llvm.parse_assembly(ir).verify()
    data = np.array([a.ctypes.data for a in arrays], np.int64)
    lengths = np.array([*sizes, 0], np.int64)
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)
    prototype(machine.address(ir))(data.ctypes.data, lengths.ctypes.data, None)


# -- memory --


def test_vectors_are_loaded_and_stored():
    @inlined
    def double(x: Pointer, y: Pointer):
        store(y, load(x, FOUR) * 2.0)
        store(y + 16, load(x + 16, "float"))

    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    call(double, x, y)
    assert y.tolist() == [0, 2, 4, 6, 4]


@pytest.mark.parametrize("count", [-1, 0, 1, 3, 4, 9])
def test_parts_of_vectors(count):
    @inlined
    def copy(x: Pointer, y: Pointer, count: int):
        mask = first_lanes(count, 4)
        store_masked(y, load_masked(x, FOUR, mask) + 1.0, mask)
        store(y + 16, load_masked(x, FOUR, mask))

    x, y = np.arange(1, 5, dtype=np.float32), np.zeros(8, np.float32)
    call(copy, x, y, sizes=[count])
    few = min(max(count, 0), 4)
    assert y.tolist() == [
        *range(2, 2 + few),
        *[0] * (4 - few),
        *range(1, 1 + few),
        *[0] * (4 - few),
    ]


def test_lanes_that_lie_apart():
    @inlined
    def pick(x: Pointer, y: Pointer):
        offsets = lanes_from([12, 0, 8, 4], "i64")
        values = gather(x + offsets, "i32")
        scatter(y + offsets, values + values, lanes_from([1, 1, 0, 1], "i1"))
        store_together(y + 16, values, lanes_from([0, 1, 0, 1], "i1"))

    x, y = np.array([5, 6, 7, 8], np.int32), np.zeros(6, np.int32)
    call(pick, x, y)
    assert y.tolist() == [10, 12, 0, 16, 5, 6]


def test_room_on_the_stack():
    @inlined
    def through(x: Pointer, y: Pointer):
        words, bytes = stack(2), room(64)
        prefetch(x)
        prefetch(y, writes=True, level=2)
        store(words + 8, load(x))
        store(bytes, load(place(words, 8)), align=64)
        store(y, load(pointer(bytes)))

    x, y = np.array([41]), np.array([0])
    call(through, x, y)
    assert y[0] == 41


def test_places():
    @inlined
    def work(x: Pointer, y: Pointer):
        for k in range(3):
            store(element(y, k, 8), load(element(x, 2 - k, 8)))
        store(y + 24, (address_of(y + 24) - address_of(y)) + entry(x, 1, "i64"))

    x, y = np.array([5, 6, 7]), np.zeros(4, np.int64)
    call(work, x, y)
    assert y.tolist() == [7, 6, 5, 30]


def test_stores_around_the_caches():
    @inlined
    def work(x: Pointer, y: Pointer):
        place = pointer((address_of(y) + 63) & -64)
        stream(place, load(x, FOUR), 16)
        fence()
        store(y + 128, load(place, FOUR))

    x, y = np.arange(4, dtype=np.float32), np.zeros(36, np.float32)
    call(work, x, y)
    assert y[32:].tolist() == [0, 1, 2, 3]


# -- numbers --


def test_integers():
    @inlined
    def work(x: Pointer, y: Pointer):
        a, b = load(x), load(x + 8)
        found = [minimum(a, b), maximum(a, b), minimum(a, 3), absolute(a), a // b, a % b]
        found += [divided(b, 3), left_over(b, 4), is_within(a, 7), is_within(b, 7)]
        found += [select(a < b, 10, 20), shifted(a, 60), a >> 1, ~a, -a, a ^ b]
        found += [extended(narrowed(a, "i8"), signed=False), minimum(2, 5), maximum(2, 5)]
        for k, value in enumerate(found):
            store(y + 8 * k, value)

    x, y = np.array([-7, 6]), np.zeros(19, np.int64)
    call(work, x, y)
    expected = [-7, 6, -7, 7, -1, -1, 2, 2, 0, 1, 10, 15, -4, 6, 7, -7 ^ 6, 249, 2, 5]
    assert y.tolist() == expected


def test_numbers_that_are_rounded_once():
    @inlined
    def work(x: Pointer, y: Pointer):
        a = load(x, FOUR)
        store(y, multiply_add(a, a, constant(-1.0, FOUR)))
        store(y + 16, narrowed(extended(a, vector_of(4, "double")), FOUR) - a)
        store(y + 32, select(unordered(a, a), constant(7, FOUR), a))

    x = np.array([1 + 2**-12, 3, np.nan, np.inf], np.float32)
    y = np.zeros(12, np.float32)
    with np.errstate(invalid="ignore"):
        call(work, x, y)
        exact = np.array([2.0**-11 + 2.0**-24, 8, np.nan, np.inf], np.float32)
        np.testing.assert_array_equal(y[:4], exact)
        np.testing.assert_array_equal(y[4:8], x - x)
    assert y[8:].tolist() == [x[0], 3, 7, np.inf]


def test_masks():
    @inlined
    def work(x: Pointer, y: Pointer):
        a = load(x, WORDS)
        some = (a > 2) & (a < 9)
        store(y, count_of(some))
        store(y + 8, in_every_lane(a > 0))
        store(y + 16, in_every_lane(some))
        store(y + 24, count_of(lane_mask(3, 4) & ~some))
        store(y + 32, select(some, a, 0))

    x, y = np.array([1, 3, 8, 9]), np.zeros(8, np.int64)
    call(work, x, y)
    assert y.tolist() == [2, 1, 0, 1, 0, 3, 8, 0]


# -- lanes --


def test_lanes_change_places():
    @inlined
    def work(x: Pointer, y: Pointer):
        a = load(x, FOUR)
        store(y, shuffle(a, [3, 2, 1, 0]))
        store(y + 16, shuffle(a, [0, 4, 1, 5], a * 10.0))
        store(y + 32, broadcast(lane(a, 2), 4))
        store(y + 48, sum_of_lanes(a))
        store(y + 52, bits_as(lane(a, 1), "i32"))
        pair = put_lane(put_lane(None, 0, lane(a, 3), 2), 1, lane(a, 0), 2)
        store(y + 56, pair)

    x, y = np.arange(1, 5, dtype=np.float32), np.zeros(16, np.float32)
    call(work, x, y)
    assert y[14:].tolist() == [4, 1]
    assert y[:13].tolist() == [4, 3, 2, 1, 1, 10, 2, 20, 3, 3, 3, 3, 10]
    assert y[13] == x[1]


def test_squares_are_turned_around():
    @inlined
    def turn(x: Pointer, y: Pointer):
        rows = [load(x + 16 * k, FOUR) for k in unroll(4)]
        for k, row in enumerate(transpose(rows)):
            store(y + 16 * k, row)

    x, y = np.arange(16, dtype=np.float32).reshape(4, 4), np.zeros((4, 4), np.float32)
    call(turn, x, y)
    assert (y == x.T).all()


def test_any_intrinsic():
    @inlined
    def work(x: Pointer, y: Pointer):
        count = intrinsic("i64", "llvm.cttz.i64", load(x), False)
        store(y, count + intrinsic("i64", "llvm.ctpop.i64", 7))
        intrinsic("void", "llvm.prefetch.p0", x, *map(immediate, (0, 3, 1)))

    x, y = np.array([8]), np.array([0])
    call(work, x, y)
    assert y[0] == 6


# -- control --


def test_registers_are_carried_around_loops():
    @inlined
    def sums(x: Pointer, y: Pointer, rows: int):
        total = registers(3, 0)
        for k in range(rows):
            for j in unroll(3):
                total[j] += load(x + (k * 3 + j) * 8)
        for j in unroll(3):
            store(y + 8 * j, total[j])

    x, y = np.arange(12), np.zeros(3, np.int64)
    call(sums, x, y, sizes=[4])
    assert y.tolist() == x.reshape(4, 3).sum(0).tolist()


def test_lists_are_values():
    @inlined
    def work(y: Pointer, n: int):
        first = [n, n]
        second = first
        if n > 3:
            second[0] = 0
        store(y, first[0])
        store(y + 8, second[0])

    y = np.zeros(2, np.int64)
    call(work, y, sizes=[5])
    assert y.tolist() == [5, 0]


def test_loops_are_left_early():
    @inlined
    def place_of(x: Pointer, n: int, wanted: int):
        for k in range(n):
            here = load(x + 8 * k)
            if here < 0:
                continue
            if here == wanted:
                return k
        return -1

    @inlined
    def work(x: Pointer, y: Pointer, n: int):
        store(y, place_of(x, n, 5))
        store(y + 8, place_of(x, n, 6))
        k = 0
        while True:
            if load(x + 8 * k) == 4 or k >= n:
                break
            k += 1
        store(y + 16, k)

    x, y = np.array([7, -5, 4, 5, 5]), np.zeros(3, np.int64)
    call(work, x, y, sizes=[5])
    assert y.tolist() == [3, -1, 2]


@pytest.mark.parametrize("a", [0, 1, 2])
@pytest.mark.parametrize("b", [0, 1, 2])
def test_conditions(a, b):
    @inlined
    def work(y: Pointer, a: int, b: int):
        store(y, 1 if a and b == 1 else 2 if not (a or b) else 3)
        either = a == 1 or b == 1
        store(y + 8, either)
        store(y + 16, not a)
        if a != b and not (a == 2 and b > 0):
            store(y + 24, 9)
        elif a:
            store(y + 24, 8)

    y = np.zeros(4, np.int64)
    call(work, y, sizes=[a, b])
    first = 1 if a and b == 1 else 2 if not (a or b) else 3
    last = 9 if a != b and not (a == 2 and b > 0) else 8 if a else 0
    assert y.tolist() == [first, a == 1 or b == 1, a == 0, last]


def test_python_decides_what_it_knows():
    asked = []

    @inlined
    def work(y: Pointer, n: int, wide: bool, kind):
        asked.append(kind)
        if wide and kind is None:
            asked.append(kind.missing)
        store(y, (4 if wide else n) + (1 if not wide or kind == "f32" else 2))
        if wide:
            return
        asked.append("behind")

    y = np.zeros(1, np.int64)
    call(work, y, sizes=[7], wide=True, kind="f32")
    assert y[0] == 5 and asked == ["f32"]
    call(work, y, sizes=[7], wide=False, kind=None)
    assert y[0] == 8 and asked == ["f32", None, "behind"]


# -- functions --


class Scaled:
    """Sums of so many rows with weights."""

    @apart
    def add(self, x: Pointer, y: Pointer, weight: int, *, rows: int):
        total = load(y)
        for k in unroll(rows):
            total += load(x + 8 * k) * weight
        store(y, total)

    @apart
    def unused(self, x: Pointer, flag: bool):
        if flag:
            store(x, 0)

    @inlined
    def run(self, data: Pointer, sizes: Pointer, strides: Pointer):
        define(self.unused)
        x, y = load(data, "ptr"), load(data + 8, "ptr")
        self.add(x, y, 10, rows=2)
        self.add(x, y, load(sizes), rows=3)
        self.add(x, y, 1, rows=2)


def test_functions_apart_are_one_for_each_constant():
    text = kernel_text(Scaled().run)
    assert text.count("define internal void @add") == 2 and "@add3(" in text
    assert text.index("@unused(") < text.index("@add2(")
    x, y = np.array([1, 2, 3]), np.array([0])
    data, sizes = np.array([x.ctypes.data, y.ctypes.data]), np.array([100])
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)
    prototype(machine.address(text))(data.ctypes.data, sizes.ctypes.data, None)
    assert y[0] == 3 * 10 + 6 * 100 + 3


def test_functions_run_only_as_part_of_code():
    with pytest.raises(TypeError, match="compiled code"):
        inlined(lambda x: x)(1)
    with pytest.raises(TypeError, match="compiled code"):
        load(0)


# -- what is refused --


def refused(function, *counts):
    with pytest.raises((TypeError, SyntaxError)) as error:
        call(function, np.zeros(1), sizes=counts)
    return str(error.value)


def test_what_only_the_machine_knows_is_no_truth_for_python():
    def plain(y, n):
        if n > 3:
            store(y, n)

    assert "known only when compiled code runs" in refused(plain, 1)


def test_names_need_a_value_on_every_path():
    @inlined
    def work(y: Pointer, n: int):
        if n > 3:
            found = n
        store(y, found)

    assert "no value on some path" in refused(work, 1)


def test_kinds_do_not_mix():
    @inlined
    def add(y: Pointer, n: int):
        store(y, n + load(y, "double"))

    assert "a value of kind i64 is needed" in refused(add, 1)

    @inlined
    def change(y: Pointer, n: int):
        total = 0
        for _ in range(n):
            total = load(y, "double")
        store(y, total)

    assert "a value of kind i64 is needed" in refused(change, 1)


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("with x: pass", "not part of the language"),
        ("for k in range(3):\n        k = 5", "counted by the loop alone"),
        ("for k in (1, 2):\n        break", "only a loop that runs is left early"),
        ("while n:\n        n = 0\n    else:\n        n = 1", "a loop has no else"),
        ("for k in range(3, 0, -1): pass", "loops count upwards"),
    ],
)
def test_statements_that_are_no_part_of_the_language(tmp_path, statement, why):
    path = tmp_path / "kernel.py"
    path.write_text(f"def work(x, n):\n    {statement}\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    assert why in refused(inlined(names["work"]), 1)


def test_a_function_without_source_is_refused():
    names = {}
    exec("def work(x, n): pass", names)
    assert "work has no source that could be read" in refused(inlined(names["work"]), 1)


# -- the text --


class TestText(expecttest.TestCase):
    """What small functions are written as."""

    def text(self, function):
        @functools.wraps(function)
        def run(data, sizes, strides):
            function(data, sizes)

        return "\n" + kernel_text(run).rpartition("\ndefine")[2].partition("\n")[2]

    def test_a_loop(self):
        @inlined
        def total(data: Pointer, sizes: Pointer):
            found = 0
            for k in range(load(sizes)):
                found += load(data + k * 8)
            store(data, found)

        self.assertExpectedInline(
            self.text(total),
            """\

entry:
  %v1 = load i64, ptr %sizes, align 8
  br label %head2
head2:
  %c3 = phi i64 [ 0, %entry ], [ %v12, %inside6 ]
  %c4 = phi i64 [ 0, %entry ], [ %v11, %inside6 ]
  %v5 = icmp slt i64 %c3, %v1
  br i1 %v5, label %inside6, label %after7
inside6:
  %v8 = mul i64 %c3, 8
  %v9 = getelementptr i8, ptr %data, i64 %v8
  %v10 = load i64, ptr %v9, align 8
  %v11 = add i64 %c4, %v10
  %v12 = add i64 %c3, 1
  br label %head2
after7:
  store i64 %c4, ptr %data, align 8
  ret void
}
""",
        )

    def test_a_branch(self):
        @inlined
        def limited(data: Pointer, sizes: Pointer):
            value = load(data)
            if value > 9 and load(sizes) != 0:
                value = 9
            store(data, value)

        self.assertExpectedInline(
            self.text(limited),
            """\

entry:
  %v1 = load i64, ptr %data, align 8
  %v2 = icmp sgt i64 %v1, 9
  br i1 %v2, label %and3, label %join4
and3:
  %v5 = load i64, ptr %sizes, align 8
  %v6 = icmp ne i64 %v5, 0
  br i1 %v6, label %then7, label %join4
then7:
  br label %join4
join4:
  %v8 = phi i64 [ %v1, %entry ], [ %v1, %and3 ], [ 9, %then7 ]
  store i64 %v8, ptr %data, align 8
  ret void
}
""",
        )

    def test_vectors(self):
        @inlined
        def scaled(data: Pointer, sizes: Pointer, fused: bool = True):
            mask = lane_mask(load(sizes), 4)
            x = load_masked(data, FOUR, mask)
            store_masked(data, multiply_add(x, x, x) if fused else x * x + x, mask)

        self.assertExpectedInline(
            self.text(scaled),
            """\

entry:
  %v1 = load i64, ptr %sizes, align 8
  %v2 = call <4 x i1> @llvm.get.active.lane.mask.v4i1.i64(i64 0, i64 %v1)
  %v3 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %data, i32 immarg 4, <4 x i1> %v2, <4 x float> zeroinitializer)
  %v4 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v3, <4 x float> %v3, <4 x float> %v3)
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v4, ptr %data, i32 immarg 4, <4 x i1> %v2)
  ret void
}
declare <4 x i1> @llvm.get.active.lane.mask.v4i1.i64(i64, i64)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, i32 immarg, <4 x i1>, <4 x float>)
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, i32 immarg, <4 x i1>)
""",
        )
