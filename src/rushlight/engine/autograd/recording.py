"""What autograd adds to an operator: the step is recorded after the operator has run.

Kernels below never see a history: those that may call other operators get shadows of their
arguments, tensors over the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import forward, inplace, rules, saved
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import history, state
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
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
    if not schema.is_view and not calls_nothing(op, keys):
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


def recorded(op: Operator, result: Any, args: Any) -> Any:
    """Give a result that was computed earlier the history of a call that would compute it now."""
    rule = rule_or_stand_in(op)
    if rule is None or not state.thread.grad_enabled:
        return result
    return rule.record(result, *args)


def refuse_inference(result: Any) -> None:
    """Raise if the step that has been recorded keeps a tensor made in inference mode."""
    for item in tensors_in([result]):
        meta = item._autograd
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
    if not source._keys & key_bits.AUTOGRAD or result is source:
        return result
    base = source if source._base is None else source._base
    wants_grad = metas.requires_grad(base)
    for item in result if type(result) in (tuple, list) else (result,):
        if not item._keys & key_bits.AUTOGRAD:
            edge = (nodes.Nowhere(item), 0) if wants_grad else None
            item._autograd = metas.ViewMeta(item, edge, None, made)
            item._keys |= key_bits.AUTOGRAD
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


def rule_or_stand_in(op: Operator) -> Any:
    """The rule of an operator, or one whose steps raise when a gradient reaches them."""
    if rules.is_declared_nondifferentiable(op):
        return None
    found = rules.rule_for(op)
    if found is not None:
        return found
    return Unruled(op)


class Unruled:
    """Records steps that no rule describes; differentiating them raises."""

    only_floating = True

    def __init__(self, op: Operator) -> None:
        self.op = op

    def users(self, name: str) -> list[int]:
        return []

    def make(self, result: Any, *args: Any) -> nodes.Node | None:
        edges = [metas.edge_of(t) for t in tensors_in(args)]
        if not any(edges):
            return None
        what = f"{self.op.namespace}::{self.op.packet_name}"
        node = nodes.NotImplementedNode(what, tuple(edges))
        outputs = result if type(result) in (tuple, list) else (result,)
        node.outputs = tuple(nodes.describe(r) for r in outputs if isinstance(r, Tensor))
        return node

    def record(self, result: Any, *args: Any) -> Any:
        outputs = result if type(result) in (tuple, list) else (result,)
        floats = [
            r for r in outputs
            if isinstance(r, Tensor) and r._dtype.category >= dtypes.FLOATING
            and all(r is not a for a in args)
        ]  # fmt: skip
        node = self.make(result, *args) if floats else None
        if node is not None:
            for place, item in enumerate(floats):
                metas.set_edge(item, (node, place))
        return result


def tensors_in(values: Any) -> list[Tensor]:
    """The tensors among arguments, lists opened."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif type(value) in (list, tuple):
            found += tensors_in(value)
    return found


# -- operators that write --


def refusing_out(op: Operator, lower: Callable[..., Any]) -> Callable[..., Any]:
    """``out=`` cannot be recorded."""
    count = len(op.schema.arguments) - len(op.schema.out_arguments)
    refuses = rules.refuses_out(op)

    def with_out(*args: Any) -> Any:
        if refuses and state.thread.grad_enabled:
            # Whole numbers and truth values have no history that could get lost.
            outs = tensors_in(args[count:])
            is_recorded = any(t._dtype.category >= dtypes.FLOATING for t in outs)
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


