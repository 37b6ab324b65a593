"""Kernels of loops for a GPU: written when they are first needed, kept on disk by what decides their text."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.engine.cuda.kernels import Kernel
from rushlight.engine.loops.kernels import writers
from rushlight.engine.loops.ptx_text import ptx
from rushlight.engine.native import object_cache
from rushlight.engine.native.digest import digest


def described_kernel(label: str, description: str, write: Callable[[], str]) -> Kernel:
    """The kernel that a description tells from all others.

    Args:
        label: what messages call it
        description: what decides its text
        write: gives its IR
    """

    def text(processor: str, features: str) -> str:
        name = digest(f"ptx|{processor}{features}|{description}|{writers()}".encode()).hex()
        kept = object_cache.load(name)
        if kept is not None:
            return kept.decode()
        made = ptx(write(), processor, features)
        object_cache.store(name, made.encode())
        return made

    return Kernel(label, text)
