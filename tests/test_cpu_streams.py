"""Streams of the CPU: work in order, waiting between streams, errors, and the same results as without them."""

import os
import random
import subprocess
import sys
import threading

import pytest

import rushlight as torch


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    torch.cpu.synchronize()


def held_stream():
    """A stream that does nothing before an event of Python is set."""
    stream, go = torch.Stream(device="cpu"), threading.Event()
    torch.cpu.launch_host_function(stream, go.wait)
    return stream, go


def test_results_come_later():
    stream, go = held_stream()
    x = torch.ones(3)
    with stream:
        y = (x + 1).mul_(3)
    assert not stream.query() and y.shape == (3,)
    go.set()
    stream.synchronize()
    assert stream.query() and y.tolist() == [6.0] * 3


def test_what_a_program_reads_in_a_block_is_waited_for():
    with torch.Stream(device="cpu"):
        y = torch.arange(4.0) * 2
        assert y.tolist() == [0.0, 2.0, 4.0, 6.0] and y[3].item() == 6 and bool(y[0] == 0)
        assert y.numpy().sum() == 12 and "6." in repr(y)
        assert torch.nonzero(y).shape == (3, 1) and y[y > 2].tolist() == [4.0, 6.0]


def test_streams_wait_for_each_other():
    one, go = held_stream()
    other = torch.Stream("cpu")
    x = torch.zeros(2)
    with one:
        x.add_(1)
    event = one.record_event()
    other.wait_event(event)
    with other:
        y = x * 5
    assert not event.query() and not other.query()
    go.set()
    other.synchronize()
    assert event.query() and y.tolist() == [5.0, 5.0]


def test_work_at_once_waits_where_it_is_told_to():
    stream = torch.Stream("cpu")
    with stream:
        y = torch.ones(2) + 1
    torch.cpu.current_stream().wait_stream(stream)
    assert y.tolist() == [2.0, 2.0]


def test_shapes_are_checked_at_once():
    with torch.Stream("cpu"), pytest.raises(RuntimeError, match="must match the size"):
        torch.ones(2) + torch.ones(3)


def test_errors_come_with_waiting_and_work_behind_them_is_left_out():
    stream, seen = torch.Stream("cpu"), []
    with stream:
        torch.ones(3).index_select(0, torch.tensor([7]))
    torch.cpu.launch_host_function(stream, seen.append, 1)
    event = stream.record_event()
    with pytest.raises(IndexError):
        event.synchronize()
    stream.synchronize()
    torch.cpu.launch_host_function(stream, seen.append, 2)
    torch.cpu.synchronize()
    assert seen == [2]


def test_changes_are_counted_when_they_are_asked_for():
    x = torch.ones(2, requires_grad=True)
    with torch.Stream("cpu"):
        y = x.exp()
        y.mul_(2)
        assert y._version == 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


def test_events_know_times():
    start, end = (torch.Event("cpu", enable_timing=True) for _ in range(2))
    with pytest.raises(ValueError, match="recorded"):
        start.elapsed_time(end)
    stream = torch.Stream("cpu")
    start.record(stream)
    end.record(stream)
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    with pytest.raises(ValueError, match="enable_timing"):
        start.elapsed_time(stream.record_event())


def test_training_is_what_it_is_without_a_stream():
    def run():
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(4, 8), torch.nn.Dropout(), torch.nn.Linear(8, 1)
        )
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = model(torch.randn(5, 4)).pow(2).mean()
            loss.backward()
            optimizer.step()
        return loss, *model.parameters()

    wanted = run()
    with torch.Stream("cpu"):
        found = run()
    torch.cpu.synchronize()
    assert all(torch.equal(a, b) for a, b in zip(wanted, found))


def steps(rng, count):
    """Random changes of a few tensors, each a name, what it writes, and what it reads."""
    return [
        (rng.choice(("add", "mul", "copy", "new")), *rng.sample(range(4), 2)) for _ in range(count)
    ]


def make_step(values, kind, target, source):
    if kind == "add":
        values[target].add_(values[source])
    elif kind == "mul":
        values[target].mul_(values[source] * 0.5)
    elif kind == "copy":
        values[target].copy_(values[source].flip(0))
    else:
        values[target] = values[source] - values[target].sum()


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_on_several_streams(seed):
    rng = random.Random(seed)
    program = steps(rng, 25)
    start = [torch.randn(3, generator=torch.Generator().manual_seed(k)) for k in range(4)]
    wanted, found = ([x.clone() for x in start] for _ in range(2))
    streams = [torch.Stream("cpu") for _ in range(3)]
    # The last use of each tensor: who uses it next waits for it.
    used = {}
    for kind, target, source in program:
        make_step(wanted, kind, target, source)
        stream = rng.choice([*streams, None])
        waiting = torch.cpu.current_stream() if stream is None else stream
        for event in filter(None, (used.get(target), used.get(source))):
            waiting.wait_event(event)
        if stream is None:
            make_step(found, kind, target, source)
        else:
            with stream:
                make_step(found, kind, target, source)
            used[target] = used[source] = stream.record_event()
    torch.cpu.synchronize()
    assert all(torch.equal(a, b) for a, b in zip(wanted, found))


def test_names_are_torch_s():
    stream = torch.Stream(device="cpu")
    assert stream.device == torch.device("cpu") and stream.device_type == 0
    assert torch.Stream(stream_id=stream.stream_id, device_index=0, device_type=0) == stream
    with torch.cpu.stream(stream):
        assert torch.cpu.current_stream() == stream
        with torch.Stream("cpu", stream_id=0):
            assert (torch.ones(2) + 1).tolist() == [2.0, 2.0]
    assert isinstance(torch.cpu.current_stream(), torch.cpu.Stream)
    with pytest.raises(RuntimeError, match="native handle"):
        stream.native_handle  # noqa: B018
    with pytest.raises(RuntimeError, match="doesn't support streams"):
        torch.Stream("meta")
    if not torch.accelerator.is_available():
        with pytest.raises(RuntimeError, match="Cannot access accelerator device"):
            torch.Stream()


def test_what_the_processor_has():
    found = torch.cpu.get_capabilities()
    assert found["architecture"] and found["num_logical_cores"] >= 1
    if found["architecture"] == "x86_64":
        assert {
            "sse2",
            "avx2",
            "avx512_f",
            "avx512_vnni",
            "fma3",
            "amx_tile",
        } <= found.keys() and found["sse2"]


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_process_ends_with_work_left():
    program = """
import time
import rushlight as torch
s = torch.Stream("cpu")
torch.cpu.launch_host_function(s, time.sleep, 0.2)
torch.cpu.launch_host_function(s, print, "never")
"""
    done = run(program)
    assert done.returncode == 0 and "never" not in done.stdout + done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_begins_anew_and_says_what_is_lost():
    program = """
import os, threading
import rushlight as torch
s, t = torch.Stream("cpu"), torch.Stream("cpu")
with t:
    torch.ones(2) + 1
t.synchronize()
go = threading.Event()
torch.cpu.launch_host_function(s, go.wait)
child = os.fork()
if child == 0:
    try:
        s.synchronize()
    except RuntimeError as error:
        assert "forked" in str(error)
        with t:
            y = torch.ones(2) + 1
        t.synchronize()
        os._exit(0 if y.tolist() == [2.0, 2.0] else 1)
    os._exit(2)
go.set()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = run(program)
    assert done.stdout.strip() == "0", done.stderr
