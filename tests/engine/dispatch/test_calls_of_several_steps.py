"""Calls of several steps are repeated whole, and only where the steps say all that happened."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight._functions import unique
from rushlight.engine.bindings import public
from rushlight.engine.dispatch.call_cache import sequence
from rushlight.engine.generated.functions import FUNCTIONS
from rushlight.nn import functional as F


def refused(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("the call took the long way")


@contextlib.contextmanager
def from_memory(public: Any) -> Iterator[None]:
    """While this holds, a function may only repeat what it remembers."""
    binding = public.__self__
    held = binding._slow, binding._miss
    binding._slow = binding._miss = refused
    try:
        yield
    finally:
        binding._slow, binding._miss = held


def twice(public: Any, call: Callable[[], Any]) -> tuple[Any, Any]:
    """What a call gives the long way, and from memory."""
    first = call()
    call(), call()
    with from_memory(public):
        return first, call()


X = torch.arange(12.0).reshape(3, 4) - 5
V = torch.tensor([3.0, 1.0, 2.0, 1.0])
LEAF = X.clone().requires_grad_()
INDEX = torch.tensor([2, 0, 1])
SQUARE = torch.tensor([[4.0, 1.0], [2.0, 3.0]])
Z = torch.complex(X, X + 1)
IMAGE = torch.arange(32.0).reshape(1, 2, 4, 4)
SCORES = X.view(3, 2, 2).log_softmax(-1)
LABELS = torch.tensor([[1, 1], [1, 0]])
CHOSEN = torch.tensor([[True, False, False, False], [False] * 4, [False, False, True, False]])
PLACE = torch.tensor(1)
PARAMETER = torch.nn.Parameter(X.clone())
BAGS = torch.tensor([0, 0, 2])

CALLS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "views of a product": (torch.kron, lambda: torch.kron(X, X)),
    "a composite": (torch.diff, lambda: torch.diff(V)),
    "several tensors": (torch.meshgrid, lambda: torch.meshgrid(V, V, indexing="ij")),
    "a copy and a write": (torch.index_add, lambda: torch.index_add(X, 0, INDEX, X)),
    "a lookup": (torch.index_select, lambda: torch.index_select(LEAF, 0, INDEX)),
    "a lookup of words": (F.embedding, lambda: F.embedding(INDEX, LEAF)),
    "a gather": (torch.gather, lambda: torch.gather(LEAF, 1, INDEX[:, None])),
    "several views": (torch.unbind, lambda: torch.unbind(LEAF)),
    "a choice": (torch.masked_select, lambda: torch.masked_select(LEAF, X > 0)),
    "a number as a tensor": (torch.where, lambda: torch.where(X > 0, X, 0.5)),
    "places that sizes decide": (F.interpolate, lambda: F.interpolate(IMAGE, scale_factor=2)),
    "weights that sizes decide": (
        F.interpolate,
        lambda: F.interpolate(IMAGE, size=(3, 5), mode="bilinear", align_corners=False),
    ),
    "a border": (F.pad, lambda: F.pad(IMAGE, (1, 1, 1, 1), mode="reflect")),
    "one of two results": (torch.argsort, lambda: torch.argsort(V)),
    "both results": (torch.sort, lambda: torch.sort(X, 0)),
    "a check of elements": (F.one_hot, lambda: F.one_hot(INDEX, 4)),
    "an answer": (torch.allclose, lambda: torch.allclose(X, X)),
    "a triangle": (torch.triu, lambda: torch.triu(X)),
    "places": (torch.nonzero, lambda: torch.nonzero(X > 0)),
    "columns of places": (torch.where, lambda: torch.where(X > 0)),
    "chosen elements": (torch.masked_select, lambda: torch.masked_select(X, X > 0)),
    "distinct elements": (torch._unique2, lambda: torch._unique2(V, True, True, True)),
    "runs": (
        unique._neighbours,
        lambda: torch.unique_consecutive(V, True, True),
    ),
    "rows as often as numbers say": (
        torch.repeat_interleave,
        lambda: torch.repeat_interleave(X, INDEX, 0),
    ),
    "places as often as numbers say": (
        torch.repeat_interleave,
        lambda: torch.repeat_interleave(INDEX),
    ),
    "a view of numbers as pairs": (torch.view_as_real, lambda: torch.view_as_real(Z)),
    "a view of pairs as numbers": (torch.view_as_complex, lambda: torch.view_as_complex(X[:, :2])),
    "a conjugate": (torch.conj, lambda: torch.conj(Z)),
    "an imaginary part": (torch.imag, lambda: torch.imag(Z)),
    "bits of another type": (torch.Tensor.view, lambda: X.view(torch.int32)),
    "a place of its own": (torch.as_strided, lambda: torch.as_strided(X, (2, 2), (1, 2), 3)),
    "a copy of a storage": (torch.select_scatter, lambda: torch.select_scatter(X, V, 0, 1)),
    "a transform of conjugates": (torch.fft.hfft, lambda: torch.fft.hfft(Z)),
    "a transform back of real numbers": (torch.fft.ifft, lambda: torch.fft.ifft(X)),
    "an argument itself": (torch.Tensor.sum_to_size, lambda: X.sum_to_size(3, 4)),
    "ones along a diagonal": (torch.linalg.lu, lambda: torch.linalg.lu(SQUARE)),
    "checked pivots": (torch.lu_unpack, lambda: torch.lu_unpack(*torch.linalg.lu_factor(SQUARE))),
    "a number of another type": (torch.fill, lambda: torch.fill(X, True)),
    "an empty row of numbers": (torch.linspace, lambda: torch.linspace(0, 1, 0)),
    "probabilities": (
        F.binary_cross_entropy,
        lambda: F.binary_cross_entropy(X.sigmoid(), (X > 0).float()),
    ),
    "margins of classes": (F.multi_margin_loss, lambda: F.multi_margin_loss(X, INDEX)),
    "margins of labels": (
        F.multilabel_margin_loss,
        lambda: F.multilabel_margin_loss(X, torch.tensor([[0, -1, 2, 1]] * 3)),
    ),
    "places of the largest": (
        F.max_unpool2d,
        lambda: F.max_unpool2d(
            IMAGE[..., :2, :2], torch.tensor([[0, 3], [9, 12]]).expand(1, 2, 2, 2), 2
        ),
    ),
    "a convolution": (F.conv1d, lambda: F.conv1d(X[:, None], V[None, None, :2])),
    "weighted observations": (torch.cov, lambda: torch.cov(X, fweights=torch.tensor([1, 2, 1, 2]))),
    "short spectra": (
        torch.istft,
        lambda: torch.istft(torch.ones(3, 4, dtype=torch.complex64), 4, window=torch.ones(4)),
    ),
    "means by rows": (
        torch.index_reduce,
        lambda: torch.index_reduce(X, 0, INDEX, X, "mean"),
    ),
    "means by places": (
        torch.scatter_reduce,
        lambda: torch.scatter_reduce(X, 0, INDEX[:, None].expand(3, 4), X, "mean"),
    ),
    "places of a triangle": (torch.triu_indices, lambda: torch.triu_indices(4, 3, 1)),
    "no rows": (torch.index_select, lambda: torch.index_select(X, 0, INDEX[:0])),
    "cubic neighbours": (
        F.grid_sample,
        lambda: F.grid_sample(
            IMAGE,
            torch.zeros(1, 2, 2, 2) + 0.3,
            mode="bicubic",
            padding_mode="reflection",
            align_corners=True,
        ),
    ),
    "a row that a tensor names": (torch.Tensor.__getitem__, lambda: LEAF[PLACE]),
    "a column that a tensor names": (torch.Tensor.__getitem__, lambda: LEAF[1:, PLACE]),
    "a part of a storage": (
        torch.as_strided_scatter,
        lambda: torch.as_strided_scatter(X, V[:2], (2,), (5,), 1),
    ),
    "bags of rows": (F.embedding_bag, lambda: F.embedding_bag(INDEX, LEAF, BAGS)),
    "bags of rows without what pads": (
        F.embedding_bag,
        lambda: F.embedding_bag(INDEX, X, BAGS, mode="max", padding_idx=2),
    ),
    "numbers between tensors": (
        torch.linspace,
        lambda: torch.linspace(PLACE, V[0], 4, dtype=torch.float64),
    ),
    "powers between tensors": (torch.logspace, lambda: torch.logspace(V[1], V[0], 3)),
    "pieces of a parameter": (torch.chunk, lambda: torch.chunk(PARAMETER, 2)),
    "statistics that move": (
        F.instance_norm,
        lambda: F.instance_norm(IMAGE, torch.zeros(2), torch.ones(2), momentum=0.5),
    ),
    "cubic weights that sizes decide": (
        F.interpolate,
        lambda: F.interpolate(LEAF[None, None], size=(5, 3), mode="bicubic"),
    ),
    "filters that sizes decide": (
        F.interpolate,
        lambda: F.interpolate(IMAGE, size=(3, 2), mode="bilinear", antialias=True),
    ),
    "alignments": (torch.ctc_loss, lambda: F.ctc_loss(SCORES, LABELS, (3, 2), (2, 1))),
    "values where a mask says": (torch.index_put, lambda: torch.index_put(X, (CHOSEN,), V[:2])),
    "rows where a mask says": (
        torch.index_put,
        lambda: torch.index_put(X, (CHOSEN[:, 0],), X[:1], accumulate=True),
    ),
    "columns as often as numbers say": (
        torch.repeat_interleave,
        lambda: torch.repeat_interleave(X, torch.tensor([2, 0, 1, 3]), 1),
    ),
    "choices of several": (torch.combinations, lambda: torch.combinations(V, 2)),
    "sums of classes": (torch.bincount, lambda: torch.bincount(INDEX, V[:3])),
    "bins between extremes": (torch.histc, lambda: torch.histc(V, 3)),
    "bins and their edges": (torch.histogram, lambda: torch.histogram(X, 4, density=True)),
    "weights between edges": (
        torch.histogram,
        lambda: torch.histogram(X[0], INDEX.sort()[0] * 1.0, weight=V),
    ),
    "places in an order": (
        torch.searchsorted,
        lambda: torch.searchsorted(V, X, sorter=V.argsort()),
    ),
    "many steps": (
        F.grid_sample,
        lambda: F.grid_sample(IMAGE, torch.zeros(1, 2, 2, 2), align_corners=False),
    ),
}


def listed(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [listed(x) for x in value]
    return value.tolist() if isinstance(value, torch.Tensor) else value


@pytest.mark.parametrize("name", CALLS)
def test_a_repeated_call_gives_the_same(name: str) -> None:
    public, call = CALLS[name]
    first, again = twice(public, call)
    assert type(first) is type(again)
    assert listed(first) == listed(again)


def test_other_elements_give_other_results() -> None:
    for k in range(5):
        x = X + k
        assert torch.kron(x, x)[0, 0] == x[0, 0] ** 2
        assert torch.nonzero(x > 0).tolist() == [
            [i, j] for i in range(3) for j in range(4) if x[i, j] > 0
        ]
        assert x[x > 0].tolist() == [n for row in x.tolist() for n in row if n > 0]
        assert x[x[:, 0] > -3].tolist() == [row for row in x.tolist() if row[0] > -3]


def test_runs_of_other_elements() -> None:
    def of(numbers: list[float]) -> Any:
        return listed(torch.unique(torch.tensor(numbers), True, True, True))

    for _ in range(4):
        assert of([3, 1, 3, 1]) == [[1, 3], [1, 0, 1, 0], [2, 2]]
    assert of([5, 5, 5, 5]) == [[5], [0, 0, 0, 0], [4]]
    assert of([4, 3, 2, 1]) == [[1, 2, 3, 4], [3, 2, 1, 0], [1, 1, 1, 1]]
    nan = float("nan")
    values, places, counts = of([nan, 0.0, nan, -0.0])
    assert str(values) == "[0.0, nan, nan]" and sorted(places) == [0, 0, 1, 2]
    assert counts == [2, 1, 1]


def test_numbers_that_cannot_say_how_often_are_refused_each_time() -> None:
    def repeated(numbers: list[int]) -> Any:
        return torch.arange(2).repeat_interleave(torch.tensor(numbers)).tolist()

    for _ in range(4):
        assert repeated([1, 2]) == [0, 1, 1]
    with pytest.raises(RuntimeError, match="repeats can not be negative"):
        repeated([2, -1])
    assert repeated([0, 0]) == []
    assert len(repeated([1 << 17, 1])) == (1 << 17) + 1


def test_numbers_that_are_no_classes_are_refused_each_time() -> None:
    for _ in range(4):
        assert torch.bincount(torch.tensor([1, 2])).tolist() == [0, 1, 1]
        assert F.one_hot(torch.tensor([1, 0])).tolist() == [[0, 1], [1, 0]]
    with pytest.raises(RuntimeError, match="non-negative integral inputs"):
        torch.bincount(torch.tensor([-1, 2]))
    with pytest.raises(RuntimeError, match="Class values must be non-negative"):
        F.one_hot(torch.tensor([-1, 1]))
    assert len(torch.bincount(torch.tensor([5000, 1]))) == 5001
    assert F.one_hot(torch.tensor([5000, 1])).shape == (2, 5001)


def test_repeated_rows_have_their_history() -> None:
    x = torch.ones(2, requires_grad=True)
    for _ in range(4):
        x.grad = None
        x.repeat_interleave(torch.tensor([2, 3])).sum().backward()
        assert x.grad.tolist() == [2, 3]


def test_numbers_of_several_steps_count_by_value() -> None:
    for k in (0.5, 2.0, -1.0, 0.5):
        assert torch.where(X > 0, X, k).tolist() == [
            [x if x > 0 else k for x in row] for row in X.tolist()
        ]
        assert torch.full_like(X, k).tolist() == [[k] * 4] * 3


def test_integers_are_divided_by_numbers_of_any_value() -> None:
    numbers = torch.tensor([7, -7, 8])
    for k in (2, 3, -2, 2):
        assert (numbers % k).tolist() == [7 % k, -7 % k, 8 % k]
        assert (numbers // k).tolist() == [7 // k, -7 // k, 8 // k]
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            numbers % 0


def test_an_answer_is_asked_for_again() -> None:
    classes = torch.tensor([0, 1, 2])
    for _ in range(3):
        assert F.one_hot(classes, 3).sum() == 3
        with pytest.raises(RuntimeError, match="smaller than num_classes"):
            F.one_hot(classes + 1, 3)
        with pytest.raises(RuntimeError, match="non-negative"):
            F.one_hot(classes - 1, 3)
    for k in (0.0, 1.0, 0.0):
        assert torch.equal(X, X + k) is (k == 0.0)
        assert torch.allclose(X, X + k) is (k == 0.0)


def test_positions_outside_are_reported_each_time() -> None:
    target, source = torch.zeros(3), torch.ones(2)
    for _ in range(4):
        target.index_add_(0, torch.tensor([0, 2]), source)
        with pytest.raises((IndexError, RuntimeError), match="out of"):
            target.index_add(0, torch.tensor([0, 3]), source)
    assert target.tolist() == [4.0, 0.0, 4.0]


def test_places_are_not_looked_for_where_there_are_too_many_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With thousands of steps, each look at all that there is before would take longer than the call."""
    looked: list[int] = []
    find = sequence.position_of

    def counted(item: Any, flat_args: list[Any]) -> int:
        looked.append(len(flat_args))
        return find(item, flat_args)

    monkeypatch.setattr(sequence, "position_of", counted)
    parts = [torch.full((2, 2), float(k)) for k in range(100)]
    for _ in range(3):
        few = torch.block_diag(*parts[:3])
    assert looked and few[4, 4] == 2
    looked.clear()
    for _ in range(3):
        found = torch.block_diag(*parts)
    assert not looked and found[198, 198] == 99


