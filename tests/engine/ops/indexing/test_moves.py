"""Gathers, scatters, lookups and masks, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

RNG = np.random.default_rng(11)
KINDS = ["bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex128"]


def elements(kind, *size):
    """An array of small whole numbers, so that sums are exact in every type."""
    return RNG.integers(0, 5, size).astype(kind)


def laid(a, order):
    """The array as a tensor whose dimensions lie in another order in memory."""
    back = np.argsort(order)
    return torch.from_numpy(np.ascontiguousarray(a.transpose(order))).permute(*map(int, back))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)], ids=str)
def test_gather_and_scatter(kind, dim, order):
    a = elements(kind, 4, 19, 33)
    size = [3, 17, 30]
    i = RNG.integers(0, a.shape[dim], size)
    part = a[tuple(slice(n) if d != dim else slice(None) for d, n in enumerate(size))]
    x, index = laid(a, order), laid(i, order)
    wanted = np.take_along_axis(part, i, dim)
    np.testing.assert_array_equal(x.gather(dim, index).numpy(), wanted)
    np.testing.assert_array_equal(x.gather(dim, index.int()).numpy(), wanted)
    places = list(np.indices(i.shape))
    places[dim] = i
    source = elements(kind, *size)
    target = a.copy()
    np.put_along_axis(target[tuple(slice(n) if d != dim else slice(None) for d, n in enumerate(size))],
                      i, source, dim)  # fmt: skip
    np.testing.assert_array_equal(x.scatter(dim, index, laid(source, order)).numpy(), target)
    if kind not in ("bool", "uint8"):
        added = a.copy()
        np.add.at(added, tuple(places), source)
        made = x.scatter_add(dim, index, laid(source, order))
        np.testing.assert_array_equal(made.numpy(), added)


@pytest.mark.parametrize("reduce, ufunc", [("prod", np.multiply), ("amax", np.maximum), ("amin", np.minimum)])  # fmt: skip
@pytest.mark.parametrize("include", [True, False])
def test_scatter_reduce(reduce, ufunc, include):
    a, source = RNG.standard_normal((5, 6)), RNG.standard_normal((4, 6))
    i = RNG.integers(0, 5, (4, 6))
    wanted = a.copy()
    places = i, np.indices(i.shape)[1]
    if not include:
        wanted[places] = {"prod": 1, "amax": -np.inf, "amin": np.inf}[reduce]
    ufunc.at(wanted, places, source)
    x, index, y = map(torch.from_numpy, (a, i, source))
    made = x.scatter_reduce(0, index, y, reduce, include_self=include)
    np.testing.assert_allclose(made.numpy(), wanted)


def test_means_of_what_is_scattered():
    x = torch.tensor([10.0, 20.0, 30.0])
    index, source = torch.tensor([0, 0, 2]), torch.tensor([1.0, 4.0, 6.0])
    assert x.scatter_reduce(0, index, source, "mean").tolist() == [5.0, 20.0, 18.0]
    without = x.scatter_reduce(0, index, source, "mean", include_self=False)
    assert without.tolist() == [2.5, 20.0, 6.0]
    assert x.index_reduce(0, index, source, "mean").tolist() == [5.0, 20.0, 18.0]
    whole = torch.zeros(2, dtype=torch.int64)
    made = whole.scatter_reduce(
        0, torch.tensor([0, 0]), torch.tensor([-1, -2]), "mean", include_self=False
    )
    assert made.tolist() == [-2, 0]


def test_sums_of_halves_are_rounded_once():
    small = torch.full((1000,), 0.01).bfloat16()
    index = torch.zeros(1000, dtype=torch.int64)
    assert torch.zeros(1).bfloat16().scatter_add(0, index, small).item() == 10.0


@pytest.mark.parametrize("dim", [0, 1])
def test_slices(dim):
    a = RNG.standard_normal((6, 7))
    i = np.array([3, 0, 3, 5])
    source = RNG.standard_normal(tuple(4 if d == dim else n for d, n in enumerate(a.shape)))
    x, index, y = map(torch.from_numpy, (a, i, source))
    np.testing.assert_array_equal(x.index_select(dim, index).numpy(), a.take(i, dim))
    at = (i,) if dim == 0 else (slice(None), i)
    wanted = a.copy()
    np.add.at(wanted, at, 2 * source)
    np.testing.assert_allclose(x.index_add(dim, index, y, alpha=2).numpy(), wanted)
    wanted = a.copy()
    wanted[at] = source
    np.testing.assert_array_equal(x.index_copy(dim, index, y).numpy(), wanted)
    wanted[at] = 9.0
    np.testing.assert_array_equal(x.index_fill(dim, index, 9.0).numpy(), wanted)


INDICES = [
    (np.array([2, -1, 0]),),
    (np.array([[2, 0], [1, 3]]), np.array([4, -5])),
    (slice(None), np.array([1, 1, 0])),
    (np.array([3, 1]), slice(None), np.array([0, 2])),
    (slice(1, 4), np.array([[0], [4]]), np.array([1, 2, 5])),
]


@pytest.mark.parametrize("where", INDICES, ids=range(len(INDICES)))
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)], ids=str)
def test_indices(where, order):
    a = RNG.standard_normal((4, 5, 6))
    x = laid(a, order)
    given = tuple(torch.from_numpy(w) if isinstance(w, np.ndarray) else w for w in where)
    wanted = a[where]
    np.testing.assert_array_equal(x[given].numpy(), wanted)
    source = RNG.standard_normal(wanted.shape)
    target, y = a.copy(), x.clone()
    target[where] = source
    y[given] = torch.from_numpy(source)
    np.testing.assert_array_equal(y.numpy(), target)
    if all(isinstance(g, torch.Tensor) for g in given):
        np.add.at(target, where, source)
        y.index_put_(given, torch.from_numpy(source), accumulate=True)
        np.testing.assert_allclose(y.numpy(), target)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000, 40_000])
def test_masks(kind, count):
    a, m = elements(kind, count), RNG.random(count) < 0.3
    x, mask = torch.from_numpy(a), torch.from_numpy(m)
    np.testing.assert_array_equal(x[mask].numpy(), a[m])
    np.testing.assert_array_equal(x.masked_select(mask).numpy(), a[m])
    np.testing.assert_array_equal(x.nonzero().numpy(), np.argwhere(a))
    target = a.copy()
    target[m] = np.arange(m.sum()).astype(kind)
    made = x.masked_scatter(mask, torch.from_numpy(np.arange(count).astype(kind)))
    np.testing.assert_array_equal(made.numpy(), target)


@pytest.mark.parametrize("size", [(), (3,), (7, 100), (3, 1, 5), (0, 4), (4, 0), (2, 3, 4, 5)])
def test_nonzero_coordinates(size):
    a = RNG.integers(0, 2, size)
    wanted = np.argwhere(a) if size else np.zeros((int(a != 0), 0))
    np.testing.assert_array_equal(torch.tensor(a).nonzero().numpy(), wanted)


def test_take_and_put():
    a = RNG.standard_normal((4, 6))
    i = np.array([[0, 23], [-1, 7]])
    for x in (torch.from_numpy(a), torch.from_numpy(np.ascontiguousarray(a.T)).t()):
        np.testing.assert_array_equal(x.take(torch.from_numpy(i)).numpy(), a.take(i))
        target = a.copy()
        np.put(target, i, [1.0, 2.0, 3.0, 4.0])
        y = x.clone().put_(torch.from_numpy(i), torch.tensor([[1.0, 2.0], [3.0, 4.0]]).double())
        np.testing.assert_array_equal(y.numpy(), target)
    assert torch.arange(10)[::2].take(torch.tensor([1, -1])).tolist() == [2, 8]


OUTSIDE = [
    lambda x, i: x[i],
    lambda x, i: x[:, i],
    lambda x, i: x.index_select(0, i),
    lambda x, i: x.take(i + 100),
    lambda x, i: x.index_fill(0, i, 1.0),
    lambda x, i: x.index_copy(0, i, torch.ones(3, 40)),
    lambda x, i: x.index_put((i,), torch.ones(40)),
    lambda x, i: x.put_(i + 100, torch.ones(3)),
    lambda x, i: torch.nn.functional.embedding(i, x),
]


@pytest.mark.parametrize("call", OUTSIDE, ids=range(len(OUTSIDE)))
def test_positions_outside_raise(call):
    with pytest.raises(IndexError, match=r"out of (bounds|range)"):
        call(torch.zeros(3, 40), torch.tensor([0, 99, 1]))


def test_positions_outside_raise_along_a_dimension():
    x, index = torch.zeros(3, 40), torch.zeros(3, 40, dtype=torch.int64)
    for wrong in (3, -1, 2**62):
        index[1, 17] = wrong
        text = f"index {wrong} is out of bounds for dimension 0 with size 3"
        with pytest.raises(RuntimeError, match=text):
            x.gather(0, index)
        with pytest.raises(RuntimeError, match=text):
            x.scatter(0, index, x + 1)
    # An error leaves nothing behind for the next call.
    index[1, 17] = 0
    assert x.gather(0, index).sum().item() == 0


def test_the_last_of_several_elements_stays():
    x = torch.zeros(2)
    index = torch.tensor([[0, 1, 0], [0, 0, 0]])
    values = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert x.index_put((index,), values).tolist() == [6.0, 2.0]


def test_many_rows_on_several_threads():
    a = RNG.standard_normal((2000, 300)).astype("float32")
    i = RNG.integers(0, 300, (2000, 300))
    x, index = torch.from_numpy(a), torch.from_numpy(i)
    before = torch.get_num_threads()
    made = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            made.append(torch.zeros(2000, 300).scatter_add(1, index, x).numpy())
            np.testing.assert_array_equal(x.gather(1, index).numpy(), np.take_along_axis(a, i, 1))
            np.testing.assert_array_equal(x[x > 0].numpy(), a[a > 0])
    finally:
        torch.set_num_threads(before)
    np.testing.assert_array_equal(made[0], made[1])


def test_outputs_may_not_share_memory():
    x, index = torch.zeros(3, 3), torch.zeros(3, 3, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="single memory location"):
        x.scatter_(0, index, x)
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.zeros(1, 3).expand(3, 3).scatter_(0, index, x)


def test_windows_and_back():
    x = torch.arange(2 * 3 * 5 * 6, dtype=torch.float64).reshape(2, 3, 5, 6)
    columns = torch.nn.functional.unfold(x, (2, 3), padding=1, stride=2)
    assert columns.shape == (2, 18, 9)
    padded = np.pad(x.numpy(), ((0, 0), (0, 0), (1, 1), (1, 1)))
    np.testing.assert_array_equal(columns[1, :, 4].numpy(), padded[1, :, 2:4, 2:5].ravel())
    ones = torch.nn.functional.unfold(torch.ones(1, 1, 4, 4), 2)
    counts = torch.nn.functional.fold(ones, (4, 4), 2)[0, 0]
    assert counts.tolist() == [[1, 2, 2, 1], [2, 4, 4, 2], [2, 4, 4, 2], [1, 2, 2, 1]]


def test_tables():
    table = torch.arange(12.0).reshape(4, 3)
    rows = torch.nn.functional.embedding(torch.tensor([[1, 3]]), table)
    assert rows.tolist() == [[[3.0, 4.0, 5.0], [9.0, 10.0, 11.0]]]
    bags = torch.nn.functional.embedding_bag(
        torch.tensor([0, 1, 2]), table, torch.tensor([0, 2]), mode="sum"
    )
    assert bags.tolist() == [[3.0, 5.0, 7.0], [6.0, 7.0, 8.0]]
    assert torch.nn.functional.one_hot(torch.tensor([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]
    sums = torch.segment_reduce(torch.tensor([1.0, 2.0, 4.0]), "mean", lengths=torch.tensor([1, 2]))
    assert sums.tolist() == [1.0, 3.0]


@pytest.mark.parametrize("kind", ["bool", "int64", "float16", "float64", "complex128"])
def test_numbers_written_where_a_mask_holds(kind):
    a, m = elements(kind, 6, 40), RNG.random((6, 20)) < 0.5
    for _ in range(4):
        for number in (1, 3):
            x = torch.from_numpy(a.copy())
            x[:, ::2][torch.from_numpy(m)] = number
            wanted = a.copy()
            wanted[:, ::2][m] = number
            np.testing.assert_array_equal(x.numpy(), wanted)
            x[x == x] = number
            np.testing.assert_array_equal(x.numpy(), np.full_like(a, number))
    with pytest.raises(RuntimeError, match="cannot be converted"):
        torch.zeros(3, dtype=torch.int64)[torch.tensor([True, False, True])] = 2j


REPEATED = [
    lambda x, i: x[i, i],
    lambda x, i: x[:, i],
    lambda x, i: x.index_select(1, i),
    lambda x, i: x.gather(0, i.expand(2, 3)),
    lambda x, i: torch.index_select(x, 0, i),
]


@pytest.mark.parametrize("call", REPEATED, ids=range(len(REPEATED)))
def test_repeated_calls_look_at_their_positions(call):
    """Calls that machine code repeats give what the first did, and raise where they must."""
    for turn in range(6):
        x = torch.arange(16.0).reshape(4, 4) + turn
        i = torch.tensor([turn % 4, 3, 0])
        inside = call(x, i)
        np.testing.assert_array_equal(inside.numpy(), call(x.double(), i).numpy())
        with pytest.raises((IndexError, RuntimeError), match="out of"):
            call(x, torch.tensor([0, 4 + turn, 1]))
        np.testing.assert_array_equal(call(x, i).numpy(), inside.numpy())


def test_an_empty_subscript_is_the_whole():
    x = torch.tensor([1.0, 2.0])
    assert x[()].tolist() == [1.0, 2.0]
    x[()] = 5
    assert x.tolist() == [5.0, 5.0]


@pytest.fixture
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("length", [2, 3, 50])
@pytest.mark.parametrize("index_kind", ["int32", "int64"])
def test_threads_write_whole_rows(three_threads, length, index_kind):
    rows, width = 4099, 41
    a, source = elements("float32", length, width), elements("float32", rows, width)
    i = RNG.integers(0, length, rows).astype(index_kind)
    x, index, given = map(torch.from_numpy, (a, i, source))
    wanted = a.copy()
    np.add.at(wanted, i, source)
    np.testing.assert_array_equal(x.index_add(0, index, given).numpy(), wanted)
    wanted = a.copy()
    wanted[i] = source
    index = index.long()
    np.testing.assert_array_equal(x.index_copy(0, index, given).numpy(), wanted)
    np.testing.assert_array_equal(x.index_put((index - length,), given).numpy(), wanted)
    wanted = a.copy()
    np.maximum.at(wanted, i, source)
    wide = index[:, None].expand(rows, width)
    np.testing.assert_array_equal(x.scatter_reduce(0, wide, given, "amax").numpy(), wanted)


def test_positions_outside_are_told_by_threads_that_write_rows(three_threads):
    x, source = torch.zeros(50, 64), torch.ones(4096, 64)
    index = torch.arange(4096) % 50
    index[1234] = 50
    with pytest.raises(
        RuntimeError, match="index 50 is out of bounds for dimension 0 with size 50"
    ):
        x.index_add_(0, index, source)


def test_rows_without_elements_take_a_gradient():
    rows = torch.ones(4, 0, requires_grad=True)
    found = torch.nn.functional.embedding(torch.tensor([1, 1, 0]), rows)
    (grad,) = torch.autograd.grad(found.sum(), rows)
    assert grad.shape == (4, 0)
