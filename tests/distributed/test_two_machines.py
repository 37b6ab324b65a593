"""Programs on two machines: namespaces of Linux stand for them, where the system lets tests make some."""

import importlib.util
import sys
import uuid
from pathlib import Path

import machines
import pytest

from rushlight.distributed.elastic.rendezvous.meeting import free_port

MPIEXEC = machines.hydra()
BY_MPI = pytest.mark.skipif(
    MPIEXEC is None or importlib.util.find_spec("mpi4py") is None,
    reason="there is no mpi4py with MPICH's mpiexec",
)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    made = machines.Machines(tmp_path_factory.mktemp("machines"))
    try:
        made.__enter__()
    except machines.CannotBeMade as error:
        pytest.skip(f"no namespaces: {error}")
    yield made
    made.__exit__()


COLLECTIVES = """
import socket, sys
import rushlight.distributed as dist
import test_collectives as collectives

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
assert size == 4
for part in ("reductions", "moves", "uneven", "layouts", "sparse", "works", "messages", "objects"):
    getattr(collectives, part)(rank, size)
# between machines, and within each
for ranks in ([0, 2], [1, 3], [0, 1], [2, 3]):
    group = dist.new_group(ranks)
    if rank in ranks:
        hosts = [None, None]
        dist.all_gather_object(hosts, socket.gethostname(), group=group)
        within = ranks in ([0, 1], [2, 3])
        assert len(set(hosts)) == (1 if within else 2), hosts
        carrier = group._get_backend(collectives.torch.device("cpu")).transport
        assert type(carrier).__name__ == ("SharedMemoryTransport" if within else "MPITransport")
# in one piece: the starter mixes what processes write
sys.stdout.write(f"ended well {rank} {socket.gethostname()}\\n")
sys.stdout.flush()
dist.destroy_process_group()
"""


@BY_MPI
def test_collectives_go_through_mpi_between_machines(two):
    ended = two.mpiexec(MPIEXEC, 2, [sys.executable, _written(two, COLLECTIVES)])
    assert ended.returncode == 0, ended.stderr
    said = sorted(line for line in ended.stdout.splitlines() if "ended well" in line)
    assert [line.split()[2:] for line in said] == [
        ["0", "left"], ["1", "left"], ["2", "right"], ["3", "right"],
    ]  # fmt: skip


CALLS = """
import os, sys
import rushlight as torch
from rushlight.distributed import autograd, rpc

def host(): return os.uname().nodename
def scaled(tensor, by): return tensor * by
def fails(): raise ValueError("broken on purpose")

rank, size = (int(os.environ.get(f"PMI_{what}", os.environ.get(name))) for what, name in
              (("RANK", "RANK"), ("SIZE", "WORLD_SIZE")))
rpc.init_rpc(f"worker{rank}", rank=rank, world_size=size)
hosts = [rpc.rpc_sync(f"worker{other}", host) for other in range(size)]
assert hosts == ["left", "left", "right", "right"], hosts
other = f"worker{(rank + 2) % size}"
large = torch.arange(1 << 20, dtype=torch.float64) + rank
waiting = [rpc.rpc_async(other, scaled, (large, k)) for k in range(4)]
for k, future in enumerate(waiting):
    assert torch.equal(future.wait(), large * k)
kept = rpc.remote(other, scaled, (torch.ones(3), rank))
assert kept.to_here().tolist() == [rank] * 3 and kept.owner().name == other
try:
    rpc.rpc_sync(other, fails)
except ValueError as error:
    assert "broken on purpose" in str(error) and other in str(error)
else:
    raise AssertionError("nothing was raised")
with autograd.context() as context:
    mine = torch.ones(3, requires_grad=True)
    autograd.backward(context, [rpc.rpc_sync(other, scaled, (mine, 5.0)).sum()])
    assert autograd.get_gradients(context)[mine].tolist() == [5.0] * 3
rpc.shutdown()
sys.stdout.write(f"ended well {rank}\\n")
sys.stdout.flush()
"""


@BY_MPI
def test_calls_go_through_mpi_between_machines(two):
    ended = two.mpiexec(MPIEXEC, 2, [sys.executable, _written(two, CALLS)])
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("ended well") == 4


def _written(two, text):
    path = two.folder / "program.py"
    path.write_text(text)
    return path


MEETS = """
import os, sys
sys.modules["mpi4py"] = None  # as if it were not installed
import torch.distributed as dist
from torch.distributed._stores.leaving import leave

store, rank, size = next(dist.rendezvous("env://"))
store.set(f"from {rank}", os.uname().nodename)
every = [store.get(f"from {other}").decode() for other in range(size)]
refused = ""
try:
    dist.init_process_group("gloo", store=dist.PrefixStore("group", store), rank=rank, world_size=size)
except dist.DistBackendError as error:
    refused = str(error)
sys.stdout.write(f"said {rank} {' '.join(every)} {refused}\\n")
sys.stdout.flush()
leave(store, size, 20)
"""


def _launched(two, name, program, *options):
    command = [sys.executable, "-m", "rushlight", "run", "-m", "torch.distributed.run"]
    return two.start(name, [*command, *options, program], **machines.BY_TCP)


