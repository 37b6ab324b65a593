"""How a call flows through transformations: each operator, level by level, from the innermost layer down."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from rushlight._command.explain import texts
from rushlight._command.explain.watching import is_generated
from rushlight.engine.autograd import backward
from rushlight.engine.autograd import meta as metas
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache, layers
from rushlight.engine.dispatch.operator import Operator, Table
from rushlight.engine.transforms import procedures
from rushlight.engine.transforms.batch import Batch
from rushlight.engine.transforms.differentiation import Differentiation
from rushlight.engine.transforms.functionalization import Functionalize

_PROCESSES = {c.process.__code__ for c in (Batch, Differentiation, Functionalize)}
_BACKWARD = backward.run_backward.__code__


def flow_text(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """What layers do to the operators of a call; nothing if there are none."""
    flow = _Flow()
    call_cache.forget_calls()
    # Calls are made in Python each time, so that each is seen.
    state.busy(+1)
    sys.setprofile(flow.hear)
    try:
        function(*args, **kwargs)
    finally:
        sys.setprofile(None)
        state.busy(-1)
    return "\n".join(flow.lines) if flow.layers else ""


class _Flow:
    """The lines of a call that is being watched."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.layers: dict[int, str] = {}
        # Where the lines are of the calls that layers are processing, and the frames that do.
        self.open: list[tuple[FrameType, int]] = []
        # The operator that the program has called.
        self.asked: Operator | None = None

    def hear(self, frame: FrameType, event: str, result: Any) -> None:
        code = frame.f_code
        if event == "call":
            if code in _PROCESSES:
                self.begin(
                    frame.f_locals["self"], frame.f_locals["op"], frame.f_locals["values"], frame
                )
            elif code is _BACKWARD and state.thread.layers:
                self.lines.append("the backward pass")
            elif self.open and not state.thread.layers and is_generated(code):
                self.reach(frame, code)
        elif event == "return" and self.open and self.open[-1][0] is frame:
            self.end(frame.f_locals["self"], frame.f_locals["op"], result)

    def begin(self, layer: layers.Layer, op: Operator, values: Any, frame: FrameType) -> None:
        self.layers[layer.level] = layer.kind
        if not self.open:
            self.lines.append(op.full_name)
            self.asked = op
        self.open.append((frame, len(self.lines)))
        name = "" if op is self.asked else op.base_name
        self.lines.append(f"  {layer.level} {layer.kind.lower():<6} {name}{_shown(op, values)}")

    def end(self, layer: layers.Layer, op: Operator, result: Any) -> None:
        _, place = self.open.pop()
        facts = _facts(layer, op, result)
        self.lines[place] += f" -> {texts.value_text(result)}{f'   {facts}' if facts else ''}"

    def reach(self, frame: FrameType, code: CodeType) -> None:
        """A call has come to the dispatcher."""
        tables = [frame.f_globals.get(name) for name in code.co_names]
        op = next((table.op for table in tables if isinstance(table, Table)), None)
        if op is None or (frame.f_back is not None and is_generated(frame.f_back.f_code)):
            return
        values = [frame.f_locals[name] for name in code.co_varnames[: code.co_argcount]]
        self.lines.append(f"    {'calls':<6} {op.base_name}{_shown(op, values)}")


def _shown(op: Operator, values: Any) -> str:
    """Arguments, without those at the end that are as they are where nothing is said."""
    shown = list(values)
    for argument in reversed(op.schema.arguments[: len(shown)]):
        if argument.is_tensor_like or not argument.has_default or shown[-1] != argument.default:
            break
        shown.pop()
    return f"({', '.join(map(texts.value_text, shown))})"


def _facts(layer: layers.Layer, op: Operator, result: Any) -> str:
    """What a layer did to a call."""
    if isinstance(layer, Batch):
        return procedures.reason(op)
    first = result[0] if isinstance(result, (tuple, list)) and result else result
    if isinstance(first, Tensor) and metas.requires_grad(first):
        node = metas.meta_of(first).node
        return f"records {node.name()}" if node is not None else ""
    return ""
