"""Calls repeated from memory give what the first one gave, and notice what changed."""

import sys
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.core import state
from rushlight.engine.dispatch import call_cache


@pytest.fixture
def pair():
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    return a, a + 10


def repeated(call, times=4):
    results = [call() for _ in range(times)]
    return results


def test_repeated_arithmetic_gives_fresh_equal_results(pair):
    a, b = pair
    results = repeated(lambda: a + b)
    assert all(r.tolist() == [[12.0, 14.0], [16.0, 18.0]] for r in results)
    assert len({r.data_ptr() for r in results}) == len(results)


def test_numbers_are_taken_anew_at_each_call(pair):
    a, _ = pair
    assert [(a + k).tolist()[0][0] for k in (1, 2, 3, 4)] == [2.0, 3.0, 4.0, 5.0]
    assert [(a * x).tolist()[0][0] for x in (0.5, 1.5, 2.5)] == [0.5, 1.5, 2.5]


def test_the_same_tensor_twice_is_another_call_than_two_tensors(pair):
    a, b = pair
    for _ in range(3):
        assert (a + a).tolist()[0][0] == 2.0
        assert (a + b).tolist()[0][0] == 12.0
        assert torch.cat([a, a]).tolist()[2] == [1.0, 2.0]
        assert torch.cat([a, b]).tolist()[2] == [11.0, 12.0]


def test_equal_numbers_are_not_confused(pair):
    a, _ = pair
    for low, high in ((2, 2), (2, 3), (1, 2), (3, 3), (0, 9)):
        assert a.clamp(low, high).tolist() == [
            [float(min(max(x, low), high)) for x in row] for row in ((1, 2), (3, 4))
        ]


def test_a_number_and_an_equal_keyword_are_two_things(pair):
    a, _ = pair
    assert [torch.add(a, k, alpha=2).tolist()[0][0] for k in (2, 3, 2, 5)] == [5.0, 7.0, 5.0, 11.0]


def test_numbers_that_decide_a_shape_are_part_of_the_key():
    assert [torch.arange(n).shape[0] for n in (3, 5, 7, 5)] == [3, 5, 7, 5]
    assert [torch.arange(0.0, x, 0.5).shape[0] for x in (1.0, 2.0, 3.0)] == [2, 4, 6]
    x = torch.ones(2, 2)
    assert [(x * 2).pow(k).tolist()[0][0] for k in (1, 2, 3, 2)] == [2.0, 4.0, 8.0, 4.0]


def test_keyword_arguments_are_part_of_the_key(pair):
    a, b = pair
    for _ in range(3):
        assert torch.add(a, b, alpha=2).tolist()[0][0] == 23.0
        assert torch.add(a, b, alpha=3).tolist()[0][0] == 34.0


def test_another_shape_type_or_layout_is_another_call(pair):
    a, b = pair
    for _ in range(3):
        assert (a + b).dtype is torch.float32
        assert (a.double() + b).dtype is torch.float64
        assert (a[0] + b[0]).shape == (2,)
        assert (a.t() + b).tolist() == [[12.0, 15.0], [15.0, 18.0]]


def test_views_follow_the_tensor_that_they_are_taken_of():
    x = torch.arange(24).reshape(4, 6)
    for row in x[1:]:
        assert row[2:4].tolist() == [row.tolist()[2], row.tolist()[3]]
    for start in range(4):
        assert x[0, start:].tolist() == list(range(start, 6))


def test_in_place_writes_and_counts_versions(pair):
    a, b = pair
    before = a._version
    for _ in range(3):
        assert a.add_(b) is a
    assert a.tolist()[0][0] == 34.0
    assert a._version == before + 3


def test_in_place_over_a_part_of_itself_is_still_refused():
    x = torch.arange(6, dtype=torch.float32)
    y = torch.ones(5)
    for _ in range(3):
        y.add_(x[:5])
    tail, head = x[1:], x[:5]
    other = torch.zeros(6)[1:]
    for _ in range(3):
        other.add_(head)
    with pytest.raises(RuntimeError, match="single memory location"):
        tail.add_(head)


