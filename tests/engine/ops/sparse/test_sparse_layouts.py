"""All compressed layouts, with blocks, batches and dense dimensions, against dense tensors."""

import itertools
import pickle

import pytest

import rushlight as torch
from rushlight.autograd import gradcheck

LAYOUTS = [torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc]
BLOCKED = (torch.sparse_bsr, torch.sparse_bsc)
SHAPES = list(itertools.product([(), (2,), (2, 3)], [(), (2,)]))


def block_of(layout):
    return (2, 3) if layout in BLOCKED else None


def dense_example(batch=(), dense=()):
    """Matrices of four rows and six columns with as many values in each, and as many blocks."""
    base = torch.tensor(
        [[1.0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 0, 0], [0, 3, 0, 0, 0, 0], [0, 0, 4, 0, 0, 0]],
        dtype=torch.float64,
    )
    whole = base.reshape((1,) * len(batch) + (4, 6) + (1,) * len(dense))
    factor = torch.arange(1.0, 1 + torch.zeros(*batch, 1, 1, *dense).numel(), dtype=torch.float64)
    return whole * factor.reshape(*batch, 1, 1, *dense)


def example(layout, batch=(), dense=()):
    return dense_example(batch, dense).to_sparse(
        layout=layout, blocksize=block_of(layout), dense_dim=len(dense)
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("batch", "dense"), SHAPES)
def test_from_dense_and_back(layout, batch, dense):
    wanted = dense_example(batch, dense)
    made = example(layout, batch, dense)
    assert made.layout is layout
    assert made.shape == wanted.shape
    assert made.sparse_dim() == 2
    assert made.dense_dim() == len(dense)
    block = block_of(layout) or ()
    assert made._nnz() == (3 if block else 4)
    assert made.values().shape == (*batch, made._nnz(), *block, *dense)
    assert torch.equal(made.to_dense(), wanted)
    coordinates = made.to_sparse()
    assert coordinates.layout is torch.sparse_coo
    assert coordinates.dense_dim() == len(dense)
    assert torch.equal(coordinates.to_dense(), wanted)


@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize(("batch", "dense"), [((), ()), ((), (2,)), ((2,), ())])
def test_from_one_layout_to_another(first, second, batch, dense):
    made = example(first, batch, dense)
    refused = (first in BLOCKED and second not in BLOCKED) or (
        first not in BLOCKED and second in BLOCKED and batch
    )
    if refused:
        with pytest.raises(RuntimeError, match=r"not supported|but got SparseBs"):
            made.to_sparse(layout=second, blocksize=block_of(second))
        return
    found = made.to_sparse(layout=second, blocksize=block_of(second))
    assert found.layout is second
    assert torch.equal(found.to_dense(), made.to_dense())


def test_blocks_are_those_of_the_layout():
    made = dense_example().to_sparse_bsr((2, 3))
    assert made.crow_indices().tolist() == [0, 2, 3]
    assert made.col_indices().tolist() == [0, 1, 0]
    assert made.values()[2].tolist() == [[0, 3, 0], [0, 0, 4]]
    columns = dense_example().to_sparse_bsc((2, 3))
    assert columns.ccol_indices().tolist() == [0, 2, 3]
    assert columns.row_indices().tolist() == [0, 1, 0]
    assert columns.values()[1].tolist() == [[0, 3, 0], [0, 0, 4]]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("batch", "dense"), SHAPES)
def test_from_parts(layout, batch, dense):
    made = example(layout, batch, dense)
    names = ("crow_indices", "col_indices")
    if layout in (torch.sparse_csc, torch.sparse_bsc):
        names = ("ccol_indices", "row_indices")
    parts = [getattr(made, name)() for name in names]
    again = torch.sparse_compressed_tensor(
        *parts, made.values(), made.shape, layout=layout, check_invariants=True
    )
    assert torch.equal(again.to_dense(), made.to_dense())
    own = getattr(torch, str(layout).removeprefix("torch.") + "_tensor")
    assert torch.equal(own(*parts, made.values(), made.shape).to_dense(), made.to_dense())
    assert own(*parts, made.values()).layout is layout
    copy = pickle.loads(pickle.dumps(made))
    torch.testing.assert_close(copy, made)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("batch", "dense"), [((), ()), ((2,), ()), ((), (2,))])
