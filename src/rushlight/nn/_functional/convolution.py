"""Convolutions and what goes with them: borders, and channels turned into pixels."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import Sizes, overridable_function
from rushlight.engine.generated import nn_functions

__all__ = [
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "native_channel_shuffle",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
]

# The public functions themselves: their calls are remembered.
conv1d, conv2d, conv3d = torch.conv1d, torch.conv2d, torch.conv3d
conv_transpose1d = torch.conv_transpose1d
conv_transpose2d = torch.conv_transpose2d
conv_transpose3d = torch.conv_transpose3d
conv_tbc = torch.conv_tbc
pixel_shuffle, pixel_unshuffle = torch.pixel_shuffle, torch.pixel_unshuffle
channel_shuffle = torch.channel_shuffle
native_channel_shuffle = torch.native_channel_shuffle


def _pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """The input with a border; ``pad`` lists its widths, the last dimension first."""
    return nn_functions.pad(input, pad, mode, value)  # type: ignore[no-any-return]


pad = overridable_function("pad", _pad, sizes=Sizes(0b10, ("pad",)))
