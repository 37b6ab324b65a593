"""Positions outside: an error by the first call, the recorded one and remembered ones."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F

ROWS = torch.arange(12.0).view(3, 4)
TENSORS = {
    "dense": ROWS, "strided": torch.arange(48.0).view(6, 8)[::2, ::2], "turned": ROWS.t().clone().t(),
    "empty": torch.empty(0, 4),
}  # fmt: skip
OUTSIDE = {"behind": (0, 99), "before": (0, -99), "far": (0, 2**62), "farthest": (-(2**63), 0)}
VALUES = torch.ones(2, 4)
CALLS = {
    "gather": lambda x, i: x.gather(0, i[:, None].expand(2, 4)),
    "scatter": lambda x, i: x.scatter(0, i[:, None].expand(2, 4), 1.0),
    "scatter_src": lambda x, i: x.clone().scatter_(0, i[:, None].repeat(1, 4), VALUES),
    "scatter_add": lambda x, i: x.scatter_add(0, i[:, None].repeat(1, 4), VALUES),
    "scatter_reduce": lambda x, i: x.scatter_reduce(0, i[:, None].repeat(1, 4), VALUES, "amax"),
    "index_select": lambda x, i: x.index_select(0, i),
    "index_select 1": lambda x, i: x.index_select(1, i),
    "index_add": lambda x, i: x.index_add(0, i, VALUES),
    "index_copy": lambda x, i: x.index_copy(0, i, VALUES),
    "index_fill": lambda x, i: x.index_fill(0, i, 1.0),
    "index_reduce": lambda x, i: x.index_reduce(0, i, VALUES, "prod"),
    "index_put": lambda x, i: x.index_put((i,), VALUES),
    "index_put sum": lambda x, i: x.index_put((i, i), VALUES[:, 0], accumulate=True),
    "subscript": lambda x, i: x[i],
    "subscripts": lambda x, i: x[i, i],
    "assignment": lambda x, i: x.clone().__setitem__(i, 1.0),
    "take": lambda x, i: x.take(i),
    "put": lambda x, i: x.put(i, VALUES[0, :2]),
    "take_along_dim": lambda x, i: torch.take_along_dim(x, i),
    "embedding": lambda x, i: F.embedding(i, x),
    "embedding_bag": lambda x, i: F.embedding_bag(i, x, i[:1] * 0),
}


@pytest.mark.parametrize("where", OUTSIDE)
@pytest.mark.parametrize("kind", TENSORS)
@pytest.mark.parametrize("name", CALLS)
def test_positions(name, kind, where):
    x, index = TENSORS[kind], torch.tensor(OUTSIDE[where])
    for _ in range(4):
        with pytest.raises(
            (IndexError, RuntimeError),
            match=r"out of (range|bounds|DATA)|must be|should be|empty|valid range",
        ):
            CALLS[name](x, index)


@pytest.mark.parametrize("name", ["gather", "index_select", "take", "subscript", "embedding"])
def test_a_remembered_call_sees_positions_that_have_moved_outside(name):
    inside, outside = torch.tensor([0, 1]), torch.tensor([0, 99])
    for _ in range(4):
        expected = CALLS[name](ROWS, inside)
    for _ in range(2):
        with pytest.raises((IndexError, RuntimeError), match=r"out of (range|bounds)"):
            CALLS[name](ROWS, outside)
        assert CALLS[name](ROWS, inside).equal(expected)


def test_batch_sizes_of_packed_sequences():
    states, weights = (torch.ones(1, 1, 1),) * 2, [torch.ones(4, 1)] * 2
    for sizes in ([9, 1], [1], [1, 1, 1], [1, 2], [2, -1], []):
        with pytest.raises(RuntimeError, match="batch sizes must fall"):
            torch.lstm(
                torch.ones(2, 1), torch.tensor(sizes, dtype=torch.int64), states, weights,
                False, 1, 0.0, False, False,
            )  # fmt: skip


@pytest.mark.parametrize(("call", "kind"), [
    (lambda i: ROWS.index_select(0, i), IndexError), (lambda i: ROWS.index_select(1, i), RuntimeError),
    (lambda i: ROWS[i], IndexError), (lambda i: ROWS.gather(0, i[None]), RuntimeError),
    (lambda i: F.embedding(i, ROWS), IndexError), (lambda i: F.embedding_bag(i, ROWS, i[:1] * 0), RuntimeError),
    (lambda i: F.embedding_bag(i[None], ROWS, mode="max"), RuntimeError),
    (lambda i: ROWS.take(i), IndexError), (lambda i: ROWS.index_add(0, i, VALUES), RuntimeError),
])  # fmt: skip
def test_types_of_errors(call, kind):
    for _ in range(3):
        with pytest.raises(kind):
            call(torch.tensor([0, 99]))


def test_nothing_is_selected_from_a_dimension_without_elements():
    with pytest.raises(RuntimeError, match="self indexing axis dim should be positive"):
        torch.index_select(torch.ones(0, 1), 0, torch.tensor([99]))
    assert torch.index_select(torch.ones(0, 1), 0, torch.tensor([], dtype=torch.int64)).shape == (
        0,
        1,
    )
    with pytest.raises(IndexError):
        torch.index_select(torch.ones(0), 0, torch.tensor([0]))
    with pytest.raises(RuntimeError, match="out of DATA bounds, id=99 axis_dim=5"):
        torch.index_select(torch.ones(5, 0), 0, torch.tensor([99]))
