"""State dicts of optimizers by the names of parameters, for wrapped modules.

What an optimizer keeps for each element of a parameter lies in pieces, as the parameter does. To make a state dict, devices
tell each other which states they have, and gather the pieces; to load one, each takes its piece of the whole.
"""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.distributed import distributed_c10d as dist
from rushlight.distributed.checkpoint.state_dict import clean_name
from rushlight.distributed.fsdp import _state_dicts
from rushlight.distributed.fsdp._flat_param import FlatParamHandle, OriginalParam
from rushlight.distributed.fsdp._fully_shard._fsdp_state import state_of
from rushlight.distributed.fsdp.api import StateDictSettings

Tensor = torch.Tensor
# By the number of a parameter in its flat one: what an optimizer keeps for it.
_States = dict[int, dict[str, Any]]


class _Names:
    """Which parameters of a model an optimizer may have, and the names that are in them."""

    def __init__(self, model: Any) -> None:
        self.handles: list[FlatParamHandle] = []
        self.of_param: dict[OriginalParam, str] = {}
        # For each parameter that programs see: the names of those that it is made of.
        self.of: dict[Any, list[str]] = {}
        for path, module in model.named_modules():
            state = state_of(module)
            for handle in state.groups if state is not None else ():
                if isinstance(handle, FlatParamHandle):
                    self._add(handle, path, module)
        for name, parameter in model.named_parameters():
            self.of.setdefault(parameter, [clean_name(name)])

    def _add(self, handle: FlatParamHandle, path: str, module: Any) -> None:
        prefix = f"{path}." if path else ""
        keys: dict[OriginalParam, str] = {}
        for key, param in _state_dicts.own_keys(module, prefix).items():
            keys.setdefault(param, clean_name(key))
        self.handles.append(handle)
        self.of_param |= keys
        names = [[keys[param]] for param in handle.params]
        if handle.shows_originals:
            self.of |= {param.sharded_param: own for param, own in zip(handle.params, names)}
        else:
            self.of[handle.flat_param] = [name for own in names for name in own]


def names_of_groups(model: Any, optim: Any) -> list[list[str]]:
    """The names of the parameters in each of an optimizer's groups."""
    names = _Names(model)
    return [
        [name for parameter in group["params"] for name in names.of[parameter]]
        for group in optim.param_groups
    ]


def by_name(
    model: Any, optim: Any, held: dict[str, Any] | None, given: StateDictSettings
) -> dict[str, Any]:
    """An optimizer's state dict by names."""
    names = _Names(model)
    held = optim.state_dict() if held is None else held
    ordered = [p for group in optim.param_groups for p in group["params"]]
    numbers = [n for group in held["param_groups"] for n in group["params"]]
    number_of = dict(zip(ordered, numbers))
    state: dict[str, Any] = {}
    for handle in names.handles:
        if not any(parameter in number_of for parameter in handle.seen()):
            continue
        own = {p: held["state"].get(number_of.get(p), {}) for p in handle.seen()}
        for k, values in _gathered(handle, _pieces(handle, own)).items():
            param = handle.params[k]
            state[names.of_param[param]] = {
                key: _shown(param, value, given) for key, value in values.items()
            }
    for parameter, number in number_of.items():
        if number in held["state"] and not getattr(parameter, "_fsdp_flattened", False):
            state[names.of[parameter][0]] = held["state"][number]
    of_number = {number: names.of[parameter] for parameter, number in number_of.items()}
    groups = [
        {**group, "params": [name for n in group["params"] for name in of_number[n]]}
        for group in held["param_groups"]
    ]
    if _state_dicts.is_left_out(given.optim_state_dict_config):
        return {}
    return {"state": state, "param_groups": groups}


def _shown(param: OriginalParam, value: Any, given: StateDictSettings) -> Any:
    if not isinstance(value, Tensor):
        return value
    if value.dim():
        value = _state_dicts.shown(param, param.with_inner_spec(value), given.state_dict_type)
    return value.cpu() if given.optim_state_dict_config.offload_to_cpu else value


def _pieces(handle: FlatParamHandle, own: dict[Any, dict[str, Any]]) -> _States:
    """What an optimizer keeps, for each of the parameters that the flat one is made of."""
    if handle.shows_originals:
        found = {k: own[param.sharded_param] for k, param in enumerate(handle.params)}
        return {k: values for k, values in found.items() if values}
    values = own[handle.flat_param]
    if not values:
        return {}
    return {
        k: {key: x[param.own] if _is_piece(x) else x for key, x in values.items()}
        for k, param in enumerate(handle.params)
    }


