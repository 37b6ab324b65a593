"""`multilabel_margin_loss`: margins between many labels."""

from __future__ import annotations

from typing import Any

from rushlight.engine.generated import functions
from rushlight.engine.ops import answers
from rushlight.engine.ops.kinds.views import composite

NONE, MEAN = 0, 1


@composite("multilabel_margin_loss")
def multilabel_margin_loss(self: Any, target: Any, reduction: int) -> Any:
    """How far each label's score falls short of each other class's, plus one."""
    dims = self.dim()
    if dims > 2 or (dims == 2 and self.shape[1] == 0) or (dims == 1 and self.shape[0] == 0):
        raise RuntimeError(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(self.shape)}"
        )
    if target.shape != self.shape:
        raise RuntimeError(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(self.shape)}"
        )
    scores = self.reshape(-1 if dims == 2 else 1, self.shape[-1] if dims else 1)
    labels = target.reshape(scores.shape)
    classes = scores.shape[1]
    if labels.numel() and not answers.are_within(labels, -1, classes - 1):
        raise RuntimeError("argument #3 'target' is out of range")
    # Labels count up to the first -1.
    given = (labels >= 0).long().cumprod(1).bool()
    places = labels.masked_fill(~given, 0)
    is_label: Any = functions.zeros_like(places).scatter_add(1, places, given.long()) > 0
    short = 1 - scores.gather(1, places).unsqueeze(2) + scores.unsqueeze(1)
    counts = given.unsqueeze(2) & ~is_label.unsqueeze(1)
    losses = functions.where(counts, short.clamp_min(0), 0).sum((1, 2)) / classes
    if reduction == NONE:
        return losses if dims == 2 else losses.reshape(())
    return losses.mean() if reduction == MEAN else losses.sum()
