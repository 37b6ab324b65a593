"""Samples of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.engine.ops.samples import Samples, first, fixed, numbers, of, places

samples = Samples("losses")
add = samples.add

X = numbers(2, 3)
WEIGHTS = fixed([1.0, 2.0, 0.5])


def apart(y: Any) -> Any:
    """Targets away from where a loss has a kink."""
    return y + 3


def sigmoid(x: Any) -> Any:
    return x.sigmoid()


for _number, _how in enumerate(("none", "mean", "sum")):
    _facts: Any = {"what": _how, "is_real": True}
    for _name in ("mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
        add(_name, X, of(apart, X), _number, **_facts)
    add("binary_cross_entropy", of(sigmoid, X), of(sigmoid, X), WEIGHTS, _number, **_facts)
    add("binary_cross_entropy_with_logits", X, X, WEIGHTS, None, _number, **_facts)

CLASSES, CLASSES_2D = places([2, 0]), places([[[2, 0]], [[1, 1]]])
for _name, _size, _classes in (
    ("nll_loss", (2, 3), CLASSES),
    ("nll_loss2d", (2, 3, 1, 2), CLASSES_2D),
):
    add(f"{_name}_forward", numbers(*_size), _classes, WEIGHTS, 1, -100, seen=first, is_real=True)
    _backward = (numbers(), fixed(np.zeros(_size)), _classes, WEIGHTS, 2, -100, fixed(3.5))
    add(f"{_name}_backward", *_backward, is_real=True)

_SCORES, _LENGTHS = numbers(4, 2, 3), ([4, 4], [2, 1])


def log_softmax(x: Any) -> Any:
    return x.log_softmax(-1)


_CTC = (of(log_softmax, _SCORES), places([[1, 2], [2, 0]]))
add("nll_loss_nd", X, CLASSES)
add("nll_loss", X, CLASSES)
add("nll_loss2d", numbers(2, 3, 1, 2), CLASSES_2D)
add("cosine_embedding_loss", X, X, places([1, -1]))
add("multilabel_margin_loss", X, places([[1, -1, 0], [0, 2, -1]]))
add("ctc_loss.IntList", *_CTC, *_LENGTHS)
add("ctc_loss.Tensor", *_CTC, *map(places, _LENGTHS))
add("_ctc_loss", *_CTC, *_LENGTHS)
add("_ctc_loss.Tensor", *_CTC, *map(places, _LENGTHS))
samples.without("the step back of _ctc_loss, whose gradient calls it", "_ctc_loss_backward")
