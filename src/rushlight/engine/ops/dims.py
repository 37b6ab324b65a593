"""Dimension numbers and indices as users write them: negative ones count from the end."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.core.symbolic import required


def wrap_dim(dim: int, ndim: int, scalar_counts: bool = True) -> int:
    """A dimension number between 0 and ndim - 1; a scalar is allowed to have one."""
    count = ndim
    if ndim == 0:
        if not scalar_counts:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        count = 1
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    return dim + count if dim < 0 else dim


def wrap_dims(dims: Sequence[int], ndim: int) -> list[int]:
    """Several distinct dimension numbers; none or an empty list stands for all where callers say."""
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    wrapped = [wrap_dim(dim, ndim) for dim in dims]
    for position, dim in enumerate(wrapped):
        if dim in wrapped[:position]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def infer_size(shape: Sequence[int], numel: int) -> tuple[int, ...]:
    """The shape with its -1, if there is one, replaced by what is left of ``numel``."""
    known, unknown = 1, -1
    for position, size in enumerate(shape):
        if size == -1:
            if unknown >= 0:
                raise RuntimeError("only one dimension can be inferred")
            unknown = position
        elif size < 0:
            raise RuntimeError(
                f"invalid shape dimension {size} at index {position} of shape {list(shape)}"
            )
        else:
            known *= size
    if unknown < 0:
        if not required(known == numel):
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return tuple(shape)
    if known == 0 and numel == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            f"dimension size -1 can be any value and is ambiguous"
        )
    if known == 0 or not required(numel % known == 0):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return (*shape[:unknown], numel // known, *shape[unknown + 1 :])


def same_sizes(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether sizes that a kernel requires to be equal are so."""
    return len(a) == len(b) and all(required(m == n) for m, n in zip(a, b))


def narrowed(size: Sequence[int], dim: int, start: int, length: int) -> tuple[int, int]:
    """The dimension of `narrow`, counted from the first, and where the part of it begins."""
    if not size:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    d = wrap_dim(dim, len(size))
    have = size[d]
    if not -have <= start <= have:
        raise IndexError(
            f"start out of range (expected to be in range of [{-have}, {have}], but got {start})"
        )
    first = start + have if start < 0 else start
    if first > have - length:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({have}).")
    return d, first
