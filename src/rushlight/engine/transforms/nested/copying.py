"""Nested tensors copied, detached, converted, compared."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import nested, state
from rushlight.engine.core.nested import is_nested
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.transforms.nested import derived, words
from rushlight.engine.transforms.nested.words import blocks, both, jagged, like, values_of


@both("detach", "alias", "detach_")
def detach(op: Any, x: Tensor) -> Any:
    if op.schema.is_inplace:
        x._autograd_ = None
        x._keys_ &= ~words.keys.AUTOGRAD
        return x
    values = op.call(values_of(x))
    if nested.is_jagged(x):
        made = like(x, values)
    else:
        made = words.over(values, nested.parts_of(x))
    made._counter_ = x._counter_
    return made


@jagged("clone")
def clone(op: Any, x: Tensor, memory_format: Any) -> Any:
    parts = nested.parts_of(x)
    if parts.lengths is not None and memory_format is layouts.contiguous_format:
        if parts.ragged != 1:
            raise AssertionError("NJT with ragged_idx != 1 not supported for contiguous clone")
        return words.joined(x, words.elements(x))
    return like(x, op.call(values_of(x), memory_format))


@blocks("clone")
def clone_blocks(op: Any, x: Tensor, memory_format: Any) -> Any:
    parts = nested.parts_of(x)
    if memory_format not in (None, layouts.preserve_format, layouts.contiguous_format):
        raise RuntimeError(
            "Nested tensor clone supports Preserve and Contiguous memory formats, called clone with "
            f"memory format: {memory_format}"
        )
    if parts.known.is_dense or memory_format in (None, layouts.preserve_format):
        return words.over(op.call(values_of(x), None), parts)
    return words.of_elements(words.elements(x))


@both("contiguous")
def contiguous(op: Any, x: Tensor, memory_format: Any) -> Any:
    if x.is_contiguous(memory_format=memory_format):  # type: ignore[attr-defined]
        return x
    return copies.clone(x, memory_format)


@both("_to_copy")
def to_copy(
    op: Any, x: Tensor, dtype: Any, layout: Any, device: Any, pin: Any, async_: Any, form: Any
) -> Any:
    values = op.call(values_of(x), dtype, None, device, pin, async_, form)
    if nested.is_jagged(x):
        return derived.on_device_of(values, x)
    return words.over(values, nested.parts_of(x))


@both("copy_")
def copy_(op: Any, x: Tensor, source: Tensor, non_blocking: bool) -> Any:
    if not is_nested(source) or not is_nested(x):
        raise RuntimeError(
            "copy_ only supports tensors that are the same size for Nested implementations"
        )
    if nested.is_jagged(x) and not nested.is_jagged(source):
        raise RuntimeError("copy_(): cannot copy between layouts of nested tensors")
    if nested.is_jagged(x) and x._size_ == source._size_:
        made = values_of(source)
    else:
        shapes = [[tuple(e._size_) for e in words.elements(one)] for one in (x, source)]
        if shapes[0] != shapes[1]:
            if nested.is_jagged(x):
                raise RuntimeError(
                    "copy_(): expected compatible input and src shapes, but got: "
                    f"{x._size_} and {source._size_}"
                )
            raise RuntimeError(
                "copy_ only supports tensors that are the same size for Nested implementations"
            )
        made = None
    if words.is_recorded(x, source):
        words.check_change(x)
        fresh = copies.clone(
            source if source._dtype_ is x._dtype_ else copies.to_dtype(source, x._dtype_)
        )
        return words.change(x, fresh)
    if made is not None:
        values_of(x).copy_(made)  # type: ignore[attr-defined]
        return x
    for target, given in zip(words.elements(x), words.elements(source)):
        target.copy_(given)  # type: ignore[attr-defined]
    return x


@both("is_same_size")
def is_same_size(op: Any, x: Tensor, other: Tensor) -> bool:
    if not is_nested(x) or not is_nested(other):
        raise RuntimeError("Expected both self and other to be nested tensors.")
    if nested.is_jagged(x):
        return bool(x._size_ == other._size_)
    return bool(nested.parts_of(x).known.sizes == nested.parts_of(other).known.sizes)


@both("equal")
def equal(op: Any, x: Tensor, other: Tensor) -> bool:
    if not (is_nested(x) and is_nested(other)) or x._size_[0] != other._size_[0]:
        return False
    with state.recording(False):
        return all(op.call(a, b) for a, b in zip(words.elements(x), words.elements(other)))


@both("values")
def values(op: Any, x: Tensor) -> Tensor:
    from rushlight.engine.calls import nested as calls

    found: Tensor = calls._nested_get_values(x)
    return found


@both("positive")
def positive(op: Any, x: Tensor) -> Tensor:
    return x


@both("_is_all_true", "_is_any_true")
def truth(op: Any, x: Tensor) -> Any:
    return op.call(derived.all_of(x))


@both("is_pinned", "_pin_memory")
def pinned(op: Any, x: Tensor, *rest: Any) -> Any:
    found = op.call(values_of(x), *rest)
    return like(x, found) if isinstance(found, Tensor) else found
