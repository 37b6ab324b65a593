"""State dicts of wrapped modules: whole tensors, distributed ones, or parts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed.fsdp._flat_param import FLAT_PARAM, FlatParamHandle, OriginalParam
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
from rushlight.distributed.tensor import DTensor

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


def is_left_out(config: Any) -> bool:
    """Whether this process gets nothing."""
    return getattr(config, "rank0_only", False) and dist.get_rank() != 0


@contextlib.contextmanager
def form_of(handles: list[FlatParamHandle], kind: StateDictType) -> Iterator[None]:
    """A block in which modules have their parameters as state dicts of a kind are made of."""
    with contextlib.ExitStack() as blocks:
        for handle in handles:
            if kind is not StateDictType.LOCAL_STATE_DICT:
                blocks.enter_context(handle.whole(writeback=False))
            elif handle.world == 1:
                raise RuntimeError(
                    "``local_state_dict`` can only be used when parameters are flatten and sharded."
                )
        yield


def own_keys(module: Any, prefix: str) -> dict[str, OriginalParam]:
    """The keys that a wrapper's own parameters have in a state dict."""
    names = {m: name for name, m in module.named_modules()}
    return {
        prefix + (f"{names[owner]}.{name}" if names[owner] else name): param
        for handle in module._handles
        for param in handle.params
        for owner, name in param.places
    }


def shown(param: OriginalParam, whole: Any, kind: StateDictType) -> Any:
    """A whole tensor, as state dicts of a kind have it."""
    if kind is not StateDictType.FULL_STATE_DICT:
        return param.as_part(whole)
    # The whole parameter's memory is given back.
    return whole.full_tensor() if isinstance(whole, DTensor) else whole.clone()


def after_saving(module: Any, found: Any, prefix: str, given: StateDictSettings) -> Any:
    """A state dict by the names that there are without the wrapper."""
    inside, own, kind = prefix + _PREFIX, own_keys(module, prefix), given.state_dict_type
    left_out, on_host = is_left_out(given.state_dict_config), given.state_dict_config.offload_to_cpu
    is_local = kind is StateDictType.LOCAL_STATE_DICT
    for key in [key for key in found if key.startswith(inside)]:
        value = found.pop(key)
        if key in own and not is_local:
            with torch.no_grad():
                value = shown(own[key], value, kind)
        elif is_local and (key in own or key == inside + FLAT_PARAM):
            continue
        if on_host and isinstance(value, torch.Tensor):
            value = value.cpu()
        if not left_out:
            found[prefix + key[len(inside) :]] = value
    if is_local:
        for handle in module._handles:
            found[prefix + FLAT_PARAM] = handle.flat_part()
    return found


def before_loading(module: Any, state_dict: Any, prefix: str, *facts: Any) -> None:
    """Bring what is loaded to the names and the form that the wrapped module has."""
    for key in list(state_dict):
        if key.startswith(prefix) and not key.startswith(prefix + _PREFIX):
            state_dict[prefix + _PREFIX + key[len(prefix) :]] = state_dict.pop(key)
    module._state.reshard()
    own = own_keys(module, prefix)
    if module.get_state_dict_type(module).state_dict_type is StateDictType.LOCAL_STATE_DICT:
        _before_loading_pieces(module, state_dict, prefix, own)
        return
    for handle in module._handles:
        handle.begin_whole()
    for key, param in own.items():
        if key in state_dict:
            state_dict[key] = param.as_whole(state_dict[key])


def _before_loading_pieces(
    module: Any, state_dict: Any, prefix: str, own: dict[str, OriginalParam]
) -> None:
    """Take what is loaded as the piece of the flat parameter."""
    for handle in module._handles:
        given = state_dict.pop(prefix + _PREFIX + FLAT_PARAM, None)
        if given is None:
            continue
        given = handle.padded(given.to_local() if isinstance(given, DTensor) else given)
        if not handle.shows_originals:
            state_dict[prefix + _PREFIX + FLAT_PARAM] = given
            continue
        state_dict.update({key: param.view_of(given) for key, param in own.items()})


def after_loading(module: Any, incompatible_keys: Any) -> None:
    """Keep what has been loaded, and tell what was missing by the names that there are without the wrapper."""
    for keys in (incompatible_keys.missing_keys, incompatible_keys.unexpected_keys):
        keys[:] = [key.replace(_PREFIX, "") for key in keys]
    for handle in module._handles:
        if handle.users:
            handle.end_whole(writeback=True)
