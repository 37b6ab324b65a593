"""What a call on a device takes of the host: positions, masks; and new tensors of the host in memory that devices read."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

A = torch.arange(12.0).view(4, 3)
POSITIONS = {
    "a list": [0, 2], "numbers of numpy": np.array([1, 3]), "a tensor": torch.tensor([3, 0, 0]),
    "a mask": torch.tensor([True, False, True, True]), "a mask of elements": A > 4, "a list of answers": [True, False, False, True],
    "two": (torch.tensor([0, 1]), torch.tensor([2, 0])), "rows and a part": (torch.tensor([1, 2]), slice(1)),
    "a range": range(2),
}  # fmt: skip


@pytest.mark.parametrize("title", POSITIONS)
def test_elements_are_taken_where_the_host_says(cuda, title):
    index, a = POSITIONS[title], A.cuda()
    for _ in range(3):
        assert torch.equal(a[index].cpu(), A[index]) and a[index].is_cuda


@pytest.mark.parametrize("title", POSITIONS)
def test_elements_are_written_where_the_host_says(cuda, title):
    index = POSITIONS[title]
    for value in (5.0, torch.tensor(7.0), A[index] * 2):
        wanted, found = A.clone(), A.cuda()
        for target, given in (
            (wanted, value),
            (found, value.cuda() if isinstance(value, torch.Tensor) else value),
        ):
            target[index] = given
        assert torch.equal(found.cpu(), wanted)


def test_gradients_of_positions_of_the_host(cuda):
    a = A.cuda().requires_grad_()
    a[torch.tensor([0, 0, 3])].sum().backward()
    assert a.grad[:, 0].tolist() == [2.0, 0.0, 0.0, 1.0]
    a.data.index_put_((torch.tensor([1]),), torch.tensor(9.0), accumulate=True)
    assert a[1].tolist() == [12.0, 13.0, 14.0]


def test_positions_on_a_device_are_for_tensors_there(cuda):
    text = r"indices should be either on cpu or on the same device as the indexed tensor \(cpu\)"
    with pytest.raises(RuntimeError, match=text):
        A[torch.tensor([1], device="cuda")]
    with pytest.raises(RuntimeError, match=text):
        A.clone()[torch.tensor([1], device="cuda")] = torch.ones(1, 3)


MAKERS = {
    "empty": lambda **k: torch.empty(3, **k), "zeros": lambda **k: torch.zeros(3, **k), "ones": lambda **k: torch.ones(3, **k),
    "full": lambda **k: torch.full((3,), 2.0, **k), "tensor": lambda **k: torch.tensor([1, 2], **k),
    "arange": lambda **k: torch.arange(3, **k), "linspace": lambda **k: torch.linspace(0, 1, 3, **k),
    "hann_window": lambda **k: torch.hann_window(4, **k), "logspace": lambda **k: torch.logspace(0, 1, 3, **k),
    "eye": lambda **k: torch.eye(3, **k), "rand": lambda **k: torch.rand(3, **k), "randn": lambda **k: torch.randn(3, **k),
    "randint": lambda **k: torch.randint(5, (3,), **k), "randperm": lambda **k: torch.randperm(3, **k),
    "empty_like": lambda **k: torch.empty_like(A, **k), "zeros_like": lambda **k: torch.zeros_like(A, **k),
    "full_like": lambda **k: torch.full_like(A, 3, **k), "rand_like": lambda **k: torch.rand_like(A, **k),
    "new_zeros": lambda **k: A.new_zeros(3, **k), "new_tensor": lambda **k: A.new_full((3,), 1, **k),
    "empty_strided": lambda **k: torch.empty_strided((2, 2), (1, 2), **k), "scalar_tensor": lambda **k: torch.scalar_tensor(3, **k),
}  # fmt: skip


@pytest.mark.parametrize("name", MAKERS)
def test_new_tensors_in_pinned_memory(cuda, name):
    for _ in range(3):
        made = MAKERS[name](pin_memory=True)
        assert made.is_pinned() and made.device.type == "cpu"
    plain = MAKERS[name]()
    assert not plain.is_pinned() and made.stride() == plain.stride() and made.dtype is plain.dtype
    if "rand" not in name and "empty" not in name:
        assert torch.equal(made, plain)


def test_what_cannot_be_pinned(cuda):
    with pytest.raises(RuntimeError, match="Only dense CPU tensors can be pinned"):
        torch.zeros(3, device="cuda", pin_memory=True)
    with pytest.raises(
        RuntimeError, match=r"cannot pin 'torch\.cuda\.FloatTensor' only dense CPU tensors"
    ):
        torch.zeros(3, device="cuda").pin_memory()
    assert torch.zeros(2, pin_memory=True, requires_grad=True).requires_grad
    assert not torch.zeros(2, pin_memory=True, device="meta").is_pinned()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a device")
def test_without_a_device_there_is_no_pinned_memory():
    for make in (torch.zeros, torch.rand, torch.tensor):
        with pytest.raises(
            RuntimeError, match="pin_memory=True requires a CUDA or other accelerator backend"
        ):
            make([3], pin_memory=True)
