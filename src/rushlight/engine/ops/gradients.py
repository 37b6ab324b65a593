"""What the formulas of several families use."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import creation, pointwise, view
from rushlight.engine.dispatch.call_cache import steps


def scaled(grad: Any, factor: Any) -> Any:
    """A gradient times a number that mostly is one."""
    if factor == 1:
        return steps.Same.note(grad)
    conjugated = factor.conjugate() if isinstance(factor, complex) else factor
    return pointwise.mul_Scalar(grad, conjugated)


def zeros(grad: Any) -> Any:
    """No gradient, as a tensor."""
    return creation.zeros_like(grad)


def not_implemented(what: str) -> Any:
    """Say that an argument has no gradient here, when one is asked for."""
    raise NotImplementedError(f"the derivative for '{what}' is not implemented.")


def refused(message: str) -> Any:
    """The gradient of what has none: an error."""
    raise RuntimeError(message)


def conj(x: Any) -> Any:
    """The conjugate of a complex tensor; anything else as it is."""
    return view.conj(x) if x._dtype_.category == 3 else x
