"""Memory and events of GPUs in several processes, each with a stand-in that the others can open."""

from __future__ import annotations

import gc
import os
import time

import processes_that_share
import pytest

import rushlight as torch
from rushlight.engine.cuda import caching, context, driver, sharing

multiprocessing = torch.multiprocessing.get_context("spawn")


class Other:
    """Another process, with a queue to it and one from it."""

    def __init__(self, target, *args):
        self.put_there, self.from_there = multiprocessing.Queue(), multiprocessing.Queue()
        queues = self.put_there, self.from_there
        self.process = multiprocessing.Process(target=target, args=(*queues, *args))
        self.process.start()
        self.put = self.put_there.put

    def get(self):
        """What the other process says next."""
        while self.from_there.empty():
            assert self.process.is_alive(), "the other process has ended"
            time.sleep(0.01)
        return self.from_there.get()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.join(30)
        if self.process.is_alive():
            self.process.kill()
        assert exception[0] or self.process.exitcode == 0


@pytest.fixture(params=[None, 2])
def shared(with_stand_in, request):
    made = with_stand_in(shared=True, seed=request.param)
    yield made
    made.shared.remove()


def collected():
    torch.cuda.ipc_collect()
    return len(sharing._sent)


def until(condition):
    """Wait for another process; the stand-in goes on with each look at it."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "nothing came from the other process"
        torch.cuda.current_stream().query()
        time.sleep(0.01)


def test_another_process_works_on_the_same_memory(shared):
    hole = torch.empty(700, device="cuda")
    x = torch.arange(6.0, device="cuda")
    assert x.is_shared() and x.share_memory_() is x
    with Other(processes_that_share.double, shared.chance and 3) as other:
        other.put((x, x.view(2, 3)[:, 1]))
        if shared.chance:
            until(lambda: not any(shared.streams.values()))
        assert other.get() == [[0, 1, 2, 3, 4, 5], [1, 4]]
        assert other.get() == 0
        assert x.tolist() == [0, 2, 4, 6, 8, 10]
        until(lambda: collected() == 0)
        # The same memory once more, opened again.
        other.put((x[1:3], torch.empty(0, device="cuda")))
        if shared.chance:
            until(lambda: not any(shared.streams.values()))
        assert other.get() == [[2, 4], []]
        assert other.get() == 0
        assert x.tolist() == [0, 4, 8, 6, 8, 10]
        other.put(None)
    assert hole.numel() == 700


def test_memory_stays_until_the_other_process_lets_it_go(with_stand_in):
    stand_in = with_stand_in(shared=True)
    x = torch.arange(4.0, device="cuda")
    where = x.data_ptr()
    with Other(processes_that_share.keep) as other:
        other.put(x)
        other.put(x[2:])
        assert other.get() == (1, True, True, [2, 3])
        assert "cloning before sending" in other.get()
        del x
        assert collected() >= 1
        y = torch.zeros(4, device="cuda")
        assert y.data_ptr() != where
        assert torch.cuda.memory_allocated() == 1024
        other.put("go on")
    # It has ended, and gives everything back then.
    assert collected() == 0 and torch.cuda.memory_allocated() == 512
    assert torch.zeros(4, device="cuda").data_ptr() == where
    stand_in.shared.remove()


def test_memory_that_was_let_go_serves_requests_in_need(with_stand_in):
    stand_in = with_stand_in(nbytes=16 << 20, shared=True)
    x = torch.empty(10 << 20, dtype=torch.uint8, device="cuda")
    handle = sharing.send(x.untyped_storage())
    del x
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(10 << 20, dtype=torch.uint8, device="cuda")
    handle.let_go()
    assert torch.empty(10 << 20, dtype=torch.uint8, device="cuda").numel() == 10 << 20
    stand_in.shared.remove()


def test_events_of_another_process(with_stand_in):
    stand_in = with_stand_in(shared=True, seed=0)
    stand_in.chance.choice = lambda options: options[0]
    event = torch.cuda.Event(interprocess=True)
    handle = event.ipc_handle()
    assert len(handle) == 64
    with Other(processes_that_share.wait_for_event) as other:
        torch.ones(3, device="cuda")
        event.record()
        other.put(handle)
        assert other.get() is False
        event.synchronize()
        other.put("go on")
        assert other.get() is True
    with pytest.raises(torch.AcceleratorError, match="invalid argument"):
        torch.cuda.Event(enable_timing=True, interprocess=True).record()
    with pytest.raises(RuntimeError, match="interprocess=True"):
        torch.cuda.Event().ipc_handle()
    with pytest.raises(ValueError, match="64 bytes, but got 3"):
        torch.cuda.Event.from_ipc_handle(0, b"abc")
    stand_in.shared.remove()


def test_handles_that_are_wrong(with_stand_in):
    stand_in = with_stand_in(shared=True)
    from stand_in import SharedRoom

    # What another process has: a segment with a number in each page.
    there = SharedRoom(1 << 16)
    there.place[:] = bytes(range(256)) * 256
    event = there.handle(there.nbytes, 16)
    counters = torch.UntypedStorage._new_shared(4096)

    def handle(start, nbytes, offset, path=None):
        said = there.handle(start, nbytes) if path is None else path.ljust(48, b"\0") + bytes(16)
        return sharing.Handle(0, said, offset, 16, counters, 0, event)

    right = sharing.receive(handle(4096, 8192, 512), None)
    x = torch.empty(0, dtype=torch.uint8, device="cuda").set_(right)
    assert x.tolist() == list(range(16))
    with pytest.raises(torch.AcceleratorError, match="invalid argument"):
        sharing.receive(handle(0, 0, 0, b"/dev/shm/nobody"), None)
    # A place behind the segment is found by whatever looks there.
    wrong = sharing.receive(handle(16384, 4096, 8192), None)
    with pytest.raises(torch.AcceleratorError, match="illegal memory access"):
        torch.empty(0, dtype=torch.uint8, device="cuda").set_(wrong).tolist()
    stand_in.sticky, stand_in.cause = 0, None
    del x, right, wrong
    gc.collect()
    assert not stand_in.opened
    there.remove()
    stand_in.shared.remove()


def test_what_a_process_sends_itself(with_stand_in):
    from multiprocessing.reduction import ForkingPickler

    stand_in = with_stand_in(shared=True)
    x = torch.nn.Parameter(torch.arange(3.0, device="cuda"))
    y = ForkingPickler.loads(ForkingPickler.dumps(x))
    assert type(y) is torch.nn.Parameter and y.data_ptr() == x.data_ptr()
    assert collected() == 0
    with pytest.raises(RuntimeError, match="Cowardly"):
        ForkingPickler.dumps(x * 2)
    stand_in.shared.remove()


def test_children_of_fork_give_nothing_back(with_stand_in):
    stand_in = with_stand_in(shared=True)
    x = torch.ones(3, device="cuda")
    handle = sharing.send(x.untyped_storage())
    child = os.fork()
    if not child:
        sharing._end()
        os._exit(0 if context.is_in_bad_fork() else 1)
    assert os.waitpid(child, 0)[1] == 0 and handle.is_held
    handle.let_go()
    assert collected() == 0 and caching.known()[0].statistics.current("allocation") == 1
    assert driver.library is stand_in
    stand_in.shared.remove()
