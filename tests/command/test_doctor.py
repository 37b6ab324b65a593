"""`rushlight doctor`: the names of torch that a program uses, without running it."""

import subprocess
import sys

from rushlight._command import doctor

PROGRAM = """
import torch, torch.nn as nn
from torch.nn import functional as F
from torch.utils.data import DataLoader as Loader
import numpy as np

raise SystemExit("this was run")

def train(x):
    torch.cuda.is_available()
    torch.Tensor.no_such_method
    layer = nn.Linear(2, 3)
    layer.weight.whatever
    return F.relu(torch.fft.rfft(x)) + torch.no_such_function(x) + np.zeros(3)
"""


def test_names_are_found():
    names = doctor.names_used(PROGRAM)
    assert names["torch.nn.functional.relu"] == 1
    assert names["torch.utils.data.DataLoader"] == 1
    assert names["torch.nn.Linear"] == 1 and names["torch.no_such_function"] == 1
    assert not any("numpy" in name for name in names)


def test_names_are_looked_up():
    assert doctor.known_part("torch.nn.Linear.weight") == ("torch.nn.Linear", True)
    assert doctor.known_part("torch.utils.data.DataLoader") == (
        "torch.utils.data.DataLoader",
        True,
    )
    assert doctor.known_part("torch.nowhere.at.all") == ("torch.nowhere", False)
    assert doctor.known_part("torch.Tensor.no_such_method")[1] is False


def test_the_command(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    command = [sys.executable, "-m", "rushlight", "doctor"]
    done = subprocess.run([*command, str(script)], capture_output=True, text=True)
    assert done.returncode == 1 and "this was run" not in done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "torch.no_such_function  (missing)" in lines[1] + lines[2]
    assert lines[-1].endswith("2 missing")
    script.write_text("import torch\ntorch.ones(3)\n")
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "2 names, 0 missing"
    done = subprocess.run([*command, "nowhere.py"], capture_output=True, text=True)
    assert done.returncode == 2 and "nowhere.py" in done.stderr
