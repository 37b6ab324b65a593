"""Models from folders with a `hubconf.py`. Nothing is fetched from the network."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from types import ModuleType
from typing import Any
from urllib.parse import urlparse

from rushlight._names.absent import absent_class

try:
    from tqdm.auto import tqdm
except ImportError:
    tqdm = absent_class(__name__, "tqdm", "progress bars without the package tqdm")

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
    "tqdm",
    "urlparse",
]

_CONFIGURATION = "hubconf.py"
# Files say in their names how their SHA-256 begins.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_chosen: str | None = None


def _get_torch_home() -> str:
    """`TORCH_HOME`, or a folder in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder that holds what was fetched."""
    return _chosen if _chosen is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose the folder."""
    globals()["_chosen"] = os.path.expanduser(os.fspath(d))


def _configuration(folder: str, source: str) -> ModuleType:
    """The module that a source's `hubconf.py` is."""
    if source.lower() != "local":
        raise NotImplementedError(
            f"torch.hub: rushlight fetches nothing from {source}; clone the repository and use "
            "source='local'"
        )
    path = os.path.join(folder, _CONFIGURATION)
    spec = importlib.util.spec_from_file_location("hubconf", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    missing = [
        name
        for name in getattr(module, "dependencies", [])
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _entry(module: ModuleType, name: str) -> Any:
    found = getattr(module, name, None)
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def list(github: str, force_reload: bool = False, source: str = "github", **options: Any) -> Any:
    """The names of the models that a source offers."""
    members = vars(_configuration(github, source))
    return [n for n, v in members.items() if callable(v) and not n.startswith("_")]


def help(
    github: str, model: str, force_reload: bool = False, source: str = "github", **options: Any
) -> Any:
    """What a model's function says of itself."""
    return _entry(_configuration(github, source), model).__doc__


def load(repo_or_dir: str, model: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:
    """A model of a source: what its function of that name gives.

    Args:
        repo_or_dir: the folder
        model: the name of the function
        args: what the function gets
        source: "local"; others raise NotImplementedError
        kwargs: what the function gets by name
    """
    for name in ("trust_repo", "force_reload", "verbose", "skip_validation"):
        kwargs.pop(name, None)
    return _entry(_configuration(repo_or_dir, source), model)(*args, **kwargs)


def download_url_to_file(url: str, dst: str, *args: Any, **kwargs: Any) -> None:
    """Raises: nothing is fetched from the network."""
    raise NotImplementedError(f"torch.hub: rushlight fetches nothing from the network: {url}")


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """A state that was fetched before, from the folder; raises if it is not there.

    Args:
        url: where it would come from
        model_dir: the folder; `checkpoints` in that of the hub if None
        map_location: see `load`
        progress: accepted
        check_hash: accepted
        file_name: the file's name; the last part of the address if None
        weights_only: see `load`
    """
    from rushlight.serialization import load as load_file

    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    path = os.path.join(folder, file_name or url.rpartition("/")[2].partition("?")[0])
    if not os.path.exists(path):
        download_url_to_file(url, path)
    return load_file(path, map_location=map_location, weights_only=weights_only)
