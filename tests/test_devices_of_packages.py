"""A device that a package adds: `examples/toy_device`, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight as torch
from rushlight.utils import backend_registration

PACKAGE = Path(__file__).parent.parent / "examples" / "toy_device"


def run(program, *paths, **environment):
    """Run a program for which packages lie in some folders."""
    search = os.pathsep.join([*map(str, paths), *sys.path])
    set_up = {**os.environ, "PYTHONPATH": search, **environment}
    made = subprocess.run(
        [sys.executable, "-c", f"import rushlight as torch\n{program}"],
        env=set_up, capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return made.stdout.split()


def test_the_package_is_short():
    assert len((PACKAGE / "toy_device" / "__init__.py").read_text().splitlines()) < 200


def test_memory_and_kernels_of_its_own():
    program = """
import gc, toy_device
x = torch.full((2, 3), 2.0, device="toy")
assert x.is_toy and x.device == torch.device("toy") and x.untyped_storage().data_ptr() < 1 << 20
assert ((x * x) + x).cpu().tolist() == [[6.0] * 3] * 2 and toy_device.CALLS["mul.Tensor"] == 1
assert (x.t() @ x).tolist() == [[8.0] * 3] * 3 and x.view(3, 2)[1:].sum().item() == 8
used = toy_device.arena.used
y = x.clone()
assert toy_device.arena.used > used
del y; gc.collect()
assert toy_device.arena.used == used
assert torch.toy is toy_device and torch.get_device_module("toy") is toy_device
assert torch.accelerator.current_accelerator() == torch.device("toy")
assert torch.accelerator.device_count() == 1
"""
    run(program, PACKAGE)


def test_all_other_operators_run_on_the_cpu():
    program = """
import toy_device
def on(device):
    torch.manual_seed(0)
    x = torch.arange(12.0, device=device).view(3, 4)
    x[1] += 100
    x.t()[2].zero_()
    x[torch.tensor([0, 2], device=device), 1] = -1
    yield x
    yield torch.linspace(0, 1, 3, device=device)
    yield torch.randperm(5, device=device)
    yield x[x > 3].cumsum(0).softmax(0)
    yield torch.sort(x, 1, descending=True).values
    out = torch.empty(0, device=device)
    yield torch.add(x, 1, out=out)
    yield out
    yield torch.tril_indices(3, 3, device=device)
    yield torch.nn.functional.conv1d(x[None], torch.ones(2, 3, 2, device=device))
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.LayerNorm(3)).to(device)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(net(x / 100), torch.tensor([0, 1, 2], device=device))
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    yield from net.parameters()
for here, there in zip(list(on("cpu")), list(on("toy")), strict=True):
    assert there.device.type == "toy"
    torch.testing.assert_close(here, there.cpu())
try:
    torch.ones(1, device="toy").numpy()
except TypeError as error:
    assert "Tensor.cpu()" in str(error)
assert torch.nn.Linear(1, 1).toy().weight.is_toy
"""
    run(program, PACKAGE)


def installed(folder):
    """What an installer leaves of the package's metadata."""
    made = folder / "toy_device-0.1.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-device\nVersion: 0.1\n")
    (made / "entry_points.txt").write_text("[torch.backends]\ntoy = toy_device:load\n")
    return folder


def test_packages_are_found_by_their_entry_points(tmp_path):
    program = "print(torch.ones(2, device='toy').sum().item())"
    assert run(program, PACKAGE, installed(tmp_path)) == ["2.0"]
    unknown = """
try: torch.ones(2, device='toy')
except RuntimeError as error: print('Expected one of' in str(error))
"""
    off = run(unknown, PACKAGE, tmp_path, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert off == ["True"]


def test_names_come_once():
    program = """
torch.utils.rename_privateuse1_backend("toy")
torch.utils.rename_privateuse1_backend("toy")
print(torch._C._get_privateuse1_backend_name())
torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
assert not torch.ones(1).is_toy and not torch.ones(1).untyped_storage().is_toy
for wrong in (
    lambda: torch.utils.rename_privateuse1_backend("other"),
    torch.utils.generate_methods_for_privateuse1_backend,
    lambda: torch._register_device_module("nothing", torch),
    lambda: torch.ones(1).toy(device="cpu"),
):
    try: wrong()
    except RuntimeError as error: print(str(error).split()[0])
"""
    assert run(program) == [
        "toy", "torch.register_privateuse1_backend()", "The", "Expected", "Invalid",
    ]  # fmt: skip


def test_without_a_device():
    assert torch.accelerator.current_accelerator() is None and not torch.accelerator.is_available()
    with pytest.raises(AttributeError):
        backend_registration.nothing  # noqa: B018