def test_functions_of_values(layout, batch, dense):
    made = example(layout, batch, dense)
    wanted = dense_example(batch, dense)
    for function in (torch.sin, torch.neg, torch.relu, lambda t: t * 3, lambda t: t / 2):
        found = function(made)
        assert found.layout is layout
        torch.testing.assert_close(found.to_dense(), function(wanted))
    total = made + made
    assert total.layout is layout
    torch.testing.assert_close(total.to_dense(), wanted * 2)
    torch.testing.assert_close((made * made).to_dense(), wanted * wanted)
    assert torch.equal(wanted.sparse_mask(made).to_dense(), wanted)
    torch.testing.assert_close(made.sum(), wanted.sum())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_products(layout):
    made, wanted = example(layout), dense_example()
    right = torch.randn(6, 9, dtype=torch.float64)
    torch.testing.assert_close(made @ right, wanted @ right)
    torch.testing.assert_close(right.t() @ made.t(), right.t() @ wanted.t())
    torch.testing.assert_close(made.mv(right[:, 0]), wanted.mv(right[:, 0]))
    start = torch.randn(4, 9, dtype=torch.float64)
    torch.testing.assert_close(
        torch.addmm(start, made, right, beta=2, alpha=3),
        torch.addmm(start, wanted, right, beta=2, alpha=3),
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("batch", "dense"), [((), ()), ((2, 3), ()), ((2, 3), (2, 3))])
def test_other_orders(layout, batch, dense):
    made, wanted = example(layout, batch, dense), dense_example(batch, dense)
    at = len(batch)
    pairs = [(at, at + 1)]
    if batch:
        pairs.append((0, 1))
    if dense:
        pairs.append((at + 2, at + 3))
    for first, second in pairs:
        found = made.transpose(first, second)
        assert torch.equal(found.to_dense(), wanted.transpose(first, second))
    if not batch:
        assert torch.equal(made.t().to_dense(), wanted.t())
        assert made.t().values().data_ptr() == made.values().data_ptr()
        for row in range(4):
            assert torch.equal(made[row].to_dense(), wanted[row])
    else:
        assert made[1].layout is layout
        assert torch.equal(made[1, 2].to_dense(), wanted[1, 2])
        with pytest.raises(RuntimeError, match="batched"):
            made.select(at, 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("batch", "dense"), SHAPES)
def test_gradients(layout, batch, dense):
    made = example(layout, batch, dense)
    names = ("crow_indices", "col_indices")
    if layout in (torch.sparse_csc, torch.sparse_bsc):
        names = ("ccol_indices", "row_indices")
    parts = [getattr(made, name)() for name in names]

    def through_values(values):
        again = torch.sparse_compressed_tensor(*parts, values, made.shape, layout=layout)
        return again.to_dense()

    assert gradcheck(through_values, (made.values().clone().requires_grad_(),))
    dense_input = dense_example(batch, dense).requires_grad_()

    def there_and_back(x):
        return x.to_sparse(
            layout=layout, blocksize=block_of(layout), dense_dim=len(dense)
        ).to_dense(masked_grad=False)

    there_and_back(dense_input).sum().backward()
    assert torch.equal(dense_input.grad, torch.ones_like(dense_input))


def test_batches_must_have_as_many_values():
    x = torch.zeros(2, 2, 2)
    x[0, 0, 0] = 1
    with pytest.raises(RuntimeError, match="same number of specified elements per batch"):
        x.to_sparse_csr()


def test_factories():
    made = torch.zeros(3, 4, 2, layout=torch.sparse_csr)
    assert made.crow_indices().shape == (3, 5)
    assert torch.equal(made.to_dense(), torch.zeros(3, 4, 2))
    with pytest.raises(RuntimeError, match="non-block"):
        torch.empty(4, 4, layout=torch.sparse_bsr)
    with pytest.raises(RuntimeError, match="Only batched sparse compressed"):
        torch.empty(4, layout=torch.sparse_csc)
    blocked = example(torch.sparse_bsr, (2,), (2,))
    assert torch.zeros_like(blocked).values().shape == (2, 0, 2, 3, 2)
    assert torch.full_like(blocked, 2.0).values().unique().tolist() == [2.0]
    assert torch.empty_like(blocked).col_indices().tolist() == blocked.col_indices().tolist()
    with pytest.raises(RuntimeError, match="different sparse layout"):
        torch.empty_like(blocked, layout=torch.sparse_csr)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"crow": [0, 2]}, "number of row blocks"),
        ({"crow": [1, 2, 3]}, r"crow_indices\[..., 0\] == 0"),
        ({"crow": [0, 2, 2]}, r"crow_indices\[..., -1\] == nnz"),
        ({"crow": [0, 4, 3]}, "crow_indices"),
        ({"col": [0, 2, 0]}, "0 <= col_indices < ncols"),
        ({"col": [1, 0, 0]}, "sorted and distinct"),
        ({"size": (4, 5)}, r"must be divisible with blocksize\[1\]"),
        ({"size": (4, 6, 1)}, "tensor dimensionality must be sum"),
    ],
)
def test_what_must_hold(change, message):
    given = {"crow": [0, 2, 3], "col": [0, 1, 0], "size": (4, 6)} | change
    values = torch.ones(3, 2, 3)
    with pytest.raises(RuntimeError, match=message):
        torch.sparse_bsr_tensor(
            given["crow"], given["col"], values, given["size"], check_invariants=True
        )


def test_order_is_looked_at_on_request():
    parts = [0, 2, 2], [1, 0], [5.0, 6.0], (2, 2)
    made = torch.sparse_csr_tensor(*parts)
    assert made.to_dense().tolist() == [[6, 5], [0, 0]]
    with torch.sparse.check_sparse_tensor_invariants():
        with pytest.raises(RuntimeError, match="sorted and distinct"):
            torch.sparse_csr_tensor(*parts)
        assert torch.sparse_csr_tensor(*parts, check_invariants=False)._nnz() == 2
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dense().tolist() == made.to_dense().tolist()
