"""Names that come with the first look are listed all the same, and given to `import *`."""

import subprocess
import sys

import rushlight as torch


def test_names_found_later_are_listed():
    assert {"Linear", "Parameter", "functional", "init", "DataParallel"} <= set(dir(torch.nn))
    assert not {"Any", "Tensor", "importlib"} & set(torch.nn.__all__)
    assert {"nn", "optim", "load", "save", "compile", "add"} <= set(dir(torch))
    assert {"cudnn", "mkl"} <= set(dir(torch.backends))
    assert {"data", "checkpoint"} <= set(dir(torch.utils))
    for module in (torch, torch.nn, torch.backends):
        assert [name for name in dir(module) if not hasattr(module, name)] == []


def test_importing_everything():
    source = (
        "from torch.nn import *\n"
        "from torch.nn.modules import *\n"
        "from torch.optim import *\n"
        "from torch.distributions import *\n"
        "assert issubclass(Linear, Module) and functional.relu and Conv2d and SGD and Normal\n"
    )
    command = [sys.executable, "-c", "import rushlight; rushlight.install_as_torch()\n" + source]
    subprocess.run(command, check=True)


def test_errors_of_linear_algebra():
    import rushlight as torch

    assert torch._C._LinAlgError is torch.linalg.LinAlgError
    assert torch.linalg.LinAlgError.__name__ == "_LinAlgError"
