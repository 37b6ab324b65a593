"""Forward mode: tangents that travel with the computation.

A rule says how gradients go back, and that is linear in the gradient. The same rule, differentiated
by the gradient, says how tangents go forward: no operator needs a second formula. Views act on
tangents as on their tensors, so that a change through a view reaches its base's tangent too.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.autograd import saved
from rushlight.engine.autograd.backward import fitted, run_backward
from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, view
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys, objects, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.size import storage_extent
from rushlight.engine.core.sparse import is_sparse
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import public_function, steps
from rushlight.engine.dispatch.call_cache.recorder import recording
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops.geometry import may_overlap_itself


class Level:
    """Which tensors have tangents, to be forgotten at the level's end."""

    def __init__(self) -> None:
        self.members: list[weakref.ref[Tensor]] = []

    def forget(self) -> None:
        for member in self.members:
            tensor = member()
            if tensor is not None:
                drop_tangent(tensor)
        self.members.clear()


levels: list[Level] = []
# Whether steps within a level compute tangents.
enabled = True

# A view that differs from a tensor in its tangent only.
alias = public_function("alias", lambda tensor: copies.alias(tensor))


def enable(mode: bool) -> None:
    """Let steps compute tangents, or not."""
    global enabled
    enabled = mode
    state.duals = len(levels) if mode else 0
    state.switches.duals = len(levels)
    state.switches.tangents = int(state.duals > 0)


def enter_level() -> int:
    if levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    levels.append(Level())
    enable(enabled)
    state.busy(+1)
    return len(levels) - 1


def exit_level(level: int) -> None:
    if level != len(levels) - 1:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created."
        )
    levels.pop().forget()
    enable(enabled)
    state.busy(-1)


def tangent_of(tensor: Any) -> Any:
    meta = tensor._autograd_
    return None if meta is None else meta.tangent


def set_tangent(tensor: Tensor, tangent: Any) -> None:
    metas.meta_of(tensor).tangent = tangent
    tensor._keys_ |= keys.AUTOGRAD
    if levels:
        levels[-1].members.append(weakref.ref(tensor))


def tangent_laid_out(tensor: Tensor) -> Any:
    """The tangent with the strides of its tensor, so that all views of the one fit the other."""
    tangent = tangent_of(tensor)
    made = laid_like(tensor, tangent)
    if made is not tangent:
        set_tangent(tensor, made)
        steps.Unrepeatable.note()
    return made


def laid_like(tensor: Tensor, tangent: Any) -> Any:
    """The tangent in the memory layout of its tensor: what is a view of one is a view of both."""
    alike = tensor._stride_ == tangent._stride_ or (
        tensor._flags_ & tangent._flags_ & objects.CONTIGUOUS
    )
    if alike or may_overlap_itself(tensor._size_, tensor._stride_):
        return tangent
    if tangent._keys_ & keys.PYTHON or state.thread.layers:
        made = creation.new_empty_strided(tangent, tensor._size_, tensor._stride_)
    else:
        made = tensors.empty_strided(
            tensor._size_, tensor._stride_, tangent._dtype_, tangent._storage_.device
        )
    return copies.copy_(made, tangent, False)


def drop_tangent(tensor: Tensor) -> None:
    meta = tensor._autograd_
    if meta is not None and meta.tangent is not None:
        meta.tangent = None
        if not meta.wants_grad:
            tensor._keys_ &= ~keys.AUTOGRAD


def primal(tensor: Tensor) -> Tensor:
    """The tensor without its tangent, with its history."""
    if tangent_of(tensor) is None:
        return tensor
    made: Tensor = alias(tensor)
    drop_tangent(made)
    return made


def without_tangent(value: Any) -> Any:
    """An argument as it is to a function that makes tangents itself."""
    if isinstance(value, Tensor) and tangent_of(value) is not None:
        return saved.with_edge(value, metas.edge_of(value))
    return value


def has_tangent(args: Any) -> bool:
    for a in args:
        if isinstance(a, Tensor):
            if tangent_of(a) is not None:
                return True
        elif type(a) in (list, tuple) and has_tangent(a):
            return True
    return False


