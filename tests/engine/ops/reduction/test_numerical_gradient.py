"""`torch.gradient` with coordinates of another type."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("kind", [torch.float32, torch.complex64, torch.float16])
def test_coordinates_decide_the_type_too(kind):
    values = torch.tensor([1, 2, 4, 8], dtype=kind)
    points = torch.tensor([0, 1, 3, 4], dtype=torch.float64)
    (found,) = torch.gradient(values, spacing=[points])
    assert found.dtype is torch.promote_types(kind, torch.float64)
    assert torch.allclose(found.real, torch.tensor([1, 1, 3, 4], dtype=torch.float64))
