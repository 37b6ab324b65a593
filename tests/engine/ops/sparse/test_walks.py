"""Machine code over indices: products row by row, merges of lists, and what lies outside."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.engine.ops.sparse import products, walks

KINDS = [torch.float32, torch.float64]


def scattered(rows, columns, kind, share=0.2):
    return (torch.rand(rows, columns) < share).to(kind) * torch.randn(rows, columns, dtype=kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1, 2, 7, 16, 33, 64, 130])
def test_products_with_dense_matrices(kind, width):
    a, x = scattered(40, 50, kind), torch.randn(50, width, dtype=kind)
    for made in (a.to_sparse(), a.to_sparse_csr(), a.to_sparse_csc()):
        torch.testing.assert_close(made @ x, a @ x, rtol=1e-4, atol=1e-4)
    indices = torch.randint(0, 40, (2, 300))
    mixed = torch.sparse_coo_tensor(indices, torch.randn(300, dtype=kind), (40, 50))
    torch.testing.assert_close(mixed @ x, mixed.to_dense() @ x, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("across", [1, 63, 64, 65, 4096, 4097, 9000])
def test_products_of_sparse_matrices(kind, across):
    a, b = scattered(20, 30, kind), scattered(30, across, kind, 0.05)
    found = a.to_sparse() @ b.to_sparse()
    torch.testing.assert_close(found.to_dense(), a @ b, rtol=1e-4, atol=1e-4)
    assert found.is_coalesced()
    places = found.indices()[0] * across + found.indices()[1]
    assert bool((places[1:] > places[:-1]).all())
    rows = a.to_sparse_csr() @ b.to_sparse_csr()
    assert rows.layout is torch.sparse_csr
    torch.testing.assert_close(rows.to_dense(), a @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inner", [1, 3, 8, 16, 37])
def test_products_at_chosen_places(kind, inner):
    made = scattered(20, 30, kind).to_sparse_csr()
    left, right = torch.randn(20, inner, dtype=kind), torch.randn(inner, 30, dtype=kind)
    found = torch.sparse.sampled_addmm(made, left, right, beta=0.0)
    wanted = (left @ right).sparse_mask(made)
    torch.testing.assert_close(found.to_dense(), wanted.to_dense(), rtol=1e-4, atol=1e-4)


def test_results_do_not_depend_on_threads():
    a, x = scattered(300, 400, torch.float32).to_sparse_csr(), torch.randn(400, 100)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = a @ x
        torch.set_num_threads(2)
        assert torch.equal(alone, a @ x)
    finally:
        torch.set_num_threads(before)


@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40)))
@settings(max_examples=60, deadline=None)
def test_lists_are_merged(first, second):
    lists = sorted(first), sorted(second)
    a, b = (torch.tensor(x, dtype=torch.int64) for x in lists)
    at, other = walks.intersect(a, b)
    assert a[at].tolist() == b[other].tolist() == sorted(first & second)
    together, at, other = walks.unite(a, b)
    assert together.tolist() == sorted(first | second)
    assert together[at].tolist() == lists[0]
    assert together[other].tolist() == lists[1]


@given(st.lists(st.integers(0, 6), max_size=30))
@settings(max_examples=60, deadline=None)
def test_lines(lines):
    rows = torch.tensor(lines, dtype=torch.int64)
    starts, is_ordered = walks.starts_of(rows, 7)
    assert is_ordered == (lines == sorted(lines))
    assert starts.tolist() == [sum(x < line for x in lines) for line in range(8)]
    order = walks.order_of(rows, 7).tolist()
    assert order == sorted(range(len(lines)), key=lines.__getitem__)
    assert walks.rows_of(starts, len(lines)).tolist() == sorted(lines)


def unchecked(starts, places, count=2):
    return torch._sparse_compressed_tensor_unsafe(
        torch.tensor(starts), torch.tensor(places), torch.ones(count), (2, 3),
        layout=torch.sparse_csr,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("starts", "places"),
    [([0, 1, 2], [0, 3]), ([0, 1, 2], [-1, 0]), ([0, 1, 9], [0, 1]), ([0, 3, 2], [0, 1]),
     ([-1, 1, 2], [0, 1])],
)  # fmt: skip
def test_what_lies_outside_is_refused(starts, places):
    made = unchecked(starts, places)
    for call in (lambda: made @ torch.ones(3, 8), lambda: products.lines_of(made)):
        with pytest.raises(IndexError, match="outside its size"):
            call()
    if places == [0, 1]:
        with pytest.raises(IndexError, match="outside its size"):
            made.to_dense()
    with pytest.raises(IndexError, match="outside its size"):
        torch.sparse.sampled_addmm(made, torch.ones(2, 4), torch.ones(4, 3))
    with pytest.raises(IndexError, match="outside its size"):
        walks.starts_of(torch.tensor([0, 2]), 2)
