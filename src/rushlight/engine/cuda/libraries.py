"""NVIDIA's libraries, by their C interfaces: found in NVIDIA's wheels, or where the system has them.

`use` puts another object in the place of one of them, as `driver.use` does for the driver.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

Described = TypeVar("Described", bound="Descriptions")


class Library(NamedTuple):
    """Where a library is.

    Args:
        title: what it is called
        package: the wheel that has it
        names: what its file is called, the newest version first
        needs: files of other wheels that are opened before it, if they are there
    """

    title: str
    package: str
    names: tuple[str, ...]
    needs: tuple[str, ...] = ()


_PRODUCTS = ("libcublasLt.so.13", "libcublasLt.so.12")
KNOWN = {
    "cufft": Library("cuFFT", "nvidia-cufft-cu12", ("libcufft.so.12", "libcufft.so.11")),
    "cusolver": Library(
        "cuSOLVER", "nvidia-cusolver-cu12", ("libcusolver.so.12", "libcusolver.so.11"),
        ("libnvJitLink.so.13", "libnvJitLink.so.12", *_PRODUCTS, "libcublas.so.13", "libcublas.so.12", "libcusparse.so.12"),
    ),
    "cublas": Library("cuBLAS", "nvidia-cublas-cu12", ("libcublas.so.13", "libcublas.so.12"), _PRODUCTS),
    "cublasLt": Library("cuBLASLt", "nvidia-cublas-cu12", _PRODUCTS),
    "cudnn": Library(
        "cuDNN", "nvidia-cudnn-cu12", ("libcudnn.so.9",), (*_PRODUCTS, "libcublas.so.13", "libcublas.so.12")
    ),
    "cusparse": Library(
        "cuSPARSE", "nvidia-cusparse-cu12", ("libcusparse.so.12",), ("libnvJitLink.so.13", "libnvJitLink.so.12")
    ),
    "nccl": Library("NCCL", "nvidia-nccl-cu12", ("libnccl.so.2",)),
    # It comes with the driver.
    "nvml": Library("NVML", "", ("nvidia-ml.dll",) if sys.platform == "win32" else ("libnvidia-ml.so.1",)),
    "nvtx": Library("NVTX", "nvidia-nvtx-cu12", ("libnvToolsExt.so.1",)),
}  # fmt: skip

_loaded: dict[str, Any] = {}
# What libraries know their state on a device by, with the library that has made it.
_handles: dict[tuple[str, int], tuple[Any, int]] = {}


def find(name: str) -> Any:
    """A library; None if it is not installed."""
    if name not in _loaded:
        _loaded[name] = _opened(KNOWN[name])
    return _loaded[name]


def use(name: str, replacement: Any) -> None:
    """Call another object in the place of a library; None looks for it anew."""
    if replacement is None:
        _loaded.pop(name, None)
    else:
        _loaded[name] = replacement


def needed(name: str, operator: str) -> Any:
    """A library that an operator calls; what has to be installed is in the error."""
    found = find(name)
    if found is None:
        known = KNOWN[name]
        raise NotImplementedError(
            f"Could not run '{operator}' with arguments from the 'CUDA' backend: it calls {known.title}, "
            f"which is not installed. `pip install {known.package}` brings it. The operator runs on the CPU."
        )
    return found


def call(name: str, function: str, *arguments: Any) -> None:
    """Call a function of a library; what it reports is raised."""
    found = code(name, function, *arguments)
    if found:
        raise failure(name, found, function)


def code(name: str, function: str, *arguments: Any) -> int:
    """Call a function of a library; what it reports, 0 if all went well."""
    return int(getattr(find(name), function)(*arguments))


def handle(name: str, create: str, device: int) -> int:
    """A library's handle for a device, which is the current one; made by a function when it is first asked for."""
    owner, found = _handles.get((name, device), (None, 0))
    if owner is not find(name):
        place = ctypes.c_void_p()
        call(name, create, ctypes.byref(place))
        found = place.value or 0
        _handles[name, device] = find(name), found
    return found


class Descriptions:
    """What a library has described, which ends with this object, or with a block that it is for.

    Args:
        name: the library
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._made: list[tuple[str, int]] = []
        self._end = weakref.finalize(self, _give_back, find(name), self._made)
        self._end.atexit = False

    def __enter__(self: Described) -> Described:
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()

    def new(self, create: str, destroy: str, *facts: Any, before: Sequence[Any] = ()) -> int:
        """What a function makes; its arguments are those ``before`` the address of its result, and facts behind it."""
        place = ctypes.c_void_p()
        call(self.name, create, *before, ctypes.byref(place), *facts)
        self._made.append((destroy, place.value or 0))
        return place.value or 0

    def end(self, made: int) -> None:
        """Give one of them back now."""
        (found,) = (one for one in self._made if one[1] == made)
        self._made.remove(found)
        _give_back(find(self.name), [found])


def _give_back(library: Any, made: list[tuple[str, int]]) -> None:
    for destroy, place in made:
        getattr(library, destroy)(ctypes.c_void_p(place))


def failure(name: str, code: int, function: str) -> RuntimeError:
    """The error for what a function of a library has reported."""
    return RuntimeError(f"{KNOWN[name].title} error {code}, reported by {function}")


def entry_point(name: str, function: str) -> int:
    """The address of a function of a library."""
    return int(ctypes.cast(getattr(find(name), function), ctypes.c_void_p).value or 0)


def _opened(known: Library) -> Any:
    for name in known.needs:
        for other in _in_wheels(name):
            _try(other)
    for name in known.names:
        for file in [*_in_wheels(name), name]:
            found = _try(file)
            if found is not None:
                return found
    return None


def _try(file: str) -> Any:
    """A library; None if it cannot be opened. Others that are opened later find what it has."""
    try:
        return ctypes.CDLL(file, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None


def _in_wheels(name: str) -> list[str]:
    """Files that NVIDIA's wheels have put beside each other: a folder for each, or one for a version of CUDA."""
    spec = importlib.util.find_spec("nvidia")
    roots = spec.submodule_search_locations if spec is not None else None
    # What is computed on the CPU loads this file, too.
    import glob

    folders = [os.path.join(glob.escape(root), "*", "lib") for root in roots or ()]
    return [file for folder in folders for file in glob.glob(os.path.join(folder, name))]
