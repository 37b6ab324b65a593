"""Losses of aligned sequences, of many labels, and of last layers with many classes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import rushlight
from rushlight.nn import functional as F
from rushlight.nn._functional.sequence_losses import LinearCrossEntropyOptions
from rushlight.nn.modules.container import ModuleList, Sequential
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.loss import NLLLoss, _Loss, _WeightedLoss
from rushlight.nn.modules.module import Module

__all__ = [
    "AdaptiveLogSoftmaxWithLoss", "CTCLoss", "LinearCrossEntropyLoss", "LinearCrossEntropyOptions",
    "MultiLabelMarginLoss", "NLLLoss2d",
]  # fmt: skip


class CTCLoss(_Loss):
    """The negative log likelihood of targets over all ways to align them with the input.

    Args:
        blank: the class that stands for nothing
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        zero_infinity: take losses of targets that cannot be aligned as zero
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
            self.zero_infinity,
        )  # fmt: skip


class MultiLabelMarginLoss(_Loss):
    """How far the scores of labels fall short of other classes' scores, plus one."""

    def forward(self, input: Any, target: Any) -> Any:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The old name of `NLLLoss` for images."""

    def __init__(
        self, weight: Any = None, size_average: Any = None, ignore_index: int = -100,
        reduce: Any = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        warnings.warn(
            "NLLLoss2d has been deprecated. Please use NLLLoss instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class LinearCrossEntropyLoss(_WeightedLoss):
    """A last linear layer together with the cross entropy of its output.

    Args:
        in_features: the size of the input's last dimension
        num_classes: how many classes there are
        out_features: sizes of further dimensions of the loss
        bias: whether the layer adds something
        reduction: ``"none"``, ``"mean"`` or ``"sum"``
        weight: a weight for each class
        ignore_index: a class that does not count
        label_smoothing: how much of the target is spread over all classes
        options: see `LinearCrossEntropyOptions`
    """

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: Sequence[int] = (),
        bias: bool = False, device: Any = None, dtype: Any = None, reduction: str = "mean",
        weight: Any = None, ignore_index: int | None = None, label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:  # fmt: skip
        super().__init__(weight, None, None, reduction)
        self.num_classes = num_classes
        self.out_features = tuple(out_features)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        outputs = num_classes * prod(self.out_features)
        self.linear = Linear(in_features, outputs, bias, device, dtype)

    def forward(self, input: Any, target: Any) -> Any:
        shape = (self.num_classes, *self.out_features)
        layer: Any = self.linear
        bias = None if layer.bias is None else layer.bias.reshape(shape)
        return F.linear_cross_entropy(
            input, layer.weight.reshape(*shape, -1), target, linear_bias=bias, weight=self.weight,
            reduction=self.reduction, ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self) -> str:
        layer: Any = self.linear
        return (
            f"in_features={layer.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={layer.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )


class _ASMoutput(NamedTuple):
    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """A softmax over many classes, of which rare ones share small clusters.

    Args:
        in_features: the size of the input's last dimension
        n_classes: how many classes there are, the frequent ones first
        cutoffs: where clusters begin
        div_value: how much smaller each next cluster is inside
        head_bias: whether the head adds something
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        ordered = cutoffs == sorted(cutoffs) and len(set(cutoffs)) == len(cutoffs)
        whole = all(int(c) == c for c in cutoffs)
        if not (ordered and whole and min(cutoffs) > 0 and max(cutoffs) <= n_classes - 1):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            inner = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, inner, bias=False, **made),
                    Linear(inner, size, bias=False, **made),
                )
            )

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        self.head.reset_parameters()
        for first, second in self.tail:  # type: ignore[misc]
            first.reset_parameters()  # type: ignore[has-type]
            second.reset_parameters()  # type: ignore[has-type]

    def forward(self, input: Any, target: Any) -> _ASMoutput:
        """The log probability of each target, and the mean loss."""
        if target.dim() == 1:
            if input.size(0) != target.size(0):
                raise RuntimeError(
                    "Input and target should have the same size in the batch dimension."
                )
            if input.dim() != 2:
                raise RuntimeError("1D target tensor expects 2D input tensors, but found inputs with size", input.size())  # fmt: skip
        elif target.dim() == 0:
            if input.dim() != 1:
                raise RuntimeError("0D target tensor expects 1D input tensors, but found inputs with size", input.size())  # fmt: skip
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        is_batch = target.dim() > 0
        rows = input if is_batch else input.unsqueeze(0)
        labels = target if is_batch else target.unsqueeze(0)
        outside = (labels < 0) | (labels >= self.n_classes)
        if bool(outside.any()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{int(labels.min())}, {int(labels.max())}] were found. "
            )
        output = self._of_targets(rows, labels)
        loss = (-output).mean()
        return _ASMoutput(output if is_batch else output.squeeze(0), loss)

    def _of_targets(self, rows: Any, labels: Any) -> Any:
        """The log probability of each row's label."""
        in_head = labels.clone()
        within = rushlight.zeros_like(labels, dtype=rows.dtype)
        for i in range(self.n_clusters):
            chosen = (labels >= self.cutoffs[i]) & (labels < self.cutoffs[i + 1])
            places = chosen.nonzero().squeeze(1)
            if places.numel() == 0:
                continue
            in_head = in_head.index_fill(0, places, self.shortlist_size + i)
            logs = F.log_softmax(self.tail[i](rows.index_select(0, places)), dim=1)
            inner = labels.index_select(0, places) - self.cutoffs[i]
            found = logs.gather(1, inner.unsqueeze(1)).squeeze(1)
            within = within.index_add(0, places, found)
        head = F.log_softmax(self.head(rows), dim=1)
        return within + head.gather(1, in_head.unsqueeze(1)).squeeze(1)

    def log_prob(self, input: Any) -> Any:
        """The log probabilities of all classes."""
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            logs = F.log_softmax(cluster(input), dim=1)
            parts.append(logs + head[:, self.shortlist_size + i].unsqueeze(1))
        return rushlight.cat(parts, 1)

    def predict(self, input: Any) -> Any:
        """The most probable class of each row."""
        return self.log_prob(input).argmax(dim=1)
