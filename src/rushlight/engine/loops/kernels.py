"""Where the machine code of a kernel is, by what decides its text.

Writing a text takes milliseconds, and a process that finds the code on disk needs none. So kernels
that are functions of the kernel language are known by their facts (element type, letters …), by the
processor, and by the code that would write the text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from functools import cache, lru_cache

from rushlight.engine.loops.target import host_target
from rushlight.engine.native import lowlevel, machine, observe
from rushlight.engine.native.digest import digest
from rushlight.engine.native.fingerprint import code_in


def kernel_address(write: Callable[..., str], *facts: Hashable) -> int:
    """The address of the kernel whose text ``write(*facts)`` is, for this processor."""
    if observe.is_heard():
        return machine.address(write(*facts))
    return _address(write, *facts)


# 0 and False are different facts.
@lru_cache(maxsize=None, typed=True)
def _address(write: Callable[..., str], *facts: Hashable) -> int:
    said = f"{write.__name__}{facts}|{host_target()}|{_source_of(write.__code__.co_filename)}"
    return described_address(said, lambda: write(*facts))


def described_address(description: str, write: Callable[[], str]) -> int:
    """The address of a kernel that a description tells from all others of this processor."""
    if observe.is_heard():
        return machine.address(write())
    identity = f"{description}|{writers()}"
    return machine.library(write, ("KERNEL",), identity=identity)["KERNEL"]


@cache
def writers() -> str:
    """What the texts of kernels are written by."""
    folders = (os.path.dirname(__file__), os.path.dirname(lowlevel.__file__))
    return digest(b"".join(map(code_in, folders))).hex()


@cache
def _source_of(path: str) -> str:
    """What is written in a file."""
    with open(path, "rb") as file:
        return digest(file.read()).hex()
