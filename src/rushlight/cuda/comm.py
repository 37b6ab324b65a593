"""Copies to several devices, and sums of what is on several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight
from rushlight.cuda import _device, streams
from rushlight.cuda import nccl as _library
from rushlight.engine.cuda import nccl

__all__ = [
    "broadcast",
    "broadcast_coalesced",
    "gather",
    "reduce_add",
    "reduce_add_coalesced",
    "scatter",
]


def _one_of(devices: Any, out: Any) -> None:
    if (devices is None) == (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified, but got devices={devices} and out={out}"
        )


def broadcast(tensor: Any, devices: Any = None, *, out: Any = None) -> tuple[Any, ...]:
    """Copies of a tensor on devices; the tensor itself where it is.

    Args:
        tensor: what is copied
        devices: where to; the first is where it is
        out: tensors to copy into, in the place of devices
    """
    _one_of(devices, out)
    if out is not None:
        for target in out:
            target.copy_(tensor)
        return tuple(out)
    return tuple(tensor.to(_place(d), non_blocking=True) for d in devices)


def broadcast_coalesced(tensors: Sequence[Any], devices: Any, buffer_size: int = 10485760) -> Any:
    """Copies of several tensors on devices: a list for each device."""
    return [[tensor.to(_place(d), non_blocking=True) for tensor in tensors] for d in devices]


def reduce_add(inputs: Sequence[Any], destination: Any = None) -> Any:
    """The sum of tensors of one size on different devices.

    Args:
        inputs: the tensors
        destination: the device of the sum; the current one if None
    """
    where = _place(destination)
    root = None
    for k, x in enumerate(inputs):
        if x.device.type == "cpu":
            raise AssertionError(
                f"reduce_add expects all inputs to be on GPUs, but input {k} is on CPU"
            )
        if x.device == where:
            root = k
        if x.shape != inputs[0].shape:
            got, expected = ("x".join(map(str, t.shape)) for t in (x, inputs[0]))
            raise ValueError(f"input {k} has invalid size: got {got}, but expected {expected}")
    if root is None:
        raise RuntimeError(
            "reduce_add expects destination to be on the same GPU with one of the tensors"
        )
    if len(inputs) > 1 and nccl.is_there() and _library.is_available(inputs):
        total = rushlight.empty_like(inputs[root])  # type: ignore[attr-defined]
        _library.reduce(inputs, total, root)
        return total
    total = inputs[0].to(where, copy=True)
    for other in inputs[1:]:
        total += other.to(where)
    return total


def reduce_add_coalesced(inputs: Any, destination: Any = None, buffer_size: int = 10485760) -> Any:
    """The sums of the tensors at the same places of several lists."""
    return tuple(reduce_add(together, destination) for together in zip(*inputs, strict=True))


def scatter(
    tensor: Any, devices: Any = None, chunk_sizes: Any = None, dim: int = 0, streams: Any = None, *, out: Any = None
) -> tuple[Any, ...]:  # fmt: skip
    """Parts of a tensor on devices.

    Args:
        tensor: what is cut
        devices: where the parts go
        chunk_sizes: how long they are; as equal as possible if None
        dim: along which dimension it is cut
        streams: which streams copy; the current ones if None
        out: tensors to copy into, in the place of devices
    """
    if out is None:
        parts = (
            tensor.split(list(chunk_sizes), dim) if chunk_sizes else tensor.chunk(len(devices), dim)
        )
        given = [None] * len(parts) if streams is None else streams
        # A short dimension is cut into fewer parts than there are devices.
        return tuple(_copied(part, d, s) for part, d, s in zip(parts, devices, given))
    if devices is not None:
        raise RuntimeError(
            f"'devices' must not be specified when 'out' is specified, but got devices={devices}"
        )
    if chunk_sizes is not None:
        raise RuntimeError(
            f"'chunk_sizes' must not be specified when 'out' is specified, but got chunk_sizes={chunk_sizes}"
        )
    for part, target in zip(tensor.split([x.shape[dim] for x in out], dim), out, strict=True):
        target.copy_(part)
    return tuple(out)


def _copied(part: Any, device: Any, stream: Any) -> Any:
    with streams.stream(stream):
        return part.contiguous().to(_place(device), non_blocking=True)


def gather(
    tensors: Sequence[Any], dim: int = 0, destination: Any = None, *, out: Any = None
) -> Any:
    """Tensors of several devices, joined on one.

    Args:
        tensors: the parts
        dim: along which dimension they are joined
        destination: the device of the result; -1 is the CPU, None the current device
        out: a tensor for the result, in the place of a device
    """
    if out is not None:
        if destination is not None:
            raise RuntimeError(
                f"'destination' must not be specified when 'out' is specified, but got destination={destination}"
            )
        out.copy_(rushlight.cat([x.to(out.device) for x in tensors], dim))  # type: ignore[attr-defined]
        return out
    where = rushlight.device("cpu") if destination in (-1, "cpu") else _place(destination)
    return rushlight.cat([x.to(where) for x in tensors], dim)  # type: ignore[attr-defined]


def _place(device: Any) -> Any:
    """A device by number or name."""
    return rushlight.device("cuda", _device.index_of(device))
