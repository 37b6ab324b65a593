"""The classes of nested tensors, one for each layout: what they tell of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.engine.calls import nested as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import nested
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.nested import Blocks, Jagged
from rushlight.engine.core.nested_ints import is_nested as is_nested_int
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import overrides_hook
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.nested.places import tables_of
from rushlight.engine.ops.nested.text import text


class _Members:
    """What both layouts have."""

    is_nested = True
    __torch_function__ = classmethod(overrides_hook.disabled_torch_function)

    @property
    def layout(self: Any) -> Any:
        return nested.layout_of(self)

    def is_contiguous(self: Any, memory_format: Any = layouts.contiguous_format) -> bool:
        parts = nested.parts_of(self)
        if isinstance(parts, Blocks):
            return parts.known.is_dense
        if parts.lengths is not None:
            return False
        if memory_format is layouts.preserve_format:
            return True
        return bool(parts.values.is_contiguous(memory_format=memory_format))

    @property
    def data(self: Any) -> Any:
        return self.detach()

    @data.setter
    def data(self: Any, source: Any) -> None:
        for name in (
            "_storage_",
            "_dtype_",
            "_size_",
            "_stride_",
            "_numel_",
            "_flags_",
            "_counter_",
        ):
            setattr(self, name, getattr(source, name))

    def data_ptr(self: Any) -> int:
        return 0

    def share_memory_(self: Any) -> Any:
        """Move all parts to memory that other processes can map."""
        for part in nested.parts_of(self).tensors():
            part.share_memory_()
        return self

    def is_shared(self: Any) -> bool:
        return all(part.is_shared() for part in nested.parts_of(self).tensors())

    def apply_(self: Any, function: Any) -> Any:
        """Replace every element by a Python function of it, one at a time."""
        for element in self.unbind():
            element.apply_(function)
        return self

    def numpy(self: Any, **options: Any) -> Any:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def tolist(self: Any) -> Any:
        raise RuntimeError(
            f".tolist() is not supported for tensor subclasses, got {type(self).__name__}"
        )

    def __str__(self: Any) -> str:
        return repr(self)

    def __len__(self: Any) -> int:
        return int(self._size_[0])

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if self.grad_fn is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment."
            )
        made = self.detach().clone().requires_grad_(self.requires_grad)
        if self.grad is not None:
            made.grad = self.grad.detach().clone()
        memo[id(self)] = made
        return made

    def __setstate__(self: Any, state: Any) -> None:
        # What files keep besides the parts follows from them.
        pass

    def __copy__(self: Any) -> Any:
        rebuild, arguments = self.__reduce_ex__(2)[:2]
        return rebuild(*arguments)

    def __iter__(self: Any) -> Iterator[Any]:
        return iter(views.unbind_int(self, 0))


class NestedTensor(_Members, Tensor):
    """A batch of tensors that differ in one dimension, one behind the other: the layout ``jagged``.

    Args:
        values: the elements, joined along the ragged dimension
        offsets: where each begins there, and where the last one ends
        lengths: how long each is, where that is not up to the next one
    """

    def __new__(
        cls, values: Any, offsets: Any, *, lengths: Any = None, requires_grad: bool = False,
        _ragged_idx: int = 1, _metadata_cache: Any = None, **unused: Any,
    ) -> Any:  # fmt: skip
        if offsets is None:
            raise AssertionError("offsets must not be None")
        if len(offsets._size_) != 1:
            raise AssertionError(f"offsets must be 1D, but got {len(offsets._size_)}D")
        if isinstance(values, NestedTensor):
            raise AssertionError("values must not be a NestedTensor")
        if values.device != offsets.device:
            raise AssertionError(
                "values and offsets must be on the same device, but got "
                f"values.device={values.device} and offsets.device={offsets.device}"
            )
        batch = offsets._size_[0] - 1
        if lengths is not None and batch != lengths._size_[0]:
            raise AssertionError(
                f"offsets and lengths batch sizes must match: offsets.shape[0] - 1 = {batch}, "
                f"lengths.shape[0] = {lengths._size_[0]}"
            )
        plain = tensors.same_elements(values)
        made = over_jagged(Jagged(plain, offsets, lengths, _ragged_idx, _metadata_cache or {}))
        return made.requires_grad_() if requires_grad else made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @property
    def _values(self: Any) -> Any:
        return nested.parts_of(self).values

    @property
    def _offsets(self: Any) -> Any:
        return nested.parts_of(self).offsets

    @property
    def _lengths(self: Any) -> Any:
        return nested.parts_of(self).lengths

    @property
    def _ragged_idx(self: Any) -> int:
        return int(nested.parts_of(self).ragged)

    @property
    def _metadata_cache(self: Any) -> Any:
        return nested.parts_of(self).cache

    @property
    def _size(self: Any) -> tuple[Any, ...]:
        return tuple(self._size_)

    @property
    def _strides(self: Any) -> tuple[Any, ...]:
        return tuple(self._stride_)

    def values(self: Any) -> Any:
        """All elements as one dense tensor."""
        return calls._nested_get_values(self)

    def offsets(self: Any) -> Any:
        """Where each element begins in the values, and where the last one ends."""
        return self._offsets

    def lengths(self: Any) -> Any:
        """How long each element is, where the offsets do not tell."""
        return self._lengths

    def _get_max_seqlen(self: Any) -> int:
        return extreme_length(nested.parts_of(self), "max_seqlen", max)

    def _get_min_seqlen(self: Any) -> int:
        return extreme_length(nested.parts_of(self), "min_seqlen", min)

    _max_seqlen = property(_get_max_seqlen)
    _min_seqlen = property(_get_min_seqlen)

    @property
    def _max_seqlen_tensor(self: Any) -> Any:
        return nested.parts_of(self).cache.get("max_seqlen")

    @_max_seqlen_tensor.setter
    def _max_seqlen_tensor(self: Any, value: Any) -> None:
        nested.parts_of(self).cache["max_seqlen"] = value

    @property
    def _min_seqlen_tensor(self: Any) -> Any:
        return nested.parts_of(self).cache.get("min_seqlen")

    @_min_seqlen_tensor.setter
    def _min_seqlen_tensor(self: Any, value: Any) -> None:
        nested.parts_of(self).cache["min_seqlen"] = value

    @property
    def _maybe_max_seqlen(self: Any) -> int | None:
        return known_length(nested.parts_of(self), "max_seqlen")

    @property
    def _maybe_min_seqlen(self: Any) -> int | None:
        return known_length(nested.parts_of(self), "min_seqlen")

    def _is_contiguous_or_false(self: Any) -> bool:
        return bool(self.is_contiguous())

    def __repr__(self: Any, *, tensor_contents: str | None = None) -> str:
        gradient = ", requires_grad=True" if self.requires_grad else ""
        if self.grad_fn:
            gradient = f", grad_fn={self.grad_fn}"
        return (
            f"NestedTensor(size={self._size}, offsets={self._offsets}{gradient}, "
            f"contiguous={self.is_contiguous()})"
        )

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        settings = {
            "values": self._values,
            "offsets": self._offsets,
            "lengths": self._lengths,
            "_ragged_idx": self._ragged_idx,
            "_metadata_cache": dict(self._metadata_cache),
            "requires_grad": self.requires_grad,
        }
        return _rebuild_njt, (settings,)

    def __tensor_flatten__(self: Any) -> tuple[list[str], dict[str, Any]]:
        names = ["_values", "_offsets", "_lengths", "_min_seqlen_tensor", "_max_seqlen_tensor"]
        context = {"requires_grad": self.requires_grad, "ragged_idx": self._ragged_idx}
        return [name for name in names if getattr(self, name) is not None], context

    @staticmethod
    def __tensor_unflatten__(inner: Any, meta: Any, outer_size: Any, outer_stride: Any) -> Any:
        lengths = {
            name: inner[f"_{name}_tensor"]
            for name in ("min_seqlen", "max_seqlen")
            if inner.get(f"_{name}_tensor") is not None
        }
        return NestedTensor(
            inner["_values"], inner["_offsets"], lengths=inner.get("_lengths"),
            requires_grad=meta["requires_grad"], _ragged_idx=meta["ragged_idx"],
            _metadata_cache=lengths,
        )  # fmt: skip


def _rebuild_njt(settings: dict[str, Any]) -> NestedTensor:
    """A nested tensor from what a pickle has kept of it."""
    return NestedTensor(**settings)  # type: ignore[no-any-return]


def extreme_length(parts: Jagged, name: str, choose: Any) -> int:
    """The longest or the shortest length, looked up in what is known or found and kept there."""
    known = known_length(parts, name)
    if known is None:
        known = choose(nested.bounds_of(parts)[0], default=0)
        parts.cache[name] = as_length(known)
    return known


def known_length(parts: Jagged, name: str) -> int | None:
    """The longest or the shortest length, if it is known."""
    found = parts.cache.get(name)
    return None if found is None else int(found._size_[0])


def as_length(length: int) -> Tensor:
    """A length as a tensor of so many rows without elements."""
    return tensors.empty((length, 0), dtypes.float32)


class StridedNestedTensor(_Members, Tensor):
    """A batch of tensors of the same number of dimensions: the layout ``strided``."""

    @property
    def shape(self: Any) -> Any:
        raise RuntimeError(
            "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue."
        )

    def size(self: Any, dim: int | None = None) -> Any:
        """The size of one dimension, if all elements have the same."""
        if dim is None:
            return self.shape
        wrapped = wrap_dim(dim, len(self._size_), False)
        found = self._size_[wrapped]
        if is_nested_int(found):
            raise RuntimeError(f"Given dimension {wrapped} is irregular and does not have a size.")
        return found

    def stride(self: Any, dim: int | None = None) -> Any:
        raise RuntimeError(
            "Internal error: NestedTensorImpl doesn't support strides. Please file an issue."
        )

    def values(self: Any) -> Any:
        """The memory of all elements, as one dimension."""
        return calls._nested_get_values(self)

    def tolist(self: Any) -> Any:
        return [element.tolist() for element in self]

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        parts = nested.parts_of(self)
        return _rebuild_nested_tensor, (parts.buffer, *tables_of(parts.known))

    def __repr__(self: Any, *, tensor_contents: str | None = None) -> str:
        return text(self)


for _kind in NestedTensor, StridedNestedTensor:
    overrides_hook.add_plain(_kind)


def _rebuild_nested_tensor(buffer: Any, sizes: Any, strides: Any, offsets: Any) -> Any:
    """A nested tensor with a place for each element from what a pickle has kept of it."""
    return calls._nested_view_from_buffer(buffer, sizes, strides, offsets)


_rebuild_nested_tensor.__module__ = "rushlight._utils"
for _named in NestedTensor, _rebuild_njt:
    _named.__module__ = "rushlight.nested._internal.nested_tensor"


def over_jagged(parts: Jagged) -> Any:
    """A nested tensor without a history over jagged parts."""
    return nested.over(parts, NestedTensor)


def over_blocks(parts: Blocks) -> Any:
    """A nested tensor without a history over elements with a place each."""
    return nested.over(parts, StridedNestedTensor)
