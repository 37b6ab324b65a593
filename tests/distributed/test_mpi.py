"""The same collectives by MPI, where mpi4py and mpiexec are installed."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MPIEXEC = shutil.which(
    "mpiexec", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
)
NEEDS = pytest.mark.skipif(
    MPIEXEC is None or importlib.util.find_spec("mpi4py") is None, reason="there is no MPI"
)
PROGRAM = """
import rushlight.distributed as dist
import test_collectives as collectives
from test_combinations import combinations
dist.init_process_group({given})
rank, size = dist.get_rank(), dist.get_world_size()
assert size == {size}
for part in {parts}:
    getattr(collectives, part)(rank, size)
if {every} is not None:
    combinations(rank, size, {every})
own, _ = dist.new_subgroups(1)
some = dist.new_group([0, 2])
if rank in (0, 2):
    collectives.torch.manual_seed(0)
    mine = collectives.torch.ones(3)
    dist.all_reduce(mine, group=some)
    assert mine.tolist() == [2, 2, 2]
print("ended well", rank, flush=True)
dist.destroy_process_group()
"""


def started(size, given, *parts, every=None):
    program = PROGRAM.format(size=size, given=given, parts=parts, every=every)
    folder = str(Path(__file__).parent)
    paths = [folder, *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [MPIEXEC, "-n", str(size), sys.executable, "-c", program],
        capture_output=True, text=True, timeout=240,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@NEEDS
def test_collectives_by_mpi():
    ended = started(
        4,
        "'mpi'",
        "reductions",
        "moves",
        "uneven",
        "layouts",
        "sparse",
        "works",
        "messages",
        "objects",
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("ended well") == 4


@NEEDS
def test_combinations_by_mpi(every_sample):
    ended = started(4 if every_sample else 3, "'mpi'", every=every_sample)
    assert ended.returncode == 0, ended.stderr


@NEEDS
def test_ranks_are_found_under_mpiexec():
    ended = started(3, "'gloo'", "objects", "works")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("ended well") == 3


def test_without_mpi_it_is_said_what_to_install(monkeypatch):
    import rushlight.distributed as dist

    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(RuntimeError, match=r"rushlight\[mpi\]"):
        dist.init_process_group("mpi")
