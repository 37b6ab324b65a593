"""Questions about tensors: equality, closeness, single elements, types."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import comparison as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.symbolic import SymBool
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.specialise import of_any_device
from rushlight.engine.loops import promotion
from rushlight.engine.ops.errors import NoElements
from rushlight.engine.ops.kinds.views import composite, cpu, explicit, meta
from rushlight.engine.ops.numbers import read_here


@cpu("_local_scalar_dense")
def local_scalar_dense(self: Tensor) -> Any:
    if not self._numel_:
        raise RuntimeError("_local_scalar_dense: Empty tensor not supported")
    return read_here(self)


@meta("_local_scalar_dense")
def local_scalar_dense_meta(self: Tensor) -> Any:
    raise NoElements("Tensor.item() cannot be called on meta tensors")


@composite("item")
def item(self: Tensor) -> Any:
    if self._numel_ != 1:
        raise RuntimeError(f"a Tensor with {self._numel_} elements cannot be converted to Scalar")
    return calls._local_scalar_dense(self)


@composite("is_nonzero")
def is_nonzero(self: Tensor) -> bool:
    if self._numel_ == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if self._numel_ != 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(item(self))


@explicit("equal")
@of_any_device
def equal(self: Tensor, other: Tensor) -> bool:
    if self._storage_.device is not other._storage_.device:
        raise RuntimeError(
            f"Cannot compare two tensors on different devices. Got: {self._storage_.device} and "
            f"{other._storage_.device}"
        )
    if self._size_ != other._size_:
        return False
    return bool(item(reduction.all(maps.eq_Tensor(self, other))))


@composite("isclose")
def isclose(self: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    if self._dtype_ is not other._dtype_:
        raise RuntimeError(
            f"{promotion.title(self._dtype_)} did not match {promotion.title(other._dtype_)}"
        )
    if rtol < 0 or atol < 0:
        name, value = ("rtol", rtol) if rtol < 0 else ("atol", atol)
        raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value}")
    close = maps.eq_Tensor(self, other)
    if equal_nan and self._dtype_.category >= dtypes.FLOATING:
        close = maps.logical_or(close, maps.logical_and(maps.isnan(self), maps.isnan(other)))
    if rtol == 0 and atol == 0:
        return close
    wide = self if self._dtype_.category >= dtypes.FLOATING else maps.mul_Scalar(self, 1.0)
    theirs = other if other._dtype_.category >= dtypes.FLOATING else maps.mul_Scalar(other, 1.0)
    allowed = maps.add_Scalar(maps.abs(maps.mul_Scalar(theirs, rtol)), atol)
    error = maps.abs(maps.sub_Tensor(wide, theirs))
    near = maps.logical_and(maps.isfinite(error), maps.le_Tensor(error, allowed))
    return maps.logical_or(close, near)


@composite("allclose")
def allclose(self: Tensor, other: Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    return bool(item(reduction.all(isclose(self, other, rtol, atol, equal_nan))))


@explicit("is_same_size")
@of_any_device
def is_same_size(self: Tensor, other: Tensor) -> bool:
    return steps.Known.note(self._size_ == other._size_)  # type: ignore[no-any-return]


@explicit("is_floating_point")
def is_floating_point(self: Tensor) -> bool:
    return self._dtype_.category == dtypes.FLOATING


@explicit("is_complex")
def is_complex(self: Tensor) -> bool:
    return self._dtype_.category == dtypes.COMPLEX


@explicit("is_signed")
def is_signed(self: Tensor) -> bool:
    return self._dtype_.is_signed


@explicit("is_inference")
def is_inference(self: Tensor) -> bool:
    return False


@explicit("numel")
def numel(self: Tensor) -> int:
    return self._numel_


@composite(
    "result_type.Tensor",
    "result_type.Scalar",
    "result_type.Scalar_Tensor",
    "result_type.Scalar_Scalar",
)
def result_type(first: Any, second: Any) -> dtype:
    return steps.Known.note(promotion.result_type(first, second))  # type: ignore[no-any-return]


@composite("can_cast")
def can_cast(from_: dtype, to: dtype) -> bool:
    return steps.Known.note(promotion.can_cast(from_, to))  # type: ignore[no-any-return]


@composite("promote_types")
def promote_types(type1: dtype, type2: dtype) -> dtype:
    return steps.Known.note(promotion.promote_types(type1, type2))  # type: ignore[no-any-return]


@explicit("_assert_scalar")
def assert_scalar(self: Any, assert_msg: str) -> None:
    # What elements decide is taken to hold where nobody knows them.
    if not (self.node.expect_true("", 0) if isinstance(self, SymBool) else self):
        raise RuntimeError(assert_msg)


@explicit("sym_constrain_range", "sym_constrain_range_for_size")
def sym_constrain_range(size: Any, min: int | None, max: int | None) -> None:
    least, most = 0 if min is None else min, size if max is None else max
    if not least <= size <= most:
        raise RuntimeError(f"Invalid value range for {size} between [{least}, {most}].")


@explicit("_assert_tensor_metadata")
def assert_tensor_metadata(
    a: Tensor, size: Any, stride: Any, dtype: Any, device: Any, layout: Any
) -> None:
    found = {
        "size": tuple(a._size_), "stride": tuple(a._stride_), "dtype": a._dtype_,
        "device": a._storage_.device, "layout": layout,
    }  # fmt: skip
    wanted = {"size": size, "stride": stride, "dtype": dtype, "device": device, "layout": layout}
    for name, value in wanted.items():
        if (
            value is not None
            and (tuple(value) if name in ("size", "stride") else value) != found[name]
        ):
            raise RuntimeError(f"Tensor {name} mismatch! Expected: {value}, Got: {found[name]}")
