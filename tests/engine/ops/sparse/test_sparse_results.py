"""Sparse results that are put somewhere, other sizes, tensors without data, and functions of rows."""

import pytest

import rushlight as torch
from rushlight.autograd import gradcheck

LAYOUTS = [
    torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc,
]  # fmt: skip
BLOCKED = (torch.sparse_bsr, torch.sparse_bsc)


def matrix(dtype=torch.float64):
    return torch.tensor([[1, 0, 2, 0], [0, 0, 0, 3], [0, 0, 4, 0], [5, 0, 0, 0]], dtype=dtype)


def sparse(layout, dense=None):
    dense = matrix() if dense is None else dense
    return dense.to_sparse(layout=layout, blocksize=(2, 2) if layout in BLOCKED else None)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_out_of_functions_of_values(layout):
    made = sparse(layout)
    for function in (torch.sin, torch.neg, torch.sqrt, torch.nan_to_num, torch.sgn):
        out = torch.zeros_like(made)
        assert function(made, out=out) is out
        assert out.layout is layout
        torch.testing.assert_close(out.to_dense(), function(matrix()))
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.sin(made, out=torch.zeros_like(made, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="one layout"):
        torch.sin(made, out=torch.zeros(4, 4))


def test_out_of_arithmetic():
    made = sparse(torch.sparse_coo)
    out = torch.zeros_like(made)
    torch.add(made, made, out=out)
    assert torch.equal(out.to_dense(), 2 * matrix())
    torch.mul(made, 3, out=out)
    assert torch.equal(out.to_dense(), 3 * matrix())
    torch.zeros((2, 3), out=out)
    assert (out.shape, out._nnz()) == ((2, 3), 0)
    assert torch.zeros((2, 3), out=torch.zeros_like(made), requires_grad=True).requires_grad
    dense = torch.empty(0, dtype=torch.float64)
    torch.add(matrix(), made, out=dense)
    assert torch.equal(dense, 2 * matrix())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_without_data(layout):
    made = sparse(layout)
    meta = made.to("meta")
    assert (meta.is_meta, meta.layout, meta.shape, meta._nnz()) == (True, layout, made.shape, 0)
    assert "device='meta'" in repr(meta)
    assert "nnz" not in repr(meta)
    for other in (torch.zeros_like(meta), torch.zeros_like(made, device="meta"), meta + meta):
        assert (other.is_meta, other.layout, other.shape) == (True, layout, made.shape)
    assert meta.sum().is_meta
    with pytest.raises(NotImplementedError, match="no data"):
        meta.to("cpu")


def test_strides_are_refused():
    made = sparse(torch.sparse_bsr)
    with pytest.raises(RuntimeError, match="Sparse BSR tensors do not have strides"):
        made.stride()
    with pytest.raises(RuntimeError, match="Sparse BSR tensors do not have is_contiguous"):
        made.is_contiguous()


def test_other_sizes():
    made = sparse(torch.sparse_coo)
    assert (
        made.clone().sparse_resize_((5, 6), 2, 0).to_dense()[:4, :4].tolist() == matrix().tolist()
    )
    with pytest.raises(RuntimeError, match="shrinking the size of sparse dimensions"):
        made.clone().sparse_resize_((2, 2), 2, 0)
    with pytest.raises(RuntimeError, match="changing the number of sparse dimensions"):
        made.clone().sparse_resize_((4, 4), 1, 1)
    empty = torch.zeros(2, 2, layout=torch.sparse_coo).resize_as_sparse_(made)
    assert (empty.shape, empty._nnz()) == ((4, 4), 0)
    hybrid = torch.ones(2, 3).to_sparse(1).sparse_resize_((3, 4), 1, 1)
    assert hybrid.to_dense().tolist() == [[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("size", [(2, 4, 4), (3, 2, 4, 4)])
def test_products_with_larger_dense_tensors(size):
    factor = torch.arange(1.0, 1 + torch.zeros(size).numel(), dtype=torch.float64).reshape(size)
    found = sparse(torch.sparse_coo) * factor
    assert found.is_coalesced()
    assert torch.equal(found.to_dense(), matrix() * factor)
    assert torch.equal((factor * sparse(torch.sparse_coo)).to_dense(), matrix() * factor)
    row = sparse(torch.sparse_coo, matrix()[:1])
    assert torch.equal((row * factor).to_dense(), matrix()[:1] * factor)


def test_products_that_stay_sparse():
    made, right = sparse(torch.sparse_coo), torch.randn(4, 3, dtype=torch.float64)
    found = torch.smm(made, right)
    assert found.is_sparse
    torch.testing.assert_close(found.to_dense(), matrix() @ right)
    start = torch.eye(4, 3, dtype=torch.float64).to_sparse()
    found = torch.sspaddmm(start, made, right, beta=2, alpha=3)
    torch.testing.assert_close(found.to_dense(), 2 * start.to_dense() + 3 * (matrix() @ right))
    torch.testing.assert_close(
        torch.addmv(right[:, 0], made.to_sparse_csr(), right[:, 1], beta=2, alpha=3),
        2 * right[:, 0] + 3 * (matrix() @ right[:, 1]),
    )


def test_diagonals():
    rows = torch.tensor([[1.0, 2, 3], [4, 5, 6]])
    made = torch.sparse.spdiags(rows, torch.tensor([0, 1]), (3, 3))
    assert made.to_dense().tolist() == [[1, 5, 0], [0, 2, 6], [0, 0, 3]]
    below = torch.sparse.spdiags(rows[0], torch.tensor(-1), (3, 4), torch.sparse_csr)
    assert below.layout is torch.sparse_csr
    assert below.to_dense().tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0]]
    with pytest.raises(RuntimeError, match="duplicate"):
        torch.sparse.spdiags(rows, torch.tensor([1, 1]), (3, 3))
    with pytest.raises(RuntimeError, match="does not match the number of offsets"):
        torch.sparse.spdiags(rows, torch.tensor([1]), (3, 3))


def test_reductions_of_rows():
    made = sparse(torch.sparse_csr)
    assert torch._sparse_csr_sum(made, 0, keepdim=True).to_dense().tolist() == [[6, 0, 6, 3]]
    assert torch._sparse_csr_prod(made, 1, keepdim=True).values().tolist() == [2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="keepdim=False is unsupported"):
        made.sum(0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("fast_mode", [False, True])
def test_gradcheck_of_sparse_inputs(layout, masked, fast_mode):
    made = sparse(layout).requires_grad_()
    options = {"masked": masked, "fast_mode": fast_mode}
    assert gradcheck(lambda x: (x * 2).to_dense(masked_grad=masked), (made,), **options)
    right = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    if masked:
        assert gradcheck(torch.sparse.mm, (made, right), **options)
    if not fast_mode and layout is torch.sparse_coo:
        with pytest.raises(RuntimeError, match="Jacobian mismatch"):
            gradcheck(lambda x: x.to_dense(masked_grad=not masked), (made,), **options)
    with pytest.raises(ValueError, match="Sparse output is not supported"):
        gradcheck(lambda x: x * 2, (made,), **options)
    check = torch.sparse.as_sparse_gradcheck(gradcheck)
    assert check(lambda x: x * 2, (made,), **options)


def test_what_only_other_devices_have():
    with pytest.raises(RuntimeError, match="Only CUDA tensors"):
        torch.sparse.to_sparse_semi_structured(torch.ones(64, 64))
    with pytest.raises(RuntimeError, match="not supported"):
        torch.sparse.spsolve(sparse(torch.sparse_csr), torch.ones(4))


def test_what_is_like_another():
    batch = torch.stack([matrix(), matrix()])
    rows, blocks = batch.to_sparse_csr(), batch.to_sparse_bsr((2, 2))
    found = torch.zeros_like(rows, layout=torch.sparse_coo)
    assert (found.sparse_dim(), found.dense_dim()) == (3, 0)
    found = torch.zeros_like(blocks, layout=torch.sparse_bsc)
    assert found.values().shape == (2, 0, 2, 2)
    new = sparse(torch.sparse_coo).new()
    assert (new.layout, new.dtype) == (torch.sparse_coo, torch.float64)


def test_copies_must_fit():
    made = sparse(torch.sparse_bsr)
    with pytest.raises(RuntimeError, match="same number of specified elements"):
        made.copy_(torch.zeros_like(made))
    other = matrix().to_sparse_bsr((1, 4))
    with pytest.raises(RuntimeError, match="different block sizes"):
        made.copy_(other)
    again = made.clone().copy_(made * 2)
    assert torch.equal(again.to_dense(), 2 * matrix())


def test_products_that_broadcast_dense_dimensions():
    x, y = torch.randn(3, 4, 2), torch.randn(3, 4, 1)
    found = x.to_sparse(2) * y.to_sparse(2)
    torch.testing.assert_close(found.to_dense(), x * y)


def test_sums_of_tensors_that_are_not_in_order():
    first = torch.sparse_coo_tensor([[0, 3, 4], [0, 2, 2]], torch.ones(3), (6, 3))
    second = torch.sparse_coo_tensor([[0, 1, 3, 4], [0, 1, 2, 2]], torch.ones(4), (6, 3))
    found = first + second
    assert (found._nnz(), found.is_coalesced()) == (4, False)
    assert torch.equal(found.to_dense(), first.to_dense() + second.to_dense())


@pytest.mark.parametrize(
    ("starts", "places", "message"),
    [([0, 1, 2], [0, 5], "0 <= col_indices < ncols"), ([0, 2, 2], [1, 0], "sorted and distinct")],
)
def test_indices_alone_are_looked_at(starts, places, message):
    check = torch._validate_compressed_sparse_indices
    check(True, torch.tensor([0, 1, 2]), torch.tensor([0, 1]), 2, 3, 2)
    with pytest.raises(RuntimeError, match=message):
        check(True, torch.tensor(starts), torch.tensor(places), 2, 3, 2)


def test_seeded_calls_leave_the_generator_alone():
    from rushlight.testing._utils import wrapper_set_seed

    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = wrapper_set_seed(torch.randn_like, sparse(torch.sparse_csr))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.values(), wrapper_set_seed(torch.randn_like, first).values())
