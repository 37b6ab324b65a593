"""What a wrapper of sharded modules is made with: devices, elements, types, the flat parameter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.fsdp._flat_param import FlatParamHandle, OriginalParam
from rushlight.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy
from rushlight.distributed.fsdp._fully_shard._fsdp_state import state_of
from rushlight.distributed.fsdp.api import MixedPrecision, ShardingStrategy
from rushlight.nn.modules.module import Module

_vector_norm: Any = torch.linalg.vector_norm  # type: ignore[attr-defined]
HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)


def mesh_for(group: Any, strategy: ShardingStrategy, mesh: DeviceMesh | None) -> DeviceMesh:
    """The devices: the last dimension has the parts, one before it copies."""
    if mesh is not None:
        if strategy in HYBRID and mesh.ndim != 2:
            raise ValueError(f"{strategy} takes a mesh of two dimensions, and got {mesh}")
        return mesh
    if isinstance(group, tuple):
        raise NotImplementedError(
            "FullyShardedDataParallel: a pair of process groups; pass a DeviceMesh of two dimensions as device_mesh"
        )
    size = dist.get_world_size(group)
    ranks = torch.tensor(dist.get_process_group_ranks(group or dist._get_default_group()))
    if strategy is ShardingStrategy.NO_SHARD:
        return DeviceMesh("cpu", ranks.view(size, 1), mesh_dim_names=("replicate", "shard"))
    if strategy in HYBRID:
        return DeviceMesh("cpu", ranks.view(1, size), mesh_dim_names=("replicate", "shard"))
    return DeviceMesh.from_group(group or dist._get_default_group(), "cpu")


def ignored(modules: Any, states: Any) -> tuple[set[Module], set[Any]]:
    """Modules and parameters that stay as they are."""
    skipped: set[Module] = {m for one in modules or () for m in one.modules()}
    parameters: set[Any] = set()
    for one in states or ():
        if isinstance(one, Module):
            skipped |= set(one.modules())
        else:
            parameters.add(one)
    for module in skipped:
        parameters |= {p for p in module._parameters.values() if p is not None}
    return skipped, parameters


def give_elements(module: Module, param_init_fn: Callable[[Module], None] | None) -> None:
    """Give modules on the device `meta` elements."""
    for one in module.modules():
        own = [*one.parameters(recurse=False), *one.buffers(recurse=False)]
        if not any(t.is_meta for t in own) or state_of(one) is not None:
            continue
        if param_init_fn is not None:
            param_init_fn(one)
        else:
            one.to_empty(device="cpu", recurse=False)
            with torch.no_grad():
                one.reset_parameters()  # type: ignore[operator]


def policy(given: MixedPrecision | None) -> MixedPrecisionPolicy:
    if given is None:
        return MixedPrecisionPolicy()
    casts = given.cast_forward_inputs or given.cast_root_forward_inputs
    return MixedPrecisionPolicy(given.param_dtype, given.reduce_dtype, None, casts)


def cast_buffers(module: Module, kind: Any) -> None:
    for one in module.modules():
        for name, buffer in one._buffers.items():
            if buffer is not None and buffer.is_floating_point():
                one._buffers[name] = buffer.to(kind)


def handles(
    found: dict[Any, list[tuple[Module, str]]],
    mesh: DeviceMesh,
    mp_policy: MixedPrecisionPolicy,
    use_orig_params: bool,
    module: Module,
) -> list[FlatParamHandle]:
    """The flat parameter of a module, if parameters are found for it."""
    first: Any = next(iter(found), None)
    for parameter, places in found.items():
        if parameter.dim() == 0:
            raise ValueError(
                f"FSDP doesn't support scalar parameters. Change {places[0][1]} to a 1D tensor with numel equal to 1."
            )
        if parameter.dtype is not first.dtype:
            raise ValueError(
                f"Must flatten tensors with uniform dtype but got {first.dtype} and {parameter.dtype}"
            )
        if not use_orig_params and parameter.requires_grad != first.requires_grad:
            raise ValueError(
                "Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`"
            )
    params = [OriginalParam(p, places, mesh, use_orig_params) for p, places in found.items()]
    return [FlatParamHandle(params, mesh, mp_policy, module)] if params else []


def norm_of_grads(module: Module, found: list[FlatParamHandle], order: float) -> Any:
    """The norm of all gradients of a module: of pieces over all devices, of others as they are here."""
    pieces: dict[Any, list[Any]] = {}
    for handle in found:
        pieces.setdefault(handle.group, []).extend(handle.seen())
    own = {parameter for some in pieces.values() for parameter in some}
    others = [parameter for parameter in module.parameters() if parameter not in own]
    norms = [_norm(others, order)]
    for group, some in pieces.items():
        norm = _norm(some, order)
        if math.isinf(order):
            dist.all_reduce(norm, dist.ReduceOp.MAX, group=group)
        else:
            norm = norm**order
            dist.all_reduce(norm, group=group)
            norm = norm ** (1 / order)
        norms.append(norm)
    return _vector_norm(torch.stack(norms), order)


def _norm(parameters: list[Any], order: float) -> Any:
    """The norm of gradients that are here."""
    norms = [
        _vector_norm(p.grad, order, dtype=torch.float32) for p in parameters if p.grad is not None
    ]
    return _vector_norm(torch.stack(norms), order) if norms else torch.zeros(())
