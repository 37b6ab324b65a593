"""Dropout in all its forms, and the other functions of networks that draw random numbers."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.engine.core import layout as layouts
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.generated import functions

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "gumbel_softmax",
    "rrelu",
    "rrelu_",
]


def _warn(text: str) -> None:
    steps.warn(text, stacklevel=3)


def _check(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero elements with probability ``p`` and scale the others up to keep the mean."""
    _check(p)
    return (functions.dropout_ if inplace else functions.dropout)(input, p, training)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps the mean and the variance of self-normalising units."""
    _check(p)
    return (functions.alpha_dropout_ if inplace else functions.alpha_dropout)(input, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _check(p)
    chosen = functions.feature_alpha_dropout_ if inplace else functions.feature_alpha_dropout
    return chosen(input, p, training)


def _channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    return (functions.feature_dropout_ if inplace else functions.feature_dropout)(
        input, p, training
    )


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of sequences, (N, C, L) or (C, L)."""
    _check(p)
    ndim = input.dim()
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    if ndim == 3:
        return _channels(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    made = _channels(batch, p, training, inplace)
    return made.squeeze_(0) if inplace else made.squeeze(0)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of images, (N, C, H, W)."""
    _check(p)
    ndim = input.dim()
    if ndim not in (3, 4):
        _warn(
            f"dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated and will "
            "result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead. Note that dropout2d exists to provide "
            "channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an "
            "optional batch dimension (i.e. 3D or 4D inputs).",
        )
    if ndim == 3:
        _warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. This behavior will change in a future release to interpret the input as one "
            "without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
            "dropout behavior, please switch to using dropout1d instead.",
        )
    return _channels(input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of volumes, (N, C, D, H, W) or (C, D, H, W)."""
    _check(p)
    ndim = input.dim()
    if ndim not in (4, 5):
        _warn(
            f"dropout3d: Received a {ndim}-D input to dropout3d, which is deprecated and will "
            "result in an error in a future release. To retain the behavior and silence this "
            "warning, please use dropout instead. Note that dropout3d exists to provide "
            "channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an "
            "optional batch dimension (i.e. 4D or 5D inputs).",
        )
    if ndim != 4:
        return _channels(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    made = _channels(batch, p, training, inplace)
    return made.squeeze_(0) if inplace else made.squeeze(0)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Leaky rectification whose slopes are drawn between two bounds in training."""
    return (functions.rrelu_ if inplace else functions.rrelu)(input, lower, upper, training)


rrelu_ = torch.rrelu_


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """A sample of the relaxed choice by logits; one-hot with ``hard``, with the soft gradient."""
    if eps != 1e-10:
        _warn("`eps` parameter is deprecated and has no effect.")
    # The numbers are drawn in the order of the elements, however the logits lie.
    fresh = functions.empty_like(logits, memory_format=layouts.contiguous_format)
    gumbels = -fresh.exponential_().log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    picked = functions.zeros_like(logits).scatter_(dim, index, 1.0)
    return picked - soft.detach() + soft
