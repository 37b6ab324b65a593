"""Batches out of samples."""

from __future__ import annotations

import collections.abc
import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np

import rushlight
from rushlight.engine.core.tensor import Tensor

_REFUSED = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
# Arrays of text and of Python objects have no tensors.
_NO_NUMBERS = "SUO"
# What their types are written like.
np_str_obj_array_pattern = re.compile(r"[SaUO]")


def _rebuilt_mapping(source: Any, entries: dict[Any, Any]) -> Any:
    """A mapping of the source's class with other values; a dict if the class cannot be made."""
    try:
        if isinstance(source, collections.abc.MutableMapping):
            made = copy.copy(source)
            made.update(entries)
            return made
        return type(source)(entries)
    except TypeError:
        return entries


def _rebuilt_sequence(source: Any, items: list[Any]) -> Any:
    """A sequence of the source's class with other items; a list if the class cannot be made."""
    try:
        if isinstance(source, collections.abc.MutableSequence):
            made = copy.copy(source)
            for position, item in enumerate(items):
                made[position] = item
            return made
        return type(source)(items)  # type: ignore[call-arg]
    except TypeError:
        return items


def _is_named_tuple(item: Any) -> bool:
    return isinstance(item, tuple) and hasattr(item, "_fields")


def default_convert(data: Any) -> Any:
    """The same data with tensors in place of NumPy's arrays and numbers."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in _NO_NUMBERS else rushlight.as_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        return _rebuilt_mapping(data, {key: default_convert(data[key]) for key in data})
    if _is_named_tuple(data):
        return type(data)(*(default_convert(item) for item in data))
    if isinstance(data, tuple):
        return [default_convert(item) for item in data]
    if isinstance(data, collections.abc.Sequence) and not isinstance(data, str | bytes):
        return _rebuilt_sequence(data, [default_convert(item) for item in data])
    return data


def collate(batch: Any, *, collate_fn_map: dict[Any, Callable[..., Any]] | None = None) -> Any:
    """One object of batches from a batch of objects of one structure.

    Args:
        batch: the samples
        collate_fn_map: what to do with a batch of each type, called with the batch and this map
    """
    first = batch[0]
    known = _function_for(first, collate_fn_map or {})
    if known is not None:
        return known(batch, collate_fn_map=collate_fn_map)

    def together(samples: Any) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, collections.abc.Mapping):
        entries = {key: together([sample[key] for sample in batch]) for key in first}
        return _rebuilt_mapping(first, entries)
    if _is_named_tuple(first):
        return type(first)(*(together(samples) for samples in zip(*batch, strict=False)))
    if isinstance(first, collections.abc.Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        items = [together(samples) for samples in zip(*batch, strict=True)]
        return items if isinstance(first, tuple) else _rebuilt_sequence(first, items)
    raise TypeError(_REFUSED.format(type(first)))


def _function_for(first: Any, functions: dict[Any, Callable[..., Any]]) -> Any:
    if type(first) in functions:
        return functions[type(first)]
    return next((made for kind, made in functions.items() if isinstance(first, kind)), None)


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Tensors along a new first dimension."""
    if batch[0].is_nested:
        raise RuntimeError(
            "Batches of nested tensors are not currently supported by the default collate_fn; please "
            "provide a custom collate_fn to handle them appropriately."
        )
    return rushlight.stack(batch, 0)  # type: ignore[attr-defined, no-any-return]


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Arrays as one tensor."""
    if batch[0].dtype.kind in _NO_NUMBERS:
        raise TypeError(_REFUSED.format(batch[0].dtype))
    join = (collate_fn_map or {}).get(Tensor, collate_tensor_fn)
    if join is collate_tensor_fn and len({(array.dtype, array.shape) for array in batch}) == 1:
        return rushlight.from_numpy(np.stack(batch))
    tensors = [rushlight.as_tensor(array) for array in batch]
    return collate(tensors, collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """NumPy's numbers as one tensor."""
    return rushlight.as_tensor(np.asarray(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Floats as one tensor, in double precision."""
    return rushlight.tensor(batch, dtype=rushlight.float64)  # type: ignore[attr-defined]


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Integers as one tensor."""
    return rushlight.tensor(batch)  # type: ignore[attr-defined]


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Texts as they are."""
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """A batch as tensors: see `collate`; numbers become tensors, texts stay lists."""
    return collate(batch, collate_fn_map=default_collate_fn_map)
