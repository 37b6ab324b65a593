"""Memory that runs out in the middle of a call: a clear error, nothing lost, and the next call right."""

import subprocess
import sys
from pathlib import Path

import exhaustion
import gradient_samples as samples
import pytest

import rushlight as torch
from rushlight.engine.native import memory

# Every operator is tried with its first requests; the program tries all of them.
MOST = 2


@pytest.mark.parametrize("name", samples.names())
def test_samples(name):
    for before in (exhaustion.FIRST, exhaustion.REMEMBERED):
        found, _ = exhaustion.trouble(name, "float64", MOST, before)
        assert not found, "\n".join(found)


# Operators without a gradient, and those that make their own scratch memory.
OTHERS = {
    "sort": lambda x: x.sort(), "unique": lambda x: x.unique(return_inverse=True),
    "nonzero": lambda x: x.nonzero(), "mask": lambda x: x[x > 0.3], "topk": lambda x: x.topk(2),
    "argsort": lambda x: x.argsort(), "bincount": lambda x: (x.flatten() * 4).long().bincount(),
    "histc": lambda x: x.histc(4), "tolist": lambda x: torch.tensor(x.tolist()),
    "arange": lambda x: torch.arange(40),
    "linspace": lambda x: torch.linspace(0, 1, 50), "eye": lambda x: torch.eye(7),
    "one_hot": lambda x: torch.nn.functional.one_hot(x.argmax(0)), "isin": lambda x: torch.isin(x, x[0]),
    "searchsorted": lambda x: torch.searchsorted(x.sort().values, x), "mode": lambda x: x.mode(),
    "histogram": lambda x: x.histogram(4), "svd": lambda x: torch.linalg.svdvals(x),
    "eigvals": lambda x: torch.linalg.eigvals(x[:, :3]).abs().sort().values,
    "fft": lambda x: torch.fft.fft(x).abs(), "stft": lambda x: torch.fft.rfft2(x).abs(),
    "sparse": lambda x: x.to_sparse().to_dense(), "csr": lambda x: x.to_sparse_csr().to_dense(),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x), "cdist": lambda x: torch.cdist(x, x),
    "foreach": lambda x: torch._foreach_add([x, x], 1.0), "in_place": lambda x: x.clone().add_(1),
    "out": lambda x: torch.exp(x, out=torch.empty(0)), "resize": lambda x: x.clone().resize_(1),
    "median": lambda x: x.median(1), "kthvalue": lambda x: x.kthvalue(2),
    "lstm": lambda x: torch.lstm_cell(x, (x, x), x.new_ones(16, 4), x.new_ones(16, 4)),
    "conv": lambda x: torch.conv2d(x[None, None], x[None, None, :2, :2]), "pad": lambda x:
    torch.nn.functional.pad(x[None], (1, 1), mode="reflect"), "interpolate": lambda x:
    torch.nn.functional.interpolate(x[None], scale_factor=2.0), "ctc": lambda x:
    torch.nn.functional.ctc_loss(x[:, None].log_softmax(-1), torch.tensor([[1, 2]]), (3,), (2,)),
    "combinations": lambda x: torch.combinations(x[0]), "quantile": lambda x: x.quantile(0.3),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("before", [exhaustion.FIRST, exhaustion.RECORDED, exhaustion.REMEMBERED])
def test_others(name, before):
    x = torch.tensor([[0.1, 0.5, 0.2, 0.9], [0.3, 0.8, 0.7, 0.4], [0.6, 0.15, 0.25, 0.35]])

    def run():
        made = OTHERS[name](x)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    found, count = exhaustion.trouble_of(name, run, 100, before)
    assert not found, "\n".join(found)
    assert count


def test_the_request_that_fails_is_the_one_that_was_meant():
    for number in (1, 2, 3):
        made = []
        with memory.failing_request(number), pytest.raises(torch.OutOfMemoryError):
            for _ in range(4):
                made.append(torch.empty(5))
        assert len(made) == number - 1
    with memory.failing_request(3):
        torch.empty(5)
        assert not memory.has_failed()