def test_elements_and_factories(pair):
    a, _ = pair
    for k in range(4):
        a[0, 0] = float(k)
        assert a[0, 0].item() == k
        assert torch.zeros(2, 2).tolist() == [[0.0, 0.0], [0.0, 0.0]]
        assert torch.full((2,), k).tolist() == [k, k]
        made = torch.zeros(3)
        made += 1
        assert torch.zeros(3).tolist() == [0.0, 0.0, 0.0]


def test_a_change_of_the_default_type_is_noticed():
    assert repeated(lambda: torch.zeros(2).dtype)[-1] is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.zeros(2).dtype is torch.float64
        assert (torch.arange(3) / 2).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.zeros(2).dtype is torch.float32


def test_lists_of_tensors(pair):
    a, b = pair
    for _ in range(3):
        assert torch.cat([a, b]).shape == (4, 2)
        assert torch.cat((b, a)).tolist()[0] == [11.0, 12.0]
        assert torch.stack([a, a, b], dim=1).shape == (2, 3, 2)


def test_no_references_are_lost_or_kept(pair, collect):
    a, b = pair
    (a + b, a[0], a.t(), torch.cat([a, b]), a.sum() if hasattr(a, "sum") else None)
    collect()
    counts = [sys.getrefcount(x) for x in (a, b, a.shape, a.stride(), torch.float32)]
    for _ in range(500):
        (a + b, a[0], a.t(), torch.cat([a, b]), a.mul_(1.0))
    collect()
    after = [sys.getrefcount(x) for x in (a, b, a.shape, a.stride(), torch.float32)]
    assert max(abs(x - y) for x, y in zip(counts, after, strict=True)) <= 40


def test_memory_of_dropped_results_comes_back(pair, collect):
    from rushlight.engine.native import memory

    a, b = pair
    a + b
    collect()
    before = memory.words.current
    for _ in range(1000):
        a + b
    assert memory.words.current == before


def test_subclasses_take_the_python_way(pair):
    a, b = pair

    class Mine(torch.Tensor):
        pass

    mine = a.as_subclass(Mine) if hasattr(a, "as_subclass") else None
    if mine is None:
        pytest.fail("as_subclass is missing")
    for _ in range(3):
        assert (mine + b).tolist() == (a + b).tolist()


def test_key_sets_of_a_thread_switch_the_short_way_off(pair):
    a, b = pair
    repeated(lambda: a + b)
    with state.including(0):
        assert state.switches.busy > 0
        assert (a + b).tolist()[0][0] == 12.0
    assert state.switches.busy == 0


def test_many_shapes_do_not_grow_without_bound():
    for n in range(1, 1500):
        x = torch.ones(n)
        assert (x + x).tolist()[-1] == 2.0
    bindings = [b for b in call_cache.bindings if b._calls.held]
    assert all(len(b._calls.held) <= call_cache.MOST_SLOTS for b in bindings)


def test_errors_come_from_python_each_time(pair):
    a, _ = pair
    for _ in range(3):
        with pytest.raises(RuntimeError, match="must match the size"):
            a + torch.ones(3)
        with pytest.raises(TypeError):
            torch.add(a)


def test_arrays_and_scalars_of_numpy_are_operands(pair):
    a, _ = pair
    for value in (np.float64(2.0), np.int64(3)):
        assert (a + value).tolist()[0][0] == 1.0 + float(value)


@pytest.mark.parametrize("numbers", [(1, 2, 3), (2, 1, 3), (1.0, 2.0, 1)])
def test_a_default_that_is_the_same_number_as_an_argument_stays_what_it_is(numbers):
    for number in numbers:
        x = torch.tensor([0.25], requires_grad=True)
        (number - x).sum().backward()
        assert x.grad.item() == -1
        y = torch.tensor([0.25], requires_grad=True)
        torch.rsub(y, number).sum().backward()
        assert y.grad.item() == -1


