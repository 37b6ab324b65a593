"""Factories that fill a tensor that is given."""

import numpy as np
import pytest

import rushlight as torch

OVERLAPS = "more than one element of the written-to tensor refers to a single memory location"


@pytest.mark.filterwarnings("error")
def test_outputs_take_the_size_without_a_word():
    for fill in (
        lambda out: torch.zeros(3, out=out),
        lambda out: torch.ones(3, out=out),
        lambda out: torch.full((3,), 2.0, out=out),
        lambda out: torch.rand(3, out=out),
        lambda out: torch.randn(3, out=out),
        lambda out: torch.linspace(0, 1, 3, out=out),
        lambda out: torch.logspace(0, 1, 3, out=out),
        lambda out: torch.eye(3, out=out),
    ):
        assert fill(torch.zeros(4)).size(0) == 3


def test_arange_says_that_it_resizes():
    with pytest.warns(
        UserWarning, match=r"The out tensor will be resized to a tensor of shape \(5"
    ):
        assert torch.arange(5, out=torch.zeros(1, 4)).tolist() == [0, 1, 2, 3, 4]


def test_every_element_is_written_once():
    out = torch.rand(1).expand(5)
    for fill in (torch.linspace, torch.logspace):
        with pytest.raises(RuntimeError, match=OVERLAPS):
            fill(0, 1, 5, out=out)
    with pytest.raises(RuntimeError, match=OVERLAPS):
        torch.arange(5, out=out)


def test_permutations_take_the_type_of_their_output():
    for kind in (torch.int8, torch.float32, torch.bfloat16):
        found = torch.randperm(5, out=torch.empty(0, dtype=kind))
        assert found.dtype is kind and sorted(found.tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="dtype Int does not match dtype of out parameter"):
        torch.randperm(5, dtype=torch.int32, out=torch.empty(0))
    with pytest.raises(RuntimeError, match="cannot be greater than 2049 for Half"):
        torch.randperm(2**11 + 2, out=torch.empty(0, dtype=torch.float16))


def test_complex_bounds_need_a_complex_type():
    for name in ("linspace", "logspace"):
        make = getattr(torch, name)
        with pytest.raises(
            RuntimeError, match=rf"torch.{name}\(\): inferred dtype c10::complex<fl"
        ):
            make(0, 1j, 5, dtype=torch.float32)
        with pytest.raises(
            RuntimeError, match="cannot be converted to type float without overflow"
        ):
            make(0, 1j, 5, out=torch.zeros(5))
    assert torch.linspace(0, 1j, 3).tolist() == [0, 0.5j, 1j]


def test_grids_want_to_know_their_order():
    x = torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match='indexing must be one of "xy" or "ij"'):
        torch.meshgrid(x, indexing="")
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="will be required to pass the indexing arg"):
            torch.meshgrid(x)
    finally:
        torch.set_warn_always(False)


def test_lists_that_may_be_left_out_may_be_none():
    x = torch.arange(4).view(2, 2)
    assert x.roll(1, dims=None).tolist() == torch.roll(x, 1, None).tolist() == [[3, 0], [1, 2]]
    assert x.amax(dim=None).item() == 3 and torch.amin(x, None).item() == 0


class Sequence:
    def __init__(self, items, fails):
        self.items, self.fails = items, fails

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        if self.fails:
            raise TypeError
        return self.items[index]


def test_sequences_of_their_own_kind():
    assert torch.tensor(Sequence([1.0, 2.0], False)).tolist() == [1, 2]
    with pytest.raises(ValueError, match="could not determine the shape of object type 'Sequence'"):
        torch.tensor(Sequence([1.0, 2.0], True))
    ring = [0]
    ring.append(ring)
    for data in (ring, [[1, 2], ring]):
        for make in (torch.tensor, torch.as_tensor):
            with pytest.raises(TypeError, match="self-referential lists are incompatible"):
                make(data)
    ring[0] = ring
    with pytest.raises(TypeError, match="self-referential lists are incompatible"):
        torch.tensor(ring)


def test_capsules_become_tensors():
    x = torch.arange(4.0)
    lend = torch.utils.dlpack.to_dlpack
    assert torch.asarray(lend(x), copy=False).data_ptr() == x.data_ptr()
    assert torch.asarray(lend(x)).data_ptr() == x.data_ptr()
    assert torch.asarray(lend(x), copy=True).data_ptr() != x.data_ptr()
    assert torch.asarray(lend(x), dtype=torch.int32).tolist() == [0, 1, 2, 3]
    message = "can't alias tensor with dtype 'Float' into dtype 'Int'"
    with pytest.raises(ValueError, match=message):
        torch.asarray(lend(x), dtype=torch.int32, copy=False)
    with pytest.raises(ValueError, match="can't alias tensor from device 'cpu' to 'meta'"):
        torch.asarray(x, device="meta", copy=False)
    with pytest.raises(RuntimeError, match="can't alias NumPy scalars"):
        torch.asarray(np.float32(3), copy=False)


def test_old_constructors_are_told_no_other_device():
    x = torch.ones(3)
    for make in (
        lambda: torch.FloatTensor(device="cuda"),
        lambda: torch.Tensor((2.0, 3.0), device="cuda"),
        lambda: x.new(torch.Size([2]), device="cuda"),
    ):
        with pytest.raises(RuntimeError, match="expects device type: cpu but device type: cuda"):
            make()
    with pytest.raises(RuntimeError, match="Legacy tensor constructor of the form"):
        torch.Tensor(x, device="cpu")
    with pytest.raises(RuntimeError, match="Legacy tensor new of the form"):
        x.new(x, device="cpu")
    assert x.new(2, device="cpu").shape == (2,) and torch.ones(1, device="meta").new(2).is_meta
