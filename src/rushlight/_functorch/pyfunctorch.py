"""Transformations that run, as rules of operators that take functions get them."""

from __future__ import annotations

from typing import Any

from rushlight._C._functorch import CInterpreter, TransformType, peek_interpreter_stack
from rushlight.engine.dispatch import layers

__all__ = [
    "FuncTorchInterpreter",
    "retrieve_current_functorch_interpreter",
    "temporarily_pop_interpreter_stack",
]


class FuncTorchInterpreter:
    """The innermost transformation.

    Args:
        cptr: what PyTorch's compiled part shows of it
    """

    def __init__(self, cptr: CInterpreter) -> None:
        self._cptr = cptr

    def level(self) -> int:
        """Its place among transformations, from 1."""
        return self._cptr.level()

    def key(self) -> TransformType:
        """What it is."""
        return self._cptr.key()

    def lower(self) -> Any:
        """A block that runs as the code around the transformation would."""
        return temporarily_pop_interpreter_stack()


def temporarily_pop_interpreter_stack() -> Any:
    """A block that runs as the code around the innermost transformation would."""
    return layers.lowered()


def retrieve_current_functorch_interpreter() -> FuncTorchInterpreter:
    """The innermost transformation; AssertionError if there is none."""
    found = peek_interpreter_stack()
    if found is None:
        raise AssertionError("interpreter must not be None")
    return FuncTorchInterpreter(found)
