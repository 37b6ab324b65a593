"""`torch.compile` for tensors on a GPU: fused loops, and CUDA graphs of them."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import nn

PROGRAMS = {
    "rows": lambda x, w: torch.softmax((x @ w * 2 + 1).relu(), -1),
    "norm": lambda x, w: nn.functional.layer_norm(nn.functional.gelu(x @ w), (3,)).sum(),
    "rms": lambda x, w: (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * 2) @ w,
    "loss": lambda x, w: nn.functional.cross_entropy(x @ w, torch.tensor([0, 2, 1, 1], device=x.device)),
}  # fmt: skip


@pytest.fixture(autouse=True)
def compiled_anew():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_and_gradients(cuda, name):
    torch.manual_seed(0)
    program = PROGRAMS[name]
    x, w = torch.randn(4, 5), torch.randn(5, 3)
    leaves = [t.clone().requires_grad_() for t in (x, w)]
    there = [t.cuda().requires_grad_() for t in (x, w)]
    wanted, found = program(*leaves), torch.compile(program)(*there)
    torch.testing.assert_close(found.cpu(), wanted, rtol=1e-5, atol=1e-5)
    wanted.sum().backward()
    found.sum().backward()
    for one, other in zip(leaves, there):
        torch.testing.assert_close(other.grad.cpu(), one.grad, rtol=1e-4, atol=1e-5)


def test_what_is_fused_is_one_kernel(cuda):
    x = torch.randn(4, 6, device="cuda")
    program = lambda x: torch.softmax((x * 2 + 1).relu(), -1)
    made = torch.compile(program)
    made(x)
    cuda.launched.clear()
    made(x)
    assert len(cuda.launched) == 1
    cuda.launched.clear()
    program(x)
    assert len(cuda.launched) == 4


def test_graphs_are_replayed(cuda):
    torch.manual_seed(0)
    w = torch.randn(5, 3, device="cuda")
    made = torch.compile(lambda x: (x @ w).relu() + 1, mode="reduce-overhead")
    results = []
    for step in range(6):
        x = torch.full((4, 5), float(step), device="cuda")
        cuda.calls.clear()
        results.append((x, made(x)))
    assert cuda.calls.count("cuGraphLaunch") == 1
    for x, found in results:
        torch.testing.assert_close(found, (x @ w).relu() + 1)


def test_training_with_graphs(cuda):
    def run(mode):
        torch.manual_seed(3)
        net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).cuda()
        step = net if mode is None else torch.compile(net, mode=mode)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for k in range(6):
            x = torch.full((3, 4), k / 6, device="cuda")
            optimizer.zero_grad()
            loss = (step(x) - 1).square().mean()
            loss.backward()
            optimizer.step()
        return loss.item()

    assert run("reduce-overhead") == pytest.approx(run(None), rel=1e-5)


def test_what_cannot_be_recorded_runs_as_it_is(cuda):
    made = torch.compile(lambda x, y: x * 2 + y.sum(), mode="reduce-overhead")
    x, y = torch.ones(3, device="cuda"), torch.ones((), dtype=torch.float32)
    for _ in range(5):
        assert made(x, y).tolist() == [3.0] * 3
