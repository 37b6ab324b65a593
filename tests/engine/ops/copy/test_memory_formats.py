"""Tensors that lie in several memory formats at once: their strides say which one is meant."""

import pytest

import rushlight as torch


@pytest.mark.parametrize("size", [(3, 1, 4, 5), (3, 2, 1, 1), (2, 1, 1, 3)])
def test_to_gives_the_strides_of_the_format(size):
    plain = torch.ones(size)
    moved = plain.to(memory_format=torch.channels_last)
    assert plain.contiguous(memory_format=torch.channels_last) is plain
    assert moved.stride() == plain.clone(memory_format=torch.channels_last).stride()
    assert moved.to(memory_format=torch.channels_last) is moved
    assert moved.to(memory_format=torch.contiguous_format).stride() == plain.stride()
    assert plain.to(memory_format=torch.contiguous_format) is plain


def test_softmax_is_contiguous():
    image = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_()
    probabilities = image.softmax(1)
    assert probabilities.is_contiguous()
    assert torch.allclose(probabilities, image.contiguous().softmax(1))
    probabilities.square().sum().backward()
    assert image.log_softmax(1).is_contiguous()
