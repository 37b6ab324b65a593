"""Convolutions against sums written out in numpy, and their gradients against differences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.loops import plans
from rushlight.engine.ops.windows import direct


def windowed(image, weight, stride, padding, dilation, groups):
    """The definition, one element of the kernel at a time."""
    count = image.ndim - 2
    image = np.pad(image, [(0, 0), (0, 0), *((p, p) for p in padding)])
    outputs, per_group, *kernel = weight.shape
    size = [
        (n - d * (k - 1) - 1) // s + 1
        for n, d, k, s in zip(image.shape[2:], dilation, kernel, stride)
    ]
    made = np.zeros((image.shape[0], outputs, *size))
    each = outputs // groups
    for g in range(groups):
        part = image[:, g * per_group : (g + 1) * per_group]
        rows = weight[g * each : (g + 1) * each]
        for at in product(*map(range, kernel)):
            reach = tuple(
                slice(r * d, r * d + (n - 1) * s + 1, s)
                for r, d, n, s in zip(at, dilation, size, stride)
            )
            taps = rows[(slice(None), slice(None), *at)]
            made[:, g * each : (g + 1) * each] += np.einsum(
                "bc...,oc->bo...", part[(slice(None), slice(None), *reach)], taps
            )
    assert count == len(kernel)
    return made


def values(*size):
    count = int(np.prod(size))
    return ((np.arange(count) * 7919 % 1009 - 504) / 505).reshape(size)


# image, weight, stride, padding, dilation, groups
CASES = [
    ((2, 3, 9, 11), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((1, 3, 12, 13), (4, 3, 7, 7), (2, 2), (3, 3), (1, 1), 1),
    ((3, 8, 6, 6), (16, 8, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 4, 6, 5), (6, 4, 1, 1), (2, 2), (0, 0), (1, 1), 1),
    ((2, 9, 20, 17), (3, 9, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 9, 20, 17), (3, 9, 1, 1), (2, 3), (0, 0), (1, 1), 1),
    ((2, 6, 7, 8), (6, 1, 3, 3), (1, 1), (1, 1), (1, 1), 6),
    ((2, 6, 7, 8), (9, 2, 3, 2), (2, 3), (2, 1), (2, 3), 3),
    ((4, 20, 2, 2), (33, 20, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 3, 5, 6, 7), (4, 3, 2, 3, 1), (1, 2, 1), (1, 0, 2), (1, 1, 1), 1),
    ((2, 3, 40), (4, 3, 5), (3,), (4,), (2,), 1),
    ((1, 2, 3, 70), (2, 2, 3, 3), (1, 1), (3, 5), (1, 1), 1),
    ((4, 3, 20, 17), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((3, 4, 19, 18), (6, 2, 3, 3), (2, 1), (1, 1), (1, 1), 2),
    ((2, 6, 21, 37), (6, 1, 3, 3), (1, 1), (1, 1), (1, 1), 6),
    ((2, 4, 21, 40), (4, 1, 4, 5), (2, 2), (2, 1), (1, 2), 4),
    ((3, 5, 60), (5, 1, 3), (1,), (1,), (1,), 5),
    ((2, 4, 5, 9, 20), (4, 1, 2, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 4),
    # rows that would leave lanes idle
    ((2, 5, 14, 14), (64, 5, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((6, 3, 7, 7), (32, 3, 3, 2), (1, 1), (1, 1), (1, 2), 1),
    ((2, 3, 28, 27), (32, 3, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    ((40, 3, 9), (32, 3, 2), (1,), (0,), (1,), 1),
]


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("case", CASES)
def test_values(case, kind):
    image, weight, *how, groups = case
    x, w, b = values(*image), values(*weight), values(weight[0])
    wanted = windowed(x, w, *how, groups)
    biased = wanted + b.reshape(-1, *[1] * (len(image) - 2))
    x, w, b = (torch.tensor(v).to(kind) for v in (x, w, b))
    none = [0] * (len(image) - 2)
    for bias, right in ((None, wanted), (b, biased)):
        found = torch.convolution(x, w, bias, *how, False, none, groups)
        assert found.shape == right.shape
        tolerance = 1e-5 if kind is torch.float32 else 1e-13
        np.testing.assert_allclose(found.numpy(), right, tolerance, 100 * tolerance)


@pytest.mark.parametrize("case", CASES)
def test_transposed_is_the_adjoint(case):
    """<conv(x), y> = <x, transposed(y)>, and the same for the weight's gradient."""
    image, weight, *how, groups = case
    x = torch.tensor(values(*image)).requires_grad_()
    w = torch.tensor(values(*weight)).requires_grad_()
    none = [0] * (len(image) - 2)
    made = torch.convolution(x, w, None, *how, False, none, groups)
    y = torch.tensor(values(*made.shape)[..., ::-1].copy())
    d_x, d_w = torch.autograd.grad(made, (x, w), y)
    whole = (made * y).sum().item()
    assert (x * d_x).sum().item() == pytest.approx(whole, rel=1e-10, abs=1e-9)
    assert (w * d_w).sum().item() == pytest.approx(whole, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("bounds", [(1, 1 << 20, 0), (1 << 40, 0, 1 << 20)])
@pytest.mark.parametrize("case", [c for c in CASES if c[-1] == 1])
def test_other_ways_to_the_gradients(case, bounds, monkeypatch):
    """Weights that go by in blocks, and weights from columns, or neither, give the same."""
    large, places, rows = bounds
    monkeypatch.setattr(direct, "LARGE_WEIGHT", large)
    monkeypatch.setattr(direct, "FEW_PLACES", places)
    monkeypatch.setattr(direct, "MOST_COLUMN_ROWS", rows)
    plans.forget_all()
    test_transposed_is_the_adjoint(case)
    plans.forget_all()


@pytest.mark.parametrize("case", [CASES[1], CASES[7], CASES[10]])
def test_gradients_of_gradients(case):
    image, weight, *how, groups = case
    size = [min(n, 9) for n in image]
    x = torch.tensor(values(*size)).requires_grad_()
    w = torch.tensor(values(*weight)).requires_grad_()
    none = [0] * (len(image) - 2)

    def convolve(x, w):
        return torch.convolution(x, w, None, *how, False, none, groups)

    assert torch.autograd.gradcheck(convolve, (x, w))
    assert torch.autograd.gradgradcheck(convolve, (x, w), atol=1e-4)


def test_output_padding_beyond_the_stride():
    x = torch.tensor(values(1, 2, 5)).requires_grad_()
    w = torch.tensor(values(2, 3, 3)).requires_grad_()

    def convolve(x, w):
        return torch.conv_transpose1d(x, w, None, 2, 1, 2, 1, 3)

    assert convolve(x, w).shape == (1, 3, 15)
    assert torch.autograd.gradcheck(convolve, (x, w))


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_half_precision_rounds_once(kind):
    x, w = (torch.tensor(values(*s)).to(kind) for s in ((2, 8, 9, 9), (8, 8, 3, 3)))
    found = torch.conv2d(x, w, padding=1)
    wanted = torch.conv2d(x.double(), w.double(), padding=1)
    assert found.dtype is kind
    assert torch.allclose(found.double(), wanted, rtol=2**-7, atol=2**-7)


@pytest.mark.parametrize("kind", [torch.int64, torch.complex128])
def test_types_without_a_kernel(kind):
    x, w = (torch.tensor(np.round(4 * values(*s))).to(kind) for s in ((2, 4, 6, 5), (6, 2, 3, 3)))
    wanted = windowed(x.numpy().real, w.numpy().real, (1, 1), (1, 1), (1, 1), 2)
    np.testing.assert_allclose(torch.conv2d(x, w, padding=1, groups=2).numpy(), wanted)


def test_strided_operands_and_formats():
    x, w = torch.tensor(values(2, 5, 8, 6)), torch.tensor(values(4, 5, 3, 3))
    wanted = torch.conv2d(x, w)
    apart = torch.tensor(values(2, 5, 8, 6)).transpose(2, 3).contiguous().transpose(2, 3)
    assert torch.allclose(torch.conv2d(apart, w), wanted)
    last = torch.conv2d(x.contiguous(memory_format=torch.channels_last), w)
    assert last.is_contiguous(memory_format=torch.channels_last)
    assert torch.allclose(last, wanted)
    turned = w.flip(0).flip(0).permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0)
    assert torch.allclose(torch.conv2d(x, turned), wanted)


