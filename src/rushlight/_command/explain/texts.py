"""What a call did, as text: its arguments, keys, steps and gradients."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from types import CodeType
from typing import Any, NamedTuple

from rushlight._command.explain.watching import Watched
from rushlight.engine.autograd import meta as metas
from rushlight.engine.calls import creation
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.call_cache.step import Step
from rushlight.engine.dispatch.operator import Operator


class PlanLine(NamedTuple):
    """A line about a step: which kernel it names, by address, or which operand of a kernel."""

    text: str
    kernel: int = 0
    operand: int | None = None


def call_text(function: Any, args: Any, kwargs: Any, result: Any) -> str:
    shown = [*map(value_text, args), *(f"{k}={value_text(v)}" for k, v in kwargs.items())]
    name = getattr(function, "__name__", repr(function))
    return f"{name}({', '.join(shown)}) -> {value_text(result)}"


def value_text(value: Any) -> str:
    """An argument or a result in few words."""
    if isinstance(value, Tensor):
        sizes = "x".join(map(str, value._size_)) or "scalar"
        layout = "" if value._flags_ & objects.CONTIGUOUS else f" strides {value._stride_}"
        return f"{value._dtype_._name}[{sizes}]{layout}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(value_text, value))}]"
    return repr(value)


def keys_text(values: Any) -> str:
    joined = 0
    for value in values:
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(item, Tensor):
                joined |= item._keys_
    return ", ".join(keys.names(joined)) or "none (no tensor among the arguments)"


def gradient_parts(result: Any) -> list[tuple[str, str]]:
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

    def run() -> None:
        with state.recording(False):
            node.run(grads)

    watched = Watched()
    watched.listen(run)
    return list(dict.fromkeys(watched.expressions))


def source_of(code: CodeType) -> list[str]:
    """The source of a generated function, cut out of its file; empty if there is none."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    body = lines[:1]
    for line in lines[1:]:
        if line.strip() and not line.startswith((" ", ")")):
            break
        body.append(line)
    return "".join(body).rstrip().splitlines()


def file_of(code: CodeType) -> str:
    """The name of the file that a generated function is in, or how the dispatcher calls it."""
    return code.co_filename.rpartition("/")[2]


def schema_text(op: Operator) -> str:
    """An operator's schema, under its full name."""
    return f"{op.full_name}{op.schema_text[op.schema_text.index('(') :]}"


def step_lines(step: Step) -> list[PlanLine]:
    """What a step does, and its loops with their operands."""
    match step:
        case steps.Produced(plan=plan):
            made = ", ".join(
                f"{t.dtype._name}{list(t.size)} strides {list(t.stride)}" for t in plan.templates
            )
            return [PlanLine(f"new {made}"), *_loop_lines(plan.loop)]
        case steps.Written(loop=loop, outputs=count):
            return [PlanLine(f"write {count} existing tensor(s)"), *_loop_lines(loop)]
        case steps.View(operands=(base, *_), made=made):
            return [
                PlanLine(
                    f"view: sizes {list(made._size_)} strides {list(made._stride_)} offset "
                    f"{made._offset_ - base._offset_:+d}"
                )
            ]
        case steps.Same():
            return [PlanLine("the argument itself")]
        case steps.Element(made=value):
            return [PlanLine(f"read the element {value!r}")]
        case _:
            kind = type(step)
            return [PlanLine(f"{kind.__name__}: {(kind.__doc__ or '').partition(chr(10))[0]}")]


def _loop_lines(loop: Any, indent: str = "") -> list[PlanLine]:
    if loop is None:
        return [PlanLine("no loop: nothing is written")]
    if hasattr(loop, "links"):
        return _inner_lines(loop.links, indent)
    sizes = f"{list(loop.sizes)} (innermost first)"
    text = f"{indent}loop over {sizes}, kernel at {loop.kernel:#x}"
    rows = [PlanLine(text, loop.kernel)]
    rows += [
        PlanLine(f"{indent}  operand {k}: byte strides {list(s)}", operand=k)
        for k, s in enumerate(loop.strides)
    ]
    if loop.inner:
        rows.append(PlanLine(f"{indent}  at each index:"))
    return rows + _inner_lines(loop.inner, indent + "    ")


def _inner_lines(links: Sequence[tuple[Any, Sequence[int]]], indent: str) -> list[PlanLine]:
    """The loops of a chain, each with the positions of its operands."""
    return [
        line
        for part, places in links
        for line in (
            *_loop_lines(part, indent),
            PlanLine(f"{indent}  on operands {list(places)}"),
        )
    ]
