"""Images read at places between their pixels, and outside."""

import itertools

import pytest

import rushlight as torch
from rushlight.autograd import gradcheck
from rushlight.nn import functional as F


def identity_grid(size, align_corners):
    theta = torch.eye(2, 3, dtype=torch.float64).expand(size[0], 2, 3)
    return F.affine_grid(theta, size, align_corners=align_corners)


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_identity_gives_the_image_back(mode, align_corners):
    image = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    grid = identity_grid((2, 3, 4, 5), align_corners)
    found = F.grid_sample(image, grid, mode=mode, align_corners=align_corners)
    assert torch.allclose(found, image)


def test_a_place_between_four_pixels_is_their_mean():
    image = torch.tensor([[[[1.0, 2.0], [3.0, 6.0]]]])
    grid = torch.zeros(1, 1, 1, 2)
    assert F.grid_sample(image, grid, align_corners=True).item() == 3.0


@pytest.mark.parametrize(
    ("padding", "value"), [("zeros", 0.0), ("border", 3.0), ("reflection", 1.0)]
)
def test_places_outside(padding, value):
    image = torch.tensor([[[[1.0, 2.0, 3.0]]]])
    grid = torch.tensor([[[[3.0, 0.0]]]])
    found = F.grid_sample(image, grid, padding_mode=padding, align_corners=True)
    assert found.item() == value


@pytest.mark.parametrize(
    ("mode", "padding", "align"),
    list(itertools.product(["bilinear", "bicubic"], ["zeros", "border", "reflection"], [0, 1])),
)
def test_gradients_of_images_and_places(mode, padding, align):
    torch.manual_seed(1)
    image = torch.randn(1, 2, 4, 3, dtype=torch.float64, requires_grad=True)
    grid = (torch.rand(1, 3, 2, 2, dtype=torch.float64) * 2.6 - 1.3).requires_grad_()

    def sampled(image, grid):
        return F.grid_sample(image, grid, mode, padding, align)

    assert gradcheck(sampled, (image, grid))


def test_volumes():
    volume = torch.randn(1, 2, 3, 4, 5)
    theta = torch.eye(3, 4).unsqueeze(0)
    grid = F.affine_grid(theta, (1, 2, 3, 4, 5), align_corners=False)
    assert torch.allclose(F.grid_sample(volume, grid, align_corners=False), volume, atol=1e-5)
    with pytest.raises(RuntimeError, match="bicubic interpolation only supports 4D"):
        F.grid_sample(volume, grid, mode="bicubic", align_corners=False)


def test_grids_that_do_not_fit():
    with pytest.raises(RuntimeError, match="same dtype"):
        F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 2).double(), align_corners=True)
    with pytest.raises(RuntimeError, match="same batch size"):
        F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(2, 1, 1, 2), align_corners=True)
    with pytest.raises(ValueError, match="expected mode to be"):
        F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 2), mode="cubic")
    with pytest.raises(ValueError, match="batch of 2D affine matrices"):
        F.affine_grid(torch.ones(1, 3, 3), (1, 1, 2, 2), align_corners=True)


@pytest.mark.parametrize("padding", ["border", "reflection"])
def test_places_on_the_border_of_an_image_do_not_move(padding):
    image = torch.arange(16.0).view(1, 1, 4, 4)
    places = torch.tensor(
        [[-1.0, 0.1], [1.0, 0.1], [0.1, -1.0], [0.1, 1.0], [0.1, 0.2], [1.6, 0.1]]
    )
    grid = places.view(1, 1, 6, 2).requires_grad_()
    made = F.grid_sample(image, grid, padding_mode=padding, align_corners=True)
    made.sum().backward()
    moves = grid.grad.view(6, 2) != 0
    outside = padding == "reflection"
    expected = [[0, 1], [0, 1], [1, 0], [1, 0], [1, 1], [int(outside), 1]]
    assert moves.int().tolist() == expected


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_a_nearest_place_has_a_gradient_of_zeros(padding):
    x = torch.rand(1, 2, 3, 3, dtype=torch.float64).requires_grad_()
    grid = (torch.rand(1, 2, 2, 2, dtype=torch.float64) * 3 - 1.5).requires_grad_()
    seen = F.grid_sample(x, grid, mode="nearest", padding_mode=padding, align_corners=False)
    d_x, d_grid = torch.autograd.grad(seen.sum(), (x, grid), create_graph=True)
    assert d_grid.requires_grad and not d_grid.any()
    assert float(d_x.detach().sum()) > 0