def test_metadata_that_are_asked_for_again_and_again():
    x = torch.zeros(2, 3, 4)
    turned = x.transpose(0, 2)
    for _ in range(3):
        assert [x.size(k) for k in (0, 1, 2, -1)] == [2, 3, 4, 4]
        assert [turned.size(k) for k in (0, 1, 2)] == [4, 3, 2]
        assert (x.stride(0), turned.stride(0), x.size(dim=1)) == (12, 1, 3)
        assert (x.is_contiguous(), turned.is_contiguous()) == (True, False)
        with pytest.raises(IndexError):
            x.size(3)


def test_a_size_asked_for_on_the_way_does_not_hide_the_step():
    def halves(x):
        return torch.add(x, x, alpha=x.size(0))

    public = call_cache.public_function("halves", halves)
    x = torch.ones(4)
    for _ in range(3):
        assert public(x).tolist() == [5.0] * 4


def test_subscripts_of_sizes():
    size = torch.zeros(2, 3, 4).shape
    assert [size[k] for k in range(-3, 3)] == [2, 3, 4, 2, 3, 4]
    assert size[True] == 3 and size[np.int64(2)] == 4
    assert type(size[1:]) is torch.Size and size[::2] == (2, 4)
    for wrong in (3, -4, 1 << 80):
        with pytest.raises(IndexError):
            size[wrong]
    with pytest.raises(TypeError):
        size["0"]


def array_and_tensor(*size):
    values = np.arange(float(np.prod(size))).reshape(size)
    return values, torch.from_numpy(values.copy())


def as_items(index):
    return tuple(np.newaxis if i is None else i for i in index) if type(index) is tuple else index


@pytest.mark.parametrize("form", [
    lambda i, j: i, lambda i, j: -1 - i, lambda i, j: (i, j), lambda i, j: (slice(None), j),
    lambda i, j: (i, slice(1, None)), lambda i, j: slice(i, i + 2), lambda i, j: (..., j),
    lambda i, j: (None, i, ..., j), lambda i, j: (slice(i, i + 3, 2), j), lambda i, j: (i, i),
    lambda i, j: slice(i, j), lambda i, j: slice(-3, i), lambda i, j: (i, slice(j, j)),
    lambda i, j: (slice(i, 9), j), lambda i, j: (i, [0, 2]),
])  # fmt: skip
def test_subscripts_whose_integers_vary(form):
    values, x = array_and_tensor(6, 5, 4)
    values_t, x_t = values.transpose(1, 0, 2), x.transpose(0, 1)
    for i in (0, 1, 2, 3, 4, 3):
        for j in (2, 0, 1, 3):
            index = form(i, j)
            found = x[index]
            assert np.array_equal(found.numpy(), values[as_items(index)])
            if (index if type(index) is int else 0) >= -5:
                assert np.array_equal(x_t[index].numpy(), values_t[as_items(index)])


@pytest.mark.parametrize("index", [6, -7, (0, 5), (0, -6), 1 << 70, (slice(None), 5)])
def test_subscripts_out_of_range(index):
    _, x = array_and_tensor(6, 5, 4)
    for i in range(4):
        assert x[i].shape == (5, 4) and x[0, i].shape == (4,) and x[:, i].shape == (6, 4)
        x[i] = x[0, i] = x[:, i] = 1.0
    for _ in range(3):
        with pytest.raises((IndexError, TypeError, OverflowError)):
            x[index]
        with pytest.raises((IndexError, TypeError, OverflowError)):
            x[index] = 2.0
    assert (x[0] == 1).all()


@pytest.mark.parametrize("form", [
    lambda i, j: i, lambda i, j: -1 - i, lambda i, j: (i, j), lambda i, j: (slice(None), j),
    lambda i, j: (i, slice(1, None)), lambda i, j: slice(i, i + 2), lambda i, j: (..., j),
])  # fmt: skip
@pytest.mark.parametrize("make", [lambda part: 7.0, lambda part: -part - 1, lambda part: 3])
def test_writes_whose_integers_vary(form, make):
    for turn in (False, True):
        values, x = array_and_tensor(6, 5, 4)
        if turn:
            values, x = values.transpose(1, 0, 2), x.transpose(0, 1)
        version = x._version
        for k, (i, j) in enumerate([(0, 2), (1, 0), (2, 1), (3, 3), (4, 2), (1, 0)]):
            index = form(i, j)
            new = make(values[index])
            x[index] = torch.tensor(new) if isinstance(new, np.ndarray) else new
            values[index] = new
            assert np.array_equal(x.numpy(), values)
            assert x._version == version + k + 1


