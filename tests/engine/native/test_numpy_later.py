"""numpy is imported by programs that need it, and by no others."""

import subprocess
import sys

import numpy
import pytest

from rushlight.engine.native import numpy_later


def run(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True)


TRAINING = """
import sys
import rushlight as torch
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters())
x, y = torch.randn(4, 8), torch.tensor([0, 1, 2, 0])
run = torch.compile(model) if {compiled} else model
for _ in range(3):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(run(x), y).backward()
    optimizer.step()
assert "numpy" not in sys.modules
"""


@pytest.mark.parametrize("compiled", [False, True])
def test_a_network_is_trained_without_numpy(compiled):
    run(TRAINING.format(compiled=compiled))


def test_arrays_are_known_once_they_are_there():
    run("""
import sys
import rushlight as torch
for n in range(3):
    assert torch.tensor([1.0, 2.0]).tolist() == [1.0, 2.0]
    assert (torch.ones(2) + 2).sum().item() == 6
assert "numpy" not in sys.modules
import numpy as np
for n in range(4):
    array = np.full(3, n, np.float32)
    over = torch.from_numpy(array)
    array[0] = 7
    assert over.tolist() == [7.0, n, n], over
    assert torch.tensor(array).tolist() == [7.0, n, n]
    assert (torch.ones(3) * np.float32(n)).tolist() == [n] * 3
    back = (over + 1).numpy()
    assert type(back) is np.ndarray and back.tolist() == [8.0, n + 1, n + 1]
""")


def test_a_tensor_becomes_the_first_array():
    run("""
import sys
import rushlight as torch
assert "numpy" not in sys.modules
for n in range(4):
    x = torch.full((2, 2), float(n))
    array = x.numpy()
    array[0, 0] = 9
    assert x.tolist() == [[9.0, n], [n, n]]
""")


def test_values_are_told_apart():
    assert numpy_later.is_array(numpy.zeros(2)) and not numpy_later.is_array([0.0])
    assert numpy_later.is_number(numpy.float32(1)) and not numpy_later.is_number(1.0)
    assert numpy_later.is_a(numpy.int8(1), "floating", "integer")
    assert not numpy_later.is_a(numpy.int8(1), "floating")


def test_without_numpy_nothing_is_of_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy")
    assert not numpy_later.is_array(numpy.zeros(2))


def test_a_name_that_numpy_lacks():
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(numpy_later.np, "no_such_name")  # noqa: B009
