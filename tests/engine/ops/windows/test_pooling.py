"""Pooling against windows cut out one by one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import rushlight as torch


def windows(image, kernel, stride, padding, dilation, size):
    """Every window's position and the places of its elements inside the image."""
    for at in product(*map(range, size)):
        axes = []
        for i, n, k, s, p, d in zip(at, image.shape, kernel, stride, padding, dilation):
            axes.append([i * s - p + r * d for r in range(k) if 0 <= i * s - p + r * d < n])
        yield at, list(product(*axes))


CASES = [
    ((7, 9), (3, 3), (2, 2), (1, 1), (1, 1)),
    ((8, 8), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((9, 10), (3, 2), (1, 2), (1, 0), (2, 3)),
    ((40,), (5,), (3,), (2,), (1,)),
    ((5, 6, 7), (2, 3, 2), (2, 1, 2), (1, 1, 0), (1, 1, 1)),
    ((9, 9), (7, 7), (1, 1), (3, 3), (1, 1)),
]


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.int64, torch.bfloat16])
@pytest.mark.parametrize("case", CASES)
def test_maxima(case, kind):
    inside, kernel, *how = case
    x = (torch.arange(6 * math.prod(inside)) * 7919 % 251 - 125).reshape(2, 3, *inside).to(kind)
    pool = getattr(torch.nn.functional, f"max_pool{len(inside)}d")
    found, places = pool(x, kernel, *how, return_indices=True)
    image = x.to(torch.float64).numpy()
    for lead in product(range(2), range(3)):
        plane = image[lead]
        for at, elements in windows(plane, kernel, *how, found.shape[2:]):
            flat = [int(np.ravel_multi_index(e, inside)) for e in elements]
            best = max(range(len(flat)), key=lambda k: plane.ravel()[flat[k]])
            assert found[(*lead, *at)].item() == plane.ravel()[flat[best]]
            assert places[(*lead, *at)].item() == flat[best]


def test_maxima_of_no_numbers_and_of_nothing_larger():
    x = torch.full((1, 1, 4, 4), -math.inf)
    assert torch.nn.functional.max_pool2d(x, 3, 2, 1, return_indices=True)[1].tolist() == [
        [[[0, 1], [4, 5]]]
    ]
    x[0, 0, 1, 1] = math.nan
    assert torch.nn.functional.max_pool2d(x, 2)[0, 0].isnan().tolist() == [
        [True, False],
        [False, False],
    ]


@pytest.mark.parametrize("case", CASES[:4])
def test_gradients_of_maxima(case):
    inside, kernel, *how = case
    x = (torch.arange(2 * math.prod(inside)) * 7919 % 1009).reshape(1, 2, *inside).double()
    pool = getattr(torch.nn.functional, f"max_pool{len(inside)}d")
    x.requires_grad_()
    made, places = pool(x, kernel, *how, return_indices=True)
    grad = torch.arange(made.numel()).reshape(made.shape).double()
    (found,) = torch.autograd.grad(made, x, grad, create_graph=True)
    wanted = torch.zeros(2, math.prod(inside)).double()
    wanted.scatter_add_(1, places.reshape(2, -1), grad.reshape(2, -1))
    assert torch.equal(found.reshape(2, -1), wanted)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("border", [False, True])
@pytest.mark.parametrize("kernel, stride, padding", [(2, 2, 0), (3, 2, 1), (2, 3, 0), (3, 3, 1)])
def test_gradients_of_means(kernel, stride, padding, border, ceil_mode):
    x = (torch.arange(2 * 7 * 8) * 7919 % 1009).reshape(1, 2, 7, 8).double().requires_grad_()

    def pool(x):
        return torch.nn.functional.avg_pool2d(x, kernel, stride, padding, ceil_mode, border)

    assert torch.autograd.gradcheck(pool, (x,))
    assert torch.autograd.gradgradcheck(pool, (x,))


def test_formats():
    x = torch.randn(2, 5, 6, 7)
    last = x.contiguous(memory_format=torch.channels_last)
    wanted = torch.nn.functional.max_pool2d(x, 3, 2, 1)
    found = torch.nn.functional.max_pool2d(last, 3, 2, 1)
    assert found.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(found, wanted)
    assert torch.equal(torch.nn.functional.max_pool2d(x[0], 3, 2, 1), wanted[0])


def test_the_gradient_of_max_pooling_as_an_operator():
    aten = torch.ops.aten
    image = torch.randn(1, 2, 4, 4, dtype=torch.float64, requires_grad=True)
    grad = torch.randn(1, 2, 2, 2, dtype=torch.float64, requires_grad=True)
    places = aten.max_pool2d_with_indices(image, [2, 2], [2, 2])[1]
    settings = [2, 2], [2, 2], [0, 0], [1, 1], False, places
    found = aten.max_pool2d_with_indices_backward(grad, image, *settings)
    weights = torch.randn_like(found)
    d_grad, d_image = torch.autograd.grad(found, (grad, image), weights)
    assert torch.equal(d_grad, weights.flatten(2).gather(2, places.flatten(2)).view(1, 2, 2, 2))
    assert d_image.eq(0).all()


def test_windows_of_images_of_other_sizes_share_a_kernel():
    from rushlight.engine.native import observe

    def texts(width):
        heard = []
        image = torch.sin(torch.arange(45.0 * width)).reshape(1, 1, 45, width)
        with observe.listening(lambda kind, value: heard.append((kind, value))):
            found, places = torch.nn.functional.max_pool2d(image, 3, 2, 1, return_indices=True)
        assert torch.equal(image.flatten()[places.flatten()], found.flatten())
        return {value for kind, value in heard if kind == "ir" and "fcmp" in value[0]}

    first = texts(40)
    assert first and first == texts(42) == texts(54)
