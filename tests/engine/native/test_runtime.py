"""Of the run-time system, a process compiles what nearly all programs need, as one object."""

import subprocess
import sys

TRAINING = """
import rushlight as torch
from rushlight.engine.native import runtime
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(16, 4), torch.arange(16) % 2
for _ in range(3):
    loss = torch.nn.functional.cross_entropy(model(x)[:, :2], y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    assert x[0].tolist() and float(loss.detach()) > 0
module = runtime.module
print(*sorted(set(module._addresses) - {f.name for f in module.entries}))
print(len(module.functions) > 2 * len(module.entries))
"""


def test_what_usual_programs_ask_for_is_one_object() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRAINING], check=True, capture_output=True, text=True
    )
    assert done.stdout.split("\n")[:2] == ["", "True"]
