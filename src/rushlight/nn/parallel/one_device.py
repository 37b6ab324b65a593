"""Networks over several devices where there is one: what can be done without more is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["data_parallel", "parallel_apply", "replicate"]


def _refuse(what: str, devices: Sequence[Any]) -> None:
    """Raise for devices that are not there."""
    if any(str(d) != "cpu" for d in devices if d is not None):
        raise NotImplementedError(f"{what} over devices {list(devices)}: only the CPU is there")


def replicate(network: Any, devices: Sequence[Any], detach: bool = False) -> list[Any]:
    """The network for each device."""
    _refuse("replicate", devices)
    return [network for _ in devices]


def parallel_apply(
    modules: Sequence[Any],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """Each module's result for its inputs."""
    if len(modules) != len(inputs):
        raise AssertionError(
            f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}"
        )
    named = [{}] * len(modules) if kwargs_tup is None else kwargs_tup
    _refuse("parallel_apply", devices or ())
    return [
        module(*(given if isinstance(given, (list, tuple)) else (given,)), **kwargs)
        for module, given, kwargs in zip(modules, inputs, named)
    ]


def data_parallel(
    module: Any,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """The module's result; with one device there is nothing to divide."""
    _refuse("data_parallel", device_ids or ())
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*given, **(module_kwargs or {}))
