"""Pooling over windows that begin at random places."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def test_windows_cover_the_image_in_order():
    image = torch.arange(64.0).reshape(1, 1, 8, 8)
    samples = torch.tensor([[[0.3, 0.7]]])
    values, places = F.fractional_max_pool2d(
        image, 2, output_size=(4, 5), return_indices=True, _random_samples=samples
    )
    assert values.shape == (1, 1, 4, 5)
    assert torch.equal(values, places.to(torch.float32))
    assert values[0, 0, -1, -1] == 63
    assert (values.diff(dim=-1) > 0).all()
    assert (values.diff(dim=-2) > 0).all()


def test_gradients_go_to_the_largest_elements():
    image = torch.randn(1, 2, 6, 6, 6, dtype=torch.float64, requires_grad=True)
    samples = torch.rand(1, 2, 3, dtype=torch.float64)
    found = F.fractional_max_pool3d(image, 2, output_size=3, _random_samples=samples)
    found.sum().backward()
    assert image.grad.sum() == found.numel()
    assert nn.FractionalMaxPool3d(2, output_ratio=0.5)(image).shape == (1, 2, 3, 3, 3)


def test_fractional_pools_need_a_size():
    with pytest.raises(ValueError, match="either an output_size or output_ratio"):
        F.fractional_max_pool2d(torch.ones(1, 4, 4), 2)
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        nn.FractionalMaxPool2d(2, output_ratio=1.5)
    with pytest.raises(RuntimeError, match="too large for an input"):
        F.fractional_max_pool2d(torch.ones(1, 4, 4), 3, output_size=4)