def tangent_function(op: Operator, rule: Any) -> Callable[..., None]:
    """`forward(result, *arguments)`: give the results of a functional call their tangents."""

    def forward(result: Any, *args: Any) -> None:
        if not has_tangent(args):
            return
        refuse_sparse(op, result, args)
        if op.schema.is_view and along_view(op, result, args):
            return
        outputs = list(result) if type(result) in (tuple, list) else [result]
        for item, tangent in zip(outputs, noted_tangents(op, rule, result, args)):
            if tangent is not None:
                tangent = laid_like(item, tangent)
                set_tangent(item, tangent)
                tell_step(item, tangent)
                note_tangent(item, tangent)

    return forward


def note_tangent(result: Tensor, tangent: Any) -> None:
    """Note that a new tensor has got a tangent, which no step has kept."""
    if metas.edge_of(result) is None:
        steps.Told.note(set_tangent, result, tangent)
    else:
        steps.Unrepeatable.note()


def refuse_sparse(op: Operator, result: Any, args: Sequence[Any]) -> None:
    """Raise where a sparse tensor has a tangent, or would get one."""
    outputs = result if type(result) in (tuple, list) else (result,)
    carriers = [*outputs, *(a for a in args if isinstance(a, Tensor) and has_tangent((a,)))]
    if any(isinstance(item, Tensor) and is_sparse(item) for item in carriers):
        raise NotImplementedError(
            f"{op.full_name}: forward mode with tangents of sparse tensors is not supported"
        )


def tell_step(result: Tensor, tangent: Any) -> None:
    """Give a tangent to the result that its step has kept, which the backward pass may use."""
    edge = metas.edge_of(result)
    if edge is None:
        return
    for item in edge[0].saved or ():
        if isinstance(item, saved.SavedResult) and item.output == edge[1]:
            set_tangent(item.tensor, tangent)


def along_view(op: Operator, result: Any, args: Any) -> bool:
    """A view of the tangent is the tangent of the view; False if the tangent lacks that memory."""
    place = next(i for i, a in enumerate(op.schema.arguments) if a.is_tensor_like)
    source = args[place]
    if tangent_of(source) is None or result is source:
        return True
    tangent = tangent_laid_out(source)
    if any(a.name == "storage_offset" for a in op.schema.arguments):
        # The geometry is one of the storage, and a tangent's storage is another.
        shift = tangent._offset_ - source._offset_
        # Where tensors begin is in no key.
        steps.Unrepeatable.note()
        if tangent._stride_ != source._stride_ or not reaches(tangent, result, shift):
            return False
        made = view.as_strided(tangent, result._size_, result._stride_, result._offset_ + shift)
    else:
        made = op.call(*args[:place], tangent, *args[place + 1 :])
    if type(result) in (tuple, list):
        for item, one in zip(result, made):
            set_tangent(item, one)
            note_tangent(item, one)
    else:
        set_tangent(result, made)
        note_tangent(result, made)
    return True


def reaches(tangent: Tensor, result: Tensor, shift: int) -> bool:
    """Whether a geometry, shifted, lies in what a tangent's elements span."""
    first = result._offset_ + shift
    end = storage_extent(result._size_, result._stride_, first)
    whole = storage_extent(tangent._size_, tangent._stride_, tangent._offset_)
    return first >= tangent._offset_ and end <= whole


def unsupported(op: Operator) -> NotImplementedError:
    return NotImplementedError(
        f"Trying to use forward AD with {op.packet_name} that does not support it because it has not "
        "been implemented yet."
    )


def noted_tangents(op: Operator, rule: Any, result: Any, args: Sequence[Any]) -> list[Any]:
    """The tangents of the results, without a note of histories that led to them and that nothing keeps."""
    noted = recording.steps
    before = 0 if noted is None else len(noted)
    found = tangents(op, rule, result, args)
    layer = state.thread.layers[-1] if state.thread.layers else None
    if noted is not None and layer is not None and not any(map(is_recorded, [*args, *found])):
        noted[before:] = [
            step
            for step in noted[before:]
            if not (isinstance(step, steps.Record) and layer.owns_any((step.made,)))
        ]
    return found


def is_recorded(value: Any) -> bool:
    """Whether a value is a tensor with a history, or a list with one."""
    if type(value) in (list, tuple):
        return any(map(is_recorded, value))
    return isinstance(value, Tensor) and metas.edge_of(value) is not None


