"""Storages of bytes."""

import copy
import pickle

import pytest

import rushlight as torch


def test_bytes():
    held = torch.UntypedStorage([1, 2, 3])
    assert held.tolist() == [1, 2, 3] and len(held) == held.nbytes() == held.size() == 3
    held[0], held[-1] = 9, 8
    assert list(held) == [9, 2, 8] and held[1] == 2
    assert held[1:].tolist() == [2, 8]
    held[1:] = 5
    assert held.fill_(7).tolist() == [7, 7, 7]
    assert held.clone().tolist() == [7, 7, 7]
    assert repr(held).endswith("[torch.storage.UntypedStorage(device=cpu) of size 3]")
    for position in (3, -4):
        with pytest.raises(IndexError):
            held[position]
    with pytest.raises(RuntimeError, match="size does not match"):
        held.copy_(torch.UntypedStorage(4))


def test_growth_keeps_the_content():
    x = torch.arange(4)
    held = x.untyped_storage()
    assert held.resizable() and held.resize_(8000).nbytes() == 8000
    assert x.tolist() == [0, 1, 2, 3] and x.data_ptr() == held.data_ptr()
    held.resize_(0)
    assert held.nbytes() == 0
    with pytest.raises(RuntimeError):
        held.resize_(-1)


def test_slices_keep_the_whole_alive(collect):
    part = torch.UntypedStorage(list(range(100)))[50:]
    collect()
    assert part.tolist()[:3] == [50, 51, 52] and not part.resizable()
    with pytest.raises(RuntimeError, match="not resizable"):
        part.resize_(10)


def test_copies():
    held = torch.UntypedStorage([1, 2])
    for made in (copy.deepcopy(held), pickle.loads(pickle.dumps(held)), copy.copy(held)):
        assert made.tolist() == [1, 2] and made.data_ptr() != held.data_ptr()


def test_without_bytes():
    held = torch.empty(3, device="meta").untyped_storage()
    assert held.nbytes() == 12 and held.data_ptr() == 0
    assert held.clone().nbytes() == 12 and copy.deepcopy(held).nbytes() == 12
    for attempt in (held.tolist, lambda: held[0], lambda: held.fill_(1)):
        with pytest.raises(NotImplementedError):
            attempt()


def test_from_buffers():
    held = torch.UntypedStorage.from_buffer(b"abcdef", offset=1, count=3, dtype=torch.uint8)
    assert bytes(held.tolist()) == b"bcd"
