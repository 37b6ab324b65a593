"""Lazy clones: elements are copied when one of those that share them is written."""

import pickle

import numpy as np
import pytest

import rushlight as torch

KINDS = [torch.float32, torch.int64, torch.bool, torch.complex64, torch.bfloat16]


def addresses(*tensors):
    return [torch._C._data_address(t) for t in tensors]


def shares(tensor):
    return torch._C._is_cow_tensor(tensor)


@pytest.mark.parametrize("kind", KINDS)
def test_a_lazy_clone_has_a_storage_of_its_own_over_the_same_bytes(kind):
    tensor = torch.tensor([[0, 1], [2, 3]], dtype=kind)
    storage = torch._C._storage_address(tensor)
    (address,) = addresses(tensor)
    clone = tensor._lazy_clone()
    assert shares(tensor) and shares(clone)
    assert torch._C._storage_address(tensor) == storage != torch._C._storage_address(clone)
    assert addresses(tensor, clone, tensor.view(4)) == [address] * 3
    assert shares(tensor.view(4)) and torch.equal(tensor + clone, tensor + tensor)
    assert shares(tensor) and shares(clone)


def test_reading_copies_nothing():
    tensor = torch.rand(3, 4)
    clone = torch._lazy_clone(tensor)
    assert tensor.sum().item() == clone.sum().item() and torch.equal(clone[1], tensor[1])
    assert clone.tolist() == tensor.tolist() and (clone.t() @ tensor).shape == (4, 4)
    assert not shares(clone + 1) and not shares(clone.clone())


WRITES = {
    "add_": lambda t: t.add_(1),
    "zero_": lambda t: t.zero_(),
    "of a view": lambda t: t.view(4).add_(1),
    "of a row": lambda t: t[0].mul_(2),
    "setitem": lambda t: t.__setitem__((0, 0), 5),
    "of a mask": lambda t: t.__setitem__(t > 0, 7),
    "of an index": lambda t: t.__setitem__(torch.tensor([0]), 7),
    "out": lambda t: torch.add(torch.ones(2, 2), 1, out=t),
    "lists": lambda t: torch._foreach_add_([t], 1),
    "copy_": lambda t: t.copy_(torch.ones(2, 2)),
    "random": lambda t: t.uniform_(),
    "storage": lambda t: t.untyped_storage().fill_(0),
    "element of a storage": lambda t: t.untyped_storage().__setitem__(0, 9),
    "numpy": lambda t: t.numpy().__setitem__(0, 9),
    "dlpack": lambda t: torch.from_dlpack(t).zero_(),
    "detached": lambda t: t.detach().zero_(),
    "set_": lambda t: torch.tensor([]).set_(t.untyped_storage()).zero_(),
    "parameter": lambda t: torch.nn.Parameter(t).data.zero_(),
    "resized storage": lambda t: t.untyped_storage().resize_(64),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("is_clone", [False, True])
def test_whoever_writes_gets_bytes_of_its_own(name, is_clone):
    for _ in range(2):
        tensor = torch.tensor([[0.0, 1], [2, 3]])
        before = tensor.tolist()
        (address,) = addresses(tensor)
        clone = tensor._lazy_clone()
        written, kept = (clone, tensor) if is_clone else (tensor, clone)
        WRITES[name](written)
        assert not shares(written) and shares(kept)
        assert addresses(kept) == [address] != addresses(written)
        assert kept.tolist() == before
        if name != "resized storage":
            assert written.tolist() != before
        # Nobody else has the bytes now: they are taken over.
        kept.add_(1)
        assert not shares(kept) and addresses(kept) == [address]


def test_views_from_before_are_noticed():
    tensor = torch.zeros(4)
    views = [
        tensor[:2],
        tensor.view(2, 2),
        tensor.detach(),
        tensor.data,
        tensor[1:].unfold(0, 2, 1),
    ]
    for view in views:
        clone = tensor._lazy_clone()
        view.add_(1) if view is not views[-1] else view[0].add_(1)
        assert clone.max() < tensor.max() and not shares(tensor)
        tensor.zero_()


def test_calls_are_quick_again_after_a_write():
    tensor = torch.zeros(4)
    clone = tensor._lazy_clone()
    tensor.add_(1)
    plain = torch.zeros(4)
    assert tensor._keys_ == plain._keys_
    clone.add_(1)
    assert clone._keys_ == plain._keys_ and clone.tolist() == tensor.tolist()


def test_clones_of_clones_and_their_ends(collect):
    tensor = torch.arange(4.0)
    clones = [tensor._lazy_clone() for _ in range(3)] + [tensor._lazy_clone()._lazy_clone()]
    assert len({*addresses(tensor, *clones)}) == 1
    del tensor
    clones[0].zero_()
    assert clones[1].tolist() == [0, 1, 2, 3]
    before = torch.cpu.memory_allocated()
    big = torch.ones(1000, 1000)
    clone = big._lazy_clone()
    del big
    clone.add_(1)
    del clone
    collect()
    assert torch.cpu.memory_allocated() <= before + 4096


def test_gradients_pass_through():
    x = torch.ones(3).requires_grad_()
    (x * 2)._lazy_clone().mul_(3).sum().backward()
    assert x.grad.tolist() == [6, 6, 6]


def test_what_others_may_write_is_copied_at_once():
    array = np.zeros(3, np.float32)
    for tensor in (torch.from_numpy(array), torch.zeros(3)):
        held = tensor.numpy()
        clone = tensor._lazy_clone()
        held[0] = 1
        assert clone.tolist() == [0, 0, 0] and not shares(clone)
        tensor.zero_()
    ways = [
        (torch.utils.dlpack.to_dlpack, lambda held: torch.from_dlpack(held).fill_(1)),
        (lambda tensor: tensor.untyped_storage()[:4], lambda held: held.fill_(1)),
    ]
    for share, write in ways:
        tensor = torch.zeros(3)
        held = share(tensor)
        clone = tensor._lazy_clone()
        write(held)
        assert clone.tolist() == [0, 0, 0] and not shares(clone)
    assert torch.zeros(3, device="meta")._lazy_clone().device.type == "meta"


def test_lazy_clones_are_saved():
    clone = torch.arange(3)._lazy_clone()
    assert pickle.loads(pickle.dumps(clone)).tolist() == [0, 1, 2]
