"""Other parameters and another state for an optimizer, for a while."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from rushlight.optim.optimizer import Optimizer

__all__ = ["swap_in_optimizer_params_and_state"]

_NAME = "swap_in_optimizer_params_and_state"


def _check(optimizer: Optimizer, parameters: list[Any], given: dict[str, Any]) -> None:
    """The given parameters, groups and states must be those of such an optimizer."""
    groups = optimizer.param_groups
    if not optimizer.state:
        raise RuntimeError(f"{_NAME} requires initialized optimizer state.")
    if len(parameters) < sum(len(group["params"]) for group in groups):
        raise RuntimeError(
            f"{_NAME} requires the explicit parameter state to match optimizer.param_groups "
            "ordering."
        )
    states = given.get("state")
    if not isinstance(states, dict):
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter "
            f"ids to per-param state dicts, got {type(states).__name__}."
        )
    packed = given.get("param_groups", [])
    if len(packed) != len(groups):
        raise RuntimeError(
            "swapin_optim_state has a different number of parameter groups than the live optimizer."
        )
    for i, (one, live) in enumerate(zip(packed, groups)):
        if len(one["params"]) != len(live["params"]):
            raise RuntimeError(
                f"swapin_optim_state param group {i} has a different number of params than the "
                "live optimizer param group."
            )
    known = {number for one in packed for number in one["params"]}
    extra = [number for number in states if number not in known]
    if extra:
        raise RuntimeError(
            f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter "
            f"ids from param_groups[*]['params']; got extra keys {extra}."
        )


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer,
    swapin_parameters: dict[str, Any],
    swapin_optim_state: dict[str, Any],
) -> Iterator[None]:
    """A block in which an optimizer works on other parameters and with another state.

    Tensors of the given state are changed in place; whatever else the block puts into the
    optimizer's state or groups is forgotten at its end.

    Args:
        optimizer: an optimizer that has made a step already
        swapin_parameters: the parameters, in the order of the optimizer's own
        swapin_optim_state: what `Optimizer.state_dict` gives
    """
    parameters = list(swapin_parameters.values())
    _check(optimizer, parameters, swapin_optim_state)
    coming = iter(parameters)
    states: defaultdict[Any, Any] = defaultdict(dict)
    groups = []
    for packed in swapin_optim_state["param_groups"]:
        members = [next(coming) for _ in packed["params"]]
        groups.append({**packed, "params": members})
        for number, parameter in zip(packed["params"], members):
            if number in swapin_optim_state["state"]:
                states[parameter] = dict(swapin_optim_state["state"][number])
    kept = optimizer.state, optimizer.param_groups
    optimizer.state, optimizer.param_groups = states, groups
    try:
        yield
    finally:
        optimizer.state, optimizer.param_groups = kept