def test_writes_count_as_versions() -> None:
    target = torch.zeros(3)
    for k in range(1, 6):
        target.scatter_(0, torch.tensor([1]), 2.0)
        assert target._version == k


def test_a_write_over_a_tensors_own_memory_is_seen() -> None:
    target = torch.arange(6.0)
    for _ in range(4):
        target.index_copy_(0, torch.tensor([0, 1]), torch.ones(2))
        with pytest.raises(RuntimeError):
            target.index_copy_(0, torch.tensor([0, 1]), target[1:3])


def test_histories_of_all_steps() -> None:
    for k in range(1, 6):
        x = torch.full((2, 2), float(k), requires_grad=True)
        torch.kron(x, x).sum().backward()
        assert x.grad.tolist() == [[8.0 * k] * 2] * 2
        y = torch.arange(4.0).requires_grad_()
        (y[y > 1] * k).sum().backward()
        assert y.grad.tolist() == [0.0, 0.0, k, k]
        image = IMAGE.clone().requires_grad_()
        F.pad(image, (1, 1, 1, 1), mode="replicate").sum().backward()
        assert image.grad.sum().item() == 2 * 36
        with torch.no_grad():
            assert torch.kron(x, x).grad_fn is None


def test_draws_are_in_order_and_never_twice() -> None:
    def draw() -> list[Any]:
        torch.manual_seed(3)
        x, found = torch.zeros(20), []
        weights = torch.tensor([0.2, 0.5, 0.3])
        for _ in range(5):
            found += [
                x.normal_().tolist(),
                x.uniform_(-1, 1).tolist(),
                x[3:9].bernoulli_(0.4).tolist(),
            ]
            found += [torch.bernoulli(weights).tolist(), torch.normal(weights, 1.0).tolist()]
            found += [torch.multinomial(weights, 2).tolist(), F.dropout(x, 0.5).tolist()]
            found += [torch.multinomial(weights, 9, replacement=True).tolist()]
            found += [x.exponential_().tolist(), x.random_(10).tolist()]
        return found

    assert draw() == draw()
    for _ in range(3):
        torch.bernoulli(V / 4)
    state = torch.get_rng_state()
    with pytest.raises(RuntimeError):
        torch.bernoulli(V)
    assert torch.get_rng_state().tolist() == state.tolist()


