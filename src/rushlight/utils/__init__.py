"""Tools around tensors."""

import importlib
from typing import Any

_MODULES = (
    "_contextlib", "_foreach_utils", "_python_dispatch", "_pytree", "backcompat", "backend_registration", "benchmark", "checkpoint",
    "collect_env", "cpp_extension", "data", "deterministic", "dlpack", "hooks", "kernels", "model_zoo",
    "tensorboard", "weak", "_mode_utils",
)  # fmt: skip


cmake_prefix_path = ""


def set_module(obj: object, mod: str) -> None:
    """Say in which module an object is to be found."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def swap_tensors(t1: Any, t2: Any) -> None:
    """Let each of two tensors be what the other is; who holds one of them holds the other content."""
    from rushlight.utils import _swapping

    _swapping.swap_tensors(t1, t2)


def get_cpp_backtrace(frames_to_skip: int = 0, maximum_number_of_frames: int = 64) -> str:
    """The frames of C++: there are none."""
    return ""


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


_OF_BACKENDS = ("generate_methods_for_privateuse1_backend", "rename_privateuse1_backend")


def __getattr__(name: str) -> Any:
    """A module below this one, imported when it is asked for, or one of its names."""
    if name in _MODULES:
        return importlib.import_module(f"rushlight.utils.{name}")
    if name in _OF_BACKENDS:
        return getattr(importlib.import_module("rushlight.utils.backend_registration"), name)
    raise AttributeError(f"module 'rushlight.utils' has no attribute '{name}'")
