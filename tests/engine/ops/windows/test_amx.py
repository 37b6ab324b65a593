"""Convolutions of bf16, on AMX where there is such a unit, against those in single precision."""

import pytest

import rushlight as torch

F = torch.nn.functional

# batch, channels, channels of the result, size, kernel, and what else there is.
CASES = {
    "windows that overlap": ((2, 32, 40, (16, 18), (3, 3)), {"padding": 1}),
    "few wasted rows": ((1, 64, 64, (28, 28), (3, 3)), {"padding": 1}),
    "many wasted rows": ((3, 64, 32, (7, 5), (3, 3)), {"padding": 1}),
    "apart": ((2, 32, 40, (17, 19), (3, 3)), {"stride": 2, "padding": 1}),
    "unequally apart": ((2, 33, 16, (17, 19), (3, 2)), {"stride": (1, 3), "padding": (2, 0)}),
    "with holes": ((2, 32, 35, (18, 18), (3, 3)), {"dilation": 2}),
    "of single elements": ((2, 64, 48, (9, 8), (1, 1)), {}),
    "few channels": ((2, 3, 32, (20, 20), (7, 7)), {"stride": 2, "padding": 3}),
    "a long sum": ((1, 130, 32, (8, 8), (3, 3)), {"padding": 1}),
    "lines": ((2, 40, 33, (70,), (5,)), {"stride": 2, "padding": 2}),
    "solids": ((1, 32, 32, (5, 6, 7), (3, 2, 3)), {"padding": 1}),
    "one window in a line": ((2, 64, 32, (40, 3), (3, 3)), {}),
}


def whole_numbers(*size):
    """Small ones: their products are exact, and so are not too many of their sums."""
    return torch.randint(-3, 4, size).float()


def results(name, transposed, kind, layout):
    torch.manual_seed(0)
    (batch, channels, outputs, size, kernel), options = CASES[name]
    image = whole_numbers(batch, channels, *size).to(kind)
    pair = (channels, outputs) if transposed else (outputs, channels)
    weight = whole_numbers(*pair, *kernel).to(kind)
    bias = whole_numbers(outputs).to(kind)
    if layout == "last" and len(size) == 2:
        image = image.to(memory_format=torch.channels_last)
        weight = weight.to(memory_format=torch.channels_last)
    function = getattr(F, f"conv{'_transpose' * transposed}{len(size)}d")
    given = [image.requires_grad_(), weight.requires_grad_(), bias.requires_grad_()]
    made = function(*given, **options)
    grad = whole_numbers(*made.shape).to(kind)
    return [made, *torch.autograd.grad(made, given, grad), function(image, weight, **options)]


@pytest.mark.parametrize("layout", ["first", "last"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_as_in_single_precision(name, transposed, layout):
    wide = results(name, transposed, torch.float32, layout)
    for found, expected in zip(results(name, transposed, torch.bfloat16, layout), wide):
        assert found.dtype is torch.bfloat16
        # Sums of whole numbers are exact, so that all that differs is the rounding of the result.
        assert found.tolist() == expected.to(torch.bfloat16).tolist()


def test_windows_that_no_element_of_the_kernel_reaches_are_the_bias():
    image, weight = torch.randn(2, 32, 9, 9).bfloat16(), torch.randn(32, 24, 1, 1).bfloat16()
    made = F.conv_transpose2d(image, weight, torch.full((24,), 5.0).bfloat16(), stride=2)
    assert (made[:, :, 1::2] == 5).all() and (made[:, :, :, 1::2] == 5).all()
    assert (F.conv_transpose2d(image, weight, stride=2)[:, :, 1::2] == 0).all()
