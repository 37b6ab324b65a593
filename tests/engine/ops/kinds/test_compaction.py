"""When results whose size elements decide are planned for machine code."""

import subprocess
import sys

import pytest

CALLS = {
    "nonzero": "(x > 1).nonzero()",
    "columns": "torch.stack(torch.where(x > 1))",
    "rows": "x[x > 1]",
    "runs": "torch.unique_consecutive(x)",
    "repeats": "x.repeat_interleave(x)",
    "classes": "torch.nn.functional.one_hot(x)",
}
# A process of its own has seen no such call.
PROGRAM = """
import rushlight as torch
from rushlight.engine.ops.kinds import compaction

plan, planned, counts, results = compaction.Sized, [], [], []
compaction.Sized = lambda *a, **k: planned.append(a) or plan(*a, **k)
x = torch.arange(23) % 7
for _ in range(3):
    results.append(CALL)
    counts.append(len(planned))
print(counts, torch.equal(results[2], results[0]))
"""


@pytest.mark.parametrize("name", CALLS)
def test_the_second_call_is_planned(name):
    program = PROGRAM.replace("CALL", CALLS[name])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[0, 1, 1] True\n"
