"""Weights of convolutions in another order of memory."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module: Any, kinds: tuple[type, ...], memory_format: Any) -> Any:
    for found in module.modules():
        if isinstance(found, kinds):
            weight: Any = found.weight  # type: ignore[attr-defined]
            weight.data = weight.detach().clone().contiguous(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Bring the weights of all 2-d convolutions into an order of memory."""
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Bring the weights of all 3-d convolutions into an order of memory."""
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)
