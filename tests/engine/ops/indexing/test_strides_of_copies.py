"""The strides of results that are a changed copy of the first argument."""

import pytest

import rushlight as torch

PLACE = torch.tensor([0])
INDEX = torch.zeros(1, 1, dtype=torch.int64)
DENSE = {
    "scatter": lambda x: x.scatter(0, INDEX, 1.0),
    "scatter_add": lambda x: x.scatter_add(0, INDEX, torch.ones(1, 1)),
    "scatter_reduce": lambda x: x.scatter_reduce(0, INDEX, torch.ones(1, 1), "sum"),
    "index_add": lambda x: x.index_add(0, PLACE, torch.ones(1, 4)),
    "index_copy": lambda x: x.index_copy(0, PLACE, torch.ones(1, 4)),
    "index_reduce": lambda x: x.index_reduce(0, PLACE, torch.ones(1, 4), "prod"),
}


@pytest.mark.parametrize("name", DENSE)
def test_contiguous_copies(name):
    x = torch.zeros(4, 3).T
    for _ in range(3):
        assert DENSE[name](x).stride() == (4, 1)
    assert DENSE[name](x).tolist() == DENSE[name](x.contiguous()).tolist()


def test_copies_of_other_strides():
    x = torch.zeros(4, 3).T
    for _ in range(3):
        assert x.index_fill(0, PLACE, 1.0).stride() == (1, 3)
        assert x.masked_fill(x > 0, 1.0).stride() == (4, 1)


def test_diagonals_wherever_a_tensor_begins():
    """Memory of calls must not keep where another tensor of this shape began."""

    def spread():
        return torch.zeros(2, 7)[:, 1::2]

    def turned():
        return torch.zeros(3, 2).t()

    for make in (spread, spread, spread, turned, turned, turned, spread, turned):
        assert make().fill_diagonal_(1).tolist() == [[1, 0, 0], [0, 1, 0]]