def _is_piece(value: Any) -> bool:
    """Whether a state has a value for each element."""
    return isinstance(value, Tensor) and value.dim() > 0


def _gathered(handle: FlatParamHandle, pieces: _States) -> _States:
    """What all devices have, with whole tensors for pieces."""
    found: _States = {}
    for kinds in _kinds_of_all(handle, pieces):
        for k, own in kinds.items():
            for key, value in own.items():
                found.setdefault(k, {}).setdefault(key, value)
    wholes: dict[tuple[str, Any], Tensor] = {}
    for k in sorted(found):
        param = handle.params[k]
        for key, value in found[k].items():
            if not isinstance(value, torch.dtype):
                continue
            if (key, value) not in wholes:
                wholes[key, value] = _whole(handle, pieces, key, value)
            whole = wholes[key, value][param.offset : param.offset + param.numel]
            found[k][key] = whole.view(param.shape)
    return {k: found[k] for k in sorted(found)}


def _kinds_of_all(handle: FlatParamHandle, pieces: _States) -> list[_States]:
    """For each device, what it has: element types for pieces, and other values as they are."""
    kinds = {
        k: {key: x.dtype if _is_piece(x) else x for key, x in own.items()}
        for k, own in pieces.items()
    }
    if handle.world == 1:
        return [kinds]
    everybodys: list[Any] = [None] * handle.world
    dist.all_gather_object(everybodys, kinds, group=handle.group)
    return everybodys


def _whole(handle: FlatParamHandle, pieces: _States, key: str, kind: Any) -> Tensor:
    """One state of all parameters, as long as the flat parameter."""
    part = torch.zeros(handle.room, dtype=kind)
    for k, own in pieces.items():
        if key in own and own[key].dtype is kind:
            handle.params[k].view_of(part).copy_(own[key].view_as(handle.params[k].view_of(part)))
    return handle.gathered(part)


def numbered(model: Any, optim: Any, found: dict[str, Any]) -> dict[str, Any]:
    """What an optimizer loads: numbers for names, and states in pieces."""
    names = _Names(model)
    known: dict[Any, dict[str, Any]] = {}
    with torch.no_grad():
        for handle in names.handles:
            known |= _taken(handle, names, found["state"])
    state: dict[int, Any] = {}
    groups, number = [], 0
    for group in optim.param_groups:
        own = {name for parameter in group["params"] for name in names.of[parameter]}
        settings = next((g for g in found["param_groups"] if own & set(g["params"])), None)
        if settings is None and own:
            raise RuntimeError(f"the state dict has no group of parameters with {min(own)}")
        numbers = list(range(number, number + len(group["params"])))
        number += len(numbers)
        for n, parameter in zip(numbers, group["params"]):
            values = known.get(parameter) or found["state"].get(names.of[parameter][0])
            if parameter in known or not getattr(parameter, "_fsdp_flattened", False):
                state |= {n: values} if values else {}
        kept = {key: value for key, value in (settings or group).items() if key != "params"}
        groups.append({**kept, "params": numbers})
    return {"state": state, "param_groups": groups}


def _taken(handle: FlatParamHandle, names: _Names, state: dict[str, Any]) -> dict[Any, Any]:
    """For each parameter that programs see, its pieces of whole states."""
    pieces: _States = {}
    for k, param in enumerate(handle.params):
        values = state.get(names.of_param[param])
        if values:
            pieces[k] = {key: _piece(param, x) for key, x in values.items()}
    if handle.shows_originals:
        return {
            handle.params[k].sharded_param: own
            for k, own in pieces.items()
            if handle.params[k].own_numel()
        }
    if not pieces:
        return {}
    flat: dict[str, Any] = {}
    for k, own in pieces.items():
        for key, value in own.items():
            if _is_piece(value):
                flat.setdefault(key, torch.zeros(handle.room, dtype=value.dtype))
                handle.params[k].view_of(flat[key]).copy_(value)
            else:
                flat.setdefault(key, value)
    return {handle.flat_param: flat}


def _piece(param: OriginalParam, value: Any) -> Any:
    """What lies in this device's piece of a whole or distributed tensor."""
    whole = param.as_whole(value)
    if not _is_piece(whole):
        return whole
    local = getattr(whole, "_local_tensor", whole)
    return param.own_of(local).view(param.shape if param.world == 1 else -1).clone()
