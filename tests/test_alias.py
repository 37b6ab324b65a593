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
