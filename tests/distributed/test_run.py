"""Starting programs in several workers, as torchrun does."""

import os
import signal
import subprocess
import sys
import time

import pytest

from rushlight.distributed import run
from rushlight.distributed.elastic.multiprocessing.errors import ChildFailedError
from rushlight.distributed.launcher import LaunchConfig, elastic_launch

SUMS = """
import os, sys
import torch
import torch.distributed as dist
dist.init_process_group()
assert "rushlight" in torch.__file__
mine = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(mine)
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "TORCHELASTIC_RESTART_COUNT")
words = ["said", *(os.environ[name] for name in names), str(int(mine)), *sys.argv[1:]]
# in one piece: others write to the same pipe
sys.stdout.write(" ".join(words) + "\\n")
dist.destroy_process_group()
"""

FAILS = """
import os, sys, time
from torch.distributed.elastic.multiprocessing.errors import record

@record
def main():
    if os.environ["RANK"] == "1" and int(os.environ["TORCHELASTIC_RESTART_COUNT"]) < int(sys.argv[1]):
        raise ValueError("broken on purpose")
    if os.environ["RANK"] == "0" and int(os.environ["TORCHELASTIC_RESTART_COUNT"]) < int(sys.argv[1]):
        time.sleep(30)
    sys.stdout.write("ended well\\n")

main()
"""


