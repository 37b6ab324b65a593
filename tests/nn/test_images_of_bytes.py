"""Images of bytes in other sizes: means from whole numbers, rounded along each dimension."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.nn.functional import interpolate


def _image() -> torch.Tensor:
    return (torch.arange(48).reshape(1, 1, 6, 8) * 37 % 256).to(torch.uint8)


# What PyTorch 2.13 gives.
RECORDED = {
    ("bilinear", False, False): [
        [31, 90, 150, 196, 51],
        [111, 170, 166, 33, 92],
        [191, 135, 54, 113, 172],
    ],
    ("bilinear", False, True): [
        [44, 100, 157, 158, 62],
        [115, 165, 147, 73, 88],
        [186, 141, 68, 103, 159],
    ],
    ("bilinear", True, False): [
        [0, 65, 130, 194, 3],
        [100, 165, 166, 38, 103],
        [200, 73, 74, 138, 203],
    ],
    ("bilinear", True, True): [
        [59, 117, 165, 111, 52],
        [147, 162, 96, 90, 125],
        [199, 100, 77, 142, 183],
    ],
    ("bicubic", False, False): [
        [25, 85, 144, 220, 39],
        [109, 168, 195, 4, 95],
        [199, 145, 32, 118, 178],
    ],
    ("bicubic", False, True): [
        [34, 91, 164, 172, 53],
        [112, 177, 158, 56, 84],
        [198, 143, 49, 107, 170],
    ],
    ("bicubic", True, False): [
        [0, 63, 130, 205, 3],
        [100, 160, 195, 10, 103],
        [200, 65, 74, 140, 203],
    ],
    ("bicubic", True, True): [
        [47, 116, 178, 112, 35],
        [152, 171, 90, 83, 134],
        [219, 81, 62, 156, 202],
    ],
}


@pytest.mark.parametrize(("mode", "corners", "antialias"), RECORDED)
def test_recorded_means(mode: str, corners: bool, antialias: bool) -> None:
    made = interpolate(_image(), (3, 5), mode=mode, align_corners=corners, antialias=antialias)
    assert made.dtype is torch.uint8
    assert made[0, 0].tolist() == RECORDED[mode, corners, antialias]


@pytest.mark.parametrize("antialias", [False, True])
def test_they_are_near_the_means_of_numbers(antialias: bool) -> None:
    image = torch.randint(0, 256, (2, 3, 17, 12), dtype=torch.uint8)
    made = interpolate(image, (9, 23), mode="bilinear", antialias=antialias)
    expected = interpolate(image.double(), (9, 23), mode="bilinear", antialias=antialias)
    assert (made.double() - expected).abs().max() < 1.5


def test_factors() -> None:
    made = interpolate(_image(), scale_factor=1.5, mode="bilinear")
    expected = interpolate(_image().double(), scale_factor=1.5, mode="bilinear")
    assert made.shape == (1, 1, 9, 12) and (made.double() - expected).abs().max() < 1.5


def test_other_whole_numbers_have_no_means() -> None:
    message = "upsample_bilinear2d_channels_last\" not implemented for 'Int'"
    with pytest.raises(NotImplementedError, match=message):
        interpolate(torch.ones(1, 1, 4, 4, dtype=torch.int32), (2, 2), mode="bilinear")
    with pytest.raises(NotImplementedError, match="'Byte'"):
        interpolate(torch.ones(1, 1, 4, dtype=torch.uint8), 2, mode="linear")
    with pytest.raises(
        NotImplementedError, match=r"compute_index_ranges_weights\" not implemented for 'Long'"
    ):
        interpolate(
            torch.ones(1, 1, 4, 4, dtype=torch.int64), (2, 2), mode="bicubic", antialias=True
        )
