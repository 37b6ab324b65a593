"""`torch._C._dynamo.guards`."""

import pytest

import rushlight as torch
from rushlight._C._dynamo.guards import assert_alignment, assert_size_stride


def test_sizes_and_strides():
    x = torch.empty(2, 1, 3)
    assert_size_stride(x, (2, 1, 3), (3, 99, 1))
    with pytest.raises(AssertionError, match=r"expected size 2==5, stride 3==3 at dim=0$"):
        assert_size_stride(x, (5, 1, 3), (3, 3, 1))
    with pytest.raises(AssertionError, match="wrong number of dimensions"):
        assert_size_stride(x, (2,), (1,), "mm")


def test_alignment():
    assert_alignment(torch.empty(4), 4)
    with pytest.raises(AssertionError, match="16 bytes aligned"):
        assert_alignment(torch.empty(5)[1:], 16)
