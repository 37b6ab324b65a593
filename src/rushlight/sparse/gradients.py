"""`gradcheck` for functions of sparse tensors: their values are what is moved."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.sparse.parts import with_values

__all__ = ["as_sparse_gradcheck"]


def _is_variable(item: Any) -> bool:
    return isinstance(item, Tensor) and sparse_tensors.is_sparse(item) and metas.requires_grad(item)


def as_sparse_gradcheck(gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """`gradcheck` that takes sparse inputs and outputs.

    Args:
        gradcheck: the function; ``masked=False`` lets it also move elements that have no value
    """

    @functools.wraps(gradcheck)
    def check(func: Callable[..., Any], inputs: Any, **options: Any) -> Any:
        masked = options.pop("masked", False)
        given = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
        patterns: dict[int, Tensor] = {}
        for place, item in enumerate(given):
            if _is_variable(item):
                patterns[place] = item.detach() if masked else _everywhere(item)
                values = sparse_tensors.parts_of(patterns[place]).values
                given[place] = values.detach().clone().requires_grad_()

        def of_values(*args: Any) -> Any:
            restored = [
                with_values(item, patterns[place]) if place in patterns else item
                for place, item in enumerate(args)
            ]
            found = func(*restored)
            if isinstance(found, (tuple, list)):
                return tuple(_dense(item, masked) for item in found)
            return _dense(found, masked)

        return gradcheck(of_values, tuple(given), masked=masked, **options)

    return check


def _everywhere(sparse: Any) -> Any:
    """A sparse tensor in which every element has a value."""
    from rushlight.autograd.gradcheck import everywhere

    plain = sparse.detach()
    return plain.to_dense().sparse_mask(everywhere(plain))


def _dense(item: Any, masked: bool) -> Any:
    return item.to_dense(masked_grad=masked) if _is_variable(item) else item
