"""What programs and tests use beside the back end: caches that are empty, and the code that was made."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import rushlight
from rushlight._inductor import compile_fx

__all__ = [
    "clear_caches",
    "clear_inductor_caches",
    "fresh_cache",
    "fresh_inductor_cache",
    "run_and_get_code",
]

_FOLDER = "RUSHLIGHT_CACHE_DIR"


@contextlib.contextmanager
def fresh_cache(
    cache_entries: dict[str, Any] | None = None, dir: str | None = None, delete: bool = True
) -> Iterator[None]:
    """A block with a folder of kernels that is empty when it begins.

    Args:
        cache_entries: gets the files that were written, with their sizes
        dir: where the folder is made
        delete: whether it goes at the end
    """
    clear_caches()
    before = os.environ.get(_FOLDER)
    folder = tempfile.mkdtemp(dir=dir)
    os.environ[_FOLDER] = folder
    try:
        yield
        if cache_entries is not None:
            for place, _, files in os.walk(folder):
                cache_entries.update({f: os.path.getsize(os.path.join(place, f)) for f in files})
    finally:
        if before is None:
            del os.environ[_FOLDER]
        else:
            os.environ[_FOLDER] = before
        if delete:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)


def clear_caches() -> None:
    """Forget what was compiled in this process."""
    rushlight._dynamo.reset()


fresh_inductor_cache, clear_inductor_caches = fresh_cache, clear_caches


def run_and_get_code(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, list[str]]:
    """What a compiled function gives, and the code of the graphs of loops that were made for it.

    Args:
        fn: the function
        args: its arguments
        kwargs: those with names
    """
    codes: list[str] = []

    def listen(graph: Any) -> None:
        codes.append(graph.code)

    compile_fx.listeners.append(listen)
    rushlight._dynamo.reset()
    try:
        return fn(*args, **kwargs), codes
    finally:
        compile_fx.listeners.remove(listen)
