"""What autograd adds to an operator: the step is recorded after the operator has run.

Kernels below never see a history: those that may call other operators get shadows of their
arguments, tensors over the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import derivative_table, forward, saved
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.recording.inplace_part import inplace_function
from rushlight.engine.autograd.recording.unruled import rule_or_stand_in, tensors_in
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import history, steps
from rushlight.engine.dispatch.operator import WATCHED, Operator
from rushlight.engine.dispatch.source import identifier
from rushlight.engine.dispatch.specialise import Rest, Writer


def part(op: Operator, keys: int, writer: Writer, rest: Rest) -> str | Callable[..., Any] | None:
    """What the key adds to an operator."""
    schema = op.schema
    returns_tensors = any(r.type.leaf == "Tensor" for r in schema.returns)
    if not any(a.is_tensor_like for a in schema.arguments) or not returns_tensors:
        return rest()
    if op.autograd_rule is not None:
        return op.autograd_rule(op, below(op, keys))
    if schema.out_arguments:
        lower = below(op, keys)
        return refusing_out(op, lower)
    if schema.mutated and any(r.type.aliases for r in schema.returns):
        return inplace_function(op, below(op, keys))
    given = list(writer.arguments)
    # Who watches answers for tensors, and what is lowered is not the wrapper that has the history.
    answered = keys & (WATCHED | key_bits.LOWERED)
    if not schema.is_view and not answered and not calls_nothing(op, keys):
        for place, argument in enumerate(schema.arguments):
            if argument.is_tensor_like:
                name = writer.fresh(f"plain_{identifier(argument.name)}")
                hide = writer.bind("without_history", steps.without_history)
                writer.line(f"{name} = {hide}({given[place]})")
                writer.arguments[place] = name
    result = rest()
    writer.arguments[:] = given
    rule = rule_or_stand_in(op)
    if rule is None:
        return result
    arguments = ", ".join(given)
    if not schema.is_view:
        writer.line(f"{writer.bind('owned', owned)}({result}, ({arguments},))")
    thread = writer.bind("thread", state.thread)
    note = writer.bind("note_record", steps.Record.note)
    record = writer.bind("record", rule.record)
    first = next(identifier(a.name) for a in schema.arguments if a.is_tensor_like)
    same = f" and {result} is not {first}" if schema.is_view else ""
    with writer.block(f"if {thread}.grad_enabled{same}:"):
        writer.line(f"{record}({result}, {arguments})")
        if keys & key_bits.INFERENCE:
            writer.line(f"{writer.bind('refuse', refuse_inference)}({result})")
        writer.line(f"{note}({record}, ({arguments},), {result})")
    if schema.is_view:
        with writer.block("else:"):
            writer.line(f"{writer.bind('unrecorded_view', unrecorded_view)}({result}, {first})")
    duals = writer.bind("state", state)
    tangents = writer.bind("tangents", forward.tangent_function(op, rule))
    with writer.block(f"if {duals}.duals:"):
        writer.line(f"{tangents}({result}, {arguments})")
    return result


def owned(result: Any, args: Any) -> None:
    """Let results be nobody's views: what a kernel took them from is known to it alone."""
    for item in result if type(result) in (tuple, list) else (result,):
        if item is not None and item._base is not None and all(item is not a for a in args):
            item._base = None


def refuse_inference(result: Any) -> None:
    """Raise if the step that has been recorded keeps a tensor made in inference mode."""
    for item in tensors_in([result]):
        meta = item._autograd_
        if meta is not None and meta.node is not None:
            saved.refuse_inference(meta.node.saved)


def calls_nothing(op: Operator, keys: int) -> bool:
    """Whether the kernel below runs loops only, and so may see tensors with a history."""
    above = keys & ~(key_bits.AUTOGRAD | key_bits.BACKENDS)
    kernel = op.kernels.get(keys & key_bits.BACKENDS)
    return not above and getattr(getattr(kernel, "__self__", kernel), "calls_nothing", False)


def unrecorded_view(result: Any, source: Tensor) -> Any:
    """Mark views that were made while nothing was recorded."""
    made = metas.UNDER_INFERENCE if state.thread.inference else metas.UNDER_NO_GRAD
    if not source._keys_ & key_bits.AUTOGRAD or result is source:
        return result
    base = source if source._base is None else source._base
    wants_grad = metas.requires_grad(base)
    for item in result if type(result) in (tuple, list) else (result,):
        if not item._keys_ & key_bits.AUTOGRAD:
            edge = (nodes.NullNode(item), 0) if wants_grad else None
            item._autograd_ = metas.ViewMeta(item, edge, None, made)
            item._keys_ |= key_bits.AUTOGRAD
    steps.Record.note(unrecorded_view, (source,), result)
    return result


def _unrecorded_words(places: list[int | None], _: Any, result: Any) -> list[int] | None:
    made = metas.UNDER_INFERENCE if state.thread.inference else metas.UNDER_NO_GRAD
    if places[0] is None or type(result) is list:
        return None
    return [id(made), 1, 0, history.UNRECORDED, int(type(result) is tuple), 1, places[0]]


unrecorded_view.machine_words = _unrecorded_words  # type: ignore[attr-defined]


def below(op: Operator, keys: int) -> Callable[..., Any]:
    """What the lower keys do, as a function that is found at the call."""
    lower = keys & ~key_bits.AUTOGRAD
    table = op.table

    def run(*args: Any) -> Any:
        return table[lower](*args)

    return run


# -- operators that write --


def is_in_place(args: Any, count: int) -> bool:
    """Whether an output is an argument too: so in-place operators write, who see to tangents later."""
    return any(out is given for out in args[count:] for given in args[:count])


def refusing_out(op: Operator, lower: Callable[..., Any]) -> Callable[..., Any]:
    """``out=`` cannot be recorded."""
    count = len(op.schema.arguments) - len(op.schema.out_arguments)
    refuses = derivative_table.refuses_out(op)

    def with_out(*args: Any) -> Any:
        if state.duals and not is_in_place(args, count) and forward.has_tangent(args):
            raise NotImplementedError(
                f"Trying to use forward AD with {op.packet_name}_out that does not support it because "
                "it is an out= function"
            )
        if refuses and state.thread.grad_enabled:
            # Whole numbers and truth values have no history that could get lost.
            outs = tensors_in(args[count:])
            is_recorded = any(t._dtype_.category >= dtypes.FLOATING for t in outs)
            for tensor in tensors_in(args):
                if is_recorded and metas.requires_grad(tensor):
                    which = "one of the arguments requires grad"
                    raise RuntimeError(
                        f"{op.packet_name}(): functions with out=... arguments don't support "
                        f"automatic differentiation, but {which}."
                    )
            steps.Unrepeatable.note()
        given = [steps.without_history(a) for a in args[:count]]
        return lower(*given, *args[count:])

    return with_out
