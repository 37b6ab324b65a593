"""Normalisation over neighbouring channels."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.autograd import gradcheck


@pytest.mark.parametrize(
    ("size", "windows"),
    [
        (2, [[0], [0, 1], [0, 2], [0, 3], [0, 4]]),
        (3, [[0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 2, 3, 4], [0, 3, 4]]),
        (12, [[0, 1, 2, 3, 4]] * 5),
    ],
)
def test_windows(size, windows):
    image = torch.randn(2, 5, 3, 2, dtype=torch.float64)
    found = nn.CrossMapLRN2d(size, alpha=0.5, beta=0.75, k=2)(image)
    for channel, window in enumerate(windows):
        mean = image[:, window].square().sum(1) / size
        wanted = image[:, channel] * (2 + 0.5 * mean) ** -0.75
        assert torch.allclose(found[:, channel], wanted)


def test_gradient_text_and_places():
    layer = nn.CrossMapLRN2d(3)
    assert repr(layer) == "CrossMapLRN2d(3, alpha=0.0001, beta=0.75, k=1)"
    assert nn.modules.normalization.CrossMapLRN2d is nn.CrossMapLRN2d
    image = torch.randn(1, 4, 2, 2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(nn.CrossMapLRN2d(3, alpha=1.0), (image,))
    assert layer(torch.zeros(0, 3, 2, 2)).shape == (0, 3, 2, 2)
    with pytest.raises(ValueError, match="Expected input to be 4D, got 3D instead"):
        layer(torch.zeros(3, 2, 2))
