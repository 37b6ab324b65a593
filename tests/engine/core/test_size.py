"""Sizes and strides."""

import os
import pickle

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
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


@pytest.mark.parametrize("make", [
    lambda n: F.fold(torch.ones(1, 4, 4), (n(3), n(3)), n(2)),
    lambda n: F.unfold(torch.ones(1, 1, 3, 3), (n(2), n(2))),
    lambda n: F.max_unpool1d(torch.ones(1, 1, 2), torch.tensor([[[0, 2]]]), n(2)),
    lambda n: F.interpolate(torch.ones(1, 1, 3), size=n(7)),
    lambda n: torch.stft(torch.ones(24), n(8), window=torch.ones(8), return_complex=True),
    lambda n: torch.frombuffer(bytearray(64), dtype=torch.float32, count=n(5), offset=n(4)),
    lambda n: torch.sparse_coo_tensor(torch.tensor([[0]]), torch.ones(1), (n(5),)),
    lambda n: torch.sparse_coo_tensor((n(5), n(2))),
    lambda n: torch.tensor(torch.UntypedStorage(n(11)).tolist()),
    lambda n: torch.ones(30).as_strided((n(3), n(2)), (n(2), n(5))),
    lambda n: torch.Size((n(3),)) and torch.empty(torch.Size((n(3),))),
])  # fmt: skip
def test_integers_of_numpy_become_python_s(make):
    """In a child: sizes that live here must stay the objects that remembered calls know."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = int(not are_python_integers(make))
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def are_python_integers(make):
    tables = (sizes._sizes, sizes._strides, sizes._contiguous)
    for table in tables:
        table.clear()
    made = [make(kind) for kind in (np.int64, np.int32, int)]
    return len({x.shape for x in made}) == 1 and all(
        type(item) is int for table in tables for known in table for item in known
    )


def test_what_is_no_integer_is_refused():
    for wrong in ("3", 1.0, torch.fx.Proxy(torch.fx.Graph().placeholder("x"))):
        with pytest.raises(TypeError, match=r"takes an iterable of 'int' \(item 1 is"):
            torch.Size((2, wrong))
