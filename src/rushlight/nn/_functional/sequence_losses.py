"""Losses of aligned sequences, of many labels, and of a last linear layer."""

from __future__ import annotations

from typing import Any

from rushlight.engine.dispatch.overrides_hook import asking
from rushlight.engine.generated import functions, nn_functions
from rushlight.engine.native.records import dataclass
from rushlight.nn._functional.classification_losses import cross_entropy
from rushlight.nn._functional.loss_reductions import meant_number

__all__ = ["ctc_loss", "linear_cross_entropy", "multilabel_margin_loss"]


@asking
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """The negative log likelihood of targets over all ways to align them with the input."""
    how = meant_number(None, None, reduction)
    return functions.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity
    )


@asking
def multilabel_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """How far the scores of labels fall short of other classes' scores, plus one."""
    how = meant_number(size_average, reduce, reduction)
    return nn_functions.multilabel_margin_loss(input, target, how)


@dataclass
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` may save memory.

    The settings are kept and compared; on the CPU the loss is computed as without them.

    Args:
        allow_retain_graph: whether the backward pass may be run twice
        batch_chunk_size: rows that are handled at a time
        chunking_method: how that number is found if it is not given
        acc_policy: in which precision gradients are added up
        acc_dtype: the type for that
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None


def _check(input: Any, weight: Any, bias: Any, is_probability: bool, ignored: int | None) -> None:
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {weight.dim()}"
        )
    if input.shape[-1] != weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.shape[-1]} and {weight.shape[-1]}, respectively"
        )
    if is_probability and ignored is not None and ignored >= 0:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if weight.dim() > 2 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires "
            f"batched input, (N, {weight.shape[-1]}), got unbatched input with shape "
            f"{tuple(input.shape)}"
        )
    if bias is not None and bias.shape != weight.shape[:-1]:
        raise RuntimeError(
            f"expected linear_bias shape {tuple(weight.shape[:-1])}, got {tuple(bias.shape)}"
        )


@asking
def linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None,
    reduction: str = "mean", ignore_index: int | None = None, label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Any:  # fmt: skip
    """`cross_entropy` of a linear layer's output; the layer may have several dimensions."""
    is_probability = target.is_floating_point()
    _check(input, linear_weight, linear_bias, is_probability, ignore_index)
    flat_bias = None if linear_bias is None else linear_bias.flatten()
    logits = nn_functions.linear(input, linear_weight.flatten(0, -2), flat_bias)
    shape = (*input.shape[:-1], *linear_weight.shape[:-1])
    return cross_entropy(
        logits.reshape(shape), target, weight, reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index,
        label_smoothing=label_smoothing,
    )  # fmt: skip
