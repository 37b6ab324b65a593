"""Which old element a new one is, where a factor says how large the result is."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.nn.functional import interpolate


def chosen(count: int, factor: float, dims: int, mode: str = "nearest") -> list[float]:
    """The places along the last dimension of an image whose elements are their places."""
    image = torch.arange(float(count)).reshape(1, 1, *[1] * (dims - 1), count)
    factors = (*[1.0] * (dims - 1), factor)
    return interpolate(image, scale_factor=factors, mode=mode).flatten().tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("factor", [1.05, 1.01])
def test_flat_images_that_keep_their_size_stay(factor: float) -> None:
    assert chosen(16, factor, 2) == list(range(16))


def test_flat_images_of_twice_the_size_have_every_element_twice() -> None:
    assert chosen(16, 2.05, 2) == [k // 2 for k in range(32)]


@pytest.mark.parametrize("dims", [1, 3])
def test_others_follow_the_factor(dims: int) -> None:
    assert chosen(16, 1.05, dims) == [0, *range(15)]


def test_places_are_found_in_single_precision() -> None:
    # 13 / 2.6 is below 5 in double precision
    assert chosen(16, 2.6, 2)[12:15] == [4, 5, 5]


def test_exact_places_have_no_shortcut() -> None:
    assert chosen(4, 1.2, 2, "nearest-exact") == [0, 1, 2, 2]


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear"])
def test_images_without_elements_may_be_larger_than_memory(mode):
    image = torch.empty(2 * 10**8, 3, 2 * 10**8, device="meta", requires_grad=True)
    made = torch.nn.functional.interpolate(image, scale_factor=2, mode=mode)
    assert made.shape == (2 * 10**8, 3, 4 * 10**8) and made.requires_grad
