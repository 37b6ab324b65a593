"""`rearrange`: the dimensions of a tensor in another order, split and joined, as a pattern says."""

from __future__ import annotations

import re
from typing import Any

import rushlight as torch

# A side of a pattern: a group of names for each dimension, "..." for those without names.
_Side = list[Any]


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """Order, split, join, add and drop dimensions, as in ``rearrange(x, "b c (h k) w -> (b k) h w c", k=2)``.

    Args:
        tensor: the tensor; of a list, its tensors are stacked first
        pattern: the names of the dimensions as they are, and as they shall be
        axes_lengths: sizes of named dimensions, where they do not follow
    """
    from rushlight.functorch.dim import Dim, DimList

    x = tensor if isinstance(tensor, torch.Tensor) else torch.stack(tensor)
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = _Pattern(sides[0]), _Pattern(sides[1])
    _check(pattern, left, right, x, axes_lengths)
    names = left.names
    made: dict[str, Any] = {name: Dim(f"d{k}") for k, name in enumerate(names)}
    for name, size in axes_lengths.items():
        made[name].size = size
    made["..."] = rest = DimList(x.dim() - left.count if left.has_rest else 0, "rest")

    def dims_of(group: list[str]) -> list[Any]:
        return [d for name in group for d in (rest if name == "..." else [made[name]])]

    index: list[Any] = []
    for group in left.groups:
        if group == "...":
            index += rest
        elif not group:
            index.append(0)
        else:
            found = dims_of(group)
            index.append(found[0] if len(found) == 1 else tuple(found))
    if not index:
        return x
    order: list[Any] = []
    for group in right.groups:
        order += list(rest) if group == "..." else [tuple(dims_of(group))]
    found = x[tuple(index)]
    if not isinstance(found, torch.Tensor):
        found = found.order(*order)
    else:
        found = found.reshape([1] * len(order))
    return found


class _Pattern:
    """One side of a pattern: its groups of names, each a dimension."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.groups: _Side = []
        self.names: list[str] = []
        self.has_rest = self.rest_in_group = False
        self._parse()
        # How many dimensions have a place of their own.
        self.count = sum(group != "..." for group in self.groups)

    def _parse(self) -> None:
        open_: list[str] | None = None
        for word in re.findall(r"\.\.\.|[()]|\w+|\S", self.text):
            if word in "()":
                if (word == "(") is (open_ is not None):
                    raise ValueError(
                        f"Imbalanced parentheses in expression: '{self.text}'"
                        if word == ")"
                        else "Axis composition is one-level (brackets inside brackets not allowed)"
                    )
                if word == ")":
                    self.groups.append(open_)
                open_ = [] if word == "(" else None
                continue
            named = self._name(word, open_ is not None)
            if open_ is not None:
                open_ += named
            else:
                self.groups.append("..." if word == "..." else named)
        if open_ is not None:
            raise ValueError(f"Imbalanced parentheses in expression: '{self.text}'")

    def _name(self, word: str, grouped: bool) -> list[str]:
        if word == "...":
            if self.has_rest:
                raise ValueError("Expression may contain dots only inside ellipsis (...)")
            self.has_rest, self.rest_in_group = True, grouped
            return ["..."]
        if word.isdecimal():
            if word != "1":
                raise ValueError("rearrange only supports unnamed axes of size 1")
            return []
        if not re.fullmatch(r"\w+", word):
            raise ValueError(f"Unknown character '{word}'")
        if word.startswith("_") or word.endswith("_"):
            raise ValueError(
                f"Invalid axis identifier: {word}\n"
                "axis name should should not start or end with underscore"
            )
        if word in self.names:
            raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
        self.names.append(word)
        return [word]


def _check(pattern: str, left: _Pattern, right: _Pattern, x: Any, sizes: dict[str, int]) -> None:
    """Raise what is wrong with a pattern, or does not fit the tensor."""
    if left.rest_in_group:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if right.has_rest and not left.has_rest:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    single = set(left.names) ^ set(right.names)
    if single:
        raise ValueError(
            "Identifiers only on one side of rearrange expression (should be on both): "
            f"{_listed(single)}"
        )
    unknown = set(sizes) - set(left.names)
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {_listed(unknown)}")
    if left.has_rest and x.dim() < left.count:
        raise ValueError(
            f"Number of dimensions in pattern ({left.count}) must be less than or equal to the number of "
            f"dimensions in the tensor ({x.dim()})"
        )
    if not left.has_rest and x.dim() != left.count:
        raise ValueError(
            f"Number of dimensions in pattern ({left.count}) must be equal to the number of dimensions in "
            f"the tensor ({x.dim()})"
        )


def _listed(names: set[str]) -> str:
    return "{" + ", ".join(repr(name) for name in sorted(names)) + "}"
