"""`explain`: every layer of a call, from the dispatch keys down to the machine code."""

from __future__ import annotations

import linecache
import sys
import time
from collections.abc import Callable
from types import CodeType
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import call_cache
from rushlight.engine.dispatch.call_cache import recorder, steps
from rushlight.engine.dispatch.call_cache.step import Step
from rushlight.engine.loops import plans
from rushlight.engine.loops.expr import format_expression
from rushlight.engine.native import machine, observe


def explain(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """What a call does, layer by layer, as text.

    The call is made once with every remembered plan forgotten, so that all of it can be watched,
    and then again a number of times for its time.

    Args:
        function: what to call, such as ``torch.add``
        args: its arguments
        kwargs: its keyword arguments
    """
    function(*args, **kwargs)
    plans.forget_all()
    call_cache.forget_calls()
    watched = _Watched()
    with observe.listening(watched.hear):
        outer, recorder.recording.steps = recorder.recording.steps, watched.steps
        sys.setprofile(watched.enter)
        try:
            result = function(*args, **kwargs)
        finally:
            sys.setprofile(None)
            recorder.recording.steps = outer
    seconds = _time_of(lambda: function(*args, **kwargs))
    parts = [
        ("call", _call_text(function, args, kwargs, result)),
        ("keys", _keys_text((*args, *kwargs.values()))),
        ("generated Python", watched.python_text()),
        ("plan", watched.steps_text()),
        *watched.kernel_parts(),
        *_gradient_parts(result),
        ("time", f"{seconds * 1e9:.0f} ns for the call once it is known"),
    ]
    return "\n\n".join(f"== {title} ==\n{text}" for title, text in parts if text)


class _Watched:
    """What happened during the call: generated functions entered, steps noted, kernels built."""

    def __init__(self) -> None:
        self.steps: list[Any] = []
        self.functions: list[CodeType] = []
        self.expressions: list[str] = []
        self.kernels: list[tuple[str, str]] = []

    def hear(self, kind: str, value: Any) -> None:
        if kind == "expression":
            self.expressions.append(format_expression(value))
        elif kind == "ir":
            expression = self.expressions[-1] if self.expressions else ""
            self.kernels.append((expression, value))

    def enter(self, frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        generated = code.co_filename.startswith("<rushlight") or "/engine/generated/" in (
            code.co_filename.replace("\\", "/")
        )
        if event == "call" and generated and code not in self.functions:
            self.functions.append(code)

    def python_text(self) -> str:
        return "\n\n".join(map(_source_of, self.functions))

    def steps_text(self) -> str:
        return "\n".join(map(_step_text, self.steps))

    def kernel_parts(self) -> list[tuple[str, str]]:
        parts: list[tuple[str, str]] = []
        for number, (expression, ir) in enumerate(self.kernels, 1):
            of = f" of kernel {number}" if len(self.kernels) > 1 else ""
            parts += [
                (f"expression{of}", expression),
                (f"LLVM IR{of}", ir.strip()),
                (f"assembly{of}", machine.assembly(ir).strip()),
            ]
        return parts


def _call_text(function: Any, args: Any, kwargs: Any, result: Any) -> str:
    shown = [*map(_value_text, args), *(f"{k}={_value_text(v)}" for k, v in kwargs.items())]
    name = getattr(function, "__name__", repr(function))
    return f"{name}({', '.join(shown)}) -> {_value_text(result)}"


def _value_text(value: Any) -> str:
    if isinstance(value, Tensor):
        sizes = "x".join(map(str, value._size)) or "scalar"
        layout = "" if value._flags & objects.CONTIGUOUS else f" strides {value._stride}"
        return f"{value._dtype._name}[{sizes}]{layout}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_value_text, value))}]"
    return repr(value)


def _keys_text(values: Any) -> str:
    joined = 0
    for value in values:
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(item, Tensor):
                joined |= item._keys
    return ", ".join(keys.names(joined)) or "none (no tensor among the arguments)"


def _gradient_parts(result: Any) -> list[tuple[str, str]]:
    """The recorded step, and the expressions of the kernels that its gradients run."""
    tensors = result if isinstance(result, (tuple, list)) else (result,)
    steps = (
        metas.meta_of(t).node for t in tensors if isinstance(t, Tensor) and metas.requires_grad(t)
    )
    node = next((step for step in steps if step is not None), None)
    if node is None:
        return []
    parts = [("gradient", _step_of_graph(node))]
    expressions = _expressions_of_gradients(node)
    for number, expression in enumerate(expressions, 1):
        which = f" {number}" if len(expressions) > 1 else ""
        parts.append((f"expression of the gradient{which}", expression.strip()))
    return parts


def _step_of_graph(node: Any) -> str:
    """A step's formulas, what it keeps, and where its gradients go."""
    lines = [f"{node.name()}, recorded as step {node.seq}"]
    rule = getattr(node, "rule", None)
    if rule is not None:
        lines += [f"  d {', '.join(f.targets)} = {f.source}" for f in rule.formulas]
        lines.append(f"  keeps {', '.join(name for name, _, _ in rule.kept) or 'nothing'}")
    for number, edge in enumerate(node.edges):
        where = "nowhere" if edge is None else f"{edge[0].name()}, output {edge[1]}"
        lines.append(f"  gradient {number} goes to {where}")
    return "\n".join(lines)


def _expressions_of_gradients(node: Any) -> list[str]:
    """The expressions of the kernels that the step runs for gradients of ones."""
    grads = tuple(
        creation.ones(list(size), dtype) if dtype.category >= dtypes.FLOATING else None
        for size, dtype in node.outputs
    )
    watched = _Watched()
    plans.forget_all()
    call_cache.forget_calls()
    with observe.listening(watched.hear), state.recording(False):
        node.run(grads)
    return list(dict.fromkeys(watched.expressions))


def _source_of(code: CodeType) -> str:
    """The source of a generated function, cut out of its file."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    if not lines:
        return f"{code.co_name} ({code.co_filename})"
    body = [lines[0]]
    for line in lines[1:]:
        if line.strip() and not line.startswith((" ", ")")):
            break
        body.append(line)
    return f"# {code.co_filename.rpartition('/')[2]}\n" + "".join(body).rstrip()


def _step_text(step: Step) -> str:
    match step:
        case steps.Produced(plan=plan):
            made = ", ".join(
                f"{t.dtype._name}{list(t.size)} strides {list(t.stride)}" for t in plan.templates
            )
            return f"new {made}\n" + _loop_text(plan.loop)
        case steps.Written(loop=loop, outputs=count):
            return f"write {count} existing tensor(s)\n" + _loop_text(loop)
        case steps.View(operands=(base, *_), made=made):
            return (
                f"view: sizes {list(made._size)} strides {list(made._stride)} offset "
                f"{made._offset - base._offset:+d}"
            )
        case steps.Same():
            return "the argument itself"
        case steps.Element(made=value):
            return f"read the element {value!r}"
        case _:
            return "a step that is made anew each time"


def _loop_text(loop: Any) -> str:
    if loop is None:
        return "no loop: nothing is written"
    links = getattr(loop, "links", None)
    if links is not None:
        return "\n".join(
            f"{_loop_text(part)}\n  on operands {list(places)}" for part, places in links
        )
    rows = [f"loop over {list(loop.sizes)} (innermost first), kernel at {loop.kernel:#x}"]
    rows += [f"  operand {k}: byte strides {list(s)}" for k, s in enumerate(loop.strides)]
    return "\n".join(rows)


def _time_of(call: Callable[[], Any]) -> float:
    """Seconds per call, the best of a few rounds."""
    call()
    once = time.perf_counter()
    call()
    once = time.perf_counter() - once
    count = max(1, min(10_000, int(0.01 / max(once, 1e-9))))
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best
