"""Rows that are sorted by digits or searched with a heap, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(8)


def rows(kind):
    if kind.startswith("int"):
        limits = np.iinfo(kind)
        return RNG.integers(limits.min, limits.max, (2, 3000), dtype=kind, endpoint=True)
    a = RNG.standard_normal((2, 3000)).astype(kind)
    a[:, ::7] = np.round(a[:, ::7])
    a[0, :5] = np.nan, np.inf, -np.inf, -0.0, 0.0
    return a


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
def test_sorting_by_digits(kind):
    a = rows(kind)
    values, places = torch.from_numpy(a).sort(dim=1, stable=True)
    wanted = np.argsort(a, axis=1, kind="stable")
    np.testing.assert_array_equal(places.numpy(), wanted)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(a, wanted, 1))
    down, places = torch.from_numpy(a).sort(dim=1, descending=True)
    np.testing.assert_array_equal(np.take_along_axis(a, places.numpy(), 1), down.numpy())
    np.testing.assert_array_equal(down.numpy()[:, ::-1], values.numpy())


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("k", [1, 10, 46, 47, 500, 3000])
def test_the_first_of_many(kind, k):
    a = rows(kind)
    ordered = np.sort(a, axis=1)
    values, places = torch.from_numpy(a).topk(k, largest=False)
    np.testing.assert_array_equal(values.numpy(), ordered[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(a, places.numpy(), 1), values.numpy())
    values, _ = torch.from_numpy(a).topk(k)
    np.testing.assert_array_equal(values.numpy(), ordered[:, ::-1][:, :k])


def test_equal_elements_stay_in_order_in_very_long_rows():
    a = RNG.integers(0, 9, 20_000)
    _, places = torch.from_numpy(a).sort()
    np.testing.assert_array_equal(places.numpy(), np.argsort(a, kind="stable"))


def spread(kind, name):
    """A long row: evenly spread keys, nearly all in one place, few different ones, or wide ones."""
    length = 150_001
    if name == "even":
        return RNG.integers(-(1 << 19), 1 << 19, length).astype(kind)
    if name == "crowded":
        a = RNG.integers(0, 1 << 20, length)
        a[:10] = RNG.integers(-(1 << 30), 1 << 30, 10)
        return a.astype(kind)
    if name == "few":
        return (RNG.integers(0, 3, length) * 4096).astype(kind)
    if name == "equal":
        return np.full(length, 7, kind)
    bits = RNG.integers(0, 256, (length, np.dtype(kind).itemsize), dtype=np.uint8)
    return bits.view(kind).reshape(-1)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ["even", "crowded", "few", "equal", "wide"])
@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
def test_long_rows_are_sorted_the_same_by_any_number_of_threads(kind, name, threads):
    a = spread(kind, name)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        values, places = torch.from_numpy(a).sort(stable=True)
        down, down_places = torch.from_numpy(a).sort(stable=True, descending=True)
    finally:
        torch.set_num_threads(before)
    wanted = np.argsort(a, kind="stable")
    np.testing.assert_array_equal(places.numpy(), wanted)
    np.testing.assert_array_equal(bits_of(values.numpy()), bits_of(a[wanted]))
    backwards = len(a) - 1 - np.argsort(a[::-1], kind="stable")[::-1]
    np.testing.assert_array_equal(down_places.numpy(), backwards)
    np.testing.assert_array_equal(bits_of(down.numpy()), bits_of(a[backwards]))


def bits_of(a):
    return a.view(f"u{a.itemsize}")


@pytest.mark.parametrize("special", [np.nan, -0.0])
def test_elements_that_their_keys_do_not_tell_are_kept(special):
    a = np.round(RNG.standard_normal(100_000) * 3).astype("float32")
    a[::1000] = special
    a[50] = np.array(0xFFC01234, "uint32").view("float32")
    values, places = torch.from_numpy(a).sort(stable=True)
    np.testing.assert_array_equal(places.numpy(), np.argsort(a, kind="stable"))
    np.testing.assert_array_equal(bits_of(values.numpy()), bits_of(a[places.numpy()]))


def test_a_few_long_rows():
    a = RNG.integers(-5, 1 << 30, (2, 70_000))
    values, places = torch.from_numpy(a).sort(stable=True)
    np.testing.assert_array_equal(values.numpy(), np.sort(a))
    np.testing.assert_array_equal(places.numpy(), np.argsort(a, kind="stable"))


@pytest.mark.parametrize("length", [1, 2, 32, 33, 1500])
def test_short_rows_that_keep_the_order_of_equal_elements(length):
    a = RNG.integers(0, 20, (50, length)).astype("float32")
    _, places = torch.from_numpy(a).sort(stable=True)
    np.testing.assert_array_equal(places.numpy(), np.argsort(a, kind="stable"))


@pytest.mark.parametrize("length", [1500, 100_000])
@pytest.mark.parametrize("low_values", [3, 1 << 20])
def test_keys_that_differ_in_very_high_and_very_low_bits(length, low_values):
    high = RNG.integers(-(1 << 62), 1 << 62, 50)[RNG.integers(0, 50, length)]
    a = (high & ~((1 << 30) - 1)) + RNG.integers(0, low_values, length)
    values, places = torch.from_numpy(a).sort(stable=True)
    np.testing.assert_array_equal(places.numpy(), np.argsort(a, kind="stable"))
    np.testing.assert_array_equal(values.numpy(), np.sort(a))
    values, places = torch.from_numpy(a).sort(descending=True)
    np.testing.assert_array_equal(values.numpy(), np.sort(a)[::-1])
    np.testing.assert_array_equal(a[places.numpy()], values.numpy())


def test_the_smallest_and_the_largest_integers():
    limits = np.iinfo("int64")
    a = np.array([limits.max, 0, limits.min, limits.max - 1, limits.min + 1, limits.min] * 20)
    values, places = torch.from_numpy(a).sort(stable=True)
    np.testing.assert_array_equal(places.numpy(), np.argsort(a, kind="stable"))
    np.testing.assert_array_equal(values.numpy(), np.sort(a))


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("kind", ["int64", "float32"])
def test_any_dimension_and_any_strides(dim, kind):
    a = RNG.integers(0, 50, (9, 40, 12)).astype(kind)[:, ::2]
    x = torch.from_numpy(a)
    values, places = x.sort(dim=dim, stable=True)
    wanted = np.argsort(a, axis=dim, kind="stable")
    np.testing.assert_array_equal(places.numpy(), wanted)
    np.testing.assert_array_equal(values.numpy(), np.sort(a, axis=dim))
    top, places = x.topk(4, dim=dim, largest=False)
    np.testing.assert_array_equal(top.numpy(), np.sort(a, axis=dim).take(range(4), dim))
    np.testing.assert_array_equal(np.take_along_axis(a, places.numpy(), dim), top.numpy())
