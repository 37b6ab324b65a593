"""Images made smaller with filters as wide as a step."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F


def smaller(image, size, mode="bilinear", **settings):
    return F.interpolate(image, size, mode=mode, antialias=True, **settings)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_a_constant_stays_constant(mode):
    image = torch.full((1, 2, 9, 11), 3.0)
    assert torch.allclose(smaller(image, (4, 5), mode), torch.full((1, 2, 4, 5), 3.0))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_the_same_size_gives_the_image_back(mode):
    image = torch.randn(1, 2, 5, 7)
    assert torch.allclose(smaller(image, (5, 7), mode), image, atol=1e-6)


def test_half_the_size_takes_four_neighbours():
    image = torch.tensor([[[[0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]])
    assert smaller(image, (1, 4))[0, 0, 0].tolist() == pytest.approx([8 / 7, 3.0, 0.0, 0.0])


def test_all_pixels_have_a_gradient():
    image = torch.randn(1, 1, 8, 8, requires_grad=True)
    smaller(image, (2, 2)).sum().backward()
    assert (image.grad > 0).all()
    plain = torch.randn(1, 1, 8, 8, requires_grad=True)
    F.interpolate(plain, (2, 2), mode="bilinear").sum().backward()
    assert (plain.grad == 0).any()


def test_bytes_are_rounded():
    image = torch.tensor([[[[0, 255], [255, 0]]]], dtype=torch.uint8)
    found = smaller(image, (1, 1))
    assert found.dtype is torch.uint8
    assert found.item() in (127, 128)


def test_factors_and_corners():
    image = torch.randn(1, 1, 9, 9)
    assert smaller(image, None, scale_factor=0.5).shape == (1, 1, 4, 4)
    assert smaller(image, (3, 3), align_corners=True).shape == (1, 1, 3, 3)


def test_other_modes_are_refused():
    with pytest.raises(ValueError, match="restricted to bilinear, bicubic, and lanczos"):
        smaller(torch.ones(1, 1, 4, 4), (2, 2), "nearest")
    with pytest.raises(ValueError, match="Lanczos mode requires"):
        F.interpolate(torch.ones(1, 1, 4, 4), (2, 2), mode="lanczos")


def test_the_operators_by_size_and_by_factors():
    image = torch.randn(1, 2, 8, 6)
    by_size = torch.ops.aten._upsample_bilinear2d_aa(image, [4, 3], False)
    assert torch.equal(by_size, smaller(image, (4, 3)))
    by_factor = torch.ops.aten._upsample_bicubic2d_aa.vec(image, None, False, [0.5, 0.5])
    assert torch.equal(by_factor, smaller(image, None, "bicubic", scale_factor=0.5))
    with pytest.raises(RuntimeError, match="exactly one of output_size and scale_factors"):
        torch.ops.aten._upsample_bilinear2d_aa.vec(image, [4, 3], False, [0.5, 0.5])
    with pytest.raises(RuntimeError, match="output_size equals to 2, but got size 1"):
        torch.ops.aten._upsample_bilinear2d_aa(image, [4], False)
    with pytest.raises(RuntimeError, match="input_size equals to 4, but got size 3"):
        torch.ops.aten._upsample_bilinear2d_aa(image[0], [4, 3], False)
    with pytest.raises(RuntimeError, match="should be greater than 0"):
        torch.ops.aten._upsample_bilinear2d_aa(image, [4, 0], False)
    with pytest.raises(RuntimeError, match="Non-empty 4D data"):
        torch.ops.aten._upsample_bilinear2d_aa(image[:, :0], [4, 3], False)