def test_what_is_not_noted_is_not_repeated() -> None:
    from rushlight.engine.dispatch import call_cache
    from rushlight.engine.dispatch.call_cache import recorder

    def unseen(x: Any) -> Any:
        made = x * 2
        made._storage_._version += 1
        return made + 1

    def reading(x: Any) -> Any:
        return x * 2 + x.sum().item()

    def unknown(x: Any) -> Any:
        return x + recorder.unnoted(lambda: x * 3)

    def adding_up(x: Any) -> Any:
        return (x * 2).numpy().sum() + 0 * x

    for function in (unseen, reading, unknown, adding_up):
        public = call_cache.public_function(function.__name__, function)
        for k in range(5):
            x = X + k
            assert public(x).tolist() == function(x).tolist()
        with from_memory(public), pytest.raises(AssertionError, match="long way"):
            public(X)


def test_arrays_are_taken_over_and_given() -> None:
    for k in range(5):
        values = np.arange(6.0, dtype=np.float32).reshape(2, 3) + k
        shared, copy = torch.from_numpy(values), torch.tensor(values)
        wide = torch.as_tensor(values, dtype=torch.float64)
        values[0, 0] = -1
        assert shared[0, 0] == -1 and copy[0, 0] == k and wide[0, 0] == k
        back = shared.t().numpy()
        back[2, 1] = 9
        assert values[1, 2] == 9 and back.strides == (4, 12)
        del values, shared
        assert back[0, 0] == -1
    with from_memory(torch.from_numpy):
        assert torch.from_numpy(np.ones((2, 3), np.float32)).sum() == 6


