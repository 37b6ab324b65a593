"""The public transformations that take a function and give another one: `vmap`, `grad`, `grad_and_value`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight._functorch import eager_transforms
from rushlight._functorch.vmap import (
    _check_out_dims_is_int_or_int_pytree,
    _check_randomness_arg,
    _chunked_vmap,
    _get_chunked_inputs,
    _process_batched_inputs,
    vmap_impl,
)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function on batches from one on elements; what it computes is computed for all of them at once.

    Args:
        func: takes one or more arguments; gives tensors, or trees of them
        in_dims: the dimension of the batch in each argument, None for one that all elements share; a tree like
            the arguments', or one number for all
        out_dims: where the dimension of the batch is to be in the results
        randomness: whether random numbers are an ``error``, ``different`` for each element, or the ``same``
        chunk_size: how many elements are computed at once; None for all
    """
    _check_randomness_arg(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return vmap_impl(func, in_dims, out_dims, randomness, chunk_size, *args, **kwargs)

    return wrapped


def chunk_vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunks: int = 2,
) -> Callable[..., Any]:
    """`vmap` over a number of chunks of the batch, one after the other."""
    _check_randomness_arg(randomness)
    if chunks == 1:
        return vmap(func, in_dims=in_dims, out_dims=out_dims, randomness=randomness)

    @functools.wraps(func, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims_is_int_or_int_pytree(out_dims, func)
        size, flat_in_dims, flat_args, spec = _process_batched_inputs(in_dims, args, func)
        length = -(-size // chunks)
        parts = _get_chunked_inputs(flat_args, flat_in_dims, size, length)
        return _chunked_vmap(func, flat_in_dims, parts, spec, out_dims, randomness, **kwargs)

    return wrapped


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of one with a single number as its result.

    Args:
        func: gives a tensor of one element
        argnums: the place of the argument that the gradient is of, or a tuple of places
        has_aux: ``func`` gives a pair of the number and something that is passed on
    """

    @functools.wraps(func, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return eager_transforms.grad_impl(func, argnums, has_aux, args, kwargs)

    return wrapper


def grad_and_value(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient and the value of one with a single number as its result.

    Args:
        func: gives a tensor of one element
        argnums: the place of the argument that the gradient is of, or a tuple of places
        has_aux: ``func`` gives a pair of the number and something that is passed on
    """

    @functools.wraps(func, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return eager_transforms.grad_and_value_impl(func, argnums, has_aux, args, kwargs)

    return wrapper
