"""Checks that generated code makes of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def assert_size_stride(
    item: Any, size: Sequence[int], stride: Sequence[int], op_name: str | None = None
) -> None:
    """AssertionError if a tensor has not this size and these strides; where there is one element, any stride will do."""
    if item.dim() != len(size):
        raise AssertionError("wrong number of dimensions" + _of(op_name))
    wrong = [
        f"expected size {have}=={want}, stride {step}=={wanted} at dim={d}"
        for d, (have, want, step, wanted) in enumerate(
            zip(item.size(), size, item.stride(), stride, strict=True)
        )
        if have != want or (have != 1 and step != wanted)
    ]
    if wrong:
        raise AssertionError("; ".join(wrong) + _of(op_name))


def assert_alignment(item: Any, alignment: int, op_name: str | None = None) -> None:
    """AssertionError if a tensor's elements do not begin at a multiple of so many bytes."""
    if item.data_ptr() % alignment:
        raise AssertionError(
            f"Expect the tensor to be {alignment} bytes aligned. Fail due to storage_offset="
            f"{item.storage_offset()} itemsize={item.itemsize}" + _of(op_name)
        )


def _of(op_name: str | None) -> str:
    return f"\nError in op: {op_name}" if op_name else ""
