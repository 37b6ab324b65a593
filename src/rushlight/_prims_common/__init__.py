"""What operators written in Python check of tensors."""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.tensor import Tensor

__all__ = ["compare_tensor_meta"]


def compare_tensor_meta(
    a: Any,
    b: Any,
    check_sizes: bool = True,
    check_strides: bool = False,
    *,
    allow_rhs_unbacked: bool = False,
    check_conj: bool = True,
) -> None:
    """Raise unless two tensors are alike but for their elements.

    Args:
        a: one tensor
        b: the other
        check_sizes: whether sizes must be the same
        check_strides: whether strides and offsets must be
        allow_rhs_unbacked: accepted
        check_conj: whether both must be conjugate views, or none
    """
    for value in (a, b):
        if not isinstance(value, Tensor):
            raise TypeError(f"expected a tensor, got {type(value).__name__}")
    facts = ["dtype", "device"]
    if check_sizes:
        facts.append("shape")
    for name in facts:
        one, other = getattr(a, name), getattr(b, name)
        if one != other and {str(one), str(other)} != {"cuda", "cuda:0"}:
            raise AssertionError(f"Tensors with different {name}: {one} and {other}")
    if check_strides:
        steps = [
            (k, s, t)
            for k, (n, s, t) in enumerate(zip(a._size_, a._stride_, b._stride_))
            if n != 1 and s != t
        ]
        if steps and a._numel_:
            k = steps[0][0]
            raise RuntimeError(
                f"Stride mismatch! Strides are {a.stride()} and {b.stride()} (at {k})!"
            )  # type: ignore[attr-defined]
        if a._offset_ != b._offset_:
            raise RuntimeError(f"Storage offset mismatch! {a._offset_} and {b._offset_}!")
    readings = ["is_neg", *(["is_conj"] if check_conj else [])]
    for name in readings:
        one, other = getattr(a, name)(), getattr(b, name)()
        if one != other:
            raise RuntimeError(f"{name} mismatch! {one} and {other}")
