"""What two tensors have in common besides their elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.core import layout as layouts

__all__ = ["assert_eq", "assert_metadata_eq"]

_COMPRESSED = (
    layouts.sparse_csr, layouts.sparse_csc, layouts.sparse_bsr, layouts.sparse_bsc,
)  # fmt: skip


def assert_eq(a: object, b: object) -> None:
    """Raise unless two values are equal."""
    if a != b:
        raise AssertionError(f"{a} != {b}")


def assert_metadata_eq(
    assert_eq: Callable[[object, object], None],
    m1: Any,
    m2: Any,
    *,
    skip_symbolic: bool = False,
    skip_leaf: bool = False,
) -> None:
    """Compare all that tensors are but for their elements and devices, their gradients and bases too.

    Args:
        assert_eq: raises if its two arguments differ
        m1: one tensor
        m2: the other
        skip_symbolic: leave out what sizes decide
        skip_leaf: leave out whether they are leaves
    """
    assert_eq(m1.dtype, m2.dtype)
    if not skip_symbolic:
        assert_eq(m1.shape, m2.shape)
    assert_eq(m1.requires_grad, m2.requires_grad)
    if not skip_leaf:
        assert_eq(m1.is_leaf, m2.is_leaf)
    assert_eq(m1.layout, m2.layout)
    for bit in ("is_inference", "is_conj", "is_neg"):
        assert_eq(getattr(m1, bit)(), getattr(m2, bit)())
    grads = [m.grad if m.is_leaf else None for m in (m1, m2)]
    assert_eq(grads[0] is None, grads[1] is None)
    if all(grad is not None for grad in grads):
        assert_metadata_eq(assert_eq, *grads, skip_symbolic=skip_symbolic, skip_leaf=skip_leaf)
    if m1.layout is layouts.strided:
        if not skip_symbolic:
            assert_eq(m1.stride(), m2.stride())
            assert_eq(m1.storage_offset(), m2.storage_offset())
        assert_eq(m1._is_view(), m2._is_view())
        if m1._is_view():
            assert_metadata_eq(
                assert_eq, m1._base, m2._base, skip_symbolic=skip_symbolic, skip_leaf=skip_leaf
            )
        return
    assert_eq(m1.dense_dim(), m2.dense_dim())
    assert_eq(m1.sparse_dim(), m2.sparse_dim())
    if m1.layout not in _COMPRESSED:
        assert_eq(m1.is_coalesced(), m2.is_coalesced())
