"""Typed storages, tensor classes of one type, shared memory."""

import pickle

import pytest

import rushlight as torch


def test_tensor_classes():
    assert torch.FloatTensor([1, 2]).dtype is torch.float32
    assert torch.LongTensor([[1, 2]]).tolist() == [[1, 2]]
    assert torch.ByteTensor(2, 3).shape == (2, 3)
    assert torch.BoolTensor([True]).dtype is torch.bool
    assert isinstance(torch.ones(1), torch.FloatTensor)
    assert not isinstance(torch.ones(1), torch.LongTensor)
    assert repr(torch.HalfTensor) == "<class 'torch.HalfTensor'>"
    assert torch.ones(1).type(torch.LongTensor).dtype is torch.int64
    assert torch.ones(2, dtype=torch.int64).new([3]).dtype is torch.int64
    assert torch.ones(2).new(4, 5).shape == (4, 5)
    with pytest.raises(AttributeError):
        torch.NoSuchTensor  # noqa: B018


def test_typed_storages():
    x = torch.tensor([1.0, 2.0, 3.0])
    held = x.storage()
    assert isinstance(held, torch.TypedStorage) and isinstance(held, torch.FloatStorage)
    assert not isinstance(held, torch.LongStorage)
    assert torch.is_storage(held) and torch.is_storage(held.untyped())
    assert held.tolist() == [1.0, 2.0, 3.0] and len(held) == 3 and held[1] == 2.0
    held[0] = 9
    assert x[0].item() == 9.0
    assert held.type() == "torch.FloatStorage" and held.dtype is torch.float32
    assert held.data_ptr() == x.data_ptr() and held.nbytes() == 12
    assert held.long().tolist() == [9, 2, 3]
    assert pickle.loads(pickle.dumps(held)).tolist() == [9.0, 2.0, 3.0]
    assert repr(held).endswith(
        "[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 3]"
    )
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        made = torch.FloatStorage(4)
    assert made.size() == 4


def test_sharing(tmp_path):
    x = torch.arange(4)
    assert not x.is_shared()
    assert x.share_memory_() is x and x.is_shared()
    assert x.tolist() == [0, 1, 2, 3]
    x.add_(1)
    path = tmp_path / "elements"
    mapped = torch.from_file(str(path), shared=True, size=3, dtype=torch.int32)
    mapped.copy_(torch.tensor([1, 2, 3]))
    again = torch.from_file(str(path), shared=False, size=3, dtype=torch.int32)
    assert again.tolist() == [1, 2, 3]
    again.zero_()
    assert mapped.tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="unable to open"):
        torch.from_file(str(tmp_path / "missing"), size=3)


def test_parameters_take_over_what_a_tensor_holds():
    parameter, other = torch.nn.Parameter(torch.ones(2, 3)), torch.arange(5.0)
    with torch.no_grad():
        parameter.set_(other)
    assert parameter.tolist() == other.tolist()
    assert parameter.data_ptr() == other.data_ptr()
    with torch.no_grad():
        parameter.set_(torch.zeros(3).untyped_storage())
    assert parameter.tolist() == [0.0, 0.0, 0.0]
