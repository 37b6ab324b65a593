"""What autograd adds to operators that change an argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import forward, inplace, rules, saved
from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd.derivative_table import functional_name
from rushlight.engine.autograd.recording.attach import whole
from rushlight.engine.autograd.recording.unruled import rule_or_stand_in, tensors_in
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import history, steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.source import identifier


def inplace_function(op: Operator, lower: Callable[..., Any]) -> Callable[..., Any]:
    """An in-place operator that is recorded."""
    rule = rule_or_stand_in(op)
    place = next(i for i, a in enumerate(op.schema.arguments) if a.is_write)
    changes_geometry = "inplace_view" in op.declared_tags
    turns = changes_geometry and is_view_in_place(op)
    if turns:
        lower = inplace.turned_base(lower, place)
    users = [] if rule is None else rule.users(identifier(op.schema.arguments[place].name))
    rewrite = None if rule is None else change_recorder(rule, place)
    is_plain = not changes_geometry and isinstance(rule, rules.Rule)

    def before(args: Any, records: bool, has_duals: bool) -> Any:
        """The target as it is before it is changed, where the gradient needs it."""
        target = args[place]
        wanted = records and any(map(metas.requires_grad, tensors_in([args[k] for k in users])))
        if wanted or (users and has_duals):
            return inplace.original_of(target)
        if changes_geometry and (records or has_duals):
            return saved.with_edge(target, metas.edge_of(target))
        return target

    def run(*args: Any) -> Any:
        target: Any = args[place]
        recording = state.thread.grad_enabled
        if not recording and not state.duals:
            storage = target._storage_ if changes_geometry else None
            result = lower(*args)
            if changes_geometry and target._storage_ is not storage:
                renew_leaf(target)
            elif changes_geometry:
                follow_shape(target)
            return result
        records = recording and _may_record(rule, target) and has_history(args)
        for tensor in tensors_in([target]) if rule is not None else ():
            inplace.check_inplace(tensor, records)
        has_duals = state.duals > 0 and forward.has_tangent(args)
        given = (*args[:place], before(args, records, has_duals), *args[place + 1 :])
        if recording:
            others = [t for t in tensors_in(given) if t is not given[place]]
            may_repeat = records and not has_duals and is_plain
            _note_change(target, others, may_repeat)
        if records:
            # Edges are those from before, also of the target.
            metas.edge_of(target)
            # The write is no part of what the other arguments have behind them.
            given = tuple(a if a is given[place] else inplace.as_of_now(a, target) for a in given)
        result = quietly(lower, args)
        if records and changes_geometry and target._dtype_.category < dtypes.FLOATING:
            raise whole(target)
        if records and changes_geometry and target._base is not None:
            node = rule.make(target, *given)
            if node is not None:
                saved.refuse_inference(node.saved)
                inplace.turn_view(op, target, node, args[1:])
        elif records:
            assert rewrite is not None
            rewrite(target, *given)
            steps.Record.note(rewrite, given, target)
        if has_duals and turns:
            forward.turn_tangent(op, target, args[1:])
        elif rule is not None and has_duals:
            forward.update_inplace(op, rule, target, given)
        return result

    return run


def _may_record(rule: Any, target: Any) -> bool:
    """An operator that has no gradient leaves the history of what it changes as it is."""
    if rule is None:
        return False
    return not rule.only_floating or target._dtype_.category >= dtypes.FLOATING


def _note_change(target: Any, others: list[Any], may_repeat: bool) -> None:
    """Tell the recorder that the call changes history, or that machine code can't repeat that."""
    apart = may_repeat and all(t._storage_ is not target._storage_ for t in others)
    if apart and all(map(has_certain_edge, (target, *others))):
        steps.Changed.note(target, tuple(dict.fromkeys(others)))
    else:
        steps.Unrepeatable.note()


def is_view_in_place(op: Operator) -> bool:
    """Whether a tensor becomes a view of itself."""
    functional = operators.find(functional_name(op))
    return functional is not None and functional.schema.is_view


def has_certain_edge(tensor: Tensor) -> bool:
    """Whether a tensor's keys tell whether it wants a gradient."""
    return metas.requires_grad(tensor) == bool(tensor._keys_ & key_bits.AUTOGRAD)


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
    meta = leaf._autograd_
    # A view may not be able to say what its edge is, but then it is no leaf.
    edge = meta._edge if isinstance(meta, metas.ViewMeta) else metas.edge_of(leaf)
    if edge is not None and edge[0].is_leaf:
        edge[0].outputs = (nodes.describe(leaf),)


def renew_leaf(tensor: Tensor) -> None:
    """Let a leaf that lies elsewhere now be another one to steps that are recorded from here on."""
    if metas.is_leaf(tensor) and metas.requires_grad(tensor):
        tensor._autograd_.edge = (nodes.AccumulateGrad(tensor), 0)


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
