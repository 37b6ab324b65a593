"""What a sparse tensor shows of itself; copies, pickles and files."""

import copy
import io
import pickle

import pytest

import rushlight as torch


def example(**options):
    return torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3), **options)


def test_facts():
    made = example()
    assert made.layout is torch.sparse_coo and made.is_sparse and not made.is_sparse_csr
    assert type(made) is torch.Tensor and isinstance(made, torch.sparse.FloatTensor)
    assert made.shape == (2, 3) and made.numel() == 6 and made.stride() == (0, 0)
    assert (made.sparse_dim(), made.dense_dim(), made._nnz()) == (2, 0, 3)
    assert made.type() == "torch.sparse.FloatTensor"
    assert made.device == torch.device("cpu") and not made.is_contiguous()
    assert not torch.ones(2).is_sparse and torch.ones(2).layout is torch.strided
    assert (torch.ones(2).sparse_dim(), torch.ones(2).dense_dim()) == (0, 1)


def test_text():
    text = (
        "tensor(indices=tensor([[0, 1, 1],\n"
        "                       [2, 0, 2]]),\n"
        "       values=tensor([3., 4., 5.]),\n"
        "       size=(2, 3), nnz=3{}, layout=torch.sparse_coo{})"
    )
    assert repr(example()) == text.format("", "")
    assert repr(example(dtype=torch.float64)) == text.format(", dtype=torch.float64", "")
    assert repr(example(requires_grad=True)) == text.format("", ", requires_grad=True")
    parameter = torch.nn.Parameter(example())
    assert repr(parameter).startswith("Parameter containing:\ntensor(indices=")


def test_text_without_values():
    assert repr(torch.sparse_coo_tensor((2, 3))) == (
        "tensor(indices=tensor([], size=(2, 0)),\n       values=tensor([], size=(0,)),\n"
        "       size=(2, 3), nnz=0, layout=torch.sparse_coo)"
    )


def test_text_of_a_step():
    values = torch.ones(2, requires_grad=True)
    made = torch.sparse_coo_tensor([[0, 2]], values, (3,))
    assert type(made.grad_fn).__name__ == "SparseCooTensorWithDimsAndTensorsBackward0"
    assert type(made.coalesce().grad_fn).__name__ == "CoalesceBackward0"
    assert type(made.to_dense().grad_fn).__name__ == "ToDenseBackward0"
    dense = torch.ones(2, 2, requires_grad=True)
    assert type(dense.to_sparse().grad_fn).__name__ == "ToSparseBackward1"
    assert type(dense.to_sparse(1).grad_fn).__name__ == "ToSparseBackward0"


def same(a, b):
    return (
        torch.equal(a._indices(), b._indices())
        and torch.equal(a._values(), b._values())
        and a.shape == b.shape
        and a.is_coalesced() == b.is_coalesced()
        and a.dtype is b.dtype
    )


@pytest.mark.parametrize("made", [example(), example().coalesce(), torch.sparse_coo_tensor((3,))])
def test_copies_and_pickles(made):
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made)), made.clone()):
        assert other is not made and same(made, other)
    parameter = torch.nn.Parameter(made)
    for other in (copy.deepcopy(parameter), pickle.loads(pickle.dumps(parameter))):
        assert isinstance(other, torch.nn.Parameter) and same(parameter, other)


@pytest.mark.parametrize("archive", [True, False])
@pytest.mark.parametrize("weights_only", [True, False])
def test_files(archive, weights_only):
    made = {"a": example(), "b": example().coalesce(), "p": torch.nn.Parameter(example())}
    file = io.BytesIO()
    torch.save(made, file, _use_new_zipfile_serialization=archive)
    file.seek(0)
    found = torch.load(file, weights_only=weights_only)
    assert all(same(made[name], found[name]) for name in made)
    assert isinstance(found["p"], torch.nn.Parameter)


@pytest.mark.parametrize("archive", [True, False])
def test_files_with_indices_outside_are_refused(archive):
    made = example()
    made._indices().add_(7)
    file = io.BytesIO()
    torch.save(made, file, _use_new_zipfile_serialization=archive)
    file.seek(0)
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        torch.load(file)


def test_attributes_travel():
    made = example()
    made.note = "mine"
    assert copy.deepcopy(made).note == "mine"
    file = io.BytesIO()
    torch.save(made, file)
    file.seek(0)
    assert torch.load(file).note == "mine"


def test_calls_with_sparse_tensors_are_not_repeated_from_memory():
    for _ in range(5):
        dense, made = torch.ones(2, 3), example()
        assert made.to(torch.float64).is_sparse
        assert not dense.to(torch.float64).is_sparse
        assert made.detach().is_sparse and not dense.detach().is_sparse


@pytest.mark.parametrize(
    "counts, kept",
    [((3, 1), [1, 2, 3]), ((1, 3), [1, 2, 3]), ((3, 2), [3, 6, 9]), ((2, 3), [6, 12])],
)
def test_products_of_sparse_numbers_keep_the_values_of_one(counts, kept):
    first, second = (
        torch.sparse_coo_tensor(torch.zeros(0, n, dtype=torch.long), torch.arange(1, n + 1), ())
        for n in counts
    )
    made = first * second
    assert made._values().tolist() == kept
    assert made.to_dense() == first.to_dense() * second.to_dense()
