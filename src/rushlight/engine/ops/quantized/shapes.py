"""Quantized tensors copied, joined, moved and chosen from: the numbers go, the scale stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import comparison, indexing, joining, sorting
from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.quantized import (
    PerChannel,
    PerTensor,
    describe,
    describe_view,
    is_quantized,
    numbers_of,
    over_numbers,
    per_tensor,
    quantizer_of,
)
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import formats
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.quantized import making, scalars
from rushlight.engine.ops.quantized.loops import computed
from rushlight.engine.ops.quantized.parts import (
    copied,
    elements_of,
    for_quantized,
    mean_the_same,
    number_for,
    requantized,
    through_numbers,
)

# -- copies --


@for_quantized("clone")
def clone(self: Tensor, memory_format: Any) -> Tensor:
    numbers = copies.clone(numbers_of(self), memory_format)
    return over_numbers(numbers, copied(quantizer_of(self)), self._dtype_)


@for_quantized("copy_")
def copy_(self: Tensor, src: Tensor, non_blocking: bool) -> Tensor:
    if not is_quantized(self):
        raise RuntimeError(
            "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use "
            "dequantize to get a float Tensor from a quantized Tensor"
        )
    if not is_quantized(src):
        return _copy_elements(self, src)
    quantizer = quantizer_of(src)
    if quantizer.scheme is not quantizer_of(self).scheme:
        raise RuntimeError("Quantized Copy only works with same qscheme")
    if self._dtype_ is not src._dtype_:
        raise RuntimeError(
            f"Quantized Copy only works with same type, got {self._dtype_} and {src._dtype_}"
        )
    copies.copy_(numbers_of(self), numbers_of(src), non_blocking)
    # Other parts of a view's base go on meaning what they did.
    (describe if self._base is None else describe_view)(self, quantizer)
    return self


def _copy_elements(self: Tensor, src: Tensor) -> Tensor:
    """Write elements, quantized as the tensor is."""
    if src._dtype_ is not dtypes.float32:
        raise RuntimeError(
            f"Quantized copy only works with kFloat as source Tensor, got {src._dtype_}"
        )
    quantizer = quantizer_of(self)
    if isinstance(quantizer, PerTensor):
        made = requantized(src, quantizer, self._dtype_)
    else:
        scales, zeros, axis = quantizer.scales, quantizer.zero_points, quantizer.axis
        made = making.quantize_per_channel(src, scales, zeros, axis, self._dtype_)
    copies.copy_(numbers_of(self), numbers_of(made))
    return self


@for_quantized("_to_copy")
def to_copy(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, non_blocking: bool,
    memory_format: Any,
) -> Tensor:  # fmt: skip
    if dtype is not None and dtype is not self._dtype_:
        raise RuntimeError(
            "Creation of quantized tensor requires quantized dtype like torch.quint8"
        )
    if device is not None and device.type != "cpu":
        raise NotImplementedError(
            f"Could not run 'aten::empty_quantized' with arguments from the "
            f"'Quantized{device.type.capitalize()}' backend: quantized tensors are on the CPU"
        )
    return clone(self, memory_format)


@for_quantized("fill_.Scalar")
def fill_(self: Tensor, value: Any) -> Tensor:
    whole = tensors.empty(self._size_, dtypes.float32)
    return _copy_elements(self, copies.fill__Scalar(whole, float(value)))


@for_quantized("fill_.Tensor")
def fill_by_tensor(self: Tensor, value: Tensor) -> Tensor:
    return fill_(self, making.item(value))


@for_quantized("empty_like")
def empty_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    kind = dtype or self._dtype_
    if memory_format in (None, layouts.preserve_format):
        memory_format = formats.suggested(self)
    return making.uninitialised(self._size_, quantizer_of(self), kind, device, memory_format)


@for_quantized("full_like")
def full_like(
    self: Tensor, fill_value: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any,
    memory_format: Any,
) -> Tensor:  # fmt: skip
    return fill_(empty_like(self, dtype, layout, device, pin_memory, memory_format), fill_value)


@for_quantized("ones_like")
def ones_like(
    self: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    return full_like(self, 1, dtype, layout, device, pin_memory, memory_format)


@for_quantized("resize_")
def resize_(self: Tensor, size: Any, memory_format: Any) -> Tensor:
    if not isinstance(quantizer_of(self), PerTensor):
        raise RuntimeError("Can only resize quantized tensors with per-tensor schemes!")
    tensors.resize(self, tuple(size))
    return self


# -- joined --


@for_quantized("cat")
def cat(given: Sequence[Tensor], dim: int) -> Tensor:
    check_joined(given)
    first = per_tensor(given[0])
    return joined(given, dim, first, lambda tensor: tensor)


def check_joined(given: Sequence[Tensor]) -> None:
    """Raise for tensors that cannot be laid behind one another."""
    if not all(is_quantized(t) and isinstance(quantizer_of(t), PerTensor) for t in given):
        raise RuntimeError("Only per-tensor quantization is supported in 'cat'!")
    if any(t._dtype_ is not given[0]._dtype_ for t in given):
        raise RuntimeError("All dtypes must be the same.")


def joined(
    given: Sequence[Tensor], dim: int, quantizer: PerTensor, then: Callable[[Tensor], Tensor]
) -> Tensor:
    """Tensors laid behind one another, each brought to one scale; ``then`` changes their numbers."""
    kind = given[0]._dtype_
    numbers = []
    for tensor in given:
        own = tensor
        if not mean_the_same(quantizer_of(tensor), quantizer):
            own = requantized(elements_of(tensor), quantizer, kind)
        numbers.append(then(numbers_of(own)))
    return over_numbers(joining.cat(numbers, dim), quantizer, kind)


@for_quantized("stack")
def stack(given: Sequence[Tensor], dim: int) -> Tensor:
    place = wrap_dim(dim, len(given[0]._size_) + 1)
    return cat([views.unsqueeze(tensor, place) for tensor in given], place)


# -- moved --


@for_quantized("flip")
def flip(self: Tensor, dims: Any) -> Tensor:
    _check_one_scale(self, "Setting strides is possible only on uniformly quantized tensor")
    return through_numbers(self, lambda numbers: views.flip(numbers, dims))


@for_quantized("repeat")
def repeat(self: Tensor, repeats: Any) -> Tensor:
    _check_one_scale(self, "Setting strides is possible only on uniformly quantized tensor")
    return through_numbers(self, lambda numbers: views.repeat(numbers, repeats))


@for_quantized("constant_pad_nd")
def pad(self: Tensor, pad: Any, value: Any) -> Tensor:
    _check_one_scale(self, "Only per-tensor padding is supported.")
    number = number_for(float(value), per_tensor(self), self._dtype_)
    return through_numbers(self, lambda numbers: joining.constant_pad_nd(numbers, pad, number))


def _check_one_scale(self: Tensor, message: str) -> None:
    if isinstance(quantizer_of(self), PerChannel):
        raise RuntimeError(message)


# -- chosen --


@for_quantized("index.Tensor", "_unsafe_index.Tensor")
def index(self: Tensor, indices: Any) -> Tensor:
    _check_one_scale(self, "Indexing is only supported for per-tensor quantized tensors")
    return through_numbers(self, lambda numbers: indexing.index_Tensor(numbers, indices))


@for_quantized("index_select")
def index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    _check_one_scale(
        self, "Only per_tensor quantized quantized tensors are supported by index_select."
    )
    return through_numbers(self, lambda numbers: indexing.index_select(numbers, dim, index))


@for_quantized("masked_fill_.Scalar")
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    _check_one_scale(
        self,
        "masked_fill__quantized_cpu for quantized tensors is currently only supported for per "
        "tensor quantized tensors",
    )
    number = number_for(float(value), per_tensor(self), self._dtype_)
    indexing.masked_fill__Scalar(numbers_of(self), mask, number)
    return self


@for_quantized("masked_fill_.Tensor")
def masked_fill_by_tensor_(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    return masked_fill_(self, mask, making.item(value))


@for_quantized("masked_fill.Scalar")
def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    return masked_fill_(clone(self, None), mask, value)


@for_quantized("masked_fill.Tensor")
def masked_fill_by_tensor(self: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    return masked_fill_(clone(self, None), mask, making.item(value))


@for_quantized("_index_put_impl_")
def index_put_impl_(
    self: Tensor, indices: Any, values: Tensor, accumulate: bool, unsafe: bool
) -> Tensor:
    _check_one_scale(
        self,
        "index_put for quantized tensors is currently only supported for per tensor quantized "
        "tensors",
    )
    if accumulate:
        raise RuntimeError(
            "index_put for quantized tensors is currently not supported for accumulate=True"
        )
    chosen = elements_of(values) if is_quantized(values) else values
    written = requantized(copies.to_dtype(chosen, dtypes.float32), per_tensor(self), self._dtype_)
    indexing._index_put_impl_(numbers_of(self), indices, numbers_of(written), False, unsafe)
    return self


@for_quantized("index_put_")
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    return index_put_impl_(self, indices, values, accumulate, False)


@for_quantized("index_put")
def index_put(self: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    return index_put_impl_(clone(self, None), indices, values, accumulate, False)


# -- in order --


@for_quantized("sort.stable")
def sort(self: Tensor, stable: Any, dim: int, descending: bool) -> Any:
    found = per_tensor(self)
    numbers, places = sorting.sort_stable(
        numbers_of(self), stable=stable, dim=dim, descending=descending
    )
    return over_numbers(numbers, found, self._dtype_), places


@for_quantized("sort")
def sort_unstable(self: Tensor, dim: int, descending: bool) -> Any:
    return sort(self, False, dim, descending)


@for_quantized("topk")
def topk(self: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> Any:
    _check_one_scale(self, "Top-K is only supported on per-tensor quantization")
    numbers, places = sorting.topk(numbers_of(self), k, dim, largest, sorted)
    return over_numbers(numbers, per_tensor(self), self._dtype_), places


# -- read --


@for_quantized("_local_scalar_dense")
def element(self: Tensor) -> float:
    found = per_tensor(self)
    operands = self, float(found.scale), found.zero_point
    one = computed("dequantize", scalars.to_element, dtypes.float32, operands)
    return float(comparison._local_scalar_dense(one))
