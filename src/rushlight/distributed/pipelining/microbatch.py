"""A batch cut into microbatches, and results put together again."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight.utils import _pytree as pytree

__all__ = ["TensorChunkSpec", "merge_chunks", "split_args_kwargs_into_chunks"]


class TensorChunkSpec:
    """A tensor is cut along a dimension.

    Args:
        split_dim: the dimension
    """

    def __init__(self, split_dim: int) -> None:
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__name__}({self.split_dim})"

    def __str__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: tuple[int, ...]) -> Any:
        """A specification for each of several arguments.

        Args:
            chunk_dims: the dimension of each
        """
        return pytree.tree_map(TensorChunkSpec, chunk_dims)

    @staticmethod
    def from_dict(chunk_dims: dict[str, int]) -> Any:
        """A specification for each of several arguments with names.

        Args:
            chunk_dims: the dimension of each
        """
        return pytree.tree_map(TensorChunkSpec, chunk_dims)


class _Replicate:
    """Each microbatch gets the whole value."""


class _CustomReducer:
    """Values of microbatches are combined by a function.

    Args:
        init_value: what it begins with
        reduce_fn: combines what there is with the next value
    """

    def __init__(self, init_value: Any, reduce_fn: Any) -> None:
        self.init_value, self.reduce_fn = init_value, reduce_fn


def _split_tensor(tensor: Any, spec: TensorChunkSpec, num_chunks: int) -> list[Any]:
    """A tensor's chunks.

    Args:
        tensor: the tensor
        spec: along which dimension
        num_chunks: how many
    """
    if tensor.size(spec.split_dim) < num_chunks:
        raise AssertionError(
            f"Tensor size {tensor.size(spec.split_dim)} is smaller than num_chunks {num_chunks}"
        )
    chunks = list(torch.tensor_split(tensor, num_chunks, spec.split_dim))
    if tensor.requires_grad and tensor.is_leaf:
        for chunk in chunks:
            chunk.retain_grad()
    return chunks


def _chunks_of(value: Any, spec: Any, count: int) -> list[Any]:
    """What each microbatch gets of a value."""
    if spec is None:
        spec = TensorChunkSpec(0) if isinstance(value, torch.Tensor) else _Replicate()
    if isinstance(spec, TensorChunkSpec) and isinstance(value, torch.Tensor):
        return _split_tensor(value, spec, count)
    return [value] * count


def _split(tree: Any, specs: Any, count: int) -> list[Any]:
    """What each microbatch gets of a structure of values."""
    values, structure = pytree.tree_flatten(tree)
    if specs is None:
        flat_specs = [None] * len(values)
    else:
        flat_specs = pytree.tree_flatten(specs, is_leaf=lambda item: item is None)[0]
        if len(flat_specs) != len(values):
            raise ValueError(
                f"chunk specification {specs} has {len(flat_specs)} entries for {len(values)} values"
            )
    chunks = [_chunks_of(*pair, count) for pair in zip(values, flat_specs, strict=True)]
    return [pytree.tree_unflatten([chunk[k] for chunk in chunks], structure) for k in range(count)]


def split_args_kwargs_into_chunks(
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    chunks: int,
    args_chunk_spec: Any = None,
    kwargs_chunk_spec: Any = None,
) -> tuple[list[Any], list[Any]]:
    """The arguments of each microbatch.

    Args:
        args: the arguments of the whole batch
        kwargs: those with names
        chunks: how many microbatches there are
        args_chunk_spec: how each is cut, in the structure of ``args``; tensors along their first dimension if None
        kwargs_chunk_spec: the same for ``kwargs``
    """
    return _split(args, args_chunk_spec, chunks), _split(kwargs or {}, kwargs_chunk_spec, chunks)


def merge_chunks(chunks: list[Any], chunk_spec: Any) -> Any:
    """The result of the whole batch.

    Args:
        chunks: the result of each microbatch
        chunk_spec: how they are put together; tensors along their first dimension if None
    """
    flat = [pytree.tree_flatten(chunk)[0] for chunk in chunks]
    structure = pytree.tree_flatten(chunks[0])[1]
    specs = [None] * len(flat[0])
    if chunk_spec is not None:
        specs = pytree.tree_flatten(chunk_spec, is_leaf=lambda item: item is None)[0]
    merged = [_merge(list(values), spec) for *values, spec in zip(*flat, specs, strict=True)]
    return pytree.tree_unflatten(merged, structure)


def _merge(values: list[Any], spec: Any) -> Any:
    if isinstance(spec, _CustomReducer):
        result = spec.init_value
        for value in values:
            result = spec.reduce_fn(result, value)
        return result
    if isinstance(spec, _Replicate) or not isinstance(values[0], torch.Tensor):
        return values[0]
    return torch.cat(values, dim=0 if spec is None else spec.split_dim)