def test_arrays_of_other_kinds_still_meet_their_errors() -> None:
    for _ in range(3):
        with pytest.raises(ValueError, match="negative"):
            torch.from_numpy(np.ones((2, 3), np.float32)[::-1])
        with pytest.raises(TypeError, match=r"numpy\.str_"):
            torch.from_numpy(np.array(["a"]))
        locked = np.ones((2, 3), np.float32)
        locked.flags.writeable = False
        with pytest.warns(UserWarning, match="not writable"):
            torch.from_numpy(locked)
        with pytest.raises(RuntimeError, match="requires grad"):
            torch.ones(2, requires_grad=True).numpy()


def test_data_counts_its_versions_apart() -> None:
    for _ in range(4):
        x = torch.ones(3, requires_grad=True)
        part = x.data
        part.add_(1)
        assert (part._version, x._version, part.requires_grad) == (1, 0, False)
        assert x.tolist() == [2.0] * 3


def test_parts_of_tensors_are_read_where_they_begin() -> None:
    for k in range(4):
        whole = torch.arange(12.0) + k
        part, mask = whole[7:10], torch.tensor([False, True, False, True])[1:]
        assert part[mask].tolist() == [7.0 + k, 9.0 + k]
        assert mask.nonzero().tolist() == [[0], [2]]
        rows = whole.view(6, 2)[3:]
        assert rows[mask].tolist() == [[6.0 + k, 7.0 + k], [10.0 + k, 11.0 + k]]
        assert part.sort(descending=True)[0].tolist() == [9.0 + k, 8.0 + k, 7.0 + k]
        assert torch.searchsorted(part, part[1:]).tolist() == [1, 2]
        assert part.numpy().tolist() == [7.0 + k, 8.0 + k, 9.0 + k]
        assert part.data.tolist() == part.tolist()
        part.index_add_(0, torch.tensor([9, 0])[1:], torch.tensor([0.0, 1.0])[1:])
        assert whole[7] == 8.0 + k
        torch.manual_seed(k)
        part.normal_()
        assert whole[6] == 6.0 + k and whole[10] == 10.0 + k


