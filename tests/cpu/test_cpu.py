"""Memory: counts, the cap, and requests that cannot be met."""

import pytest

import rushlight as torch

MEGABYTE = 1 << 20
pytestmark = pytest.mark.usefixtures("collect")


@pytest.fixture
def cap():
    torch.cpu.empty_cache()
    yield torch.cpu.set_memory_cap
    torch.cpu.set_memory_cap(None)


def test_counts(collect):
    collect()
    before = torch.cpu.memory_allocated()
    torch.cpu.reset_peak_memory_stats()
    held = torch.empty(MEGABYTE)
    assert torch.cpu.memory_allocated() - before >= 4 * MEGABYTE
    del held
    assert torch.cpu.memory_allocated() == before
    assert torch.cpu.max_memory_allocated() - before >= 4 * MEGABYTE
    torch.cpu.reset_peak_memory_stats()
    assert torch.cpu.max_memory_allocated() == before
    assert torch.cpu.memory_reserved() > before
    torch.cpu.empty_cache()
    assert torch.cpu.memory_reserved() == before
    stats = torch.cpu.memory_stats()
    assert stats["allocated_bytes.all.current"] == before


def test_the_cap(cap, collect):
    held = torch.ones(MEGABYTE)
    before = torch.cpu.memory_allocated()
    cap(before + 8 * MEGABYTE)
    assert torch.cpu.get_memory_cap() == before + 8 * MEGABYTE
    for _ in range(3):
        for attempt in (
            lambda: torch.empty(4 * MEGABYTE),
            lambda: torch.zeros(4 * MEGABYTE),
            lambda: torch.cat([held] * 4),
            lambda: held.repeat(4),
            lambda: held.untyped_storage().clone().resize_(64 * MEGABYTE),
        ):
            with pytest.raises(torch.OutOfMemoryError, match="can't allocate memory"):
                attempt()
    collect()
    assert torch.cpu.memory_allocated() == before
    # What fits is still there, again and again.
    for _ in range(5):
        assert (held + 1)[0].item() == 2.0
    assert held[-1].item() == 1.0
    with pytest.raises(ValueError):
        cap(-1)


def test_the_cap_holds_for_remembered_calls(cap):
    held = torch.ones(MEGABYTE)
    for _ in range(4):
        held + held
    cap(torch.cpu.memory_allocated() + MEGABYTE)
    before = torch.cpu.memory_allocated()
    for _ in range(4):
        with pytest.raises(torch.OutOfMemoryError):
            held + held
        with pytest.raises(torch.OutOfMemoryError):
            held.exp()
    assert torch.cpu.memory_allocated() == before


def test_huge_requests():
    for size in (1 << 40, 1 << 50, 1 << 58, 1 << 60):
        with pytest.raises(RuntimeError):
            torch.empty(size)
        with pytest.raises(RuntimeError):
            torch.zeros(size, dtype=torch.uint8) if size > 1 << 50 else torch.empty(size)
    assert torch.ones(2).sum().item() == 2.0


def test_remembered_calls_hold_no_memory(collect):
    index = torch.tensor([1, 0])
    mask = torch.arange(64) > 5
    calls = [
        lambda x: x + x, lambda x: x.t(), lambda x: x[0], lambda x: x[1:, 2], lambda x: x.sum(),
        lambda x: x.exp_(), lambda x: torch.cat([x, x]), lambda x: x[index], lambda x: x[:, mask],
        lambda x: x.to(torch.float64), lambda x: x.reshape(-1), lambda x: x.contiguous(),
        lambda x: x.max(1), lambda x: torch.where(x > 0, x, -x), lambda x: x.softmax(1),
        lambda x: x.split(8), lambda x: x.clone().copy_(x), lambda x: torch.stack([x, x]),
        lambda x: x.index_select(0, index), lambda x: x.__setitem__(0, 1.0), lambda x: x.item,
        lambda x: x.cumsum(0), lambda x: x.sort(), lambda x: x.var(), lambda x: x.topk(2),
        lambda x: x.unbind(), lambda x: x.expand(2, 64, 64), lambda x: repr(x), lambda x: x.tolist(),
        lambda x: torch.add(x, 1, out=x), lambda x: x.conj(), lambda x: torch.equal(x, x),
    ]  # fmt: skip
    for call in calls:
        call(torch.ones(64, 64))  # What is made once and kept may be made now.
        collect()
        before = torch.cpu.memory_allocated()
        for _ in range(2):
            call(torch.ones(64, 65)[:, :64])
            call(torch.ones(64, 64).t())
        collect()
        assert torch.cpu.memory_allocated() - before < 64 * 64 * 4, call.__code__.co_firstlineno


@pytest.mark.usefixtures("learned_at_once")
def test_a_call_that_is_learned_finds_its_memory_under_a_cap(cap):
    held = torch.ones(MEGABYTE + 3)
    torch.ones(1) + 1
    cap(torch.cpu.memory_allocated() + 8 * MEGABYTE)
    for _ in range(4):
        assert (held + 1)[0].item() == 2.0
