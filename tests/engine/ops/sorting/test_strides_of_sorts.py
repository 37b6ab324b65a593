"""Sorted values and their places lie as the argument does."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("kind", [torch.float32, torch.int64, torch.float16, torch.bool])
def test_strides_and_values(kind):
    plain = torch.tensor([[3, 1, 2, 0], [0, 2, 1, 3], [1, 1, 0, 0]]).to(kind)
    turned = plain.T.contiguous().T
    for _ in range(3):
        for dim in (0, 1):
            wanted, places = plain.sort(dim=dim, stable=True)
            values, where = turned.sort(dim=dim, stable=True)
            assert values.stride() == where.stride() == (1, 3)
            assert values.tolist() == wanted.tolist() and where.tolist() == places.tolist()
        assert turned.msort().stride() == turned.argsort().stride() == (1, 3)


def test_dimensions_of_size_one():
    values = torch.ones(1, 2).msort()
    assert values.stride() == (2, 1) and values._base is None
    assert torch.view_as_complex(values).tolist() == [1 + 1j]