def test_nothing():
    assert torch.conv2d(torch.ones(0, 3, 5, 5), torch.ones(4, 3, 3, 3)).shape == (0, 4, 3, 3)
    x = torch.ones(0, 3, 5, 5, requires_grad=True)
    w = torch.ones(4, 3, 3, 3, requires_grad=True)
    torch.conv2d(x, w).sum().backward()
    assert w.grad.abs().sum().item() == 0


def test_channels_innermost_and_a_transposed_result():
    """Vectors along channels, and the gradient of the image where they go along those."""
    x, w = torch.randn(3, 64, 14, 14, requires_grad=True), torch.randn(96, 64, 3, 3)
    for memory in (torch.contiguous_format, torch.channels_last):
        given = x.detach().to(memory_format=memory).requires_grad_()
        found = torch.nn.functional.conv2d(given, w.to(memory_format=memory), padding=1)
        wide = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
        torch.testing.assert_close(found.double(), wide, rtol=1e-4, atol=1e-4)
        grad = torch.randn(found.shape)
        (mine,) = torch.autograd.grad(found, given, grad)
        (right,) = torch.autograd.grad(wide, x, grad.double())
        torch.testing.assert_close(mine, right.float(), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("threads", [1, 2])
def test_windows_of_one_element_are_products(threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for batch in (1, 3):
            x, w, b = torch.randn(batch, 20, 6, 5), torch.randn(9, 20, 1, 1), torch.randn(9)
            x.requires_grad_()
            for bias in (None, b):
                found = torch.nn.functional.conv2d(x, w, bias)
                wide = torch.einsum("oi,bihw->bohw", w[:, :, 0, 0].double(), x.double())
                wide = wide if bias is None else wide + bias.double()[:, None, None]
                torch.testing.assert_close(found.double(), wide, rtol=1e-5, atol=1e-5)
                grad = torch.randn(found.shape)
                (mine,) = torch.autograd.grad(found, x, grad)
                (right,) = torch.autograd.grad(wide, x, grad.double())
                torch.testing.assert_close(mine, right, rtol=1e-5, atol=1e-5)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(("stride", "padding", "length"), [(2, 1, 3), (2, 2, 5), (3, 1, 2)])
def test_spread_elements_are_no_product(stride, padding, length):
    x = torch.randn(2, 4, length, requires_grad=True)
    w, b = torch.randn(4, 3, 1), torch.randn(3)
    found = torch.nn.functional.conv_transpose1d(x, w, b, stride, padding)
    spread = torch.zeros(2, 3, (length - 1) * stride + 1)
    spread[..., ::stride] = torch.einsum("io,bil->bol", w[..., 0], x.detach())
    right = spread[..., padding : spread.shape[-1] - padding] + b[:, None]
    torch.testing.assert_close(found, right)


def test_convolutions_in_complex_numbers_of_half_precision():
    image = torch.tensor([[[1 + 1j, 2, 3j]]], dtype=torch.complex32)
    weight = torch.tensor([[[1, 1j]]], dtype=torch.complex32, requires_grad=True)
    made = torch.nn.functional.conv1d(image, weight)
    assert made.dtype is torch.complex32 and made.tolist() == [[[1 + 3j, -1]]]
    made.backward(torch.ones_like(made))
    assert weight.grad.tolist() == [[[3 - 1j, 2 - 3j]]]
    assert torch.nn.functional.conv_transpose1d(image, weight).dtype is torch.complex32