def tangents(op: Operator, rule: Any, result: Any, args: Sequence[Any]) -> list[Any]:
    """The tangents of the results: the rule, differentiated by the gradient it is given."""
    if not hasattr(rule, "targets"):
        raise unsupported(op)
    if rule.is_linear:
        return [linear_tangent(op, rule, args)]
    rule = rule.transposable
    if op.is_pointwise and isinstance(result, Tensor):
        direct = elementwise_tangent(rule, result, args)
        if direct is not None:
            return [direct]
    several = type(result) in (tuple, list)
    outputs = list(result) if several else [result]
    if not any(item._dtype_.category >= dtypes.FLOATING for item in outputs):
        return [None] * len(outputs)
    with state.recording(True):
        given = [stand_in(a) for a in args]
        shown = [saved.shadow(r) for r in outputs]
        node = rule.make(shown if several else shown[0], *given)
        if node is None:
            return [None] * len(outputs)
        probes: list[Any] = []
        for item in outputs:
            if item._dtype_.category < dtypes.FLOATING:
                probes.append(None)
                continue
            probe = creation.zeros_like(saved.shadow(item))
            nodes.make_leaf(probe)
            probes.append(probe)
        try:
            found = node.run(tuple(probes))
        except NotImplementedError as error:
            raise unsupported(op) from error
        roots, starts = [], []
        for place, (edge, tangent) in enumerate(zip(node.edges, tangents_of(rule, args))):
            if edge is None or tangent is None or found[place] is None:
                continue
            back = fitted(found[place], edge, node, place)
            root = metas.edge_of(back)
            if root is not None:
                roots.append(root)
                starts.append(tangent)
    wanted = [metas.edge_of(p) for p in probes if p is not None]
    if not roots:
        return [None if p is None else creation.zeros_like(p) for p in probes]
    create = state.thread.grad_enabled
    ends = iter(run_backward(roots, starts, True, create, wanted, accumulate=False))  # type: ignore[arg-type]
    made = []
    for probe in probes:
        one = None if probe is None else next(ends)
        if probe is not None and one is None:
            one = creation.zeros_like(saved.shadow(probe))
        if one is not None and any(one._storage_ is start._storage_ for start in starts):
            # A change of the result in place must not reach the arguments' tangents.
            one = copies.clone(one)
        made.append(one)
    return made


def elementwise_tangent(rule: Any, result: Tensor, args: Sequence[Any]) -> Any:
    """The tangent of an elementwise operator of real numbers: each factor is its own transposed.

    None where that does not hold, or where the tangent itself would have a history.
    """
    given = [a for a in args if isinstance(a, Tensor)]
    tensors_ = [*given, *(t for t in map(tangent_of, given) if t is not None)]
    if result._dtype_.category != dtypes.FLOATING or any(
        t._dtype_.category == dtypes.COMPLEX or metas.edge_of(t) is not None for t in tensors_
    ):
        return None
    targets = [argument.name for argument in rule.targets]
    shown = saved.shadow(result)
    total = None
    for place, (argument, value) in enumerate(zip(rule.arguments, args)):
        tangent = tangent_of(value) if isinstance(value, Tensor) else None
        if tangent is None or argument.name not in targets:
            continue
        # Only one argument is differentiable at a time.
        alone = [saved.shadow(a) if isinstance(a, Tensor) else a for a in args]
        nodes.make_leaf(alone[place])
        with state.recording(True):
            node = rule.make(shown, *alone)
        if node is None:
            return None
        if tangent._dtype_ is not result._dtype_:
            tangent = copies.to_dtype(tangent, result._dtype_)
        if tangent._size_ != result._size_:
            tangent = view.expand(tangent, result._size_)
        with state.recording(False):
            try:
                found = node.run((tangent,))[targets.index(argument.name)]
            except NotImplementedError:
                return None
            if (
                found is None
                or found._size_ != result._size_
                or found._dtype_ is not result._dtype_
            ):
                return None
            total = found if total is None else total + found
    if total is not None and any(total._storage_ is t._storage_ for t in tensors_):
        return copies.clone(total)
    return total


def linear_tangent(op: Operator, rule: Any, args: Sequence[Any]) -> Any:
    """The tangent of an operator that is linear in its tensors: itself, applied to theirs."""
    targets = {argument.name for argument in rule.targets}
    given: list[Any] = []
    for argument, value in zip(rule.arguments, args):
        if argument.name in targets and value is not None:
            tangent = tangent_of(value)
            plain = saved.shadow(value)
            value = creation.zeros_like(plain) if tangent is None else tangent
            if tangent is not None and op.schema.is_inplace and not given:
                value = copies.clone(tangent)
        given.append(value)
    return op.call(*given)


