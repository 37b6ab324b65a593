"""Memory shared with other libraries."""

import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils import dlpack

NAMES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_numpy_reads_tensors(name):
    source = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, name))
    array = np.from_dlpack(source.t())
    assert array.dtype.name == name
    assert array.shape == (3, 2)
    assert array.ctypes.data == source.data_ptr()
    assert array.tolist() == source.t().tolist()


@pytest.mark.parametrize("name", NAMES)
def test_tensors_read_numpy(name):
    array = np.array([[0, 1, 1], [1, 0, 1]]).astype(name)
    made = torch.from_dlpack(array.T)
    assert made.dtype is getattr(torch, name)
    assert made.stride() == (1, 3)
    assert made.data_ptr() == array.ctypes.data
    made[0, 1] = 0
    assert array[1, 0] == 0


def test_types_that_numpy_lacks():
    for name in ("bfloat16", "complex32", "float8_e4m3fn", "float8_e5m2"):
        source = torch.empty(3, dtype=getattr(torch, name))
        made = torch.from_dlpack(source.__dlpack__())
        assert made.dtype is source.dtype
        assert made.data_ptr() == source.data_ptr()


def test_array_outlives_tensor(collect):
    array = np.from_dlpack(torch.arange(1000))
    collect()
    for _ in range(10):
        torch.zeros(1000, dtype=torch.int64)
    assert array.tolist() == list(range(1000))


def test_references_are_given_back(collect):
    source = torch.ones(10)
    before = sys.getrefcount(source)
    for version in (None, (1, 0)):
        source.__dlpack__(max_version=version)
        torch.from_dlpack(source.__dlpack__(max_version=version))
        np.from_dlpack(source)
    collect()
    assert sys.getrefcount(source) == before
    array = np.ones(10)
    before = sys.getrefcount(array)
    for _ in range(5):
        torch.from_dlpack(array)
    assert sys.getrefcount(array) == before


def test_capsules_are_taken_once():
    capsule = dlpack.to_dlpack(torch.ones(2))
    assert dlpack.from_dlpack(capsule).tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="consumed only once"):
        dlpack.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="invalid capsule"):
        torch.from_dlpack(3)


def test_small_shapes():
    assert np.from_dlpack(torch.tensor(2.0)).item() == 2.0
    assert np.from_dlpack(torch.empty(0, 3)).shape == (0, 3)
    assert torch.from_dlpack(np.array(5)).item() == 5
    assert torch.from_dlpack(np.empty((0, 2))).shape == (0, 2)


def test_refusals():
    with pytest.raises(BufferError):
        torch.ones(2, device="meta").__dlpack__()
    with pytest.raises(BufferError, match="conjugate"):
        torch.ones(2, dtype=torch.complex64).conj().__dlpack__()
    with pytest.raises(ValueError, match="negative strides"):
        torch.from_dlpack(np.arange(4)[::-1])


def test_copies():
    source = torch.ones(3)
    assert torch.from_dlpack(source, copy=True).data_ptr() != source.data_ptr()
    assert torch.from_dlpack(np.ones(2), copy=True).tolist() == [1.0, 1.0]


def test_memory_that_must_not_be_written_is_copied():
    source = np.arange(3.0)
    source.flags.writeable = False
    for make in (torch.from_dlpack, dlpack.from_dlpack):
        made = make(source)
        made.add_(5)
        assert made.tolist() == [5, 6, 7] and source.tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="read-only"):
        torch.from_dlpack(source, copy=False)
    writable = np.arange(3.0)
    torch.from_dlpack(writable, copy=False).add_(5)
    assert writable.tolist() == [5, 6, 7]


def test_a_buffer_that_must_not_be_written_is_told_of():
    with pytest.warns(UserWarning, match="buffer is not writable"):
        torch.frombuffer(b"abcd", dtype=torch.uint8)