def test_rows_that_tensors_of_one_integer_name() -> None:
    x = torch.arange(12.0).view(4, 3)
    for kind in (torch.int64, torch.int32):
        for k in (0, 2, -1, 3, -4):
            row = x[torch.tensor(k, dtype=kind)]
            assert row.tolist() == x.tolist()[k] and row._is_view()
            with pytest.raises(IndexError, match="index 4 is out of bounds"):
                x[torch.tensor(4, dtype=kind)]
    places = torch.tensor([3, 1])
    assert [x[place].tolist() for place in places] == [x.tolist()[3], x.tolist()[1]]


def test_recorded_elements_that_tensors_name() -> None:
    leaf = torch.arange(12.0).view(4, 3).requires_grad_()
    listed_rows = leaf.tolist()
    for k in (1, 1, 1, 2, -1, 0, -4, 3):
        place = torch.tensor(k)
        row, element = leaf[place], leaf[place, 2]
        assert row.tolist() == listed_rows[k] and element.item() == listed_rows[k][2]
        assert row._is_view()
        (slope,) = torch.autograd.grad(row.sum() + 10 * element, leaf)
        wanted = torch.zeros(4, 3)
        wanted[k] = torch.tensor([1.0, 1.0, 11.0])
        assert slope.tolist() == wanted.tolist()
        with pytest.raises(IndexError, match="index 4"):
            leaf[torch.tensor(4)]
    with from_memory(torch.Tensor.__getitem__):
        assert [leaf[place, 2].item() for place in torch.tensor([2, 0, 1, 3])] == [8, 2, 5, 11]


def test_parts_of_storages_are_where_they_were() -> None:
    whole = torch.arange(20.0)
    for start in (0, 0, 0, 4, 4, 4, 0):
        made = torch.as_strided_scatter(
            whole[start : start + 4], torch.tensor([-1.0, -2.0]), (2,), (2,)
        )
        assert made.tolist() == [-1, start + 1, -2, start + 3]
        assert made.storage_offset() == start


