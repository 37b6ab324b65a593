"""Inputs cut into chunks for several devices, and results joined again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.nn.parallel._devices import has_accelerator
from rushlight.nn.parallel._functions import Gather, Scatter

__all__ = ["gather", "scatter", "scatter_kwargs"]


def _like(example: Any, parts: Any) -> Any:
    """A sequence of the kind of another one; named tuples take their fields one by one."""
    return type(example)(*parts) if hasattr(example, "_fields") else type(example)(parts)


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> list[Any]:
    """The inputs for each device: tensors in chunks, everything else as it is.

    Args:
        inputs: tensors, and lists, tuples and dicts of them
        target_gpus: the devices
        dim: the dimension along which tensors are cut
    """
    if isinstance(inputs, Tensor):
        if has_accelerator("scatter", target_gpus):
            return Scatter.apply(target_gpus, None, dim, inputs)  # type: ignore[no-any-return]
        return list(inputs.chunk(len(target_gpus), dim))
    if isinstance(inputs, (list, tuple)) and inputs:
        columns = zip(*(scatter(item, target_gpus, dim) for item in inputs))
        return [_like(inputs, column) for column in columns]
    if isinstance(inputs, dict) and inputs:
        columns = zip(*(scatter(item, target_gpus, dim) for item in inputs.values()))
        return [type(inputs)(zip(inputs, column)) for column in columns]
    return [inputs for _ in target_gpus]


def scatter_kwargs(
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    target_gpus: Sequence[Any],
    dim: int = 0,
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Positional and named arguments for each device."""
    positional = scatter(inputs, target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    count = max(len(positional), len(named))
    positional += [()] * (count - len(positional))
    named += [{}] * (count - len(named))
    return tuple(positional), tuple(named)


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """The devices' results as one: tensors are joined along a dimension.

    Args:
        outputs: one result for each device, all alike
        target_device: where the whole goes
        dim: the dimension along which tensors are joined
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        if has_accelerator("gather", ()) and first.device.type != "cpu":
            return Gather.apply(target_device, dim, *outputs)
        parts = [o.reshape(1) if o.dim() == 0 else o for o in outputs]
        return rushlight.cat([p.to(target_device) for p in parts], dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if any(len(o) != len(first) for o in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((k, gather([o[k] for o in outputs], target_device, dim)) for k in first)
    return _like(first, (gather(items, target_device, dim) for items in zip(*outputs)))
