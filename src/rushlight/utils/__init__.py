"""Tools around tensors."""

import importlib
from types import ModuleType

_MODULES = (
    "_contextlib", "_python_dispatch", "_pytree", "backcompat", "benchmark", "checkpoint",
    "collect_env", "cpp_extension", "data", "deterministic", "dlpack", "hooks", "model_zoo", "tensorboard",
)  # fmt: skip


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


def __getattr__(name: str) -> ModuleType:
    """A module below this one, imported when it is asked for."""
    if name in _MODULES:
        return importlib.import_module(f"rushlight.utils.{name}")
    raise AttributeError(f"module 'rushlight.utils' has no attribute '{name}'")
