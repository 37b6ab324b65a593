"""Building blocks of networks."""

from typing import Any

from rushlight.engine.native.garbage import import_module
from rushlight.nn import functional as functional

_MODULES = (
    "attention", "common_types", "functional", "grad", "init", "intrinsic", "modules", "parallel",
    "parameter", "qat", "quantized", "utils",
)  # fmt: skip
# Where the classes are.
_HOMES = ("parameter", "modules", "parallel")


def __getattr__(name: str) -> Any:
    """Modules and their classes come with the first look at one of them."""
    if name == "__all__":
        return _public_names()
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _MODULES or name == "_reduction":
        return import_module(f"rushlight.nn.{name}")
    for where in _HOMES:
        found = getattr(import_module(f"rushlight.nn.{where}"), name, None)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(f"module 'rushlight.nn' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_public_names()})


def _public_names() -> list[str]:
    """What `from torch.nn import *` gives."""
    names = set(_MODULES)
    for where in _HOMES:
        names.update(import_module(f"rushlight.nn.{where}").__all__)
    return sorted(names)
