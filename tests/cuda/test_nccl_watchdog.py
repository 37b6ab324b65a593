"""Collectives that hang, fail, or end: what the watchdog does, and what the flight recorder tells."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import time
from datetime import timedelta
from pathlib import Path

import pytest

import rushlight as torch
import rushlight.distributed as dist
from rushlight._C import _distributed_c10d as c10d
from rushlight.engine.cuda import libraries

# What is to end has as long as it wants on a busy machine; what hangs is waited for shortly.
LONG, SHORT = timedelta(minutes=10), timedelta(milliseconds=300)


@pytest.fixture
def group(with_stand_in, monkeypatch):
    """Makes a group of one process, by NCCL."""
    from stand_in_nccl import Communication

    made = Communication(with_stand_in(seed=2, devices=1))
    libraries.use("nccl", made)
    c10d._reset_fr_recording_nccl()

    def start(**environment):
        for name, value in environment.items():
            monkeypatch.setenv(f"TORCH_NCCL_{name}", str(value))
        dist.init_process_group("nccl", rank=0, world_size=1, store=dist.HashStore(), timeout=LONG)
        return made

    yield start
    made.driver.hangs.clear()
    if dist.is_initialized():
        dist.destroy_process_group()


def hang(library, timeout=SHORT):
    """Let the stream of collectives go on no more, and those that follow have so long."""
    dist.all_reduce(torch.ones(1, device="cuda"))
    torch.cuda.synchronize()
    backend = dist.group.WORLD._get_backend(torch.device("cuda"))
    library.driver.hangs.add(backend._stream.cuda_stream)
    dist.group.WORLD.set_timeout(timeout)


def until(condition):
    """Wait until something is so that another thread does."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def error_of(work):
    """What the watchdog has found."""
    until(lambda: work.exception() is not None)
    return work.exception()


def has_aborted(library):
    return "ncclCommAbort" in library.calls


TEXT = (
    r"\[Rank 0\] Watchdog caught collective operation timeout: WorkNCCL\(SeqNum=2, OpType=ALLREDUCE, NumelIn=3, "
    r"NumelOut=3, Timeout\(ms\)=300\) ran for \d+ milliseconds before timing out"
)  # fmt: skip


def test_a_collective_that_hangs_ends_the_communicator(group):
    library = group(ASYNC_ERROR_HANDLING=2)
    hang(library)
    work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    found = error_of(work)
    assert isinstance(found, dist.DistBackendError)
    with pytest.raises(dist.DistBackendError, match=TEXT):
        work.wait()
    assert work.is_completed() and not work.is_success()
    until(lambda: has_aborted(library))
    with pytest.raises(
        dist.DistBackendError, match=r"aborted on rank 0.*Original reason.*SeqNum=2"
    ):
        dist.all_reduce(torch.ones(3, device="cuda"))


def test_nobody_acts_where_that_is_asked(group):
    library = group(ASYNC_ERROR_HANDLING=0)
    hang(library)
    work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    assert error_of(work) is not None
    # The watchdog looks after nothing else before it has handled an error.
    later = dist.all_reduce(torch.ones(4, device="cuda"), async_op=True)
    assert error_of(later) is not None and not has_aborted(library)


def test_who_waits_on_the_host_gets_the_error(group):
    library = group(BLOCKING_WAIT=1)
    assert dist.group.WORLD._get_backend(torch.device("cuda")).settings.handling == 0
    hang(library)
    with pytest.raises(dist.DistBackendError, match=TEXT):
        dist.all_reduce(torch.ones(3, device="cuda"))
    assert has_aborted(library)


def test_who_waits_on_the_host_ends_the_communicator_whoever_found_the_error(group):
    library = group(BLOCKING_WAIT=1)
    hang(library)
    work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    assert error_of(work) is not None and not has_aborted(library)
    with pytest.raises(dist.DistBackendError, match=TEXT):
        work.wait()
    assert has_aborted(library)


def test_a_wait_with_a_time_of_its_own(group):
    library = group(ASYNC_ERROR_HANDLING=2)
    hang(library, LONG)
    work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    with pytest.raises(
        dist.DistBackendError, match=r"Timeout\(ms\)=600000\) ran for \d+ milliseconds"
    ):
        work.wait(timedelta(milliseconds=50))