def test_bags_without_what_pads() -> None:
    table = torch.arange(12.0).view(4, 3).requires_grad_()
    for words in ([1, 2, 1, 3], [1, 2, 1, 3], [1, 1, 1, 1], [0, 2, 3, 1], [1, 1, 3, 3]):
        kept = [[w for w in bag if w != 1] for bag in (words[:1], words[1:])]
        for mode, joined in (("sum", torch.sum), ("mean", torch.mean), ("max", torch.amax)):
            made = F.embedding_bag(
                torch.tensor(words), table, torch.tensor([0, 1]), mode=mode, padding_idx=1
            )
            wanted = [joined(table[b], 0) if b else torch.zeros(3) for b in kept]
            assert made.tolist() == [row.tolist() for row in wanted]
            (slope,) = torch.autograd.grad(made.sum(), table)
            (exact,) = torch.autograd.grad(
                sum(row.sum() for row in wanted) + table.sum() * 0, table
            )
            assert slope.tolist() == exact.tolist()


@pytest.mark.parametrize("kind", [torch.bool, torch.uint8])
def test_a_mask_without_dimensions_takes_all_or_nothing(kind: Any) -> None:
    x = torch.arange(6.0).view(3, 2)
    for holds in (1, 0, 1, 0):
        mask = torch.tensor(holds, dtype=kind)
        assert x[mask].shape == (holds, 3, 2)
        y = x.clone()
        y[mask] = 7.0
        assert y.tolist() == ([[7.0] * 2] * 3 if holds else x.tolist())


def test_a_view_stays_inside_its_storage() -> None:
    whole, short = torch.arange(100.0), torch.arange(5.0)
    for _ in range(4):
        assert torch.as_strided(whole[:5], (50,), (2,))[49] == 98
        assert torch.as_strided(whole[3:8], (2,), (1,), 60).tolist() == [60, 61]
        assert whole[2:4].view(torch.complex64).tolist() == [2 + 3j]
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        torch.as_strided(short, (50,), (2,))
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        torch.as_strided(short, (2,), (1,), 60)
    with pytest.raises(RuntimeError, match="storage_offset"):
        whole[1:3].view(torch.complex64)


def test_a_copy_of_a_storage_keeps_the_place() -> None:
    whole = torch.arange(20.0)
    for start in (0, 0, 0, 4, 4, 4, 0):
        made = torch.select_scatter(whole[start : start + 4], torch.tensor(-1.0), 0, 1)
        assert made.tolist() == [start, -1, start + 2, start + 3]
        assert made.storage_offset() == start


def test_views_of_other_types_have_their_history() -> None:
    for k in range(1, 5):
        pairs = torch.full((2, 2), float(k), requires_grad=True)
        z = torch.view_as_complex(pairs)
        (z.conj() * z).real.sum().backward()
        assert pairs.grad.tolist() == [[2.0 * k] * 2] * 2
        root = torch.zeros(3, dtype=torch.complex64, requires_grad=True)
        made = root * 1
        torch.imag(made).add_(k)
        torch.conj(made)[0] = 1j
        assert made.tolist() == [-1j, 1j * k, 1j * k]
        made.imag.sum().backward()
        assert root.grad.tolist() == [0, 1j, 1j]
    with torch.no_grad():
        assert torch.conj(made).grad_fn is None and torch.conj(made).is_conj()


def test_statistics_move_once_a_call() -> None:
    mean, variance = torch.zeros(2), torch.ones(2)
    for k in range(1, 6):
        F.instance_norm(IMAGE, mean, variance, momentum=0.5)
        share = 1 - 0.5**k
        assert mean.tolist() == pytest.approx([7.5 * share, 23.5 * share])
        assert (mean._version, variance._version) == (k, k)


def test_a_map_may_read_what_it_writes() -> None:
    x = torch.arange(4.0)
    other = torch.ones(4)
    for _ in range(3):
        x.copy_(other), x.add_(other)
    with from_memory(torch.Tensor.copy_), from_memory(torch.Tensor.add_):
        before = x._version
        x.copy_(x.view(4))
        x.add_(x.detach())
        assert x.tolist() == [4, 4, 4, 4] and x._version == before + 2
    layer = torch.nn.Linear(2, 2)
    state = layer.state_dict()
    for _ in range(3):
        layer.load_state_dict(state)
    with from_memory(torch.Tensor.copy_):
        layer.load_state_dict(state)


def test_what_is_no_map_may_not_read_what_it_writes() -> None:
    x, index = torch.arange(3.0), torch.tensor([2, 0, 1])
    for _ in range(4):
        x.index_copy_(0, index, torch.ones(3))
    for _ in range(3):
        with pytest.raises(RuntimeError, match="unsupported operation"):
            x.index_copy_(0, index, x.view(3))
    for _ in range(4):
        x.copy_(torch.arange(3.0))
    long = torch.arange(4.0)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="unsupported operation"):
            long[1:].copy_(long[:3])


def test_what_the_package_calls_is_remembered_too() -> None:
    assert torch.engine.generated.functions.cat is torch.cat
    assert torch.engine.generated.nn_functions.linear is F.linear
    layer = torch.nn.MultiheadAttention(4, 2)
    for _ in range(4):
        layer(X, X, X)
    with from_memory(F.linear), from_memory(torch.bmm), from_memory(torch.Tensor.chunk):
        layer(X, X, X)


