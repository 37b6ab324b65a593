"""A call of a function, captured as one graph."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from rushlight._capture import segments, tracebacks
from rushlight._capture.breaks import Uncapturable
from rushlight._capture.frames import Frame, bound, read
from rushlight._capture.reading import has_no_hooks
from rushlight._capture.rebuilding import Rebuilder
from rushlight._capture.varying import History
from rushlight._dynamo import config, eval_frame
from rushlight._dynamo.exc import Unsupported
from rushlight.engine.dispatch.source import define
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn import Module

__all__ = ["Whole", "get_traced_fn", "refused"]


class Whole:
    """A call of a function as one graph.

    Args:
        target: the function or module
        args: its arguments
        kwargs: and those by name
        dynamic: whether sizes are symbols; integers are none
    """

    def __init__(
        self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic: bool = False
    ) -> None:
        target = getattr(target, "_torchdynamo_orig_callable", target)
        if isinstance(target, eval_frame.OptimizedModule):
            target = target._orig_mod
        self.target = target
        self.args, self.kwargs = args, kwargs
        self.frames = frames_of(target, args, kwargs)
        try:
            with config.patch(specialize_int=True):
                self._found = segments.interpreted(self.frames, dynamic, History())
        except Uncapturable as refusal:
            raise Unsupported(str(refusal)) from None
        self.capturing, self.reader = self._found.capturing, self._found.reader
        self.recorder = self._found.recorder
        if not self.capturing.is_done:
            raise Unsupported(f"the function is not one graph: {self._found.reason}")

    def inputs(self) -> list[Any]:
        """The program's tensors that are inputs of the graph."""
        known = {f"O{k}": item for k, item in enumerate(self.reader.objects)}
        return [eval(source, {**known, "F": self.frames}) for source in self.recorder.inputs]

    def around(
        self,
    ) -> tuple[Callable[[Any], Any], Callable[[Any, Any], Any], list[Node]]:
        """What is done around the graph.

        Returns:
            a function of the frames of a call, which gives the graph's inputs; one of the frames and of the graph's
            results, which gives what the function does; and which nodes are the graph's results
        """
        rebuilder = Rebuilder(self.reader, self.recorder)
        try:
            rebuilt = segments.rebuilding(self._found, rebuilder)
        except Uncapturable as refusal:
            raise Unsupported(str(refusal)) from None
        lines = [
            "def inputs(F):",
            f"    return {segments.given(self.recorder)}",
            "def rebuild(F, G):",
            *(f"    {line}" for line in rebuilt),
            "return inputs, rebuild",
        ]
        text = "def functions():\n" + "".join(f"    {line}\n" for line in lines)
        names = segments.known_names(self.reader)
        inputs, rebuild = define("functions", text, names, tracebacks.SEGMENT)()
        return inputs, rebuild, rebuilder.outputs


def get_traced_fn(target: Any) -> tuple[types.FunctionType, Any]:
    """The function whose call a call of something is, and its first argument, if that is not the caller's.

    Args:
        target: a function, a method, a module, or an object that can be called
    """
    if isinstance(target, Module) and not isinstance(target, GraphModule):
        kind: Any = type(target)
        if kind.__call__ is not Module.__call__:
            target = types.MethodType(kind.__call__, target)
        elif has_no_hooks(target):
            target = target.forward
    if isinstance(target, types.MethodType) and isinstance(target.__func__, types.FunctionType):
        return target.__func__, target.__self__
    if isinstance(target, types.FunctionType):
        return target, None
    return eval_frame.called, target


def frames_of(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Frame]:
    """The frames of a call that begins."""
    function, owner = get_traced_fn(target)
    if not read(function.__code__).is_known:
        raise Unsupported(f"the bytecode of {function.__qualname__} cannot be captured")
    given = args if owner is None else (owner, *args)
    named = bound(function, given, kwargs, function.__defaults__, function.__kwdefaults__)
    return [Frame(function, named, function.__closure__ or ())]


# Why graphs end where a trace with symbols goes on.
_OF_ELEMENTS = (": a call of ", "DynamicOutputShape", "DataDependentOutput", "a branch on a tensor")


def refused(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise `Unsupported` if a call cannot be captured as one graph.

    Questions that only elements answer are no reason: who traces with symbols has answers for them.
    """
    try:
        Whole(target, args, kwargs)
    except Unsupported as error:
        if not any(asked in str(error) for asked in _OF_ELEMENTS):
            raise
