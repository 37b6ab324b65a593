"""Storages that shrink and grow under views, arrays and capsules."""

import resource

import numpy as np
import pytest

import rushlight as torch
from rushlight.engine.native import memory

COUNT = 1 << 20
pytestmark = pytest.mark.usefixtures("collect")


def occupy():
    """Take the small blocks that are free."""
    return [torch.full((3,), 9.0) for _ in range(100)]


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_a_shrunk_storage_gives_its_memory_back_and_gets_it_again(collect):
    x = torch.ones(COUNT)
    view, array = x[10:], x.numpy()
    before, address = torch.cpu.memory_allocated(), x.data_ptr()
    for _ in range(3):
        x.untyped_storage().resize_(0)
        assert torch.cpu.memory_allocated() < before - 3 * COUNT
        # Nobody else gets these addresses.
        others = [torch.full((COUNT,), 9.0), *occupy()]
        assert not (array == 9).any()
        assert view.count_nonzero() < COUNT
        view.fill_(3.0)
        assert all((other == 9).all() for other in others)
        x.untyped_storage().resize_(4 * COUNT)
        assert torch.cpu.memory_allocated() == before + sum(-(-o.nbytes // 64) * 64 for o in others)
        assert x.data_ptr() == address
        del others
    x.fill_(5.0)
    assert view[-1] == array[-1] == 5
    del x, view, array
    collect()
    assert torch.cpu.memory_allocated() == before - 4 * COUNT


@pytest.mark.skipif(not memory.words.huge_pages, reason="pages are given back on Linux only")
def test_the_system_gets_the_pages():
    x = torch.ones(8 * COUNT)
    full = resident()
    x.untyped_storage().resize_(0)
    assert full - resident() > 30 * COUNT
    x.untyped_storage().resize_(32 * COUNT)
    assert x.sum() >= 0


def test_a_smaller_storage_keeps_its_first_bytes():
    x = torch.arange(COUNT)
    x.untyped_storage().resize_(8 * 100)
    x.untyped_storage().resize_(8 * COUNT)
    assert x[:100].tolist() == list(range(100))


@pytest.mark.parametrize("calls", [1, 4])
@pytest.mark.parametrize("change", [
    lambda x: x.resize_(10_000), lambda x: x.set_(torch.zeros(5)), lambda x: x.share_memory_(),
    lambda x: setattr(x, "data", torch.zeros(3)), lambda x: x.untyped_storage().resize_(0),
    lambda x: torch.exp(torch.zeros(999), out=x.resize_(0)),
    lambda x: (x.untyped_storage().resize_(0), x.resize_(2000)),
])  # fmt: skip
def test_an_array_keeps_its_elements(change, calls, collect):
    x = torch.ones(3)
    for _ in range(calls):
        array = x.numpy()
    change(x)
    collect()
    held = occupy()
    assert array.tolist() == [1.0] * 3
    array[:] = 7
    assert all((other == 9).all() for other in held)


@pytest.mark.parametrize(
    "look", [np.from_dlpack, np.asarray, lambda x: torch.from_dlpack(x.__dlpack__())]
)
def test_whatever_else_looks_at_it_keeps_its_elements(look, collect):
    x = torch.ones(3)
    seen = look(x)
    x.resize_(10_000)
    x.set_(torch.zeros(5))
    collect()
    held = occupy()
    assert seen.tolist() == [1.0] * 3
    assert all((other == 9).all() for other in held)


def test_a_storage_that_nobody_looks_at_lets_its_old_memory_go(collect):
    collect()
    before = torch.cpu.memory_allocated()
    x = torch.empty(0)
    for count in range(1000, 100_000, 1000):
        x.resize_(count)
    assert torch.cpu.memory_allocated() - before < 5 * 100_000
    del x
    assert torch.cpu.memory_allocated() == before


def test_views_outside_are_not_handed_on():
    x = torch.ones(100)
    view = x[50:]
    x.untyped_storage().resize_(40)
    for use in (torch.Tensor.numpy, torch.Tensor.__dlpack__, torch.Tensor.unique):
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 40"):
            use(view)
    assert view.sum() >= 0  # its memory is there


def test_growing_again_needs_memory():
    x = torch.ones(COUNT)
    x.untyped_storage().resize_(0)
    torch.cpu.set_memory_cap(torch.cpu.memory_allocated() + 1000)
    try:
        with pytest.raises(torch.OutOfMemoryError):
            x.untyped_storage().resize_(4 * COUNT)
    finally:
        torch.cpu.set_memory_cap(None)
    assert x.untyped_storage().nbytes() == 0
    x.untyped_storage().resize_(4 * COUNT)
    assert x.fill_(1).sum() == COUNT


def test_shared_memory_has_room_for_views_of_a_shrunk_storage():
    x = torch.ones(COUNT)
    view = x[100:]
    x.untyped_storage().resize_(400)
    x.share_memory_()
    assert x.untyped_storage().nbytes() == 400
    view.fill_(2)
    assert view.sum() == 2 * (COUNT - 100)
    assert x[:100].tolist() == [1.0] * 100