def test_a_write_of_a_tensors_own_part():
    values, x = array_and_tensor(4, 3)
    for i in (0, 1, 2, 0):
        x[i] = x[i + 1]
        values[i] = values[i + 1]
        x[i] += 1
        values[i] += 1
        assert np.array_equal(x.numpy(), values)


def test_rows_with_gradients_whose_integers_vary():
    x = torch.arange(40.0).view(10, 4).clone().requires_grad_()
    for i in [*range(10), -1, 3]:
        x.grad = None
        (x[i] * 2).sum().backward()
        (x[:, i % 4]).sum().backward()
        expected = torch.zeros(10, 4)
        expected[i] += 2
        expected[:, i % 4] += 1
        assert torch.equal(x.grad, expected)
        part = x[i : i + 2].sum() if i >= 0 else x.sum()
        (found,) = torch.autograd.grad(part, x)
        assert found.sum() == (8 if 0 <= i < 9 else 4 if i == 9 else 40)


def test_offsets_of_the_base_count():
    _, x = array_and_tensor(6, 5)
    for start in (0, 2, 3):
        part = x[start:]
        for i in range(3):
            assert part[i].tolist() == x[start + i].tolist()
            assert part[i, 2].item() == x[start + i, 2].item()


def test_a_number_that_is_written_is_no_place():
    values, x = array_and_tensor(5, 5)
    for i, j, new in [(1, 1, 1), (2, 1, 1), (1, 2, 1), (3, 3, 1), (4, 0, 2), (0, 4, 3), (2, 2, 2)]:
        x[i, j] = new
        values[i, j] = new
        x[i] = new
        values[i] = new
        assert np.array_equal(x.numpy(), values)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.reshape(x.shape[:1] + (3, 1)),
        lambda x: x.expand((2,) + x.shape),
        lambda x: x.new_zeros(torch.Size([5]) + x.shape[1:]),
    ],
)
def test_calls_with_a_size_that_was_put_together_are_repeated(call, monkeypatch):
    x = torch.zeros(4, 3)
    repeated(lambda: call(x))
    missed = []
    binding = type(torch.Tensor.reshape.__self__)
    monkeypatch.setattr(binding, "_remember", lambda self, *facts: missed.append(facts))
    call(x)
    assert missed == []


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x[:1].std(),
        lambda x: torch.var_mean(x[:1]),
        lambda x: torch.nn.functional.softmax(x),
        lambda x: torch.nn.functional.mse_loss(x, x[:1]),
        lambda x: torch.add(x, x, out=torch.empty(3)),
        lambda x: torch.tensor(x),
        lambda x: torch.nn.functional.dropout2d(x[None]),
    ],
)
def test_a_call_that_warns_warns_each_time(call):
    x = torch.rand(4)
    for _ in range(5):
        with pytest.warns(UserWarning):
            call(x)


def test_a_written_number_that_is_also_an_integer_of_the_subscript() -> None:
    """Which of them is the number is no matter of chance: the calls after it have others."""
    for k in range(8):
        x = torch.zeros(4, 4, 3)
        x[1, 1, 1] = 1
        x[0, 0, 1] = 1
        x[k % 4] = k % 4
        expected = [[[0] * 3 for _ in range(4)] for _ in range(4)]
        expected[1][1][1] = expected[0][0][1] = 1
        expected[k % 4] = [[k % 4] * 3 for _ in range(4)]
        assert x.tolist() == expected


def test_a_generator_made_for_one_call_is_not_kept() -> None:
    made = []
    for _ in range(20):
        generator = torch.Generator()
        generator.manual_seed(3)
        assert (
            torch.randperm(9, generator=generator).tolist()
            == torch.randperm(9, generator=torch.Generator().manual_seed(3)).tolist()
        )
        made.append(weakref.ref(generator))
        del generator
    assert not any(one() is not None for one in made)
