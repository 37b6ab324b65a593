"""Each way of training in two processes has the losses of one process."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("ways_of_training.py")
WAYS = {
    "data_parallel", "fully_sharded", "fully_sharded_data_parallel", "tensor_parallel", "sequence_parallel",
    "pipelined", "by_calls",
}  # fmt: skip


def losses(*command):
    """What the program tells, started by a command that is followed by a module and its options."""
    ended = subprocess.run(
        [*command, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", PROGRAM],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    (told,) = [line for line in ended.stdout.splitlines() if line.startswith("losses ")]
    return json.loads(told.removeprefix("losses "))


def test_losses_are_those_of_one_process():
    found = losses(sys.executable, "-m", "rushlight", "run")
    wanted = found.pop("one process")
    assert len(wanted) == 8 and wanted[-1] < wanted[0] and set(found) == WAYS
    for way, told in found.items():
        assert len(told) == len(wanted), way
        assert max(abs(a - b) for a, b in zip(told, wanted)) < 1e-5, way
