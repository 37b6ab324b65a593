"""Arrays of other libraries on a GPU, by their interface and by DLPack, and the streams that have them."""

from __future__ import annotations

import gc
import weakref

import pytest

import rushlight as torch
from rushlight.engine.cuda import context, driver


class Array:
    """An array of another library, which shows where its elements are."""

    def __init__(self, tensor, **changed):
        self.tensor = tensor
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, **changed}


class Lender:
    """A tensor of another library that lends its memory by DLPack."""

    def __init__(self, tensor, old=False):
        self.tensor, self.old, self.asked = tensor, old, []

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **said):
        if self.old and "max_version" in said:
            raise TypeError("max_version")
        self.asked.append(said)
        return self.tensor.__dlpack__(**said)


def test_arrays_share_their_memory(cuda):
    x = torch.arange(12.0, device="cuda").view(3, 4)
    lender = Array(x[:, ::2])
    seen = torch.as_tensor(lender)
    assert seen.tolist() == [[0, 2], [4, 6], [8, 10]] and seen.stride() == (4, 2)
    seen.mul_(10)
    assert x[1, 2].item() == 60
    for make in (torch.tensor, lambda a: torch.asarray(a, copy=True)):
        made = make(lender)
        made.zero_()
        assert x[1, 2].item() == 60
    assert torch.asarray(lender).data_ptr() == x.data_ptr()
    assert torch.as_tensor(lender, dtype=torch.int64, device="cpu").tolist()[1] == [40, 60]
    # The other library's object stays as long as the tensor does.
    kept = weakref.ref(lender)
    del lender, made
    gc.collect()
    assert kept() is not None
    del seen
    gc.collect()
    assert kept() is None
    assert torch.as_tensor(Array(torch.empty(0, 3, device="cuda"))).shape == (0, 3)
    bits = torch.tensor([True, False], device="cuda")
    assert torch.as_tensor(Array(bits)).tolist() == [True, False]


def test_arrays_of_any_device(with_stand_in):
    with_stand_in(devices=2)
    x = torch.ones(3, device="cuda:1")
    seen = torch.as_tensor(Array(x))
    assert seen.device.index == 1 and seen.data_ptr() == x.data_ptr()


@pytest.mark.parametrize("seed", range(6))
def test_the_stream_of_an_array_is_waited_for(with_stand_in, seed):
    with_stand_in(seed=seed)
    other = torch.cuda.Stream()
    x = torch.zeros(40, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(other):
        x.fill_(7)
    seen = torch.as_tensor(Array(x, stream=other.cuda_stream, version=3))
    assert (seen + 1).tolist() == [8.0] * 40


def test_arrays_that_are_none(cuda):
    x = torch.ones(2, 3, device="cuda")
    for error, text, changed in (
        (TypeError, "read only", {"data": (x.data_ptr(), True)}),
        (TypeError, "attribute `shape` must exist", {"shape": None}),
        (TypeError, "type '<U3' cannot be", {"typestr": "<U3"}),
        (ValueError, "multiples of its element size 4", {"strides": (12, 6)}),
        (ValueError, "multiples of its element size 4", {"strides": (-12, 4)}),
        (ValueError, "unsupported stream on CUDA: 0", {"stream": 0}),
    ):
        with pytest.raises(error, match=text):
            torch.as_tensor(Array(x, **changed))
    with pytest.raises(torch.AcceleratorError, match="invalid argument"):
        torch.as_tensor(Array(x, data=(12345, False)))


@pytest.mark.parametrize("old", [False, True])
def test_memory_is_borrowed(cuda, old):
    x = torch.arange(6, device="cuda").view(2, 3).t()
    lender = Lender(x, old)
    assert lender.__dlpack_device__() == (2, 0)
    seen = torch.from_dlpack(lender)
    assert seen.data_ptr() == x.data_ptr() and seen.tolist() == x.tolist()
    assert [said["stream"] for said in lender.asked] == [1]
    assert ("max_version" in lender.asked[0]) is not old
    seen[0, 0] = 9
    assert x[0, 0].item() == 9
    with torch.cuda.stream(torch.cuda.Stream()) as _, torch.no_grad():
        torch.from_dlpack(lender)
        assert lender.asked[-1]["stream"] == torch.cuda.current_stream().cuda_stream
    assert torch.from_dlpack(lender, device="cpu").tolist() == x.tolist()
    assert torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)).is_cuda
    pinned = torch.ones(3).pin_memory()
    assert pinned.__dlpack_device__() == (3, 0)
    assert torch.from_dlpack(Lender(pinned)).device.type == "cpu"
    x.record_stream(torch.cuda.Stream())
    seen.record_stream(torch.cuda.Stream())


@pytest.mark.parametrize("seed", range(6))
def test_who_borrows_waits(with_stand_in, seed):
    with_stand_in(seed=seed)
    here, there = torch.cuda.Stream(), torch.cuda.Stream()
    x = torch.zeros(40, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(here):
        x.fill_(3)
        lender = Lender(x)
        # What is asked for under another stream is complete for that stream.
        capsule = lender.__dlpack__(stream=there.cuda_stream)
    with torch.cuda.stream(there):
        assert (torch.from_dlpack(capsule) + 1).tolist() == [4.0] * 40


def test_what_cannot_be_lent(with_stand_in):
    with_stand_in(devices=2)
    x, other = (torch.ones(2, device=f"cuda:{k}") for k in range(2))
    with pytest.raises(BufferError, match=r"Expected: 1\. Current device: 0"):
        other.__dlpack__()
    assert torch.from_dlpack(Lender(other)).device.index == 1 and context.current() == 0
    with pytest.raises(BufferError, match="per-thread default stream"):
        x.__dlpack__(stream=2)
    with pytest.raises(TypeError, match="stream must be"):
        x.__dlpack__(stream="0")
    with pytest.raises(ValueError, match="Unknown device type meta"):
        torch.ones(2, device="meta").__dlpack_device__()
    calls = driver.library.calls
    calls.clear()
    x.__dlpack__()
    assert "cuEventRecord" not in calls