def test_an_image_of_another_size_is_one_step_back() -> None:
    image = IMAGE.clone().requires_grad_()
    for k in range(5):
        made = F.interpolate(image * (k + 1), size=(3, 6), mode="bicubic", align_corners=True)
        assert made.grad_fn.name() == "WeightedNeighboursBackward0"
        (slope,) = torch.autograd.grad((made * made).sum(), image, create_graph=True)
        direction = torch.arange(32.0).reshape(1, 2, 4, 4) % 5
        ahead, behind = (
            (F.interpolate(x, size=(3, 6), mode="bicubic", align_corners=True) ** 2).sum()
            for x in (IMAGE + 0.25 * direction, IMAGE - 0.25 * direction)
        )
        expected = (k + 1) ** 2 * float(ahead - behind) / 0.5
        assert (slope * direction).sum().item() == pytest.approx(expected, rel=1e-4)
        (again,) = torch.autograd.grad((slope * direction).sum(), image)
        assert (again * IMAGE).sum().item() == pytest.approx(expected, rel=1e-4)


def test_labels_of_alignments_are_checked_each_time() -> None:
    scores = SCORES.clone().requires_grad_()
    for labels in ([[1, 1], [1, 0]], [[1, 1], [1, 0]], [[1, 1], [1, 7]], [[1, 0], [1, 7]]) * 2:
        loss = F.ctc_loss(scores, torch.tensor(labels), (3, 3), (2, 1), reduction="none")
        alone = [
            F.ctc_loss(
                scores[:, b], torch.tensor(labels[b][: 2 - b]), (3,), (2 - b,), reduction="sum"
            )
            for b in range(2)
        ]
        assert loss.tolist() == [x.item() for x in alone]
        slopes = [torch.autograd.grad(x, scores)[0].tolist() for x in (loss.sum(), sum(alone))]
        assert slopes[0] == slopes[1]
        with pytest.raises(IndexError, match="labels from 0 to 1"):
            F.ctc_loss(scores, torch.tensor([[1, 2], [1, 0]]), (3, 3), (2, 1))


@pytest.mark.parametrize("accumulate", [False, True])
def test_values_go_where_a_mask_says(accumulate: bool) -> None:
    x = torch.zeros(4, 2, requires_grad=True)
    for places in ((1, 3), (1, 3), (0, 2), (2, 3), (0, 1)):
        mask = torch.zeros(4, dtype=torch.bool)
        mask[list(places)] = True
        values = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        made = torch.index_put(x + 1, (mask,), values, accumulate)
        rows = [[1.0, 1.0]] * 4
        for place, row in zip(places, values.tolist()):
            rows[place] = [n + accumulate for n in row]
        assert made.tolist() == rows
        weights = torch.arange(8.0).view(4, 2)
        slopes = torch.autograd.grad((made * weights).sum(), [x, values])
        kept = weights if accumulate else weights * ~mask[:, None]
        assert [s.tolist() for s in slopes] == [kept.tolist(), weights[mask].tolist()]
        written = torch.zeros(4, 2)
        written[mask] = values.detach()
        assert written[list(places)].tolist() == values.tolist() and written.sum() == 10
        with pytest.raises((RuntimeError, IndexError), match="shape mismatch"):
            torch.index_put(x, (mask,), torch.ones(3, 2), accumulate)


def test_gradients_of_what_a_mask_takes() -> None:
    for places in ((1, 3), (1, 3), (0, 2, 3), (), (0, 1, 2, 3)):
        mask = torch.zeros(4, dtype=torch.bool)
        mask[list(places)] = True
        source = torch.arange(5.0).requires_grad_()
        made = torch.zeros(4).masked_scatter(mask, source)
        (slope,) = torch.autograd.grad((made * made).sum() / 2, source, create_graph=True)
        used = len(places)
        assert slope.tolist() == [*map(float, range(used)), *[0.0] * (5 - used)]
        (again,) = torch.autograd.grad(slope.sum(), source)
        assert again.tolist() == [1.0] * used + [0.0] * (5 - used)


def test_columns_are_repeated_as_often_as_numbers_say() -> None:
    x = torch.arange(24.0).view(2, 3, 4)
    for dim, often in ((1, [2, 0, 1]), (1, [2, 0, 1]), (1, [0, 3, 1]), (1, [0, 0, 0])) * 2:
        made = torch.repeat_interleave(x, torch.tensor(often), dim)
        places = [k for k, n in enumerate(often) for _ in range(n)]
        assert made.tolist() == [[block[k] for k in places] for block in x.tolist()]
        made = torch.repeat_interleave(x, torch.tensor([*often, 1]), 2)
        wanted = [*places, 3]
        assert made.tolist() == [[[row[k] for k in wanted] for row in b] for b in x.tolist()]


