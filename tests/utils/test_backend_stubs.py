"""A back end's list of operators becomes the module that registers its kernels."""

import subprocess
import sys
import types

import pytest

from rushlight.utils import backend_stubs

YAML = """
backend: slate
kernels: slate_kernels
supported:
  - add.Tensor
  - fill_.Scalar
autograd:
  - relu
"""

KERNELS = """
import rushlight as torch
from rushlight.utils import backend_registration as backends

calls = []

def on_host(name, packet):
    def kernel(*args):
        calls.append(name)
        return backends.run_on_cpu(packet, *args)
    return kernel

def add_Tensor(self, other, alpha):
    calls.append("add")
    return backends.run_on_cpu(torch.ops.aten.add.Tensor, self, other, alpha=alpha)

fill__Scalar = on_host("fill_", torch.ops.aten.fill_.Scalar)

class OwnRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        return 7 * grad

def relu(self):
    calls.append("relu")
    return OwnRelu.apply(self)
"""

PROGRAM = """
import ctypes
import rushlight as torch
from rushlight.library import Library
from rushlight.utils import backend_registration as backends

runs = {}
def allocate(nbytes):
    run = (ctypes.c_ubyte * max(nbytes, 1))()
    runs[ctypes.addressof(run)] = run
    return ctypes.addressof(run)

backends.rename_privateuse1_backend("slate")
backends.register_memory(allocate, runs.pop, ctypes.memmove, ctypes.memmove)
others = Library("_", "IMPL", "PrivateUse1")
others.fallback(backends.run_on_cpu)

import registered
import slate_kernels

x = torch.empty(2, device="slate").fill_(-2.0)
assert torch.add(x, x, alpha=2).cpu().tolist() == [-6, -6]
assert slate_kernels.calls[:2] == ["fill_", "add"]
y = torch.ones(2).to("slate").requires_grad_()
torch.relu(y).sum().backward()
assert y.grad.cpu().tolist() == [7, 7] and "relu" in slate_kernels.calls
assert (x * 2).cpu().tolist() == [-4, -4]
"""


def test_kernels_are_registered(tmp_path):
    (tmp_path / "slate.yaml").write_text(YAML)
    (tmp_path / "slate_kernels.py").write_text(KERNELS)
    command = ["slate.yaml", "--output", "registered.py"]
    made = [sys.executable, "-m", "rushlight.utils.backend_stubs", *command]
    subprocess.run(made, check=True, cwd=tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_kernels_to_begin_with(tmp_path):
    source = tmp_path / "slate.yaml"
    source.write_text(YAML)
    stubs, output = tmp_path / "kernels.py", tmp_path / "registered.py"
    backend_stubs.main([str(source), "--stubs", str(stubs), "--output", str(output)])
    made = {}
    exec(stubs.read_text(), made)
    with pytest.raises(NotImplementedError, match=r"add\.Tensor"):
        made["add_Tensor"](1, 2, 1)
    assert "add.Tensor(Tensor self" in made["add_Tensor"].__doc__
    with pytest.raises(SystemExit):
        backend_stubs.main([str(source), "--stubs", str(stubs)])


def test_functions_must_be_there_and_take_what_operators_do():
    kernels = types.ModuleType("slate_kernels")
    kernels.mm = lambda self: None
    with pytest.raises(TypeError) as caught:
        backend_stubs.check(kernels, ["add.Tensor", "mm"])
    assert "slate_kernels must define" in str(caught.value)
    assert "add_Tensor(self, other, alpha)" in str(caught.value)
    assert "mm(self, mat2), not mm(self)" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "expected keys"),
        ("backend: x\nkernels: y\nextra: 1", "unexpected keys: extra"),
        ("kernels: y", 'provide a value for "backend"'),
        ("backend: x\nkernels: y\nsupported: add.Tensor", 'expected "supported" to be a list'),
        ("backend: x\nkernels: y\nsupported: [frobnicate]", "invalid operator name: frobnicate"),
        ("backend: x\nkernels: y\nsupported: [mm]\nautograd: [mm]", r"got both for \['mm'\]"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(ValueError, match=message):
        backend_stubs.parse(text, "x.yaml")