def test_a_backward_pass_can_be_recomputation():
    x = torch.ones(50, requires_grad=True)
    y = (x.exp() * x).sum()
    expected = None
    for number in range(1, 100):
        with memory.failing_request(number):
            try:
                y.backward(retain_graph=True)
            except torch.OutOfMemoryError:
                x.grad = None
                continue
        expected = x.grad
        break
    assert number > 2
    assert torch.allclose(expected, torch.full((50,), 2 * torch.e))


LIMITED = """
import resource, sys
import rushlight as torch

x = torch.ones(1).expand(1 << 29)
small = torch.ones(4)
calls = sys.stdin.read().splitlines()
for call in calls:
    eval(call, {"torch": torch, "x": small})  # compiled and imported before the limit
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), resource.RLIM_INFINITY))
for call in calls:
    for _ in range(3):
        try:
            eval(call, {"torch": torch, "x": x})
        except torch.OutOfMemoryError:
            pass
        else:
            print(call, "needs less than was thought")
    eval(call, {"torch": torch, "x": small})
"""
CALLS = """
x + 1
x.exp()
x.clone()
x.contiguous()
x.cumsum(0)
x.double()
x > 0
x.sort()
x.argsort()
x.unique()
x.histc()
x.nonzero()
x[x > 0]
x.tolist()
x.flip(0)
x.softmax(0)
x.logcumsumexp(0)
x.quantile(0.5) if x.numel() < 9 else x.msort()
torch.fft.fft(x)
torch.cat([x, x])
torch.stack([x, x])
torch.outer(x, x)
torch.rand_like(x)
torch.randn(x.shape)
torch.bernoulli(x)
torch.arange(x.numel())
torch.linspace(0, 1, x.numel())
torch.randperm(x.numel())
torch.bincount(x.long())
torch.nn.functional.one_hot(x.long())
torch.nn.functional.pad(x, (1, 1))
torch.nn.functional.dropout(x)
torch.zeros(x.shape)
torch.eye(x.numel())
torch.tril_indices(x.numel(), 3)
x.new_empty(x.shape).fill_(1)
torch.empty(0).resize_(x.shape[0] * 8) if x.numel() > 9 else x
x.untyped_storage().clone() if x.numel() < 9 else torch.UntypedStorage(x.numel())
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_a_limit_of_the_address_space():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LIMITED],
        input=CALLS.strip(),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


OBJECTS = """
import sys
import _testcapi
import rushlight as torch

x = torch.ones(3, requires_grad=True)
w = torch.ones(3)
m = torch.ones(3, 3, requires_grad=True)
i = torch.tensor([0, 1])
for text in sys.stdin.read().splitlines():
    call = eval("lambda: " + text)
    for _ in range(4):
        expected = call()
    for number in range(30):
        _testcapi.set_nomemory(number, number + 1)
        try:
            call()
        except (MemoryError, torch.OutOfMemoryError, TypeError):
            pass  # Python itself makes a TypeError of an operator that fails before it is called
        finally:
            _testcapi.remove_mem_hooks()
        again = call()
        if isinstance(again, torch.Tensor):
            assert again.equal(expected), text
            assert again.requires_grad == expected.requires_grad, text
"""
SMALL = """
w + w
x + w
x * w
x.exp()
m.t()
m.view(9)
m[1]
m.unbind()
m.max(0)
m.split(1)
w.sort()
w.tolist()
m @ m
w.numpy().shape
w[0].item()
w[i]
w[w > 0]
w.nonzero()
torch.kron(w, w)
torch.zeros(4)
torch.softmax(x, 0)
torch.nn.functional.linear(x, m)
torch.cat([x, w])
x.detach()
torch.tensor([1.0, 2.0])
torch._foreach_add([w, w], 1.0)
torch.autograd.grad((x * w).sum(), x)[0]
torch.from_numpy(w.numpy())
"""


def test_objects_of_python_that_cannot_be_had():
    pytest.importorskip("_testcapi")
    done = subprocess.run(
        [sys.executable, "-c", OBJECTS], input=SMALL.strip(), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
