"""`vmap`: from a function on elements to one on batches."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator
from typing import Any, NoReturn, Union

import rushlight
from rushlight._C import _functorch
from rushlight._C._functorch import _add_batch_dim, _remove_batch_dim
from rushlight.autograd.graph import disable_saved_tensors_hooks
from rushlight.engine.core.tensor import Tensor
from rushlight.utils._pytree import (
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_map_,
    tree_unflatten,
)

in_dims_t = Union[int, tuple[Any, ...]]
out_dims_t = Union[int, tuple[int, ...]]

_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue "
    "with your use case."
)

__all__ = ["_add_batch_dim", "_remove_batch_dim", "restore_vmap", "tree_map_", "vmap_impl"]


def doesnt_support_saved_tensors_hooks(f: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse hooks on saved tensors while the function runs."""

    @functools.wraps(f)
    def fn(*args: Any, **kwargs: Any) -> Any:
        with disable_saved_tensors_hooks(_NO_HOOKS):
            return f(*args, **kwargs)

    return fn


def _get_name(func: Callable[..., Any]) -> str:
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    # Callable objects have a text of their own.
    return repr(func)


def _validate_and_get_batch_size(flat_in_dims: list[int | None], flat_args: list[Any]) -> int:
    sizes = [arg.size(dim) for dim, arg in zip(flat_in_dims, flat_args) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0]  # type: ignore[no-any-return]


