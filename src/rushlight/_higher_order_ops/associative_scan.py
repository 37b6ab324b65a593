"""All prefixes of a dimension, combined by a function whose order of calls does not matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.engine.core.tensor import Tensor
from rushlight.utils import _pytree as pytree

__all__ = ["associative_scan"]


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int,
    reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:
    """For each place along a dimension, what a function makes of all elements up to it.

    Args:
        combine_fn: combines two elements; it does not matter which neighbours are combined first
        xs: a nest of tensors
        dim: the dimension
        reverse: whether the last element comes first
        combine_mode: ``pointwise`` if the function is elementwise, ``generic`` if it is called on many elements at once
    """
    if not callable(combine_fn):
        raise ValueError("Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(dim, int):
        raise ValueError("Dim must be an int, but got " + str(type(dim)))
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(
            f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}"
        )
    leaves, spec = pytree.tree_flatten(xs)
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    if not all(isinstance(x, Tensor) for x in leaves):
        raise ValueError(f"xs leaves must be a Tensor, got {leaves}")
    if combine_mode == "pointwise" and any(x.device.type not in ("cuda", "xpu") for x in leaves):
        raise ValueError(
            "For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"
        )
    if any(x.dim() <= dim for x in leaves):
        raise ValueError(
            "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"
        )
    if any(x.shape[dim] != leaves[0].shape[dim] for x in leaves):
        raise ValueError(
            "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"
        )
    rows = [rushlight.movedim(x, dim, 0) for x in leaves]
    rows = [x.flip(0) for x in rows] if reverse else rows
    over_rows = rushlight.vmap(
        lambda a, b: pytree.tree_leaves(
            combine_fn(pytree.tree_unflatten(list(a), spec), pytree.tree_unflatten(list(b), spec))
        )
    )

    def combine(a: list[Any], b: list[Any]) -> list[Any]:
        made = list(over_rows(a, b))
        if len(made) != len(leaves):
            raise RuntimeError(
                f"The number of leaves of the pytree of the output of the operator needs to match the length of the "
                f"pytree of the input, got {len(made)} and {len(leaves)}"
            )
        for x, y in zip(made, a):
            if x.shape != y.shape or x.dtype is not y.dtype:
                raise RuntimeError(
                    f"Expected initial_xs and combine_fn_output to have same metadata but found {tuple(y.shape)}, "
                    f"{y.dtype} and {tuple(x.shape)}, {x.dtype}"
                )
        return made

    found = _scan(combine, rows)
    found = [x.flip(0) for x in found] if reverse else found
    return pytree.tree_unflatten([rushlight.movedim(x, 0, dim) for x in found], spec)


def _scan(combine: Callable[[list[Any], list[Any]], list[Any]], rows: list[Any]) -> list[Any]:
    """Prefixes along the first dimension: those of pairs of neighbours, then what is between them."""
    count = rows[0].shape[0]
    if count < 2:
        return rows
    pairs = combine([x[:-1:2] for x in rows], [x[1::2] for x in rows])
    odd = _scan(combine, pairs)
    if count % 2 == 0:
        even = combine([x[:-1] for x in odd], [x[2::2] for x in rows]) if count > 2 else None
    else:
        even = combine(odd, [x[2::2] for x in rows])
    made = []
    for place, (x, y) in enumerate(zip(rows, odd)):
        first = x[:1] if even is None else rushlight.cat([x[:1], even[place]])
        made.append(_alternating(first, y))
    return made


def _alternating(a: Any, b: Any) -> Any:
    """The elements of two tensors in turn; the first may have one more."""
    count = b.shape[0]
    woven = rushlight.stack([a[:count], b], 1).flatten(0, 1)
    return woven if a.shape[0] == count else rushlight.cat([woven, a[count:]])
