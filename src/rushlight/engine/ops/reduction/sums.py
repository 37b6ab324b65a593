"""Sums, means, products and counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import reduction as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import promotion
from rushlight.engine.loops import reductions as recipes
from rushlight.engine.loops.expr import Complex, Value, const, convert, isnan, select
from rushlight.engine.loops.reduction import Reduction, Values, simple
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.planned import planned
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_dims
from rushlight.engine.ops.kinds.views import composite

WIDE_UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)


def total_dtype(self: Tensor, wanted: dtype | None) -> dtype:
    """The type of a sum: integers are summed as int64."""
    if wanted is not None:
        return wanted
    return self._dtype_ if self._dtype_.category >= FLOATING else dtypes.int64


def element_type(source: dtype, result: dtype) -> str:
    """The type in which elements are summed up to a result."""
    if result.category == COMPLEX:
        return "c128" if result is dtypes.complex128 else "c64"
    if result.category == FLOATING:
        return "f64" if result is dtypes.float64 else "f32"
    return "i64" if source.category >= FLOATING else recipes.sum_type(source.memory)


def check_kernel(kernel: str, result: dtype) -> None:
    if result is dtypes.complex32 or result in dtypes.FLOAT8:
        raise not_implemented(kernel, result)


@planned("sum", typed_by_out=True)
def total(self: Tensor, dtype: dtype | None) -> Reduce:
    return sum_over(self, None, False, dtype)


@planned("sum.dim_IntList", typed_by_out=True)
def sum_over(self: Tensor, dim: Any, keepdim: bool, dtype: dtype | None) -> Reduce:
    kind = total_dtype(self, dtype)
    dims = reduced_dims(self, dim)
    check_kernel("sum_cpu", kind)
    if kind.category == COMPLEX:
        recipe = recipes.complex_sum_of(element_type(self._dtype_, kind))
    elif kind is dtypes.bool_:
        recipe = recipes.any_of()
    else:
        recipe = recipes.sum_of(element_type(self._dtype_, kind), cascades=True)
    return Reduce((self,), dims, keepdim, recipe, (kind,))


@planned("mean", typed_by_out=True)
def mean(self: Tensor, dtype: dtype | None) -> Reduce:
    return mean_over(self, None, False, dtype)


@planned("mean.dim", typed_by_out=True)
def mean_over(self: Tensor, dim: Any, keepdim: bool, dtype: dtype | None) -> Reduce:
    kind = dtype or self._dtype_
    if kind.category < FLOATING:
        what, name = ("Input", self._dtype_) if dtype is None else ("Optional", dtype)
        found = "could not infer output dtype. " if dtype is None else ""
        raise RuntimeError(
            f"mean(): {found}{what} dtype must be either a floating point or complex dtype. "
            f"Got: {promotion.title(name)}"
        )
    dims = reduced_dims(self, dim)
    check_kernel("sum_cpu", kind)
    element = element_type(self._dtype_, kind)
    recipe = complex_mean_of(element) if kind.category == COMPLEX else recipes.mean_of(element)
    return Reduce((self,), dims, keepdim, recipe, (kind,))


def complex_mean_of(type: str) -> Reduction:
    """The mean of complex elements."""
    plain = recipes.complex_sum_of(type)

    def finish(totals: Values, count: Value) -> Complex:
        number = convert(count, "f64")
        return Complex(totals[0] / number, totals[1] / number)

    return Reduction(
        plain.params, plain.phases, plain.totals, plain.start, plain.collect, plain.combine, finish
    )


@planned("nansum", typed_by_out=True)
def nansum(self: Tensor, dim: Any, keepdim: bool, dtype: dtype | None) -> Reduce:
    if self._dtype_.category == COMPLEX:
        raise RuntimeError("nansum on CPU does not support complex inputs")
    kind = total_dtype(self, dtype)
    if kind.category < FLOATING or self._dtype_.category < FLOATING:
        return sum_over(self, dim, keepdim, dtype)
    dims = reduced_dims(self, dim)
    if kind.category == COMPLEX:
        raise not_implemented("nansum_cpu", kind)
    check_kernel("nansum_cpu", kind)
    recipe = recipes.nansum_of(element_type(self._dtype_, kind))
    return Reduce((self,), dims, keepdim, recipe, (kind,))


@planned("nanmean", typed_by_out=True)
def nanmean(self: Tensor, dim: Any, keepdim: bool, dtype: dtype | None) -> Reduce:
    if self._dtype_.category < FLOATING:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got "
            f"{promotion.title(self._dtype_)}"
        )
    if total_dtype(self, dtype).category < FLOATING:
        raise not_implemented("nansum_cpu", total_dtype(self, dtype))
    request = nansum(self, dim, keepdim, dtype)
    element = element_type(self._dtype_, request.results[0])
    return Reduce((self,), request.dims, keepdim, nanmean_of(element), request.results)


def nanmean_of(type: str) -> Reduction:
    """The mean of the elements that are numbers."""
    return simple(
        [type],
        [type, "i32"],
        [0, 0],
        lambda accs, xs: [
            accs[0] + select(isnan(xs[0]), const(type, 0), xs[0]),
            accs[1] + convert(~isnan(xs[0]), "i32"),
        ],
        lambda a, b: [a[0] + b[0], a[1] + b[1]],
        lambda totals, count: totals[0] / convert(totals[1], "f64"),
        ["f64", "i64"],
    )


@planned("prod", typed_by_out=True)
def prod(self: Tensor, dtype: dtype | None) -> Reduce:
    return prod_over(self, None, False, dtype)


@planned("prod.dim_int", typed_by_out=True)
def prod_over(self: Tensor, dim: int | None, keepdim: bool, dtype: dtype | None) -> Reduce:
    kind = total_dtype(self, dtype)
    dims = reduced_dims(self, dim)
    check_kernel("prod_out_cpu", kind)
    if kind.category == COMPLEX:
        recipe = complex_product_of(element_type(self._dtype_, kind))
    elif kind is dtypes.bool_:
        recipe = recipes.all_of()
    else:
        element = element_type(self._dtype_, kind)
        # Unlike sums, products of short blocks may need all the bits.
        recipe = recipes.product_of("i64" if element == "i32" else element)
    return Reduce((self,), dims, keepdim, recipe, (kind,))


def complex_product_of(type: str) -> Reduction:
    """The product of complex elements of a type."""
    part = "f64" if type == "c128" else "f32"

    def multiply(a: Sequence[Value], b: Sequence[Value]) -> list[Value]:
        result = Complex(*a) * Complex(*b)
        return [result.real, result.imag]

    return simple(
        [type],
        [part] * 2,
        [1, 0],
        lambda accs, xs: multiply(accs, [xs[0].real, xs[0].imag]),
        multiply,
        lambda totals, count: Complex(*totals),
        ["f64"] * 2,
    )


@planned("count_nonzero.dim_IntList")
def count_nonzero_over(self: Tensor, dim: Any) -> Reduce:
    if self._dtype_ in WIDE_UNSIGNED or self._dtype_ in dtypes.FLOAT8:
        raise not_implemented("nonzero_count_cpu", self._dtype_)
    dims = reduced_dims(self, dim)
    return Reduce((self,), dims, False, recipes.count_nonzero(), (dtypes.int64,))


@planned("count_nonzero")
def count_nonzero(self: Tensor, dim: int | None) -> Reduce:
    return count_nonzero_over(self, dim)


# -- truth --


def _truth_dtype(self: Tensor) -> dtype:
    return dtypes.uint8 if self._dtype_ is dtypes.uint8 else dtypes.bool_


def _truth(recipe: Reduction, self: Tensor, dim: Any, keepdim: bool) -> Reduce:
    return Reduce((self,), reduced_dims(self, dim), keepdim, recipe, (_truth_dtype(self),))


def _check_truth_out(name: str) -> Callable[[Tensor, dtype], None]:
    """What an answer may be written to."""

    def check(out: Tensor, result: dtype) -> None:
        if out._dtype_ not in (dtypes.bool_, dtypes.uint8):
            raise RuntimeError(
                f"{name} only supports bool tensor for result, got: {promotion.title(out._dtype_)}"
            )

    return check


@planned("all", exact=_check_truth_out("all"))
def all_(self: Tensor) -> Reduce:
    return _truth(recipes.all_of(), self, None, False)


@planned("all.dim", "all.dims", exact=_check_truth_out("all"))
def all_over(self: Tensor, dim: Any, keepdim: bool) -> Reduce:
    if dim is not None and not isinstance(dim, int) and not len(dim):
        return Reduce((self,), (), keepdim, recipes.all_of(), (_truth_dtype(self),))
    return _truth(recipes.all_of(), self, dim, keepdim)


@planned("any", exact=_check_truth_out("any"))
def any_(self: Tensor) -> Reduce:
    return _truth(recipes.any_of(), self, None, False)


@planned("any.dim", "any.dims", exact=_check_truth_out("any"))
def any_over(self: Tensor, dim: Any, keepdim: bool) -> Reduce:
    if dim is not None and not isinstance(dim, int) and not len(dim):
        return Reduce((self,), (), keepdim, recipes.any_of(), (_truth_dtype(self),))
    return _truth(recipes.any_of(), self, dim, keepdim)


@composite("_is_all_true")
def is_all_true(self: Tensor) -> Tensor:
    return calls.all(self)


@composite("_is_any_true")
def is_any_true(self: Tensor) -> Tensor:
    return calls.any(self)
