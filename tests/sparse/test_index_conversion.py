"""Indices of rows as places where rows begin, and back."""

import pytest

import rushlight as torch

ROWS, COLUMNS = [0, 0, 2, 3, 3], [1, 3, 0, 2, 3]


@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
def test_there_and_back(kind):
    rows, columns = torch.tensor(ROWS, dtype=kind), torch.tensor(COLUMNS, dtype=kind)
    starts = torch._convert_indices_from_coo_to_csr(rows, 5, out_int32=kind is torch.int32)
    assert starts.tolist() == [0, 2, 2, 3, 5, 5] and starts.dtype is kind
    back = torch._convert_indices_from_csr_to_coo(starts, columns)
    assert back.tolist() == [ROWS, COLUMNS] and back.dtype is torch.int64
    turned = torch._convert_indices_from_csr_to_coo(starts, columns, transpose=True)
    assert turned.tolist() == [COLUMNS, ROWS]


def test_batches_come_first():
    starts = torch.tensor([[0, 1, 2], [0, 0, 2]])
    columns = torch.tensor([[1, 0], [0, 1]])
    made = torch._convert_indices_from_csr_to_coo(starts, columns)
    assert made.tolist() == [[0, 0, 1, 1], [0, 1, 1, 1], [1, 0, 0, 1]]


def test_what_is_refused():
    with pytest.raises(RuntimeError, match="supposed to be a vector, but got 2 dimensional"):
        torch._convert_indices_from_coo_to_csr(torch.zeros(2, 2, dtype=torch.int64), 2)
    with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
        torch._convert_indices_from_coo_to_csr(torch.zeros(2), 2)
    assert torch._convert_indices_from_coo_to_csr(
        torch.tensor([], dtype=torch.int64), 2
    ).tolist() == [0, 0, 0]


def test_products_take_both_names_of_a_reduction():
    matrix, dense = torch.eye(2).to_sparse_csr(), torch.tensor([[1.0, -2.0], [3.0, 4.0]])
    for name, other in (("max", "amax"), ("min", "amin")):
        made = torch.sparse.mm(matrix, dense, name)
        assert torch.equal(made, torch.sparse.mm(matrix, dense, other))
