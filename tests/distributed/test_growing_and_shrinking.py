"""Launchers that come and leave while a program runs: it goes on with other numbers of workers, from its checkpoint."""

import json
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest

import rushlight.distributed as dist
from rushlight.distributed.elastic.rendezvous.api import RendezvousClosedError
from rushlight.distributed.elastic.rendezvous.meeting import Meeting, Times, free_port

# Gradient steps on a mean over all workers, whose data together are the same however many there are. It is through when
# it has gone on with one worker after there had been two.
TRAINS = """
import os, sys, time
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

folder = sys.argv[1]
dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
weight = torch.zeros(2)
held = {"weight": weight, "step": 0, "sizes": torch.zeros(1000, dtype=torch.int64)}
if os.path.exists(folder + "/saved/.metadata"):
    dcp.load(held, checkpoint_id=folder + "/saved")
data = torch.arange(4.0).view(2, 2)
while True:
    mine = data[rank::size].sum(0)
    dist.all_reduce(mine)
    weight += 0.5 ** (held["step"] + 1) * mine
    held["sizes"][held["step"]] = size
    held["step"] += 1
    dcp.save(held, checkpoint_id=folder + "/saved")
    seen = held["sizes"][: held["step"]].unique_consecutive().tolist()
    if rank == 0:
        open(folder + "/new", "w").write(repr([held["step"], seen, weight.tolist()]).replace("'", '"'))
        os.replace(folder + "/new", folder + "/seen")
    if seen == [1, 2, 1]:
        break
    time.sleep(0.01)
dist.destroy_process_group()
"""


def launcher(folder, port):
    command = [sys.executable, "-m", "rushlight", "run", "-m", "torch.distributed.run"]
    options = [
        "--nnodes", "1:2", "--rdzv-backend", "c10d", "--rdzv-endpoint", f"localhost:{port}", "--rdzv-id", "x",
        "--local-addr", "localhost", "--rdzv-conf", "last_call_timeout=0.2",
    ]  # fmt: skip
    return subprocess.Popen(
        [*command, *options, str(folder / "train.py"), str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def wait_for_sizes(folder, sizes):
    """Wait until the program has made a step with these numbers of workers, one after the other."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        path = folder / "seen"
        if path.exists() and json.loads(path.read_text())[1] == sizes:
            return
        time.sleep(0.02)
    raise AssertionError(f"no step with {sizes} workers")


def test_a_launcher_comes_and_leaves(tmp_path):
    (tmp_path / "train.py").write_text(TRAINS)
    port = free_port()
    first, second = launcher(tmp_path, port), None
    try:
        wait_for_sizes(tmp_path, [1])
        second = launcher(tmp_path, port)
        wait_for_sizes(tmp_path, [1, 2])
        second.send_signal(signal.SIGTERM)
        said, _ = second.communicate(timeout=30)
        assert second.returncode == 128 + signal.SIGTERM, said
        said, _ = first.communicate(timeout=60)
        assert first.returncode == 0, said
    finally:
        for process in (first, second):
            if process is not None and process.poll() is None:
                process.kill()
                process.communicate()
    steps, sizes, weight = json.loads((tmp_path / "seen").read_text())
    # No step was lost or made twice.
    assert sizes == [1, 2, 1]
    total = sum(0.5 ** (k + 1) for k in range(steps))
    assert weight == pytest.approx([2 * total, 4 * total])


KILLED = """
import os, signal, sys
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.nn.parallel import DistributedDataParallel

folder, stops_at = sys.argv[1], int(sys.argv[2])

def states():
    return dict(zip(("model", "optimizer"), get_state_dict(model, optimizer)))

dist.init_process_group()
rank, attempt = dist.get_rank(), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(3, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
held = states() | {"step": 0}
if os.path.exists(folder + "/.metadata"):
    dcp.load(held, checkpoint_id=folder)
    set_state_dict(
        model, optimizer, model_state_dict=held["model"], optim_state_dict=held["optimizer"]
    )
first = held["step"]
for step in range(first, 6):
    if step == stops_at and rank == 1 and attempt == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    model(torch.arange(3.0) + rank + step).square().sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    dcp.save(states() | {"step": step + 1}, checkpoint_id=folder)
if rank == 0:
    weights = [number for p in model.parameters() for number in p.flatten().tolist()]
    print("ended", attempt, first, *weights, flush=True)
dist.destroy_process_group()
"""


def test_training_goes_on_from_its_checkpoint_when_a_rank_was_killed(tmp_path):
    program, found = tmp_path / "train.py", {}
    program.write_text(KILLED)
    for stops_at in (3, -1):
        command = [sys.executable, "-m", "rushlight", "run", "-m", "torch.distributed.run"]
        options = ["--standalone", "--nproc-per-node", "2", "--max-restarts", "1"]
        ended = subprocess.run(
            [*command, *options, program, str(tmp_path / f"saved {stops_at}"), str(stops_at)],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        (line,) = [line for line in ended.stdout.splitlines() if line.startswith("ended")]
        attempt, first, *weights = map(float, line.split()[1:])
        found[stops_at] = weights
        assert (attempt, first) == ((1, 3) if stops_at == 3 else (0, 0))
    # no step was lost or made twice
    assert found[3] == pytest.approx(found[-1], abs=1e-6)


@pytest.fixture
def meeting():
    store = dist.HashStore()
    times = Times(join_timeout=20, last_call_timeout=0.05, keep_alive_interval=0.05)
    return lambda fewest, most: Meeting(store, "x", fewest, most, 1, times=times)


def joined(*meetings):
    """The places of launchers that join at the same time."""
    places = [None] * len(meetings)

    def join(k):
        places[k] = meetings[k].join()

    threads = [threading.Thread(target=join, args=(k,)) for k in range(len(meetings))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return places


def test_who_comes_late_asks_for_a_round(meeting):
    first, second = meeting(1, 2), meeting(1, 2)
    assert first.join().sizes == [1] and not first.is_over()
    late = threading.Thread(target=second.join)
    late.start()
    while not first.is_over():
        time.sleep(0.01)
    assert first.join().sizes == [1, 1]
    late.join()
    assert first.round == second.round == 1


def test_who_finds_no_room_waits(meeting):
    first, second, third = (meeting(1, 2) for _ in range(3))
    joined(first, second)
    late = threading.Thread(target=third.join)
    late.start()
    time.sleep(0.2)
    assert not first._store.check(["0/over"]) and late.is_alive()
    second.leave()
    assert first.is_over() and len(first.join().sizes) == 2
    late.join()


def test_who_gives_no_sign_of_life_has_gone(meeting, capfd):
    first, second = meeting(1, 2), meeting(1, 2)
    (place, _) = joined(first, second)
    end = time.monotonic() + 20
    while not first.is_over():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert f"launcher {1 - place.number} has gone" in capfd.readouterr().err
    assert first.join().sizes == [1]


def test_nobody_joins_what_has_ended(meeting):
    first = meeting(1, 2)
    first.join()
    first.say_done()
    assert not first.wait_for_others(1, timedelta(seconds=5))
    with pytest.raises(RendezvousClosedError, match="x has ended"):
        meeting(1, 2).join()


def test_a_fixed_number_cannot_go_on_without_one(meeting):
    first, second = meeting(2, 2), meeting(2, 2)
    joined(first, second)
    second.leave()
    assert first.is_over() and first.has_failed()


def test_times_of_a_configuration():
    assert Times.of({"timeout": "7", "is_host": True}) == Times(join_timeout=7)
    assert Times.of({"join_timeout": "5", "timeout": "7"}).join_timeout == 5
