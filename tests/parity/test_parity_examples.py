"""The examples print the same losses as under PyTorch, dropout and shuffling included."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# enough steps of each for more than fifty
ARGUMENTS = {
    "char_gpt.py": ["--steps", "61", "--letters", "40"],
    "digits_mlp.py": ["--epochs", "3"],
    "digits_resnet.py": ["--epochs", "3"],
    "lstm_verses.py": ["--epochs", "3"],
    "gan_ring.py": ["--steps", "61"],
    "spirals.py": [],
}
# is started by torch.distributed.run
IN_PROCESSES = "char_gpt_processes.py"
WAYS_OF_TRAINING = Path(__file__).parents[1] / "distributed" / "ways_of_training.py"


def needs(name: str) -> set[str]:
    """The packages, beyond torch, that an example imports."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    return ({"tqdm"} if "progress" in text else set()) | (
        {"sklearn"} if "sklearn" in text else set()
    )


def printed(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=500,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def losses(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"loss ([-+.\de]+)", text)]


def test_every_example_is_run():
    programs = {path.name for path in EXAMPLES.glob("*.py")}
    assert programs - {"progress.py", IN_PROCESSES} == set(ARGUMENTS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_losses_are_pytorchs(name, tmp_path):
    pytest.importorskip("torch")
    for package in needs(name):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    program = [str(EXAMPLES / name), *ARGUMENTS[name]]
    wanted = losses(printed(program, tmp_path))
    found = losses(printed(["-m", "rushlight", "run", *program], tmp_path))
    assert len(found) == len(wanted) >= 4
    for ours, theirs in zip(found, wanted, strict=True):
        assert math.isclose(ours, theirs, rel_tol=1e-4)


def test_losses_of_several_processes_are_pytorchs(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("tqdm")
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    program = [str(EXAMPLES / IN_PROCESSES), "--steps", "31", "--letters", "0"]
    wanted = losses(printed([*launch, *program], tmp_path))
    found = losses(printed(["-m", "rushlight", "run", *launch, *program], tmp_path))
    assert len(found) == len(wanted) == 4
    for ours, theirs in zip(found, wanted, strict=True):
        assert math.isclose(ours, theirs, rel_tol=1e-5)


def test_losses_of_every_way_of_training_in_processes_are_pytorchs(tmp_path):
    pytest.importorskip("torch")
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    told = [
        printed([*before, *launch, str(WAYS_OF_TRAINING)], tmp_path)
        for before in ([], ["-m", "rushlight", "run"])
    ]
    wanted, found = (json.loads(re.search("^losses (.*)$", text, re.M).group(1)) for text in told)
    assert found.keys() == wanted.keys() and len(found) == 8
    for way, theirs in wanted.items():
        assert found[way] == pytest.approx(theirs, rel=1e-5), way
