"""A stage's backward pass: whole, or that of inputs first and that of weights later.

A node of the graph computes the gradients of all it was given in one go. So the pass for inputs
makes those of weights too and keeps them; the pass for weights adds them to what is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import rushlight as torch

__all__ = ["stage_backward", "stage_backward_input", "stage_backward_weight"]


def _wants_grad(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _tensors(values: Any) -> list[Any]:
    return [values] if isinstance(values, torch.Tensor) else list(values)


def _roots(outputs: Any, grads: Any) -> tuple[list[Any], list[Any]]:
    """The outputs that have a gradient, and it."""
    found = _tensors(outputs)
    given = [None] * len(found) if grads is None else _tensors(grads)
    pairs = [
        (output, grad) for output, grad in zip(found, given, strict=True) if _wants_grad(output)
    ]
    return [output for output, _ in pairs], [grad for _, grad in pairs]


def stage_backward(
    stage_output: Any,
    output_grads: Any,
    input_values: Sequence[Any],
    outputs_with_grads_idxs: Sequence[int] | None = None,
) -> tuple[Any, ...]:
    """Add gradients to parameters; the gradient of each input, None where there is none.

    Args:
        stage_output: what the stage gave, or the loss
        output_grads: the gradients of it; None for a loss
        input_values: what the stage was given
        outputs_with_grads_idxs: which of the outputs count; all if None
    """
    if outputs_with_grads_idxs is not None:
        outputs, grads = _tensors(stage_output), output_grads
        stage_output = [outputs[k] for k in outputs_with_grads_idxs]
        output_grads = None if grads is None else [grads[k] for k in outputs_with_grads_idxs]
    roots, grads = _roots(stage_output, output_grads)
    for value in input_values:
        if _wants_grad(value) and not value.is_leaf:
            value.retain_grad()
    torch.autograd.backward(roots, grads)
    found = []
    for value in input_values:
        found.append(value.grad if _wants_grad(value) else None)
        if _wants_grad(value):
            value.grad = None
    return tuple(found)


def stage_backward_input(
    stage_outputs_or_loss: Any,
    output_grads: Any,
    input_values: Sequence[Any],
    weights: Iterable[Any],
) -> tuple[tuple[Any, ...], list[dict[str, Any]]]:
    """The gradient of each input, and groups of weights with gradients that are still to be added.

    Args:
        stage_outputs_or_loss: what the stage gave, or the loss
        output_grads: the gradients of it; None for a loss
        input_values: what the stage was given
        weights: the stage's parameters
    """
    roots, grads = _roots(stage_outputs_or_loss, output_grads)
    inputs = [value for value in input_values if _wants_grad(value)]
    params = [weight for weight in weights if weight.requires_grad]
    wanted = [*inputs, *params]
    found = torch.autograd.grad(roots, wanted, grads, allow_unused=True) if wanted else ()
    of_inputs = iter(found[: len(inputs)])
    made = []
    for value in input_values:
        grad = next(of_inputs) if _wants_grad(value) else None
        made.append(grad)
        if grad is not None:
            value.grad = grad if value.grad is None else value.grad + grad
    return tuple(made), [{"params": params, "grads": list(found[len(inputs) :])}]


def stage_backward_weight(
    weights: Iterable[Any], param_groups: list[dict[str, Any]], retain_graph: bool = False
) -> tuple[Any, ...]:
    """Add the gradients that `stage_backward_input` has left to the weights; their gradients.

    Args:
        weights: the stage's parameters
        param_groups: what `stage_backward_input` gave
        retain_graph: no difference: the graph has been gone through already
    """
    with torch.no_grad():
        for group in param_groups:
            for param, grad in zip(group["params"], group["grads"], strict=True):
                if grad is not None:
                    param.grad = grad if param.grad is None else param.grad.add_(grad)
            group["grads"] = [None] * len(group["params"])
    return tuple(weight.grad for weight in weights)
