"""Operators as nodes: what transformations of functions (`vmap`, `grad` and their kin) do to fakes below their layers."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any

from rushlight._capture.breaks import Break
from rushlight._capture.recording import SYMBOLIC, Recorder
from rushlight._subclasses.fake_tensor import FakeTensor
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.utils import _pytree as pytree

__all__ = ["noting_operators", "with_callbacks"]


class _Operators(TorchDispatchMode):
    """Notes each operator that is called with fakes.

    Args:
        recorder: writes the graph
        admit: gives the fake of a real tensor
    """

    rank = 1
    is_infra_mode = True

    def __init__(self, recorder: Recorder, admit: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self._recorder, self._admit = recorder, admit

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = pytree.tree_map_only(Tensor, self._known, (tuple(args), dict(kwargs or {})))
        result = func(*args, **kwargs)
        if any(isinstance(leaf, (FakeTensor, *SYMBOLIC)) for leaf in pytree.tree_leaves(result)):
            self._recorder.note_operator(func, args, kwargs, result)
        return result

    def _known(self, value: Any) -> Any:
        fake = value if isinstance(value, FakeTensor) else self._admit(value)
        if self._recorder.node_of(fake) is None:
            raise Break("a tensor is used that the graph does not know")
        return fake


@contextlib.contextmanager
def noting_operators(recorder: Recorder, admit: Callable[[Tensor], Any]) -> Iterator[None]:
    """Within the block nodes are operators, and not the functions that programs call.

    Args:
        recorder: writes the graph
        admit: gives the fake of a real tensor, which is an input of the graph from then on
    """
    before, recorder.notes_operators = recorder.notes_operators, True
    try:
        with contextlib.nullcontext() if before else _Operators(recorder, admit):
            yield
    finally:
        recorder.notes_operators = before


def with_callbacks(value: Any, called_back: Callable[[Any], Any], is_ours: Any) -> Any:
    """A function of the library with others in the place of functions of the program that it holds.

    Args:
        value: the function; anything else is given back
        called_back: gives what stands for a function of the program
        is_ours: whether a function is the library's
    """
    if not isinstance(value, types.FunctionType) or not is_ours(value):
        return called_back(value)
    held = [cell.cell_contents for cell in value.__closure__ or ()]
    made = [with_callbacks(one, called_back, is_ours) for one in held]
    if all(a is b for a, b in zip(held, made)):
        return value
    cells = tuple(map(types.CellType, made))
    copy = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, cells
    )
    copy.__kwdefaults__ = value.__kwdefaults__
    return copy
