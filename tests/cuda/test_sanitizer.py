"""The sanitizer of streams: what it finds in programs, and what it knows of streams and events."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.cuda import _gpu_trace, _sanitizer
from rushlight.engine.cuda import launcher, notices
from rushlight.engine.native import shelves


@pytest.fixture
def looking(with_stand_in, capsys):
    """The mode, with a tensor and a stream that does not wait for the default one."""
    with_stand_in(seed=2)
    x = torch.ones(8, device="cuda")
    torch.cuda.synchronize()
    with _sanitizer.CUDASanitizerDispatchMode():
        yield x, torch.cuda.Stream()
    assert not notices.are_heard() and launcher.words.holds == 0 and shelves.words.is_open


def race():
    return pytest.raises(_sanitizer.CUDASanitizerErrors)


def test_a_write_that_another_stream_does_not_wait_for(looking, capsys):
    x, side = looking
    x.add_(1)
    with race() as found, torch.cuda.stream(side):
        x * 2
    (error,) = found.value.errors
    assert str(found.value) == "detected 1 errors" and error.data_ptr == x.data_ptr()
    assert isinstance(error, _sanitizer.UnsynchronizedAccessError)
    assert (error.current_access.stream, error.previous_access.stream) == (side.cuda_stream, 0)
    text = str(error)
    assert text in capsys.readouterr().err
    assert f"CSAN detected a possible data race on tensor with data pointer {x.data_ptr()}" in text
    assert "aten::mul.Tensor" in text and "reading from argument(s) self" in text
    assert "writing to argument(s) self, and to the output" in text
    assert "Trace for tensor allocation not found." in text
    assert "x * 2" in text and "x.add_(1)" in text


def test_a_read_that_a_write_on_another_stream_does_not_wait_for(looking):
    x, side = looking
    with torch.cuda.stream(side):
        x * 2
    x + 1
    with race() as found:
        x.zero_()
    assert [str(e.previous_access.type) for e in found.value.errors] == ["reading from"]


def test_who_allocated_is_said(looking):
    _, side = looking
    fresh = torch.zeros(4, device="cuda")
    with race() as found, torch.cuda.stream(side):
        fresh + 1
    assert "fresh = torch.zeros(4" in str(found.value.errors[0])


WAITS = {
    "a stream": lambda side: side.wait_stream(torch.cuda.current_stream()),
    "an event": lambda side: side.wait_event(torch.cuda.current_stream().record_event()),
    "the host, for the device": lambda side: torch.cuda.synchronize(),
    "the host, for the stream": lambda side: torch.cuda.current_stream().synchronize(),
    "the host, for an event": lambda side: torch.cuda.current_stream().record_event().synchronize(),
    "the host, for a number": lambda side: torch.ones(1, device="cuda").item(),
}


@pytest.mark.parametrize("title", WAITS)
def test_streams_that_wait(looking, title):
    x, side = looking
    for _ in range(4):
        x.add_(1)
        WAITS[title](side)
        with torch.cuda.stream(side):
            y = x * 2
        torch.cuda.current_stream().wait_stream(side)
        y.sub_(1)
        del y


def test_an_event_that_was_recorded_too_early(looking):
    x, side = looking
    early = torch.cuda.current_stream().record_event()
    x.add_(1)
    side.wait_event(early)
    with race(), torch.cuda.stream(side):
        x.sum()


def test_views_are_neither_read_nor_written(looking):
    x, side = looking
    x.add_(1)
    with torch.cuda.stream(side):
        x.view(2, 4).t()
        torch.empty_like(x)
    with race(), torch.cuda.stream(side):
        x.view(2, 4).add_(1)


def test_memory_that_is_given_out_again_is_another_tensor(looking):
    _, side = looking
    first = torch.ones(8, device="cuda")
    first[4:].add_(1)
    place = first[4:].data_ptr()
    del first
    with torch.cuda.stream(side):
        second = torch.ones(8, device="cuda")
        torch.cuda.synchronize()
    first = torch.ones(8, device="cuda")
    assert first[4:].data_ptr() == place
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        first[4:] + second[4:]


def test_what_streams_know():
    syncs = _sanitizer.StreamSynchronizations()
    syncs.create_stream(1)
    syncs.create_stream(2)
    syncs.update_seq_num(1, 5)
    assert syncs.is_ordered_after(1, 5, 1) and not syncs.is_ordered_after(2, 5, 1)
    syncs.create_event(7)
    syncs.record_state(7, 1)
    syncs.update_seq_num(1, 6)
    syncs.stream_wait_for_event(2, 7)
    assert syncs.is_ordered_after(2, 5, 1) and not syncs.is_ordered_after(2, 6, 1)
    # What a stream knows, others learn from it.
    syncs.record_state(7, 2)
    syncs.stream_wait_for_event(3, 7)
    assert syncs.is_ordered_after(3, 5, 1)
    syncs.all_streams_wait_for_stream(1)
    syncs.create_stream(4)
    assert syncs.is_ordered_after(4, 6, 1) and syncs.is_ordered_after(0, 6, 1)
    syncs.update_seq_num(3, 9)
    syncs.sync_all_streams()
    assert syncs.is_ordered_after(4, 9, 3)


def test_callbacks(with_stand_in, caplog):
    with_stand_in()
    seen = []

    def note(*facts):
        seen.append(facts)

    stops = []
    listen, notices_listen = notices.listen, notices.listen

    def keep(kind, function):
        stops.append(notices_listen(kind, function))
        return stops[-1]

    notices.listen = keep
    try:
        _gpu_trace.register_callback_for_memory_allocation(note)
        _gpu_trace.register_callback_for_memory_deallocation(note)
        _gpu_trace.register_callback_for_event_record(note)
        _gpu_trace.register_callback_for_device_synchronization(lambda device: 1 // device)
        x = torch.ones(3, device="cuda")
        place = x.data_ptr()
        event = torch.cuda.current_stream().record_event()
        del x
        torch.cuda.synchronize()
    finally:
        notices.listen = listen
        for stop in stops:
            stop()
    assert seen == [(place,), (event.cuda_event, 0), (place,)]
    assert "a callback for device synchronization has failed" in caplog.text
    with pytest.raises(ValueError, match="is none of"):
        notices.listen("anything", note)


PROGRAM = """
    import sys
    sys.path[:0] = [{folder!r}]
    from stand_in import StandIn
    from rushlight.engine.cuda import driver
    driver.use(StandIn(seed=2))
    import rushlight as torch
    x = torch.ones(4, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        x + 1
"""


def test_a_program_with_the_variable_of_the_environment():
    text = textwrap.dedent(PROGRAM.format(folder=str(Path(__file__).parent)))
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=120,
        env={**os.environ, "TORCH_CUDA_SANITIZER": "1"},
    )  # fmt: skip
    assert done.returncode == 1 and "CSAN detected a possible data race" in done.stderr
    assert "CUDASanitizerErrors: detected 1 errors" in done.stderr
