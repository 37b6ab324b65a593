"""Tensors and modules within a module, by their dotted names."""

import pytest

import rushlight as torch
from rushlight.nn.utils._named_member_accessor import (
    NamedMemberAccessor,
    set_tensor,
    swap_submodule,
    swap_tensor,
)


def made():
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))


def test_tensors_are_read_set_and_deleted_by_name():
    module = made()
    accessor = NamedMemberAccessor(module)
    assert accessor.get_submodule("") is module and accessor.get_submodule("1") is module[1]
    assert accessor.get_tensor("0.weight") is module[0].weight
    accessor.set_tensor("1.running_mean", torch.ones(3))
    assert module[1].running_mean.tolist() == [1, 1, 1]
    accessor.set_tensors(["0.bias", "0.weight"], [torch.zeros(3), torch.zeros(3, 2)])
    assert not module[0](torch.ones(1, 2)).any()
    accessor.del_tensors(["0.bias"])
    with pytest.raises(AttributeError, match="Linear has no attribute `bias`"):
        accessor.get_tensor("0.bias")
    with pytest.raises(AttributeError, match="Sequential has no attribute `2`"):
        accessor.get_tensor("2.bias")
    with pytest.raises(TypeError, match=r"is not an instance of torch\.Tensor"):
        accessor.get_tensor("1.eps")


def test_tensors_are_exchanged():
    module = torch.nn.Linear(2, 3)
    weight, other = module.weight, torch.zeros(3, 2)
    assert swap_tensor(module, "weight", other) is weight and module.weight is other
    set_tensor(module, "weight", weight)
    assert module.weight is weight
    with pytest.raises(AttributeError, match="has no attribute `scale`"):
        swap_tensor(module, "scale", other)
    swap_tensor(module, "scale", other, allow_missing=True)
    assert module.scale is other
    for name in ("a.b", ""):
        with pytest.raises(KeyError, match="tensor name"):
            set_tensor(module, name, other)
    with pytest.raises(TypeError, match=r"torch\.nn\.Module"):
        set_tensor(3, "weight", other)


def test_all_are_exchanged_or_none():
    module = made()
    accessor = NamedMemberAccessor(module)
    weight, other = module[0].weight, torch.zeros(3, 2)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\): '1.scale'"):
        accessor.swap_tensors_dict({"0.weight": other, "1.scale": other})
    assert module[0].weight is weight and not hasattr(module[1], "scale")
    given = {"0.weight": other, "1.scale": other}
    before, missing = accessor.swap_tensors_dict(given, allow_missing=True)
    assert before["0.weight"] is weight and missing == ["1.scale"]
    accessor.swap_tensors_dict(before, allow_missing=True)
    assert module[0].weight is weight and not hasattr(module[1], "scale")
    with pytest.raises(AssertionError):
        accessor.swap_tensors(["0.weight"], [])


def test_keys_are_compared():
    accessor = NamedMemberAccessor(torch.nn.Linear(2, 3))
    assert accessor.check_keys(["weight", "scale"]) == (["bias"], ["scale"])
    assert [name for name, _ in accessor.named_tensors()] == ["weight", "bias"]


def test_modules_are_exchanged():
    module = torch.nn.Sequential(made(), torch.nn.ReLU())
    accessor = NamedMemberAccessor(module)
    old, new = accessor.get_submodule("0.1"), torch.nn.Identity()
    other = made()
    accessor.swap_submodule("0", other)
    assert accessor.get_submodule("0.1") is other[1] is not old
    assert swap_submodule(module, "1", new) is not new and module[1] is new
    with pytest.raises(KeyError, match="submodule 7 does not exist"):
        swap_submodule(module, "7", new)
