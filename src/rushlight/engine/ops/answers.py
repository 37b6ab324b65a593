"""Questions to elements that are answered by yes or no: a call that is repeated asks them again.

They ask whether all is right, or whether something is wrong; so a tensor on the meta device, about whose
elements nothing is known, passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls import pointwise, reduction
from rushlight.engine.core import keys, wrapped
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.ops.numbers import has_no_elements, read_element

# Of a tensor without elements nothing is known: that there is nothing wrong with it, answers say.


def are_all(answers: Tensor) -> bool:
    """Whether all of these truth values are true; of a tensor without elements that is assumed."""
    if has_no_elements(answers):
        return True
    if answers._keys_ & keys.WRAPPED:
        return _of_whole_batches(are_all, answers)
    if are_unknown(answers):
        return True
    return bool(read_element(reduction.all(answers)))


def is_any(answers: Tensor) -> bool:
    """Whether one of these truth values is true; of a tensor without elements none is."""
    if has_no_elements(answers):
        return False
    if answers._keys_ & keys.WRAPPED:
        return _of_whole_batches(is_any, answers)
    if are_unknown(answers):
        return False
    return bool(read_element(reduction.any(answers)))


def are_unknown(answers: Tensor) -> bool:
    """Whether a tensor has a class that knows its sizes and type only."""
    return bool(answers._keys_ & keys.PYTHON) and getattr(answers, "_has_no_elements", False)


def _of_whole_batches(ask: Callable[[Tensor], bool], answers: Tensor) -> bool:
    """The answer for all elements of the batches that a tensor within transformations stands for."""
    with layers.without_layers():
        return ask(wrapped.bottom_of(answers))


def are_within(x: Tensor, low: Any, high: Any) -> bool:
    """Whether every element is one of the numbers from ``low`` to ``high``."""
    above, below = pointwise.ge_Scalar(x, low), pointwise.le_Scalar(x, high)
    return are_all(pointwise.logical_and(above, below))
