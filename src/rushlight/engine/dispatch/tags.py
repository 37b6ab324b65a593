"""What operators are marked with."""

from __future__ import annotations

import enum
from typing import Any


class Tag(enum.Enum):
    """A property of an operator that transformations of programs ask for."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__


def tags_of(op: Any) -> list[Tag]:
    """The tags of an operator: those that its entry declares, and those that its schema shows."""
    found = {Tag[tag] if isinstance(tag, str) else tag for tag in op.declared_tags}
    if op.namespace == "aten":
        kind = op.schema.kind
        found.add(Tag.pt2_compliant_tag)
        found |= {Tag.out} if kind == "out" else set()
        found |= {Tag.inplace} if kind == "inplace" else set()
    return sorted(found, key=int)