def _process_batched_inputs(
    in_dims: Any, args: tuple[Any, ...], func: Callable[..., Any]
) -> tuple[int, list[Any], list[Any], Any]:
    """The batch size, the dimension of the batch for each leaf of the arguments, these, and their structure."""

    def title() -> str:
        return f"vmap({_get_name(func)}, in_dims={in_dims}, ...)(<inputs>)"

    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{title()}: expected `in_dims` to be int or a "
            f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if len(args) == 0:
        raise ValueError(
            f"vmap({_get_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying "
            "to vmap over a function with no inputs. The latter is unsupported."
        )
    flat_args, args_spec = tree_flatten(args)
    flat_in_dims = _broadcast_to_and_flatten(in_dims, args_spec)
    if flat_in_dims is None:
        raise ValueError(
            f"{title()}: in_dims is not compatible with the "
            f"structure of `inputs`. in_dims has structure {tree_flatten(in_dims)[1]} but inputs has "
            f"structure {args_spec}."
        )
    for place, (arg, dim) in enumerate(zip(flat_args, flat_in_dims)):
        if not isinstance(dim, int) and dim is not None:
            raise ValueError(
                f"{title()}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if isinstance(dim, int) and not isinstance(arg, Tensor):
            raise ValueError(
                f"{title()}: Got in_dim={dim} for an input but the input is of type {type(arg)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if dim is not None and not -arg.dim() <= dim < arg.dim():
            raise ValueError(
                f"{title()}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {arg.dim()} so "
                f"expected in_dim to satisfy -{arg.dim()} <= in_dim < {arg.dim()}."
            )
        if dim is not None and dim < 0:
            flat_in_dims[place] = dim % arg.dim()
    return _validate_and_get_batch_size(flat_in_dims, flat_args), flat_in_dims, flat_args, args_spec


def _create_batched_inputs(
    flat_in_dims: list[Any], flat_args: list[Any], vmap_level: int, args_spec: Any
) -> Any:
    """The arguments as the function sees them."""
    given = [
        arg if dim is None else _add_batch_dim(arg, dim, vmap_level)
        for dim, arg in zip(flat_in_dims, flat_args)
    ]
    return tree_unflatten(given, args_spec)


def _check_int_or_none(x: Any, func: Callable[..., Any], out_dims: Any) -> None:
    if isinstance(x, int) or x is None:
        return
    raise ValueError(
        f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a "
        "python collection of ints representing where in the outputs the vmapped dimension should "
        "appear."
    )


def _check_out_dims_is_int_or_int_pytree(out_dims: Any, func: Callable[..., Any]) -> None:
    if isinstance(out_dims, int):
        return
    tree_map_(functools.partial(_check_int_or_none, func=func, out_dims=out_dims), out_dims)


def _maybe_remove_batch_dim(
    name: str, output: Any, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    if out_dim is None:
        if isinstance(output, Tensor) and _functorch.is_batchedtensor(output):
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return output
    if not isinstance(output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did you "
            "mean to set out_dims= to None for output?"
        )
    return _remove_batch_dim(output, vmap_level, batch_size, out_dim)


def _unwrap_batched(
    outputs: Any, out_dims: Any, vmap_level: int, batch_size: int, func: Callable[..., Any]
) -> Any:
    """The results as whole batches."""
    flat, spec = tree_flatten(outputs)
    name = _get_name(func)

    def incompatible() -> NoReturn:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs "
            f"has structure {spec}."
        )

    if isinstance(outputs, Tensor):
        # Some programs say `out_dims=(0,)` for a function with one result.
        if isinstance(out_dims, int) or out_dims is None:
            flat_out_dims: Any = [out_dims]
        elif isinstance(out_dims, tuple) and len(out_dims) == 1:
            flat_out_dims = list(out_dims)
        else:
            incompatible()
    else:
        flat_out_dims = _broadcast_to_and_flatten(out_dims, spec)
        if flat_out_dims is None:
            incompatible()
    return tree_unflatten(
        [
            _maybe_remove_batch_dim(name, one, vmap_level, batch_size, dim)
            for one, dim in zip(flat, flat_out_dims)
        ],
        spec,
    )


def _check_randomness_arg(randomness: str) -> None:
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )


@contextlib.contextmanager
def vmap_increment_nesting(batch_size: int, randomness: str) -> Generator[int, None, None]:
    """A block within a `vmap`; gives its level."""
    level = _functorch._vmap_increment_nesting(batch_size, randomness)
    try:
        yield level
    finally:
        _functorch._vmap_decrement_nesting()


def vmap_impl(
    func: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    chunk_size: int | None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Call a function on all elements of a batch at once, or of chunks of it."""
    _check_out_dims_is_int_or_int_pytree(out_dims, func)
    batch_size, flat_in_dims, flat_args, args_spec = _process_batched_inputs(in_dims, args, func)
    if chunk_size is not None:
        chunks = _get_chunked_inputs(flat_args, flat_in_dims, batch_size, chunk_size)
        return _chunked_vmap(func, flat_in_dims, chunks, args_spec, out_dims, randomness, **kwargs)
    return _flat_vmap(
        func, batch_size, flat_in_dims, flat_args, args_spec, out_dims, randomness, **kwargs
    )


@doesnt_support_saved_tensors_hooks
def _flat_vmap(
    func: Callable[..., Any],
    batch_size: int,
    flat_in_dims: list[Any],
    flat_args: list[Any],
    args_spec: Any,
    out_dims: Any,
    randomness: str,
    **kwargs: Any,
) -> Any:
    if any(isinstance(x, Tensor) and x.is_nested for x in flat_args):  # type: ignore[attr-defined]
        return _over_nested(func, batch_size, flat_in_dims, flat_args, args_spec, out_dims, kwargs)
    with vmap_increment_nesting(batch_size, randomness) as level:
        given = _create_batched_inputs(flat_in_dims, flat_args, level, args_spec)
        outputs = func(*given, **kwargs)
        return _unwrap_batched(outputs, out_dims, level, batch_size, func)


def _over_nested(
    func: Callable[..., Any],
    batch_size: int,
    flat_in_dims: list[Any],
    flat_args: list[Any],
    args_spec: Any,
    out_dims: Any,
    kwargs: dict[str, Any],
) -> Any:
    """A call for each element, for these differ in size; the results are nested."""
    for arg, dim in zip(flat_args, flat_in_dims):
        if dim and isinstance(arg, Tensor) and arg.is_nested:  # type: ignore[attr-defined]
            raise RuntimeError(f"Nested tensors can only be vmapped over dim=0, but got dim={dim}")
    columns = [
        [arg] * batch_size if dim is None else arg.unbind(dim)
        for arg, dim in zip(flat_args, flat_in_dims)
    ]
    outputs = [func(*tree_unflatten(list(row), args_spec), **kwargs) for row in zip(*columns)]
    found = [tree_flatten(output) for output in outputs]
    flat_out_dims = _broadcast_to_and_flatten(out_dims, found[0][1])
    if flat_out_dims is None or any(flat_out_dims):
        raise RuntimeError(f"Nested tensors can only be vmapped over dim=0, but got {out_dims}")
    made = [rushlight.nested.as_nested_tensor(list(parts)) for parts in zip(*(f for f, _ in found))]  # type: ignore[attr-defined]
    return tree_unflatten(made, found[0][1])


# -- chunks --


def get_chunk_sizes(total_elems: int, chunk_size: int) -> list[int]:
    """The lengths of the chunks of a batch."""
    whole, left = divmod(total_elems, chunk_size)
    return [chunk_size] * whole + ([left] if left else [])


def _get_chunked_inputs(
    flat_args: list[Any], flat_in_dims: list[Any], batch_size: int, chunk_size: int | None
) -> Any:
    """The leaves of the arguments, chunk by chunk."""
    lengths: tuple[int, ...] = (batch_size,)
    if chunk_size is not None:
        lengths = tuple(get_chunk_sizes(batch_size, chunk_size))
    columns = [
        [arg] * len(lengths) if dim is None else arg.split(lengths, dim=dim)
        for arg, dim in zip(flat_args, flat_in_dims)
    ]
    return zip(*columns)


def _chunked_vmap(
    func: Callable[..., Any],
    flat_in_dims: list[Any],
    chunks: Any,
    args_spec: Any,
    out_dims: Any,
    randomness: str,
    **kwargs: Any,
) -> Any:
    found: list[list[Any]] = []
    spec = None
    before = rushlight.get_rng_state() if randomness == "same" else None
    for flat_args in chunks:
        batch_size = _validate_and_get_batch_size(flat_in_dims, flat_args)
        if before is not None:
            rushlight.set_rng_state(before)
        outputs = _flat_vmap(
            func, batch_size, flat_in_dims, flat_args, args_spec, out_dims, randomness, **kwargs
        )
        flat, spec = tree_flatten(outputs)
        found.append(flat)
    assert spec is not None
    flat_out_dims = _broadcast_to_and_flatten(out_dims, spec)
    assert flat_out_dims is not None
    joined = [
        parts[0] if dim is None else rushlight.cat(list(parts), dim=dim)
        for parts, dim in zip(zip(*found), flat_out_dims)
    ]
    return tree_unflatten(joined, spec)


# -- parts of `vmap`, for code that stops in the middle of it --


def restore_vmap(
    func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str
) -> Callable[..., Any]:
    """A function on batches that also gives the dimensions of the batch in its results."""

    def inner(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        with vmap_increment_nesting(batch_size, randomness) as level:
            given = wrap_batched(args, in_dims, level)
            outputs = func(*given, **kwargs)
            return unwrap_batched(outputs, level)

    return inner


def wrap_batched(args: tuple[Any, ...], bdims: Any, level: int) -> Any:
    """Arguments as a function within a level sees them."""
    flat_args, spec = tree_flatten(args)
    flat_bdims = _broadcast_to_and_flatten(bdims, spec)
    assert flat_bdims is not None
    return _create_batched_inputs(flat_bdims, flat_args, level, spec)


def unwrap_batched(args: Any, level: int) -> tuple[Any, Any]:
    """Results as whole batches, and the dimensions of the batch in them."""
    flat, spec = tree_flatten(args)
    if not flat:
        return args, ()
    pairs = [
        _functorch._unwrap_batched(one, level) if isinstance(one, Tensor) else (one, None)
        for one in flat
    ]
    values, dims = zip(*pairs)
    return tree_unflatten(values, spec), tree_unflatten(dims, spec)
