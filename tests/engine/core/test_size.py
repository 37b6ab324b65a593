"""Sizes and strides."""

import pickle

import pytest

import rushlight as torch
from rushlight.engine.core import size as sizes


def test_habits_of_sizes():
    shape = torch.Size([2, 3])
    assert repr(shape) == "torch.Size([2, 3])" and shape.numel() == 6
    assert shape == (2, 3) and hash(shape) == hash((2, 3))
    assert type(shape + (1,)) is torch.Size and type((1,) + shape) is torch.Size
    assert type(shape[:1]) is torch.Size and shape[0] == 2
    assert type(shape * 2) is torch.Size and shape * 2 == (2, 3, 2, 3)
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert torch.Size([torch.tensor(4)]) == (4,)
    with pytest.raises(TypeError, match="iterable of 'int'"):
        torch.Size([1.5])


def test_tensors_share_sizes():
    assert torch.ones(2, 3).shape is torch.zeros(3, 2).t().shape
    assert sizes.intern((7, 8)) is sizes.intern((7, 8))


@pytest.mark.parametrize(
    "size, stride, contiguous, dense",
    [
        ((2, 3), (3, 1), True, True),
        ((2, 3), (1, 2), False, True),
        ((2, 3), (6, 2), False, False),
        ((1, 3), (99, 1), True, True),
        ((0, 3), (5, 7), True, True),
        ((2, 2), (0, 1), False, False),
        ((), (), True, True),
    ],
)
def test_layouts(size, stride, contiguous, dense):
    assert sizes.is_contiguous(size, stride) is contiguous
    assert sizes.is_dense(size, stride) is dense


def test_strides():
    assert sizes.contiguous_strides((2, 3, 4)) == (12, 4, 1)
    assert sizes.contiguous_strides((2, 0, 4)) == (4, 4, 1)
    assert sizes.channels_last_strides((2, 3, 4, 5)) == (60, 1, 15, 3)
    assert sizes.is_channels_last((2, 3, 4, 5), (60, 1, 15, 3))
    assert sizes.storage_extent((2, 3), (10, 2), 1) == 16
    assert sizes.storage_extent((2, 0), (10, 2), 1) == 0


def test_sizes_that_programs_put_together_are_unique_too():
    x = torch.zeros(4, 3, 2)
    for size, same in (
        (x.shape[:2] + (2,), x.shape),
        ((4,) + x.shape[1:], x.shape),
        (torch.Size([4, 3]) + torch.Size([2]), x.shape),
        (x.shape[:1] * 2, torch.zeros(4, 4).shape),
        (torch.Size(iter((4, 3, 2))), x.shape),
    ):
        assert size is same


def test_channels_last_without_elements() -> None:
    for size, stride in (((2, 0, 4, 5), (0, 1, 0, 0)), ((2, 3, 0, 5), (0, 1, 15, 3))):
        assert sizes.channels_last_strides(size) == stride
        assert sizes.is_channels_last(size, stride)