def stand_in(value: Any) -> Any:
    """An argument without its tangent, whose gradient can be asked for."""
    if type(value) in (list, tuple):
        return [stand_in(v) for v in value]
    if not isinstance(value, Tensor) or not value._keys_ & keys.AUTOGRAD:
        return value
    edge = metas.edge_of(value)
    made = saved.with_edge(value, edge)
    if edge is None and tangent_of(value) is not None:
        nodes.make_leaf(made)
        # The end of the edge lives as long as the tensor.
        made._autograd_.grad_dtype = None
    return made


def tangents_of(rule: Any, args: Sequence[Any]) -> list[Any]:
    """The tangents of a rule's differentiable arguments, lists opened."""
    found: list[Any] = []
    by_name = dict(zip((a.name for a in rule.arguments), args))
    for argument in rule.targets:
        value = by_name[argument.name]
        if type(value) in (list, tuple):
            found += [None if t is None else tangent_of(t) for t in value]
        else:
            found.append(None if value is None else tangent_of(value))
    return found


def update_inplace(op: Operator, rule: Any, target: Any, given: Sequence[Any]) -> None:
    """Change the tangent of a tensor that was changed in place."""
    if not isinstance(target, Tensor) or not has_tangent(given):
        return
    refuse_sparse(op, target, given)
    steps.Unrepeatable.note()
    tangent = tangents(op, rule, target, given)[0]
    if tangent is None:
        tangent = creation.zeros_like(saved.shadow(target))
    own = tangent_of(target)
    if own is None and target._base is not None:
        own = tangent_in_base(target)
    if own is None:
        own = tangent
        set_tangent(target, tangent)
    else:
        copies.copy_(own, tangent, False)
    tell_step(target, own)


def tangent_in_base(target: Tensor) -> Any:
    """The part of the base's tangent that belongs to a view."""
    base: Any = target._base
    if tangent_of(base) is None:
        set_tangent(base, creation.zeros_like(saved.shadow(base)))
    whole = tangent_laid_out(base)
    part = view.as_strided(
        whole, target._size_, target._stride_, target._offset_ - base._offset_ + whole._offset_
    )
    set_tangent(target, part)
    return part


def is_differentiable(item: Any) -> bool:
    return isinstance(item, Tensor) and item._dtype_.category >= dtypes.FLOATING


def custom_tangents(
    ctx: Any, cls: Any, args: Sequence[Any], given_args: Sequence[Any], outputs: Sequence[Any]
) -> None:
    """The tangents of a user's function, from its `jvp`.

    Args:
        args: what the function was called with
        given_args: the same without tangents, as its `forward` got it
        outputs: its results
    """
    given = [tangent_of(a) if isinstance(a, Tensor) else None for a in args]
    if all(t is None for t in given):
        return
    if ctx._materializes:
        given = [
            creation.zeros_like(a) if t is None and is_differentiable(a) else t
            for a, t in zip(args, given)
        ]
    found = cls.jvp(ctx, *given)
    made = found if isinstance(found, tuple) else (found,)
    sources = [
        (a, shown, tangent)
        for a, shown, tangent in zip(args, given_args, given)
        if isinstance(a, Tensor) and tangent is not None
    ]
    for item, tangent in zip(outputs, made):
        if isinstance(item, Tensor) and tangent is not None:
            # A changed argument is returned as itself, and so is its tangent.
            if not any(item is changed for changed in ctx._dirty):
                check_view(item, tangent, sources)
            set_tangent(item, tangent)


def check_view(result: Tensor, tangent: Any, sources: list[tuple[Tensor, Tensor, Any]]) -> None:
    """Raise if a result is a view of an argument, and the tangent none of the argument's tangent."""
    base = result._base
    if base is None:
        return
    if tangent._base is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not "
            "returning a view."
        )
    for source, shown, given in sources:
        if base is not shown and base is not source and base is not source._base:
            continue
        is_whole = source._base is None or metas.meta_of(source).is_dual
        wanted = given if is_whole and given._base is None else given._base
        if tangent._base is not wanted:
            whose = "view of the given" if is_whole else "view of the same base as the given"
            raise RuntimeError(
                "A custom Function is returning a view but the jvp is not returning a "
                f"{whose} grad input."
            )
        return


def turn_tangent(op: Operator, target: Tensor, rest: Sequence[Any]) -> None:
    """Give the tangent of a tensor the sizes and strides that the tensor has got in place."""
    own = tangent_of(target)
    if own is not None:
        made = saved.with_edge(own, metas.edge_of(own))
        op.call(made, *rest)
        set_tangent(target, made)
