"""`rushlight run`: programs that import torch get rushlight."""

import subprocess
import sys

PROGRAM = """
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import StepLR
import rushlight

assert torch is rushlight and torch.nn is rushlight.nn and nn.functional is F
assert sys.argv[1:] == ["--epochs", "3"], sys.argv
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = StepLR(optimizer, 2)
x = torch.randn(16, 2)
losses = []
for _ in range(20):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x).squeeze(1), x.sum(1))
    loss.backward()
    optimizer.step()
    schedule.step()
    losses.append(loss.item())
assert losses[-1] < losses[0]
try:
    import torch.no_such_module
except ModuleNotFoundError as error:
    assert "rushlight.no_such_module" in str(error)
else:
    raise AssertionError("a module that is not there was imported")
print("done")
"""


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "rushlight", *arguments], capture_output=True, text=True
    )


def test_a_training_program_runs(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    done = run("run", str(script), "--epochs", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"


def test_a_script_that_is_not_there_is_named():
    done = run("run", "nowhere.py")
    assert done.returncode == 2 and "nowhere.py" in done.stderr


CHILDREN = """
import importlib.metadata, importlib.util, subprocess, sys
import torch

text = "import torch.nn, rushlight, importlib.metadata as m; " \\
    "print(torch is rushlight, torch.nn is rushlight.nn, m.version('torch'))"
print(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout, end="")
print(importlib.metadata.version("torch"), importlib.util.find_spec("torch") is not None)
print(importlib.util.find_spec("torch.nn.functional").origin.endswith("functional.py"))
"""


def test_children_and_metadata(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(CHILDREN)
    done = run("run", str(script))
    assert done.returncode == 0, done.stderr
    version = "2.13.0+rushlight"
    assert done.stdout.splitlines() == [f"True True {version}", f"{version} True", "True"]


def test_the_alias_by_hand():
    program = (
        "import os, rushlight\n"
        "rushlight.install_as_torch()\n"
        "import torch\n"
        "assert torch is rushlight and '_as_torch' in os.environ['PYTHONPATH']\n"
        "rushlight.alias.uninstall()\n"
        "import sys\n"
        "assert 'torch' not in sys.modules and '_as_torch' not in os.environ.get('PYTHONPATH', '')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_metadata_has_the_version():
    from pathlib import Path

    import rushlight
    from rushlight import version

    folder = Path(rushlight.__file__).parent / "_as_torch"
    (metadata,) = folder.glob("torch-*.dist-info/METADATA")
    assert f"Version: {version.__version__}\n" in metadata.read_text()
    assert metadata.parent.name == f"torch-{version.__version__}.dist-info"