def _on_both(two, text, counts=(2, 2), backend="static"):
    """The launchers of a program on the two machines, each with so many workers."""
    port, place = str(free_port()), machines.ADDRESSES["left"]
    program, both = _written(two, text), []
    for number, name in enumerate(machines.NAMES):
        options = ["--nnodes", "2", "--nproc-per-node", str(counts[number])]
        if backend == "c10d":
            options += ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"{place}:{port}"]
            options += ["--rdzv-id", "x"]
        else:
            options += ["--node-rank", str(number), "--master-addr", place, "--master-port", port]
        both.append(_launched(two, name, program, *options))
    return both


@BY_MPI
@pytest.mark.parametrize("text", [COLLECTIVES, CALLS], ids=["collectives", "calls"])
def test_workers_of_two_launchers_reach_each_other_by_mpi(text, two):
    ended = []
    for process in _on_both(two, text):
        out, error = process.communicate(timeout=90)
        assert process.returncode == 0, error
        ended += [line.split()[2] for line in out.splitlines() if line.startswith("ended well")]
    assert sorted(ended) == ["0", "1", "2", "3"]


KILLED = """
import os, signal
import rushlight as torch
import rushlight.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 3:
    os.kill(os.getpid(), signal.SIGKILL)
dist.all_reduce(torch.ones(1 << 20))
"""


@BY_MPI
def test_a_worker_that_is_killed_ends_those_of_both_machines(two):
    for process, words in zip(
        _on_both(two, KILLED), ("machine have failed: rank 3 (exitcode -9)", "Signal 9 (SIGKILL)")
    ):
        _, error = process.communicate(timeout=90)
        assert process.returncode == 1 and words in error, error


APART = """
import os, sys
import rushlight as torch
import rushlight.distributed as dist

rank = int(os.environ["RANK"])
if rank == 2:
    import mpi4py.MPI
try:
    dist.init_process_group("gloo")
except dist.DistBackendError as error:
    sys.stdout.write(f"said {rank} {error}\\n")
"""


@BY_MPI
def test_who_cannot_join_is_named(two):
    said = {}
    for process in _on_both(two, APART):
        out, error = process.communicate(timeout=90)
        assert process.returncode == 0, error
        said |= {line.split()[1]: line for line in out.splitlines() if line.startswith("said")}
    assert sorted(said) == ["0", "1", "2", "3"]
    for line in said.values():
        assert "go through MPI: rank 2 has begun MPI before, as one of 1 processes" in line


@pytest.mark.parametrize("backend", ["c10d", "static"])
def test_launchers_of_two_machines_meet(backend, two):
    said = []
    for process in _on_both(two, MEETS, (1, 2), backend):
        out, error = process.communicate(timeout=60)
        assert process.returncode == 0, error
        said += [line for line in out.splitlines() if line.startswith("said")]
    assert len(said) == 3
    for line in said:
        hosts, refused = line.split()[2:5], line.split(maxsplit=5)[5]
        assert sorted(hosts) in (["left", "left", "right"], ["left", "right", "right"])
        assert "collectives between machines, or containers, go through MPI" in refused
        assert "rank 0, 1, 2 has no mpi4py: pip install 'rushlight[mpi]'" in refused
        assert "left has rank" in refused and "right has rank" in refused


BY_RAY = """
import os, sys
import ray
import rushlight as torch
import rushlight.distributed as dist
from rushlight.distributed.launcher.ray import RayLauncher

def summed(scale):
    mine = torch.tensor([float(dist.get_rank() + 1)]) * scale
    dist.all_reduce(mine)
    carrier = dist.group.WORLD._get_backend(torch.device("cpu")).transport
    return os.uname().nodename, mine.item(), type(carrier).__name__

ray.init(address=sys.argv[1], log_to_driver=False)
launch = RayLauncher(4, cpus_per_worker=1, strategy="SPREAD")
print("said", *[" ".join(map(str, told)) for told in launch(summed, 10)], sep="\\n", flush=True)
"""


@BY_MPI
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="there is no Ray")
def test_workers_of_ray_on_two_machines(two):
    ray = Path(sys.executable).parent / "ray"
    place = f"{machines.ADDRESSES['left']}:{free_port()}"
    # a cluster that others can reach asks for a word that all of it know
    surroundings = {
        "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid.uuid4().hex, **machines.BY_TCP,
    }  # fmt: skip
    given = [
        "--num-cpus",
        "2",
        "--block",
        "--disable-usage-stats",
        "--object-store-memory",
        "80000000",
    ]
    ways = {
        "left": ["--head", f"--port={place.partition(':')[2]}", "--include-dashboard=false",
                 f"--temp-dir={two.folder}/ray"],
        "right": [f"--address={place}"],
    }  # fmt: skip
    both = [
        two.start(name, [ray, "start", f"--node-ip-address={machines.ADDRESSES[name]}", *way, *given],
                  **surroundings)
        for name, way in ways.items()
    ]  # fmt: skip
    try:
        driver = two.start("left", [sys.executable, _written(two, BY_RAY), place], **surroundings)
        out, error = driver.communicate(timeout=120)
        assert driver.returncode == 0, error
        said, *found = out.splitlines()
        hosts = [line.removesuffix(" 100.0 MPITransport") for line in found]
        # ranks of a machine follow each other, whichever is the first
        assert said == "said" and hosts in (hosts_of("left", "right"), hosts_of("right", "left"))
    finally:
        # what they have started ends with the machines
        for process in both:
            with process:
                process.kill()


def hosts_of(*names):
    return [name for name in names for _ in range(2)]
