"""Sparse tensors from parts and from dense tensors, and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch

KINDS = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32,
    torch.int8, torch.uint8, torch.bool, torch.complex64, torch.complex128,
]  # fmt: skip


def example():
    return torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))


@st.composite
def parts(draw):
    """Indices that may repeat, values, and sizes with sparse and dense dimensions."""
    sparse = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    dense = draw(st.lists(st.integers(0, 3), max_size=2))
    count = draw(st.integers(0, 8))
    rows = [draw(st.lists(st.integers(0, n - 1), min_size=count, max_size=count)) for n in sparse]
    indices = torch.tensor(rows, dtype=torch.int64).reshape(len(sparse), count)
    values = torch.randint(-5, 6, (count, *dense)).double()
    return indices, values, (*sparse, *dense)


def summed_one_by_one(indices, values, size):
    made = torch.zeros(size, dtype=values.dtype)
    for k in range(values.shape[0]):
        made[tuple(indices[:, k].tolist())] += values[k]
    return made


@given(parts())
@settings(max_examples=60, deadline=None)
def test_repeated_indices_add_up(given_parts):
    made = torch.sparse_coo_tensor(*given_parts)
    expected = summed_one_by_one(*given_parts)
    assert torch.equal(made.to_dense(), expected)
    ordered = made.coalesce()
    assert ordered.is_coalesced() and torch.equal(ordered.to_dense(), expected)
    named = list(map(tuple, ordered.indices().t().tolist()))
    assert named == sorted(set(map(tuple, made._indices().t().tolist())))


@given(parts())
@settings(max_examples=40, deadline=None)
def test_dense_and_back(given_parts):
    dense = summed_one_by_one(*given_parts)
    for dims in range(1, dense.dim() + 1):
        made = dense.to_sparse(dims)
        assert made.is_coalesced() and made.sparse_dim() == dims
        assert made.dense_dim() == dense.dim() - dims
        assert torch.equal(made.to_dense(), dense)
        filled = (dense != 0).sum([*range(dims, dense.dim())]) > 0 if dims < dense.dim() else dense
        assert made._nnz() == int((filled != 0).sum())


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_element_type(kind):
    dense = torch.tensor([[0, 1, 0], [1, 0, 1]]).to(kind)
    made = dense.to_sparse()
    assert made.dtype is kind and made.values().dtype is kind
    assert torch.equal(made.to_dense(), dense)
    twice = torch.sparse_coo_tensor([[1, 1]], torch.ones(2).to(kind), (2,))
    assert torch.equal(twice.to_dense(), twice.coalesce().to_dense())
    assert made.to(torch.float64).values().tolist() == [1.0, 1.0, 1.0]


def test_special_values_are_kept():
    dense = torch.tensor([0.0, float("nan"), float("inf"), -0.0])
    made = dense.to_sparse()
    assert made.indices().tolist() == [[1, 2]]
    assert made.to_dense()[1].isnan() and made.to_dense()[2].isinf()


def test_without_dimensions():
    made = torch.sparse_coo_tensor(torch.zeros(0, 3), [3.0, 4.0, 5.0], ())
    assert made.to_dense().item() == 12.0
    assert made.coalesce().values().tolist() == [12.0]
    assert torch.tensor(3.0).to_sparse()._nnz() == 1
    assert torch.tensor(0.0).to_sparse()._nnz() == 0


def test_without_elements():
    made = torch.sparse_coo_tensor(torch.zeros(2, 0), torch.zeros(0, 4), (0, 3, 4))
    assert made.to_dense().shape == (0, 3, 4)
    assert made.coalesce()._nnz() == 0
    assert torch.zeros(0, 3).to_sparse().shape == (0, 3)


def test_forms_of_the_call():
    assert torch.sparse_coo_tensor([[0, 4]], [1, 2]).shape == (5,)
    assert torch.sparse_coo_tensor((2, 3)).shape == (2, 3)
    assert torch.sparse_coo_tensor([2, 3], dtype=torch.int32).dtype is torch.int32
    assert torch.sparse_coo_tensor(torch.Size([2]))._nnz() == 0
    made = torch.sparse_coo_tensor(
        indices=[[0]], values=[1.0], size=(2,), dtype=torch.float64, requires_grad=True
    )
    assert made.requires_grad and made.is_leaf and made.dtype is torch.float64
    assert torch.sparse_coo_tensor([[0]], [1.0], is_coalesced=True).is_coalesced()
    for size in (torch.zeros, torch.empty):
        assert size(2, 3, layout=torch.sparse_coo).sparse_dim() == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 5]], [1.0, 2.0], (3,)), "for dim 0, size is 3 but found index 5"),
        (([[0, -1]], [1.0, 2.0], (3,)), "found negative index -1 for dim 0"),
        (([[0, 1]], [1.0], (3,)), "same nnz"),
        (([[0, 1]], [1.0, 2.0], (3, 4)), "len.size. == sparse_dim"),
        (([[0, 1]], [[1.0], [2.0]], (3, 4)), "values has incorrect size"),
        (([0, 1], [1.0, 2.0]), "indices must be sparse_dim x nnz"),
        (((2, -3),), "overflow"),
        (((1 << 40, 1 << 40),), "overflow"),
    ],
)
def test_what_cannot_be(arguments, message):
    with pytest.raises(RuntimeError, match=message):
        torch.sparse_coo_tensor(*arguments)


def test_wrong_arguments():
    for arguments in [(), (torch.eye(2),), (1.5,), ([[0]], [1.0], "a")]:
        with pytest.raises(TypeError):
            torch.sparse_coo_tensor(*arguments)
    with pytest.raises(TypeError, match="foo=int"):
        torch.sparse_coo_tensor([[0]], [1.0], foo=1)


def test_said_to_be_in_order():
    checked = torch.sparse.check_sparse_tensor_invariants()
    with checked, pytest.raises(RuntimeError, match="uncoalesced"):
        torch.sparse_coo_tensor([[1, 0]], [1.0, 2.0], is_coalesced=True)
    assert not torch.sparse.check_sparse_tensor_invariants.is_enabled()


def test_parts_share_memory():
    values = torch.ones(2)
    made = torch.sparse_coo_tensor([[0, 2]], values, (3,))
    made._values().mul_(5)
    assert values.tolist() == [5.0, 5.0]
    assert made.to_dense().tolist() == [5.0, 0.0, 5.0]
    assert made.clone()._values().data_ptr() != values.data_ptr()


def test_only_what_is_in_order_shows_its_parts():
    made = example()
    for name in ("indices", "values"):
        with pytest.raises(RuntimeError, match=f"Cannot get {name} on an uncoalesced tensor"):
            getattr(made, name)()
        with pytest.raises(RuntimeError, match=f"{name} expected sparse"):
            getattr(torch.ones(2), name)()
    assert made._coalesced_(True).indices().shape == (2, 3)
    assert made.coalesce() is made


def test_copy_and_zero():
    made, other = example(), example()
    other._values().mul_(2)
    version = made._version
    assert made.copy_(other) is made and made._version > version
    assert torch.equal(made.to_dense(), other.to_dense())
    assert made.zero_()._nnz() == 0
    with pytest.raises(RuntimeError, match="between dense and sparse"):
        made.copy_(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="between dense and sparse"):
        torch.ones(2, 3).copy_(made)


def test_tensors_like_a_sparse_one():
    made = example()
    for other in (torch.zeros_like(made), torch.empty_like(made), made.new_zeros(2, 3)):
        assert other.is_sparse and other.shape == (2, 3) and other._nnz() == 0
    assert not torch.zeros_like(made, layout=torch.strided).is_sparse
    assert torch.zeros_like(torch.ones(2), layout=torch.sparse_coo).is_sparse
    for call in (lambda: made.new_ones(2), lambda: torch.full_like(made, 1.0)):
        with pytest.raises(RuntimeError, match="not implemented for sparse layout"):
            call()
    with pytest.raises(RuntimeError, match="not implemented for sparse layout"):
        torch.full((2,), 1.0, layout=torch.sparse_coo)


def test_a_single_element_is_a_number():
    assert torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (1,)).item() == 3.0
    assert float(torch.sparse_coo_tensor((1,))) == 0.0
    assert bool(torch.tensor([[2.0]]).to_sparse_csr()) is True
    with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
        example().item()


def test_nothing_is_assigned():
    for value in (1.0, torch.ones(3), torch.ones(3).to_sparse()):
        with pytest.raises(TypeError, match="Cannot assign to a sparse tensor"):
            example()[0] = value
    dense = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="between dense and sparse"):
        dense[0] = torch.ones(3).to_sparse()


def test_masks_choose_elements():
    dense = torch.arange(6.0).reshape(2, 3)
    chosen = dense.sparse_mask(example())
    assert chosen._values().tolist() == [2.0, 3.0, 5.0]
    other = torch.sparse_coo_tensor([[1, 0], [2, 0]], [7.0, 8.0], (2, 3))
    assert other.sparse_mask(example())._values().tolist() == [0.0, 0.0, 7.0]
    with pytest.raises(RuntimeError, match="incompatible sizes"):
        torch.ones(3, 3).sparse_mask(example())


def test_unknown_operators_are_refused():
    made = example()
    calls = [
        made.exp, made.cumsum, lambda: made > 0, lambda: made.view(6), lambda: made.fill_(1),
        lambda: made[torch.tensor([0])], lambda: made.as_strided((1,), (1,)), made.sort,
        lambda: torch.where(torch.ones(2, 3) > 0, made, 1.0), lambda: made.resize_(3, 3),
        lambda: torch.sigmoid(made), lambda: made.set_(made), made.nonzero,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises((NotImplementedError, RuntimeError, TypeError)):
            call()
    with pytest.raises(NotImplementedError, match=r"aten::exp.*SparseCPU"):
        made.exp()


def test_what_needs_memory_is_refused():
    made = example()
    for name in ("storage", "untyped_storage", "share_memory_", "is_shared"):
        with pytest.raises(NotImplementedError, match="Cannot access storage"):
            getattr(made, name)()
    for name in ("data_ptr", "tolist"):
        with pytest.raises(RuntimeError, match="Cannot access data pointer"):
            getattr(made, name)()
    with pytest.raises(RuntimeError, match="nbytes is not defined"):
        _ = made.nbytes
    with pytest.raises(TypeError, match="to_dense"):
        made.numpy()
    with pytest.raises(RuntimeError, match="Cannot access data pointer"):
        torch.utils.dlpack.to_dlpack(made)
