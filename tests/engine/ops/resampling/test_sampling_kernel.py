"""Images read at places by one kernel: what the same sums of other operators give."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck
from rushlight.engine.ops.resampling import neighbours, sampled_pixels
from rushlight.nn import functional as F

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def assert_the_same(image, grid, mode, padding, align):
    """The kernel reads the same pixels as sums of gathered ones do, and adds as much of each."""
    numbers = MODES.index(mode), PADDINGS.index(padding), align
    assert sampled_pixels.has_kernel(image, grid)
    found = F.grid_sample(image, grid, mode, padding, align)
    expected = neighbours.summed(image, grid, *numbers)
    close = 1e-4 if image.dtype is torch.float32 else 1e-10
    torch.testing.assert_close(found, expected, rtol=close, atol=close, equal_nan=True)
    assert_the_same_gradients(image, grid, numbers, close)


def assert_the_same_gradients(image, grid, how, close):
    """By kernels, and by the operators that second derivatives need."""
    places = grid.reshape(len(grid), -1, grid.shape[-1])
    grad = torch.randn(*image.shape[:2], places.shape[1], dtype=image.dtype)
    given = grad, image, places, *how
    for name in ("image", "place"):
        found = getattr(torch.ops.aten, f"_sampled_{name}_gradient")(*given)
        expected = getattr(neighbours, f"{name}_gradient")(*given)
        torch.testing.assert_close(found, expected, rtol=close, atol=close, equal_nan=True)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from([torch.float32, torch.float64]),
    mode=st.sampled_from(MODES),
    padding=st.sampled_from(PADDINGS),
    align=st.booleans(),
    batch=st.integers(1, 3),
    channels=st.integers(1, 4),
    inside=st.lists(st.integers(1, 9), min_size=2, max_size=3),
    outside=st.integers(1, 40),
    seed=st.integers(0, 1000),
)
def test_any_image(kind, mode, padding, align, batch, channels, inside, outside, seed):
    torch.manual_seed(seed)
    mode = "bilinear" if len(inside) == 3 and mode == "bicubic" else mode
    image = torch.randn(batch, channels, *inside, dtype=kind)
    size = [batch, *[1] * (len(inside) - 1), outside, len(inside)]
    assert_the_same(image, torch.randn(size, dtype=kind) * 1.5, mode, padding, align)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
def test_places_that_are_no_numbers_and_borders(mode, padding, align):
    inf, nan = float("inf"), float("nan")
    along = torch.tensor([nan, inf, -inf, -1.0, 1.0, 0.0, -1.25, 1.25, 1e30, 0.75])
    grid = torch.stack(torch.meshgrid(along, along, indexing="ij"), -1).unsqueeze(0)
    assert_the_same(torch.randn(1, 2, 4, 4), grid, mode, padding, align)


def test_pixels_that_are_not_seen_do_not_matter():
    image = torch.full((1, 1, 2, 2), float("nan"))
    image[..., 0, 0] = 3.0
    found = F.grid_sample(image, torch.full((1, 1, 5, 2), -9.0), "bilinear", "zeros", True)
    assert found.flatten().tolist() == [0.0] * 5
    found = F.grid_sample(image, torch.full((1, 1, 5, 2), -2.0), "nearest", "border", True)
    assert found.flatten().tolist() == [3.0] * 5


@pytest.mark.parametrize("mode", MODES)
def test_images_and_places_with_any_strides(mode):
    image = torch.randn(5, 4, 3, 2).permute(3, 2, 0, 1)
    turned = torch.randn(2, 6, 7, 2).transpose(1, 2)
    same = torch.randn(1, 7, 1, 2).expand(2, 7, 6, 2)
    for grid in (turned, same, turned[:, ::2]):
        assert_the_same(image, grid, mode, "reflection", False)
        assert_the_same(image[:1].expand(2, -1, -1, -1), grid, mode, "zeros", True)


@pytest.mark.parametrize("images", [(0, 3, 4, 4), (2, 0, 4, 4), (2, 3, 4, 4)])
def test_nothing_to_read(images):
    grid = torch.zeros(images[0], 0 if images[0] and images[1] else 5, 6, 2)
    found = F.grid_sample(torch.zeros(images), grid, align_corners=False)
    assert found.shape == (*images[:2], *grid.shape[1:3])


@pytest.mark.usefixtures("learned_at_once")
def test_repeated_and_ever_new_sizes():
    for mode in MODES:
        for n in (3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 3):
            image, grid = torch.randn(2, n % 4 + 1, n, n + 1), torch.randn(2, n, 3, 2)
            assert_the_same(image, grid, mode, "border", False)


def test_threads_share_places_and_images():
    for images, outside in ((1, 400), (40, 60)):
        image, grid = torch.randn(images, 2, 50, 50), torch.randn(images, outside, outside, 2)
        assert_the_same(image, grid, "bilinear", "zeros", False)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_second_and_forward_derivatives(mode, padding, align):
    image = torch.randn(1, 2, 4, 3, dtype=torch.float64, requires_grad=True)
    grid = (torch.rand(1, 2, 2, 2, dtype=torch.float64) * 2.6 - 1.3).requires_grad_()

    def sampled(image, grid):
        return F.grid_sample(image, grid, mode, padding, align)

    assert gradcheck(sampled, (image, grid), check_forward_ad=True)
    assert gradgradcheck(sampled, (image, grid))


def test_gradients_of_one_operand_and_of_any_strides():
    torch.manual_seed(0)
    for wanted in ((True, False), (False, True)):
        image = torch.randn(2, 3, 5, 4).transpose(2, 3).requires_grad_(wanted[0])
        grid = (torch.rand(2, 6, 7, 2) * 2 - 1).transpose(1, 2).requires_grad_(wanted[1])
        found = F.grid_sample(image, grid, align_corners=False)
        # The gradient of a sum has strides of zero.
        found.sum().backward()
        assert (image.grad is not None, grid.grad is not None) == wanted
        both = image.detach().requires_grad_(), grid.detach().requires_grad_()
        F.grid_sample(*both, align_corners=False).mul(1.0).sum().backward()
        for x, y in zip((image, grid), both):
            if x.grad is not None:
                assert torch.allclose(x.grad, y.grad, atol=1e-5)


def test_threads_share_gradients():
    image, grid = torch.randn(2, 8, 60, 60), torch.rand(2, 300 * 300, 2) * 2 - 1
    assert_the_same_gradients(image, grid, (0, 0, False), 1e-2)


def test_batches_and_other_types_need_no_kernel():
    image, grid = torch.randn(2, 3, 4, 4), torch.rand(2, 5, 5, 2) * 2 - 1
    expected = F.grid_sample(image, grid, align_corners=False)
    wanted = F.grid_sample(image.clone().requires_grad_(), grid, align_corners=False)
    assert wanted.requires_grad
    each = torch.vmap(lambda x, y: F.grid_sample(x[None], y[None], align_corners=False)[0])
    half = F.grid_sample(image.half(), grid.half(), align_corners=False)
    assert torch.allclose(wanted, expected, atol=1e-5)
    assert torch.allclose(each(image, grid), expected, atol=1e-5)
    assert torch.allclose(half.float(), expected, atol=0.05)
    with torch.inference_mode():
        assert torch.equal(F.grid_sample(image.clone(), grid, align_corners=False), expected)
