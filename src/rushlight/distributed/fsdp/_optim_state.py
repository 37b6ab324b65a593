"""State dicts of optimizers by the names of parameters, for wrapped modules."""

from __future__ import annotations

from typing import Any

from rushlight.distributed.checkpoint.state_dict import (
    _init_optim_state,
    _numbered,
    _parameter_names,
)
from rushlight.distributed.fsdp import _state_dicts
from rushlight.distributed.fsdp.api import StateDictSettings


def by_name(
    model: Any, optim: Any, held: dict[str, Any] | None, given: StateDictSettings
) -> dict[str, Any]:
    """An optimizer's state dict by names."""
    names = _parameter_names(model)
    held = optim.state_dict() if held is None else held
    ordered = [p for group in optim.param_groups for p in group["params"]]
    numbers = [n for group in held["param_groups"] for n in group["params"]]
    named = {number: names[p] for number, p in zip(numbers, ordered)}
    config, kind = given.optim_state_dict_config, given.state_dict_type
    state = {
        named[number]: {
            key: _state_dicts.shown(value, kind, config.offload_to_cpu)
            for key, value in values.items()
        }
        for number, values in held["state"].items()
    }
    groups = [
        {**group, "params": [named[n] for n in group["params"]]} for group in held["param_groups"]
    ]
    if _state_dicts.is_left_out(config):
        return {}
    return {"state": state, "param_groups": groups}


def numbered(model: Any, optim: Any, found: dict[str, Any]) -> dict[str, Any]:
    """What an optimizer loads: numbers for names, and states in parts."""
    names = _parameter_names(model)
    _init_optim_state(optim)
    parameters = {name: parameter for parameter, name in names.items()}
    state = {
        name: {key: _state_dicts.as_part(x, parameters.get(name)) for key, x in own.items()}
        for name, own in found["state"].items()
    }
    made: dict[str, Any] = _numbered(optim, names, {**found, "state": state})
    return made
