"""What everybody does first, each thing once: a few seconds that tell whether anything works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def test_arithmetic_and_views() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    for _ in range(4):
        assert (x * 2 + 1).T.tolist() == [[1, 7], [3, 9], [5, 11]]
        assert x[:, 1:].sum(0).tolist() == [5, 7]
        assert torch.cat([x, x[:1]]).shape == (3, 3)
    np.testing.assert_allclose((x @ x.T).numpy(), x.numpy() @ x.numpy().T)
    x[0] = 7
    assert x.max().item() == 7 and x.dtype is torch.float32


def test_gradients() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(4):
        w.grad = None
        (w.exp() * w).sum().backward()
        assert w.grad is not None
        torch.testing.assert_close(w.grad, w.exp() * (1 + w))
    (second,) = torch.autograd.grad(
        torch.autograd.grad((w**3).sum(), w, create_graph=True)[0].sum(), w
    )
    assert second.tolist() == [6, 12]


def test_a_network_learns() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = torch.randn(8, 1, 8, 8), torch.arange(8) % 2
    losses = []
    for _ in range(15):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 4


def test_batches_of_a_data_set() -> None:
    data = torch.utils.data.TensorDataset(torch.arange(10), torch.arange(10) ** 2)
    batches = list(torch.utils.data.DataLoader(data, batch_size=4))
    assert [len(x) for x, _ in batches] == [4, 4, 2]
    assert batches[1][1].tolist() == [16, 25, 36, 49]


def test_files_come_back(tmp_path: Path) -> None:
    layer = nn.Linear(3, 2)
    torch.save(layer.state_dict(), tmp_path / "layer.pt")
    other = nn.Linear(3, 2)
    other.load_state_dict(torch.load(tmp_path / "layer.pt"))
    assert torch.equal(other.weight, layer.weight)


def test_sizes_that_vary() -> None:
    for n in (3, 5, 8, 13, 21, 34, 55, 89, 144):
        x = torch.arange(float(n))
        assert x.softmax(0).sum().item() == pytest.approx(1)
        assert x[x > 1].numel() == n - 2


def test_errors_say_what_was_wrong() -> None:
    with pytest.raises(RuntimeError, match="size of tensor a"):
        torch.ones(2) + torch.ones(3)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.ones(2).sum().backward()


def test_a_program_that_imports_torch_runs(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import torch\nprint(torch.ones(2, 2).sum().item(), torch.__name__)\n")
    command = [sys.executable, "-m", "rushlight", "run", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "4.0"
