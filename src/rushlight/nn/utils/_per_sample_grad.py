"""Gradients for each sample of a batch, from one ordinary backward pass."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.nn.utils._expanded_weights import ExpandedWeight
from rushlight.utils import _pytree as pytree


def call_for_per_sample_grads(
    module: Any,
    *,
    batch_size: int | None = None,
    loss_reduction: str = "sum",
    batch_first: bool = True,
) -> Callable[..., Any]:
    """What a module does, so that a backward pass gives each of its parameters a ``grad_sample``.

    Args:
        module: the module, made of linear and convolutional layers, embeddings and normalisations
        batch_size: how many samples there are; that of the arguments if it is not said
        loss_reduction: whether the loss is a ``sum`` over samples, or a ``mean``, whose parts count as often as
            there are samples
        batch_first: whether the batch is the first dimension of the arguments, or the second one
    """
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(
            f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}"
        )
    if not isinstance(module, torch.nn.Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(
            f"Batch size passed must be None or an integer, got {type(batch_size).__name__}"
        )
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for weight in module.parameters():
        if getattr(weight, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple "
                f"calls without clearing gradients. Please clear out the grad_sample parameter of {weight} or "
                "post an issue to pytorch/pytorch to prioritize correct behavior"
            )

    @functools.wraps(module.forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        size = batch_size or _batch_size(args, kwargs, batch_first)
        weights = {
            name: ExpandedWeight(weight, size, loss_reduction) if weight.requires_grad else weight
            for name, weight in module.named_parameters()
        }
        return torch.func.functional_call(module, weights, args, kwargs)

    return forward


def _batch_size(args: Any, kwargs: Any, batch_first: bool) -> int:
    found = None
    for x in pytree.tree_leaves((args, kwargs)):
        if not isinstance(x, torch.Tensor):
            continue
        size = x.shape[0] if batch_first else x.shape[1]
        if found is not None and size != found:
            raise RuntimeError(
                f"When computing batch size, found at least one input with batch size {found} and one with "
                f"batch size {size}. Please specify it explicitly using the batch size kwarg in "
                "call_for_per_sample_grads"
            )
        found = size
    if found is None:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able and so "
            "ExpandedWeights cannot compute the batch size from the inputs. Please specify it explicitly"
        )
    return int(found)
