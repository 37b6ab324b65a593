"""How losses are summed up: by name, by number, or by the arguments that `reduction` replaced."""

from __future__ import annotations

from typing import Any

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def reduction_number(name: str) -> int:
    """The number by which operators know a reduction."""
    try:
        return _NUMBERS[name]
    except KeyError:
        raise ValueError(f"{name} is not a valid value for reduction") from None


def meant_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """The reduction meant by the arguments that `reduction` replaced."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def meant_number(size_average: Any, reduce: Any, reduction: str) -> int:
    """`meant_reduction` as a number."""
    return reduction_number(meant_reduction(size_average, reduce, reduction))
