"""The first form of `vmap`, which passes None on; parts of autograd's tools use it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from rushlight._C import _functorch
from rushlight._functorch.vmap import _create_batched_inputs, _process_batched_inputs
from rushlight.engine.core.tensor import Tensor
from rushlight.utils._pytree import tree_flatten, tree_unflatten


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """`torch.vmap`, under an old name."""
    warnings.warn(
        "Please use torch.vmap instead of torch._vmap_internals.vmap.", FutureWarning, stacklevel=2
    )
    return _vmap(func, in_dims, out_dims)


def _vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    allow_none_pass_through: bool = False,
) -> Callable[..., Any]:
    """A function on batches; results that are None may stay what they are."""

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        size, flat_dims, flat_args, spec = _process_batched_inputs(in_dims, args, func)
        level = _functorch._vmap_increment_nesting(size, "error")
        try:
            outputs = func(*_create_batched_inputs(flat_dims, flat_args, level, spec))
            flat, out_spec = tree_flatten(outputs)
            dims = [out_dims] * len(flat) if isinstance(out_dims, int) else list(out_dims)
            made: list[Any] = []
            for one, dim in zip(flat, dims):
                if one is None and allow_none_pass_through:
                    made.append(None)
                elif not isinstance(one, Tensor):
                    name = getattr(func, "__name__", repr(func))
                    raise ValueError(
                        f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(one)}."
                    )
                else:
                    made.append(_functorch._remove_batch_dim(one, level, size, dim))
            return tree_unflatten(made, out_spec)
        finally:
            _functorch._vmap_decrement_nesting()

    return wrapped
