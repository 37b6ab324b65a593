"""The tensor object: views, versions, geometry."""

import sys
import weakref

import rushlight as torch
from rushlight.engine.core import tensor as tensors


def test_views_share_and_remember():
    base = torch.zeros(3, 4)
    row = base[1]
    assert row._is_view() and row._base is base
    assert row[1:]._base is base
    row.fill_(2)
    assert base.sum().item() == 8
    assert row.untyped_storage() is base.untyped_storage()
    assert row.storage_offset() == 4


def test_versions_are_shared():
    base = torch.zeros(3, 4)
    view = base.t()
    assert base._version == view._version == 0
    view.add_(1)
    base[0] = 3
    assert base._version == view._version == 2
    apart = base.data
    apart.add_(1)
    assert base._version == 2 and apart._version == 1


def test_plain_verbs_agree_with_compiled_ones():
    made = torch.empty(2, 3)
    plain = tensors.empty_strided((2, 3), (3, 1), torch.float32, torch.device("cpu"))
    assert plain.shape is made.shape and plain.stride() == made.stride()
    assert plain._flags_ == made._flags_ and plain._keys_ == made._keys_
    one = tensors.view_of(made, (3, 2), (1, 3), 0)
    other = tensors.reinterpret(made, torch.float32, (3, 2), (1, 3), 0)
    for name in ("_offset_", "_numel_", "_flags_", "_keys_", "_size_", "_base"):
        assert getattr(one, name) is getattr(other, name)
    assert one._base is other._base is made and one._stride_ == other._stride_


def test_views_keep_storages_alive(collect):
    part = torch.arange(1000)[500:502]
    collect()
    for _ in range(20):
        torch.zeros(1000, dtype=torch.int64)
    assert part.tolist() == [500, 501]


def test_no_leaks(collect):
    x = torch.ones(4)
    reference = weakref.ref(x)
    storage = x.untyped_storage()
    views = [x[1:] for _ in range(10)]
    del x
    assert reference() is not None  # the base of its views
    del views
    collect()
    assert reference() is None
    assert sys.getrefcount(storage) == 2


def test_cycles_are_collected(collect):
    x = torch.ones(4)
    x.me = x
    reference = weakref.ref(x)
    del x
    collect()
    assert reference() is None
