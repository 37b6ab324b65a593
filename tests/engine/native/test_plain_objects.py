"""The same programs where generated code may not look into objects."""

import os
import subprocess
import sys

SCRIPT = """
import copy, pickle
import numpy as np
import rushlight as torch
x = torch.arange(12.0).reshape(3, 4)
print((x + 1).tolist(), (x * x).sum().item(), x.t()[1:].tolist(), x.exp().max().item())
print(x.sum(1).tolist(), x.max(1)[1].tolist(), torch.cat([x, x]).shape, x.mul_(2)[0].tolist())
print(torch.tensor([1 + 2j]).conj().tolist(), x.to(torch.int64)[1].tolist(), x._version)
y = torch.empty(3, 4)
torch.add(x, 1, out=y)
print(y[2].tolist(), (x > 3).tolist()[0], x[x > 20].tolist())
x[1] = 0
x[:, 1] = torch.ones(3)
print(x.tolist(), x.mean(0).tolist(), x.cumsum(1)[2].tolist(), x.t()._base is x)
print(pickle.loads(pickle.dumps(x)).tolist(), copy.deepcopy(x).tolist(), np.from_dlpack(x).sum())
print(torch.from_numpy(np.arange(3)), torch.ones(3_000_000).sum().item())
for size in (1 << 50, 1 << 60):
    try:
        torch.empty(size)
    except RuntimeError as error:
        print(type(error).__name__)
"""


def output(**extra):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **extra},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_results_are_the_same():
    assert output(RUSHLIGHT_PLAIN_OBJECTS="1") == output()