def test_what_the_library_reports_is_found_without_a_wait(group):
    library = group(ASYNC_ERROR_HANDLING=2)
    hang(library, LONG)
    work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    library.failing_later = 6
    assert "NCCL error 6" in str(error_of(work))
    until(lambda: has_aborted(library))


def test_settings_that_mean_nothing(group):
    with pytest.raises(RuntimeError, match="is 7, and 0, 1, 2 or 3"):
        group(ASYNC_ERROR_HANDLING=7)


def test_the_recorder(group):
    group()
    x = torch.ones(2, 3, device="cuda")
    dist.all_reduce(x)
    dist.broadcast(x.half(), 0)
    dist.barrier()
    whole = torch.empty(2, 3, device="cuda")
    dist.all_gather_into_tensor(whole, x, async_op=True).wait()
    torch.cuda.synchronize()
    until(lambda: all(e["retired"] for e in pickle.loads(c10d._dump_nccl_trace())["entries"]))
    found = pickle.loads(c10d._dump_nccl_trace())
    assert found["version"] == "2.10"
    (name,) = found["pg_config"]
    assert found["pg_config"][name] == {"name": name, "desc": "default_pg", "ranks": "[0]"}
    assert found["pg_status"]["0"]["last_enqueued_collective"] == 4
    assert found["pg_status"]["0"]["last_completed_collective"] == 4
    entries = found["entries"]
    names = ["all_reduce", "broadcast", "all_reduce_barrier", "_all_gather_base"]
    assert [e["profiling_name"] for e in entries] == [f"nccl:{n}" for n in names]
    first, second = entries[:2]
    assert first["process_group"] == (name, "default_pg") and first["pg_id"] == 0
    assert first["input_sizes"] == [[2, 3]] == first["output_sizes"]
    assert second["input_dtypes"] == ["Half"] and second["collective_seq_id"] == 2
    assert all(e["state"] == "completed" and e["retired"] for e in entries)
    assert first["timeout_ms"] == 600_000 and not first["is_p2p"]
    assert any(f["name"].endswith("test_the_recorder") for f in first["frames"])
    assert set(first["frames"][0]) == {"name", "filename", "line"}
    assert "frames" not in pickle.loads(c10d._dump_nccl_trace(True, False))["entries"][0]
    assert pickle.loads(c10d._dump_nccl_trace(True, True, True))["entries"] == []
    assert json.loads(c10d._dump_nccl_trace_json())["entries"][0]["record_id"] == 0
    assert "entries" not in json.loads(c10d._dump_nccl_trace_json(False))


def test_a_dump_when_something_hangs(group, tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_FR_DUMP_TEMP_FILE", f"{tmp_path}/trace_")
    library = group(ASYNC_ERROR_HANDLING=2, DUMP_ON_TIMEOUT=1)
    hang(library)
    work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    assert error_of(work) is not None
    # The communicator is ended after that.
    until(lambda: has_aborted(library))
    entries = pickle.loads((tmp_path / "trace_0").read_bytes())["entries"]
    assert [e["state"] for e in entries][-1] == "scheduled"


PROGRAM = """
    import sys, time
    from datetime import timedelta
    sys.path[:0] = [{folder!r}]
    from stand_in import StandIn
    from stand_in_nccl import Communication
    from rushlight.engine.cuda import driver, libraries
    made = StandIn(seed=2)
    driver.use(made)
    libraries.use("nccl", Communication(made))
    import rushlight as torch, rushlight.distributed as dist
    dist.init_process_group("nccl", rank=0, world_size=1, store=dist.HashStore(), timeout=timedelta(minutes=10))
    dist.all_reduce(torch.ones(1, device="cuda"))
    torch.cuda.synchronize()
    made.hangs.add(dist.group.WORLD._get_backend(torch.device("cuda"))._stream.cuda_stream)
    dist.group.WORLD.set_timeout(timedelta(milliseconds=300))
    dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    time.sleep(60)
"""


def test_the_process_ends_where_nothing_else_is_said():
    text = textwrap.dedent(PROGRAM.format(folder=str(Path(__file__).parent)))
    done = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ),
    )
    assert done.returncode == -6, done.stderr
    assert "[Rank 0] Watchdog caught collective operation timeout" in done.stderr
    assert "TORCH_NCCL_ASYNC_ERROR_HANDLING=2" in done.stderr