def launched(tmp_path, text, *options, arguments=(), wait=True):
    script = tmp_path / "train.py"
    script.write_text(text)
    command = [sys.executable, "-m", "rushlight", "run", "-m", "torch.distributed.run"]
    process = subprocess.Popen(
        [*command, *options, str(script), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    if not wait:
        return process
    out, error = process.communicate(timeout=60)
    return process.returncode, out, error


def said(out):
    return sorted(line for line in out.splitlines() if "said" in line)


def test_workers_find_each_other(tmp_path):
    code, out, error = launched(
        tmp_path, SUMS, "--standalone", "--nproc-per-node", "2", arguments=["--lr", "1"]
    )
    assert code == 0, error
    assert said(out) == ["said 0 0 2 2 0 0 3 --lr 1", "said 1 1 2 2 0 0 3 --lr 1"]


def test_a_master_that_is_told(tmp_path):
    port = str(run_port())
    code, out, error = launched(tmp_path, SUMS, "--nproc_per_node=2", "--master_port", port)
    assert code == 0, error
    assert len(said(out)) == 2


def run_port():
    from rushlight.distributed.elastic.rendezvous.meeting import free_port

    return free_port()


@pytest.mark.parametrize("backend", ["c10d", "static"])
def test_two_launchers_meet(backend, tmp_path):
    port = run_port()
    both = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = ["--nnodes", "2", "--nproc-per-node", str(number + 1)]
        if backend == "c10d":
            options += ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"localhost:{port}"]
            options += ["--rdzv-id", "x", "--local-addr", "localhost"]
        else:
            options += ["--node-rank", str(number), "--master-port", str(port)]
        both.append(launched(folder, SUMS, *options, wait=False))
    texts = []
    for process in both:
        out, error = process.communicate(timeout=60)
        assert process.returncode == 0, error
        texts += said(out)
    assert len(texts) == 3
    assert sorted(line.split()[1] for line in texts) == ["0", "1", "2"]
    assert {line.split()[3] for line in texts} == {"3"} and {line.split()[7] for line in texts} == {
        "6"
    }


def test_a_failure_is_told_with_its_traceback(tmp_path):
    start = time.monotonic()
    code, _, error = launched(
        tmp_path, FAILS, "--standalone", "--nproc-per-node", "2", "--log-dir", str(tmp_path / "logs"),
        arguments=["1"],
    )  # fmt: skip
    assert code == 1 and time.monotonic() - start < 25
    assert "train.py FAILED" in error and "rank      : 1 (local_rank: 1)" in error
    assert "ValueError: broken on purpose" in error and "in main" in error
    (found,) = (tmp_path / "logs").glob("*/attempt_0/1/error.json")
    assert "broken on purpose" in found.read_text()


def test_workers_are_started_again(tmp_path):
    code, out, error = launched(
        tmp_path, FAILS, "--standalone", "--nproc-per-node", "2", "--max-restarts", "2",
        arguments=["2"],
    )  # fmt: skip
    assert code == 0, error
    assert out.count("ended well") == 2
    assert "rank 1 failed" in error and "0 restarts are left" in error


def test_logs(tmp_path):
    logs = tmp_path / "logs"
    code, out, error = launched(
        tmp_path, SUMS, "--standalone", "--nproc-per-node", "2", "--log-dir", str(logs), "-r", "0:1",
        "-t", "1:1",
    )  # fmt: skip
    assert code == 0, error
    assert [line.partition(" ")[0] for line in said(out)] == ["[default1]:said"]
    for rank in (0, 1):
        (log,) = logs.glob(f"*/attempt_0/{rank}/stdout.log")
        assert log.read_text().startswith(f"said {rank}")


SLEEPS = """
import os, sys, time
place = os.path.join(sys.argv[1], os.environ["RANK"])
with open(place + ".part", "w") as file:
    file.write(str(os.getpid()))
os.rename(place + ".part", place + ".pid")
time.sleep(60)
"""


def pids_of_workers(folder, count):
    """The processes of the workers, when all have begun."""
    end = time.monotonic() + 30
    while len(list(folder.glob("*.pid"))) < count and time.monotonic() < end:
        time.sleep(0.05)
    return [int(path.read_text()) for path in folder.glob("*.pid")]


def is_running(pid):
    """Whether a process is there; one that nobody has asked how it ended is not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until_none_runs(pids, seconds=20):
    end = time.monotonic() + seconds
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(is_running, pids))


def test_the_end_of_the_launcher_is_that_of_the_workers(tmp_path):
    process = launched(
        tmp_path, SLEEPS, "--standalone", "--nproc-per-node", "2", arguments=[str(tmp_path)], wait=False
    )  # fmt: skip
    pids = pids_of_workers(tmp_path, 2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode not in (0, None) and len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Linux tells children of the end")


@ON_LINUX
@pytest.mark.parametrize("streams", [(), ("--tee", "3")])
def test_workers_end_with_a_launcher_that_is_killed(streams, tmp_path):
    process = launched(
        tmp_path, SLEEPS, "--standalone", "--nproc-per-node", "2", *streams, arguments=[str(tmp_path)],
        wait=False,
    )  # fmt: skip
    pids = pids_of_workers(tmp_path, 2)
    process.kill()
    process.communicate(timeout=20)
    assert len(pids) == 2 and until_none_runs(pids)


LAUNCHES = """
from rushlight.distributed.launcher import LaunchConfig, elastic_launch
import test_run
import sys

if __name__ == "__main__":
    elastic_launch(LaunchConfig(1, 1, 2, max_restarts=0), test_run.sleeping)(sys.argv[1])
"""


def sleeping(folder):
    sys.argv = ["sleeping", folder]
    exec(SLEEPS, {})


@ON_LINUX
def test_functions_end_with_a_launcher_that_is_killed(tmp_path):
    script = tmp_path / "launches.py"
    script.write_text(LAUNCHES)
    paths = [os.path.dirname(__file__), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    pids = pids_of_workers(tmp_path, 2)
    process.kill()
    process.wait(timeout=20)
    assert len(pids) == 2 and until_none_runs(pids)


def doubled(number):
    return number * 2 + int(os.environ["RANK"])


def failing():
    raise ValueError("on purpose")


def test_functions():
    config = LaunchConfig(min_nodes=1, max_nodes=1, nproc_per_node=2, max_restarts=0)
    assert elastic_launch(config, doubled)(5) == {0: 10, 1: 11}
    with pytest.raises(ChildFailedError, match="ValueError: on purpose") as raised:
        elastic_launch(config, failing)()
    assert raised.value.get_first_failure()[0] in (0, 1)


def test_command_lines():
    args = run.parse_args(["--nnodes=1:4", "--nproc_per_node", "3", "-m", "a.b", "--lr", "1"])
    config, command, given = run.config_from_args(args)
    assert (config.min_nodes, config.max_nodes, config.nproc_per_node) == (1, 4, 3)
    assert command == sys.executable and given == ["-u", "-m", "a.b", "--lr", "1"]
    args = run.parse_args(["--no-python", "x"])
    assert run.config_from_args(args)[1:] == ("x", [])
    for wrong, error in [
        (["--nproc-per-node", "gpu", "x"], ValueError),
        (["--nproc-per-node", "few", "x"], ValueError),
        (["--nnodes", "2:1", "x"], AssertionError),
        (["--rdzv-backend", "etcd", "x"], ValueError),
    ]:
        with pytest.raises(error):
            run.config_from_args(run.parse_args(wrong))


def test_options_in_the_environment(monkeypatch):
    monkeypatch.setenv("PET_NPROC_PER_NODE", "7")
    monkeypatch.setenv("PET_MODULE", "1")
    args = run.parse_args(["x"])
    assert args.nproc_per_node == "7" and args.module
