"""Words of the language for what threads share, and for calls through pointers."""

from __future__ import annotations

import platform
from typing import Any

from rushlight.engine.native.lowlevel.memory import pointer
from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import WORD, let, lifted


def _is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def _word(value: Any) -> str:
    return lifted(value, WORD).name


def invoke(function: Any, *words: Any) -> Any:
    """Call a C function through a pointer; it returns a word."""
    target = pointer(function)
    given = ", ".join(repr(lifted(word)) for word in words)
    return let(WORD, f"call i64 {target.name}({given})")


def atomic_load(address: Any) -> Any:
    return let(WORD, f"load atomic i64, ptr {pointer(address).name} seq_cst, align 8")


def atomic_store(address: Any, value: Any) -> None:
    at = pointer(address)
    here().do(f"store atomic i64 {_word(value)}, ptr {at.name} seq_cst, align 8")


def atomic_add(address: Any, value: Any) -> Any:
    at = pointer(address)
    return let(WORD, f"atomicrmw add ptr {at.name}, i64 {_word(value)} seq_cst")


def swap_if(address: Any, old: Any, new: Any) -> Any:
    """Store ``new`` where ``old`` lies, atomically; whether it lay there."""
    at = pointer(address)
    pair = here().let(f"cmpxchg ptr {at.name}, i64 {_word(old)}, i64 {_word(new)} seq_cst seq_cst")
    return let("i1", f"extractvalue {{ i64, i1 }} {pair}, 1")


def pause() -> None:
    """Tell the core that this is a spin loop."""
    if _is_x86():
        here().call("void", "llvm.x86.sse2.pause")
    else:
        here().do('call void asm sideeffect "yield", ""()')