def test_operators_by_name_are_remembered_but_not_a_programs_own() -> None:
    for call in (torch.ops.aten.mul, torch.ops.aten.mul.Tensor):
        for _ in range(3):
            call(X, X)
        with from_memory(call._public):
            assert call(X, X).tolist() == (X * X).tolist()
        with pytest.raises(RuntimeError, match="must match"):
            call(X, V[:3])
    made: list[Any] = []
    library = torch.library.Library("seen_each_time", "DEF")
    library.define("doubled(Tensor x) -> Tensor")
    library.impl("doubled", lambda x: (made.append(x), x * 2)[1], "CPU")
    for count in range(1, 6):
        assert torch.ops.seen_each_time.doubled(V).tolist() == (V * 2).tolist()
        assert len(made) == count


def test_counts_of_other_elements() -> None:
    for k in range(5):
        x = torch.arange(6.0) * (k + 1)
        classes, weights = torch.tensor([k, 0, k]), torch.tensor([0.5, 1.0, 2.0]) + k
        wanted = [0.0] * (k + 1)
        for place, weight in zip([k, 0, k], weights.tolist()):
            wanted[place] += weight
        assert torch.bincount(classes, weights).tolist() == wanted
        assert torch.histc(x, 5).tolist() == [1, 1, 1, 1, 2]
        counts, edges = torch.histogram(x, 5)
        assert counts.tolist() == [1, 1, 1, 1, 2]
        assert edges.tolist() == pytest.approx(x.tolist())
        counts, edges = torch.histogram(torch.full((3,), 1.0 * k), 2)
        assert (counts.tolist(), edges.tolist()) == ([0, 3], [k - 0.5, k, k + 0.5])
        order = torch.tensor([2, 0, 1])
        places = torch.searchsorted(x[[1, 2, 0]], x, sorter=order)
        assert places.tolist() == [0, 1, 2, 3, 3, 3]
        with pytest.raises(RuntimeError, match="sorter index out of range"):
            torch.searchsorted(x[:3], x, sorter=order + 1)
        with pytest.raises(RuntimeError, match="is not finite"):
            torch.histogram(x / 0, 5)
        with pytest.raises(RuntimeError, match="non-negative"):
            torch.bincount(classes - 1 - k, weights)


def test_bounds_are_taken_anew_each_time() -> None:
    for k in range(6):
        low, high = k / 8, k / 2 + 3.0
        even = [low + (high - low) * i / 4 for i in range(5)]
        assert torch.linspace(low, high, 5, dtype=torch.float64).tolist() == pytest.approx(even)
        bounds = torch.tensor([low, high], dtype=torch.float64)
        made = torch.linspace(bounds[0], bounds[1], 5, dtype=torch.float64)
        assert made.tolist() == pytest.approx(even)
        made = torch.logspace(bounds[0], high, 5, 2.0, dtype=torch.float64)
        assert made.tolist() == pytest.approx([2**x for x in even])
    with from_memory(torch.linspace):
        made = torch.linspace(7.5, 8.5, 5, dtype=torch.float64)
        assert made.tolist() == [7.5, 7.75, 8, 8.25, 8.5]


def test_a_number_may_also_be_a_length() -> None:
    # Calls of other tests may have shown that numbers and lengths are not to be told apart.
    (linspace,) = public.functions({"linspace": FUNCTIONS["linspace"]}, "rushlight").values()
    for end in (5, 5, 5, 6, 5):
        assert linspace(0, end, 5)[-1] == end
    with from_memory(linspace):
        assert linspace(0, 5, 5).tolist() == linspace(0, 10, 5).div(2).tolist()


def test_distances_of_ranges_are_taken_anew() -> None:
    for k in range(6):
        step = 0.25 * (k + 1)
        assert torch.arange(step, 5 * step, step).tolist() == [step * i for i in range(1, 5)]
        assert torch.arange(k / 4).tolist() == list(range(-(-k // 4)))


def test_lists_of_integers_count_by_value() -> None:
    x = torch.arange(12.0).view(3, 4)
    for rows in ([0, 2], [0, 2], [2, 0], [0, 2], [1]):
        for _ in range(3):
            assert x[rows].tolist() == [x.tolist()[k] for k in rows]
            assert x[:, rows].tolist() == [[row[k] for k in rows] for row in x.tolist()]
            assert torch.tensordot(x, x, dims=([1], [1])).tolist() == (x @ x.t()).tolist()
    with pytest.raises(IndexError, match="out of bounds"):
        x[[0, 3]]
    for _ in range(30):
        x[[1, 2]], x[:, [2, 2]]
    with from_memory(torch.Tensor.__getitem__):
        assert x[[1, 2]].tolist() == x.tolist()[1:]
        assert x[:, [2, 2]].tolist() == [[row[2]] * 2 for row in x.tolist()]
