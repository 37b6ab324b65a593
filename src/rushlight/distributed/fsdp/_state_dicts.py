"""State dicts of wrapped modules: whole tensors, distributed ones, or parts."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed.fsdp.api import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from rushlight.distributed.tensor import DTensor, distribute_tensor

_PREFIX = "_fsdp_wrapped_module."
_DEFAULTS: dict[StateDictType, tuple[type[StateDictConfig], type[OptimStateDictConfig]]] = {
    StateDictType.FULL_STATE_DICT: (FullStateDictConfig, FullOptimStateDictConfig),
    StateDictType.LOCAL_STATE_DICT: (LocalStateDictConfig, LocalOptimStateDictConfig),
    StateDictType.SHARDED_STATE_DICT: (ShardedStateDictConfig, ShardedOptimStateDictConfig),
}


def settings(
    kind: StateDictType, config: StateDictConfig | None, optim: OptimStateDictConfig | None
) -> StateDictSettings:
    """Settings, with defaults for what is not given."""
    of_module, of_optimizer = _DEFAULTS[kind]
    for given, wanted in ((config, of_module), (optim, of_optimizer)):
        if given is not None and type(given) is not wanted:
            raise RuntimeError(f"Expected {wanted} for {kind} but got {type(given)}")
    return StateDictSettings(kind, config or of_module(), optim or of_optimizer())


def whole(rank0_only: bool) -> StateDictSettings:
    """Settings for whole tensors."""
    config = FullOptimStateDictConfig(rank0_only=rank0_only)
    return settings(StateDictType.FULL_STATE_DICT, None, config)


def shown(value: Any, kind: StateDictType, on_host: bool) -> Any:
    """A value as state dicts of a kind have it."""
    if not isinstance(value, torch.Tensor):
        return value
    if isinstance(value, DTensor) and kind is StateDictType.FULL_STATE_DICT:
        value = value.full_tensor()
    elif isinstance(value, DTensor) and kind is StateDictType.LOCAL_STATE_DICT:
        value = value.to_local()
    return value.cpu() if on_host else value


def is_left_out(config: Any) -> bool:
    """Whether this process gets nothing."""
    return getattr(config, "rank0_only", False) and dist.get_rank() != 0


def after_saving(found: Any, prefix: str, given: StateDictSettings) -> Any:
    """A state dict by the names that there are without the wrapper."""
    inside = prefix + _PREFIX
    left_out, on_host = is_left_out(given.state_dict_config), given.state_dict_config.offload_to_cpu
    for key in list(found):
        if not key.startswith(inside):
            continue
        value = found.pop(key)
        with torch.no_grad():
            # Gathering is everybody's.
            value = shown(value, given.state_dict_type, on_host)
        if not left_out:
            found[prefix + key[len(inside) :]] = value
    return found


def before_loading(module: Any, state_dict: Any, prefix: str, *facts: Any) -> None:
    """Bring what is loaded to the names and the form that the wrapped module has."""
    for key in list(state_dict):
        if key.startswith(prefix) and not key.startswith(prefix + _PREFIX):
            state_dict[prefix + _PREFIX + key[len(prefix) :]] = state_dict.pop(key)
    names = {m: name for name, m in module.named_modules()}
    module._state.reshard()
    for param in (p for group in module._state.groups for p in group.params):
        for owner, name in param.places:
            path = names[owner]
            key = prefix + (f"{path}.{name}" if path else name)
            if key in state_dict:
                state_dict[key] = as_part(state_dict[key], param.sharded_param)


def as_part(value: Any, like: Any) -> Any:
    """A whole tensor, or this device's part of it, as a distributed one."""
    if not isinstance(value, torch.Tensor) or isinstance(value, DTensor):
        return value
    if not isinstance(like, DTensor):
        return value
    if value.shape == like.shape:
        return distribute_tensor(
            value.detach(), like.device_mesh, like.placements, src_data_rank=None
        )
    if value.shape == like._local_tensor.shape:
        return DTensor.from_local(
            value, like.device_mesh, like.placements, shape=like.shape, stride=like.stride()
        )
    return value
