"""`rushlight run`: programs that import torch get rushlight."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rushlight

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


CHILDREN = """
import importlib.metadata, importlib.util, subprocess, sys
import torch

text = "import torch.nn, rushlight, importlib.metadata as m; " \\
    "print(torch is rushlight, torch.nn is rushlight.nn, m.version('torch'))"
print(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout, end="")
print(importlib.metadata.version("torch"), importlib.util.find_spec("torch") is not None)
print(importlib.util.find_spec("torch.nn.functional").origin.endswith("functional.py"))
"""


def test_children_and_metadata(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(CHILDREN)
    done = run("run", str(script))
    assert done.returncode == 0, done.stderr
    version = "2.13.0+rushlight"
    assert done.stdout.splitlines() == [f"True True {version}", f"{version} True", "True"]


def test_the_alias_by_hand():
    program = (
        "import os, sys, rushlight\n"
        "rushlight.install_as_torch()\n"
        "import torch\n"
        "assert torch is rushlight and 'as_torch' in os.environ['PYTHONPATH']\n"
        "assert 'as_torch' in sys.path[1]\n"
        "rushlight.alias.uninstall()\n"
        "assert not any('as_torch' in part for part in sys.path)\n"
        "assert 'torch' not in sys.modules and 'as_torch' not in os.environ.get('PYTHONPATH', '')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_version_is_rushlights_own_until_it_stands_for_torch():
    program = (
        "import subprocess, sys, rushlight\n"
        "assert rushlight.__version__ == '0.2.0', rushlight.__version__\n"
        "rushlight.install_as_torch()\n"
        "import torch\n"
        "assert torch.__version__ == torch.version.__version__ == '2.13.0+rushlight'\n"
        "assert torch.__version__ >= (2, 4)\n"
        "child = 'import torch; print(torch.__name__, torch.__version__)'\n"
        "said = subprocess.check_output([sys.executable, '-c', child], text=True)\n"
        "assert said == 'torch 2.13.0+rushlight\\n', said\n"
        "rushlight.alias.uninstall()\n"
        "assert (rushlight.__name__, rushlight.__version__) == ('rushlight', '0.2.0')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_package_has_the_version_that_it_says():
    source = Path(rushlight.__file__).parent.parent.parent
    project = tomllib.loads((source / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    (where,) = project["tool"]["setuptools"]["dynamic"]["version"].values()
    module, _, name = where.rpartition(".")
    assert getattr(importlib.import_module(module), name) == rushlight.version.own_version
    newest = re.search(r"^## (\S+)", (source / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest[1] == rushlight.version.own_version


def test_the_metadata_has_the_version():
    from rushlight import version

    folder = Path(rushlight.__file__).parent / "_names" / "as_torch"
    (metadata,) = folder.glob("torch-*.dist-info/METADATA")
    assert f"Version: {version.__version__}\n" in metadata.read_text()
    assert metadata.parent.name == f"torch-{version.__version__}.dist-info"


def test_a_function_stays_although_a_module_has_its_name():
    code = (
        "import rushlight; rushlight.install_as_torch()\n"
        "import torch, torch.multiprocessing as mp\n"
        "import torch.multiprocessing.spawn\n"
        "from torch.multiprocessing.spawn import ProcessRaisedException\n"
        "assert callable(mp.spawn) and mp.ProcessRaisedException is ProcessRaisedException\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


FAMILY = """
import concurrent.futures, importlib.metadata, multiprocessing, os, subprocess, sys

def facts(_):
    import torch
    import torch.nn as nn
    import rushlight
    return torch is rushlight, nn is rushlight.nn, importlib.metadata.version("torch")

def check(index, tensor):
    assert facts(0) == FACTS and tensor.tolist() == [1.0, 1.0]

class Data:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        import torch
        assert facts(0) == FACTS
        return torch.tensor(index)

FACTS = (True, True, "2.13.0+rushlight")

if __name__ == "__main__":
    import torch
    import torch.multiprocessing as mp

    way = sys.argv[1]
    context = multiprocessing.get_context(way)
    with context.Pool(1) as pool:
        # The second argument cannot be read before torch is imported.
        assert pool.map(facts, [0, torch.ones(2)]) == [FACTS] * 2
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert list(pool.map(facts, [0])) == [FACTS]
    loader = torch.utils.data.DataLoader(
        Data(), batch_size=2, num_workers=1, multiprocessing_context=way
    )
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3]]
    mp.start_processes(check, args=(torch.ones(2),), nprocs=1, start_method=way)
    subprocess.run([sys.executable, "child.py"], check=True)
    subprocess.run([sys.executable, "-m", "child"], check=True)
    assert sys.path[0] == os.getcwd()
    print("done")
"""


@pytest.mark.parametrize("other", ["another", "none"])
@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_children_of_every_kind(tmp_path, way, other):
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "parent.py").write_text(FAMILY)
    (tmp_path / "program" / "child.py").write_text(
        "import torch, rushlight; assert torch is rushlight"
    )
    (tmp_path / "elsewhere" / "torch").mkdir(parents=True)
    (tmp_path / "elsewhere" / "torch" / "__init__.py").write_text("raise ImportError('another')")
    path = [str(Path(rushlight.__file__).parents[1])]
    if other == "another":
        path.append(str(tmp_path / "elsewhere"))
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "run", "parent.py", way],
        capture_output=True,
        text=True,
        cwd=tmp_path / "program",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
    )
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


NAMES_OF_CLASSES = """
import inspect, io, pickle
import torch
import torch.distributions

assert torch.Tensor.__module__ == "torch", torch.Tensor.__module__
assert repr(type(torch.ones(2).dtype)) == "<class 'torch.dtype'>"
assert torch.nn.Linear.__module__ == "torch.nn.modules.linear"
assert torch.nn.BatchNorm2d.__module__ == "torch.nn.modules.batchnorm"
# Loaded after the alias was put in place.
assert torch.distributions.Normal.__module__ == "torch.distributions.normal"
assert inspect.getsource(torch.distributions.Normal).startswith("class Normal")
layer = torch.nn.Linear(2, 3)
assert torch.equal(pickle.loads(pickle.dumps(layer)).weight, layer.weight)
file = io.BytesIO()
torch.save(layer, file)
file.seek(0)
assert torch.equal(torch.load(file, weights_only=False).weight, layer.weight)

class Own(torch.nn.Module):
    pass

assert Own.__module__ == "__main__"
from rushlight import alias

alias.uninstall()
assert torch.Tensor.__module__.startswith("rushlight"), torch.Tensor.__module__
assert torch.nn.Linear.__module__ == "rushlight.nn.modules.linear"
"""


def test_classes_say_that_they_are_torchs(tmp_path):
    script = tmp_path / "names.py"
    script.write_text(NAMES_OF_CLASSES)
    done = run("run", str(script))
    assert done.returncode == 0, done.stderr


FOUND_BY_IMPORTING = """
import importlib.abc, importlib.machinery, sys
import rushlight
rushlight.install_as_torch()

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name == "torch.fx":
            self.module = rushlight.fx
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        pass

sys.meta_path.insert(0, Finder())
import torch.fx
assert torch.fx is rushlight.fx and torch.fx.proxy.Proxy is torch.fx.Proxy
"""


def test_a_module_that_a_finder_has_imported_is_not_loaded_again():
    subprocess.run([sys.executable, "-c", FOUND_BY_IMPORTING], check=True)
