"""Keeping gradients small."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.generated import functions

__all__ = [
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_",
    "get_total_norm",
]  # fmt: skip


def _listed(parameters: Any) -> list[Any]:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def _gradients(parameters: list[Any]) -> list[Any]:
    return [p.grad for p in parameters if p.grad is not None]


@rushlight.no_grad()
def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:  # fmt: skip
    """The norm of all tensors' elements together."""
    given = _listed(tensors)
    if not given:
        return rushlight.tensor(0.0)  # type: ignore[attr-defined]
    order = float(norm_type)
    norms = [rushlight.linalg.vector_norm(t, order) for t in given]  # type: ignore[attr-defined]
    total = rushlight.linalg.vector_norm(functions.stack(norms), order)  # type: ignore[attr-defined]
    if error_if_nonfinite and not bool(functions.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite "
            "norm anyway, set `error_if_nonfinite=False`"
        )
    return total


@rushlight.no_grad()
def clip_grads_with_norm_(
    parameters: Any, max_norm: float, total_norm: Any, foreach: bool | None = None
) -> None:
    """Scale gradients down, so that a total norm would become at most ``max_norm``."""
    scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for gradient in _gradients(_listed(parameters)):
        gradient.mul_(scale.to(gradient.device))


@rushlight.no_grad()
def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:  # fmt: skip
    """Scale gradients down to a total norm of at most ``max_norm``; give the norm before."""
    if not isinstance(parameters, Tensor):
        was_generator = not isinstance(parameters, (list, tuple, set, dict))
        parameters = list(parameters)
        if not parameters and was_generator and isinstance(parameters, Iterable):
            warnings.warn(
                "`parameters` is an empty generator, no gradient clipping will occur.",
                stacklevel=3,
            )
    parameters = _listed(parameters)
    total = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:  # fmt: skip
    """The old name of `clip_grad_norm_`."""
    warnings.warn(
        "torch.nn.utils.clip_grad_norm is now deprecated in favor of "
        "torch.nn.utils.clip_grad_norm_.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@rushlight.no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Keep every element of the gradients within plus and minus ``clip_value``."""
    bound = float(clip_value)
    for gradient in _gradients(_listed(parameters)):
        gradient.clamp_(min=-bound, max=bound)
