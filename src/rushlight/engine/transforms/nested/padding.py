"""Nested tensors as padded ones."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import joining
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import nested
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.nested import classes
from rushlight.engine.ops.nested import padding as rows
from rushlight.engine.transforms.nested import derived, words
from rushlight.engine.transforms.nested.words import blocks, jagged, rank, values_of


@jagged("to_padded_tensor", "nested_to_padded_tensor")
def to_padded(op: Any, x: Tensor, padding: float, output_size: Any) -> Tensor:
    parts = nested.parts_of(x)
    if parts.lengths is not None:
        raise RuntimeError("to_padded_tensor(): not supported for nested tensors with holes")
    values, along = values_of(x), parts.along
    if output_size is not None:
        most = output_size[parts.ragged]
    else:
        known = classes.known_length(parts, "max_seqlen")
        most = values._size_[along] if known is None else known
    return padded(x, most, as_value(padding, values))


def padded(x: Tensor, most: int, padding: Any) -> Tensor:
    """A jagged tensor with elements of one length."""
    parts = nested.parts_of(x)
    counts, index = nested.bounds_of(parts)[0], words.places_in(parts, most)
    made = rows.padded(words.rows_of_elements(x), counts, most, padding, index)
    return made if parts.along == 0 else views.movedim_int(made, 1, parts.ragged)


def as_value(padding: float, values: Tensor) -> Any:
    """A number as an element of a tensor."""
    if values._dtype_ is dtypes.bool_:
        return bool(padding)
    return padding if values._dtype_.category >= dtypes.FLOATING else int(padding)


@blocks("to_padded_tensor", "nested_to_padded_tensor")
def to_padded_blocks(op: Any, x: Tensor, padding: float, output_size: Any) -> Tensor:
    known = nested.parts_of(x).known
    if not known.sizes:
        return derived.all_of(x)
    if not known.count:
        raise RuntimeError(
            "to_padded_tensor: at least one constituent tensor should have non-zero numel"
        )
    most = [max(lengths) for lengths in zip(*known.sizes)]
    if output_size is not None:
        if len(output_size) != rank(x):
            raise RuntimeError(
                "Length of output_size does not match NestedTensor dims. Broadcasting is not supported."
            )
        if any(a < b for a, b in zip(output_size[1:], most)):
            raise RuntimeError(
                "Value in output_size is less than NestedTensor padded size. Truncation is not "
                "supported."
            )
        most = list(output_size[1:])
    rest = {size[1:] for size in known.sizes}
    if output_size is None and len(rest) == 1 and known.sizes[0]:
        counts, values = [size[0] for size in known.sizes], derived.all_of(x)
        whole = views.reshape(values, [sum(counts), *rest.pop()])
        return rows.padded(whole, counts, most[0], as_value(padding, values))
    found = []
    for element in words.elements(x):
        missing = [n - own for n, own in zip(most, element._size_)]
        around = [side for n in reversed(missing) for side in (0, n)]
        found.append(
            joining.constant_pad_nd(element, around, as_value(padding, element))
            if any(missing)
            else element
        )
    made = joining.stack(found, 0)
    if output_size is not None and output_size[0] > made._size_[0]:
        more = [0, 0] * (rank(made) - 1) + [0, output_size[0] - made._size_[0]]
        made = joining.constant_pad_nd(made, more, as_value(padding, made))
    return made


@blocks("_nested_from_padded_and_nested_example")
def from_padded(op: Any, padded: Tensor, example: Tensor) -> Any:
    return rows.blocks_from_padded(padded, nested.parts_of(example).sizes, False)
