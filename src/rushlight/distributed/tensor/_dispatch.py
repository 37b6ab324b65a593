"""A call of an operator on distributed tensors: brought to the placements that were decided, made on parts, wrapped."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import rushlight as torch
from rushlight.distributed.tensor import _random
from rushlight.distributed.tensor._dtensor_spec import DTensorSpec, meta_of
from rushlight.distributed.tensor._op_schema import REPLICATE, Call, invoked, specs_in
from rushlight.distributed.tensor._redistribute import redistribute_local_tensor, without_partial
from rushlight.distributed.tensor._sharding_prop import NUMBERS, Decision, Ready, ShardingPropagator
from rushlight.distributed.tensor.placement_types import Partial
from rushlight.engine.autograd import backward
from rushlight.engine.core import state
from rushlight.engine.dispatch.boxing import unbox
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.transforms import derived

__all__ = ["OpDispatcher"]

Tensor = torch.Tensor


class OpDispatcher:
    """Makes calls on distributed tensors."""

    def __init__(self) -> None:
        self.sharding_propagator = ShardingPropagator()
        # Whether tensors that are not distributed count as being on all devices.
        self._allow_implicit_replication = False

    def dispatch(self, op: Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call."""
        values = unbox(op.schema, args, kwargs)
        key: list[Any] = [op]
        parts = parts_of(values, key)
        if parts is None:
            return self.unremembered(op, values, None)
        known = self.sharding_propagator.ready.get(tuple(key))
        if known is None:
            return self.unremembered(op, values, tuple(key))
        if known.is_direct:
            return _again(known, op, values, parts)
        return _finished(op, values, _made(op, values, known.decision), known.decision)

    def again(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """The result of a call that is known, and needs nothing but itself on parts; otherwise `NotImplemented`."""
        key: list[Any] = [op]
        parts = parts_of(values, key)
        known = None if parts is None else self.sharding_propagator.ready.get(tuple(key))
        if known is None or parts is None or not (known.is_direct and known.is_plain):
            return NotImplemented
        return _again(known, op, values, parts)

    def unremembered(self, op: Operator, values: tuple[Any, ...], key: Any) -> Any:
        """The result of a call that is decided about; so it is by its key from then on, if it has one."""
        mesh = _mesh_of(op, values)
        if op.schema.out_arguments:
            return self.into(op, values)
        specs = tuple(self.spec_of(op, v, mesh) for v in values)
        call = Call(op, specs)
        if mesh.get_coordinate() is None:
            return _elsewhere(call, values)
        if "nondeterministic_seeded" in map(str, op.declared_tags):
            return _drawn(call, values)
        decision = self.sharding_propagator.decide(call)
        if decision is None:
            return _finished(op, values, _of_whole(call, values), None)
        if key is not None:
            self.sharding_propagator.keep(key, call, values, decision)
        return _finished(op, values, _made(op, values, decision), decision)

    def spec_of(self, op: Operator, value: Any, mesh: Any) -> Any:
        """A value with specifications in place of tensors."""
        if isinstance(value, (list, tuple)):
            return type(value)(self.spec_of(op, item, mesh) for item in value)
        if not isinstance(value, Tensor):
            return value
        spec = getattr(value, "_spec", None)
        if spec is None:
            return self.of_constant(op, value, mesh)
        if spec.mesh != mesh:
            raise NotImplementedError(
                f"{op}: DTensors on different meshes, {mesh} and {spec.mesh}, in one call"
            )
        return spec

    def of_constant(self, op: Operator, value: Any, mesh: Any) -> DTensorSpec:
        """The specification of a tensor that is not distributed, as those are that operators make for themselves."""
        is_own = state.thread.composing or backward.running.passes
        if value.dim() and not (is_own or self._allow_implicit_replication):
            raise RuntimeError(
                f"{op}: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before "
                f"calling distributed operators! The tensor has shape {tuple(value.shape)}; distribute_tensor "
                "makes it a DTensor, and so does DTensor.from_local"
            )
        return DTensorSpec(mesh, (REPLICATE,) * mesh.ndim, meta_of(value))

    def into(self, op: Operator, values: Sequence[Any]) -> Any:
        """The result of an ``out=`` overload: that of the functional one, copied."""
        functional = outputs.functional_of(op)
        if functional is None:
            raise NotImplementedError(f"{op}: an out= overload on DTensors")
        count = len(values) - len(op.schema.out_arguments)
        made, targets = invoked(functional, values[:count]), values[count:]
        for target, result in zip(targets, made if isinstance(made, (list, tuple)) else [made]):
            if target.shape != result.shape:
                raise RuntimeError(
                    f"{op}: out has shape {tuple(target.shape)} and the result {tuple(result.shape)}; "
                    "DTensors cannot be resized"
                )
            target.copy_(result)
        return targets[0] if len(targets) == 1 else tuple(targets)


def parts_of(values: Iterable[Any], key: list[Any]) -> list[Any] | None:
    """Values with this device's parts in place of tensors.

    Args:
        values: the arguments of a call
        key: gets all of them that decides how the call is made

    Returns: None if there are tensors that are not distributed, or lie on several meshes
    """
    found: list[Any] = []
    for value in values:
        kind = type(value)
        if isinstance(value, Tensor):
            spec = getattr(value, "_spec", None)
            if spec is None:
                return None
            if len(key) == 1:
                key.append(id(spec.mesh))
            elif key[1] != id(spec.mesh):
                return None
            local = value._local_tensor
            key += (spec, local._keys_)
            found.append(local)
        elif kind in NUMBERS:
            key += (kind, value)
            found.append(value)
        elif kind is list or kind is tuple:
            key += (list, len(value))
            items = parts_of(value, key)
            if items is None:
                return None
            found.append(items)
        else:
            key.append(value)
            found.append(value)
    return found


def _again(known: Ready, op: Operator, values: Sequence[Any], parts: list[Any]) -> Any:
    """A call that was decided about before, on parts that lie as they should."""
    if known.by_name:
        named = {name: parts[place] for name, place in known.by_name}
        made = op(*parts[: known.by_position], **named)
    else:
        made = op(*parts[: known.by_position])
    made = values[0] if known.is_inplace else _all_wrapped(made, known.decision)
    # Only a view that is a copy, or one of it, has more to be done.
    if known.is_aliasing and (type(values[0]) is list or hasattr(values[0], "_copied_from")):
        return _finished(op, values, made, known.decision)
    return made


def _finished(op: Operator, values: Sequence[Any], made: Any, decision: Decision | None) -> Any:
    """The result of a call, after what it means for views that are copies."""
    if op.schema.is_view:
        _remember_view(op, values, made, decision)
    elif op.schema.mutated:
        for target in _tensors([v for a, v in zip(op.schema.arguments, values) if a.is_write]):
            _write_through(target)
    return made


def _mesh_of(op: Operator, values: Sequence[Any]) -> Any:
    for value in _tensors(values):
        spec = getattr(value, "_spec", None)
        if spec is not None:
            return spec.mesh
    raise RuntimeError(f"{op}: no DTensor among the arguments")


def _tensors(values: Sequence[Any]) -> list[Any]:
    """The tensors among values, those in lists too."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found


def _local(value: Any) -> Any:
    return getattr(value, "_local_tensor", value)


def _wrapped(local: Any, spec: DTensorSpec) -> Any:
    """A distributed tensor without a history: a result of an operator."""
    cls = _class()
    return cls.__new__(cls, local, spec, requires_grad=False)


@functools.cache
def _class() -> Any:
    from rushlight.distributed.tensor._api import DTensor

    return DTensor


# -- on parts --


def _made(op: Operator, values: Sequence[Any], decision: Decision) -> Any:
    """A call on this device's parts."""
    wanted = iter(decision.inputs)

    def part(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [part(item) for item in value]
        if not isinstance(value, Tensor):
            return value
        target, now = next(wanted), getattr(value, "_spec", None)
        local = _local(value)
        if now is None:
            now = target.with_placements((REPLICATE,) * target.mesh.ndim)
        if now.placements == target.placements:
            return local
        return redistribute_local_tensor(local, now, target)

    given = [part(value) for value in values]
    for place, value in decision.changed.items():
        given[place] = value
    made = invoked(op, given) if decision.compute is None else decision.compute(given)
    return values[0] if op.schema.is_inplace else _all_wrapped(made, decision)


def _all_wrapped(made: Any, decision: Decision) -> Any:
    """The results of a call on parts as distributed tensors."""
    if decision.shapes is not None:
        made = _shaped(made, decision.shapes)
    if isinstance(made, Tensor):
        return _wrapped(made, decision.outputs[0])
    results = map(_wrapped, made, decision.outputs)
    return list(results) if isinstance(made, list) else tuple(results)


def _shaped(made: Any, shapes: Sequence[Any]) -> Any:
    """Views in the shape that a part has: a part that happens to be one row long keeps the dimension."""
    if isinstance(made, (list, tuple)):
        return [x if x.shape == shape else x.view(shape) for x, shape in zip(made, shapes)]
    return made if made.shape == shapes[0] else made.view(shapes[0])


# -- on the whole --


def _of_whole(call: Call, values: Sequence[Any]) -> Any:
    """A call that each device makes on the whole of its tensors; what it writes is cut again."""
    if "inplace_view" in map(str, call.op.declared_tags):
        raise NotImplementedError(f"{call.op}: DTensors cannot change their shape in place")

    def whole(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [whole(item) for item in value]
        spec = getattr(value, "_spec", None)
        if spec is None:
            return value
        return redistribute_local_tensor(_local(value), spec, _replicated(spec))

    given = [whole(value) for value in values]
    made = invoked(call.op, given)
    for argument, value, new in zip(call.op.schema.arguments, values, given):
        if argument.is_write:
            for target, source in zip(_tensors([value]), _tensors([new])):
                _written_back(target, source)
    if call.op.schema.is_inplace:
        return values[0] if call.op.schema.returns else None
    mesh = next(specs_in(call.values)).mesh
    return _each_wrapped(made, mesh)


def _replicated(spec: DTensorSpec) -> DTensorSpec:
    return spec.with_placements((REPLICATE,) * spec.mesh.ndim)


def _written_back(target: Any, source: Any) -> None:
    """Put this device's part of what was written where the target has it."""
    local, spec = _local(target), getattr(target, "_spec", None)
    if spec is not None and local is not source:
        local.copy_(redistribute_local_tensor(source, _replicated(spec), spec))


def _each_wrapped(made: Any, mesh: Any) -> Any:
    if isinstance(made, Tensor):
        return _wrapped(made, DTensorSpec(mesh, (REPLICATE,) * mesh.ndim, meta_of(made)))
    if isinstance(made, (list, tuple)):
        items = [_each_wrapped(item, mesh) for item in made]
        return items if isinstance(made, list) else tuple(items)
    return made


# -- views that are copies --


def _remember_view(
    op: Operator, values: Sequence[Any], made: Any, decision: Decision | None
) -> None:
    """Note what a view is of where it shares no memory with that, since elements had to be moved for it."""
    source = values[0]
    now = getattr(source, "_spec", None)
    if now is None:
        return
    used = _replicated(now) if decision is None else decision.inputs[0]
    if used.placements == now.placements and not hasattr(source, "_copied_from"):
        return
    results = made if isinstance(made, (list, tuple)) else [made]
    for place, view in enumerate(results):
        view._copied_from = (op, values, place if isinstance(made, (list, tuple)) else None)


def _write_through(target: Any) -> None:
    """Bring what was written to a view that is a copy to where it came from."""
    found = getattr(target, "_copied_from", None)
    if found is None:
        return
    op, values, place = found
    source = values[0]
    spec = source._spec
    whole = redistribute_local_tensor(_local(source), spec, _replicated(spec)).clone()
    views = invoked(op, [whole, *values[1:]])
    view = views if place is None else views[place]
    own = target._spec
    view.copy_(redistribute_local_tensor(_local(target), own, _replicated(own)))
    _written_back(source, whole)
    _write_through(source)


# -- random numbers --


def _drawn(call: Call, values: Sequence[Any]) -> Any:
    """A random call: numbers are drawn for the whole, and each device keeps those of its part."""
    mesh = next(specs_in(call.values)).mesh
    _random.bring_in_step(mesh)
    writes = call.op.schema.is_inplace
    ignores = writes or derived.is_made_like(call.op)

    def whole(value: Any, spec: Any, place: int) -> Any:
        if not isinstance(spec, DTensorSpec):
            return value
        if place == 0 and ignores:
            local = _local(value)
            return torch.empty_strided(
                spec.shape, spec.stride, dtype=local.dtype, device=local.device
            )
        return redistribute_local_tensor(
            _local(value), getattr(value, "_spec", spec), _replicated(spec)
        )

    given = [whole(v, s, k) for k, (v, s) in enumerate(zip(values, call.values))]
    made = invoked(call.op, given)
    first = next(specs_in(call.values))
    if writes:
        if any(isinstance(p, Partial) for p in first.placements):
            raise RuntimeError(f"{call.op}: random numbers cannot be written to a Partial DTensor")
        _written_back(values[0], given[0])
        return values[0]
    results = made if isinstance(made, (list, tuple)) else [made]
    kept = [_kept(result, first) for result in results]
    return tuple(kept) if isinstance(made, (list, tuple)) else kept[0]


def _kept(whole: Any, like: DTensorSpec) -> Any:
    """This device's part of what was drawn: placed as the first tensor of the call, if it has its size."""
    same = whole.shape == like.shape
    placements = without_partial(like.placements) if same else (REPLICATE,) * like.mesh.ndim
    spec = DTensorSpec(like.mesh, placements, meta_of(whole))
    return _wrapped(redistribute_local_tensor(whole, _replicated(spec), spec), spec)


# -- on devices that have no part --


def _elsewhere(call: Call, values: Sequence[Any]) -> Any:
    """A call on a device that is not in the mesh: nothing is computed, results have no elements here."""
    from rushlight.distributed.tensor._sharding_prop import results_of

    if call.op.schema.is_inplace:
        return values[0]
    found = results_of(call)
    if found is None:
        return None
    mesh = call.mesh
    made = [
        _wrapped(
            torch.empty((0,), dtype=meta.dtype, device=mesh.device_type),
            DTensorSpec(mesh, (REPLICATE,) * mesh.ndim, meta),
        )
        for meta in found
    ]
    return made[0] if len(call.op.schema.returns) == 1 and len(made) == 1 else tuple(made)