def inplace_function(op: Operator, lower: Callable[..., Any]) -> Callable[..., Any]:
    """An in-place operator that is recorded."""
    rule = rule_or_stand_in(op)
    place = next(i for i, a in enumerate(op.schema.arguments) if a.is_write)
    changes_geometry = "inplace_view" in op.tags
    users = [] if rule is None else rule.users(identifier(op.schema.arguments[place].name))
    rewrite = None if rule is None else change_recorder(rule, place)

    def may_record(target: Any) -> bool:
        # An operator that has no gradient leaves the history of what it changes as it is.
        if rule is None:
            return False
        return not rule.only_floating or target._dtype.category >= dtypes.FLOATING

    def run(*args: Any) -> Any:
        target: Any = args[place]
        recording = state.thread.grad_enabled
        if not recording and not state.duals:
            result = lower(*args)
            if changes_geometry:
                follow_shape(target)
            return result
        records = recording and may_record(target) and has_history(args)
        for tensor in tensors_in([target]) if rule is not None else ():
            inplace.check_inplace(tensor, records)
        has_duals = state.duals > 0 and forward.has_tangent(args)
        given = args
        wanted = records and any(map(metas.requires_grad, tensors_in([args[k] for k in users])))
        if wanted or (users and has_duals):
            original = inplace.original_of(target)
            given = (*args[:place], original, *args[place + 1 :])
        elif changes_geometry and (records or has_duals):
            before = saved.with_edge(target, metas.edge_of(target))
            given = (*args[:place], before, *args[place + 1 :])
        others = [t for t in tensors_in(given) if t is not given[place]]
        is_plain = records and not (has_duals or changes_geometry) and isinstance(rule, rules.Rule)
        is_plain = is_plain and all(t._storage is not target._storage for t in others)
        if is_plain and all(map(has_certain_edge, (target, *others))):
            steps.Changed.note(target, tuple(dict.fromkeys(others)))
        elif recording:
            steps.Unrepeatable.note()
        if records:
            # Edges are those from before, also of the target.
            metas.edge_of(target)
            # The write is no part of what the other arguments have behind them.
            given = tuple(a if a is given[place] else inplace.as_of_now(a, target) for a in given)
        result = quietly(lower, args)
        if records and changes_geometry and target._dtype.category < dtypes.FLOATING:
            raise rules.whole(target)
        if records and changes_geometry and target._base is not None:
            node = rule.make(target, *given)
            if node is not None:
                saved.refuse_inference(node.saved)
                inplace.turn_view(op, target, node, args[1:])
        elif records:
            assert rewrite is not None
            rewrite(target, *given)
            steps.Record.note(rewrite, given, target)
        if rule is not None and has_duals:
            forward.update_inplace(op, rule, target, given)
        return result

    return run


def has_certain_edge(tensor: Tensor) -> bool:
    """Whether a tensor's keys tell whether it wants a gradient."""
    return metas.requires_grad(tensor) == bool(tensor._keys & key_bits.AUTOGRAD)


def change_recorder(rule: Any, place: int) -> Callable[..., Any]:
    """A function that records that a tensor has been changed, from the arguments as they were before."""

    def record(target: Any, *given: Any) -> Any:
        metas.keep_edge(target)
        node = rule.make(target, *given)
        if node is not None:
            saved.refuse_inference(node.saved)
            if len(given) > 1 and node.saved:
                node.saved = saved.as_before(node.saved, target)
            inplace.rebase(target, node)
        return target

    def machine_words(places: list[int | None], values: list[Any], target: Any) -> Any:
        words = rule.machine_words(places, values, target)
        if words is not None:
            words[history.STEP.kind // 8] = history.CHANGED
        return words

    recorder: Any = record
    recorder.changes = True
    if isinstance(rule, rules.Rule):
        recorder.machine_words = machine_words
        recorder.defaults = [a.default for a in rule.arguments]
    return record


def has_history(args: Any) -> bool:
    return any(map(metas.requires_grad, tensors_in(args)))


def follow_shape(leaf: Tensor) -> None:
    """Let a leaf take gradients of the shape that it has now."""
    meta = leaf._autograd
    # A view may not be able to say what its edge is, but then it is no leaf.
    edge = meta._edge if isinstance(meta, metas.ViewMeta) else metas.edge_of(leaf)
    if edge is not None and edge[0].is_leaf:
        edge[0].outputs = (nodes.describe(leaf),)


def quietly(lower: Callable[..., Any], args: Any) -> Any:
    """Run what is below without recording."""
    recording = state.thread.grad_enabled
    if not recording:
        return lower(*args)
    state.set_grad(False)
    try:
        return lower(*args)
    finally:
        state.set_grad(True)
