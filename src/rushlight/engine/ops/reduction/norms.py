"""Vector norms, `renorm`, `dist` and logarithms of sums of exponentials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, indexing
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import reduction as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import maths, promotion
from rushlight.engine.loops import reductions as recipes
from rushlight.engine.loops.expr import Complex, Value, convert, maximum, minimum, sqrt
from rushlight.engine.loops.reduction import Reduction, Values, simple
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Computed, Request, contiguous_spec, planned
from rushlight.engine.ops.kinds.reduction import Reduce, reduced_dims, reduced_size
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.reduction.sums import check_kernel, element_type


def magnitude(x: Any) -> Value:
    return maths.hypot(x.real, x.imag) if isinstance(x, Complex) else abs(x)


def squared(x: Any) -> Value:
    return x.real * x.real + x.imag * x.imag if isinstance(x, Complex) else x * x


def norm_of(types: Sequence[str], power: float, element: Any = None) -> Reduction:
    """The norm of ``element(xs)``, by default the only input's element."""
    pick = element or (lambda xs: xs[0])
    part = {"c64": "f32", "c128": "f64"}.get(types[0], types[0])

    def reduction(term: Any, finish: Any) -> Reduction:
        return simple(
            types,
            [part],
            [0],
            lambda accs, xs: [accs[0] + term(pick(xs))],
            lambda a, b: [a[0] + b[0]],
            lambda totals, count: finish(totals[0]),
            ["f64"],
        )

    def same(x: Value) -> Value:
        return x

    if abs(power) == math.inf:
        extreme, start = (maximum, 0.0) if power > 0 else (minimum, math.inf)

        def join(a: Values, b: Values) -> Values:
            return [extreme(a[0], b[0])]

        return simple(
            types,
            [part],
            [start],
            lambda accs, xs: [extreme(accs[0], magnitude(pick(xs)))],
            join,
            lambda totals, count: totals[0],
        )
    if power == 0:
        return reduction(lambda x: convert(x != 0, part), same)
    if power == 1:
        return reduction(magnitude, same)
    if power == 2:
        return reduction(squared, sqrt)
    return reduction(
        lambda x: maths.pow(magnitude(x), Value("const", part, (), float(power))),
        lambda x: maths.pow(x, Value("const", "f64", (), 1 / power)),
    )


def _norm_dtype(name: str, self: Tensor, wanted: dtype | None) -> dtype:
    """The type in which a norm is taken."""
    if wanted is not None:
        if wanted.category < FLOATING:
            raise RuntimeError(
                f"{name}: dtype should be floating point or complex. Got {promotion.title(wanted)}"
            )
        if (self._dtype_.category == COMPLEX) != (wanted.category == COMPLEX):
            a, b = ("complex", "complex") if self._dtype_.category == COMPLEX else ("real", "real")
            raise RuntimeError(
                f"{name}: dtype should be {a} for {b} inputs, but got {promotion.title(wanted)}"
            )
        if promotion.promote_types(self._dtype_, wanted) is not wanted:
            raise RuntimeError(
                f"{name}: the dtype of the input ({promotion.title(self._dtype_)}) should be "
                f"convertible without narrowing to the specified dtype "
                f"({promotion.title(wanted)})"
            )
        return wanted
    if self._dtype_.category < FLOATING:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            f"{promotion.title(self._dtype_)}"
        )
    return self._dtype_


@planned("linalg_vector_norm", exact=True)
def vector_norm(self: Tensor, ord: Any, dim: Any, keepdim: bool, dtype: dtype | None) -> Reduce:
    name = "linalg.vector_norm"
    if isinstance(ord, complex):
        raise RuntimeError(f"{name}: Expected a non-complex scalar as the order of norm.")
    if self._dtype_.category < FLOATING:
        _norm_dtype(name, self, None)
    kind = _norm_dtype(name, self, dtype)
    dims = reduced_dims(self, dim)
    power = float(ord)
    if self._numel_ == 0 and (power < 0 or power == math.inf):
        if dim is None or (not isinstance(dim, int) and not len(dim)):
            raise RuntimeError(
                f"{name} cannot compute the {_named(power)} norm on an empty tensor because the "
                f"operation does not have an identity"
            )
        for d in dims:
            if self._size_[d] == 0:
                raise RuntimeError(
                    f"{name} cannot compute the {_named(power)} norm on the dimension {d} because "
                    f"this dimension is empty and the operation does not have an identity"
                )
    check_kernel("norm_cpu", kind if kind.memory != "c32" else kind.to_real())
    recipe = norm_of([element_type(self._dtype_, kind)], power)
    return Reduce((self,), dims, keepdim, recipe, (kind.to_real(),))


def _named(power: float) -> str:
    return repr(int(power)) if math.isfinite(power) and power == int(power) else repr(power)


def _norm(self: Tensor, p: Any, dim: Any, keepdim: bool, dtype: dtype | None) -> Tensor:
    return calls.linalg_vector_norm(self, 2.0 if p is None else p, dim, keepdim, dtype)


@composite("norm.Scalar")
def norm_scalar(self: Tensor, p: Any) -> Tensor:
    return _norm(self, p, None, False, None)


@composite("norm.ScalarOpt_dtype")
def norm_dtype(self: Tensor, p: Any, dtype: dtype) -> Tensor:
    return _norm(self, p, None, False, dtype)


@composite("norm.ScalarOpt_dim")
def norm_dim(self: Tensor, p: Any, dim: Any, keepdim: bool) -> Tensor:
    return _norm(self, p, dim, keepdim, None)


@composite("norm.ScalarOpt_dim_dtype")
def norm_dim_dtype(self: Tensor, p: Any, dim: Any, keepdim: bool, dtype: dtype) -> Tensor:
    return _norm(self, p, dim, keepdim, dtype)


@composite("norm.out")
def norm_out(self: Tensor, p: Any, dim: Any, keepdim: bool, out: Tensor) -> Tensor:
    return calls.linalg_vector_norm_out(self, 2.0 if p is None else p, dim, keepdim, None, out)


@composite("norm.dtype_out")
def norm_dtype_out(
    self: Tensor, p: Any, dim: Any, keepdim: bool, dtype: dtype, out: Tensor
) -> Tensor:
    return calls.linalg_vector_norm_out(self, 2.0 if p is None else p, dim, keepdim, dtype, out)


@composite("native_norm")
def native_norm(self: Tensor, p: Any) -> Tensor:
    return _norm(self, p, None, False, None)


@composite("native_norm.ScalarOpt_dim_dtype")
def native_norm_dim(self: Tensor, p: Any, dim: Any, keepdim: bool, dtype: dtype | None) -> Tensor:
    return _norm(self, p, dim, keepdim, dtype)


@composite("frobenius_norm.dim")
def frobenius_norm(self: Tensor, dim: Any, keepdim: bool) -> Tensor:
    return _norm(self, 2.0, dim, keepdim, None)


@composite("frobenius_norm.out")
def frobenius_norm_out(self: Tensor, dim: Any, keepdim: bool, out: Tensor) -> Tensor:
    return outputs.copy_result(out, calls.frobenius_norm_dim(self, dim, keepdim))


@explicit("dist")
def dist(self: Tensor, other: Tensor, p: Any) -> Tensor:
    return _norm(maps.sub_Tensor(self, other, 1), p, None, False, None)


# -- logarithm of a sum of exponentials --


@planned("logsumexp")
def logsumexp(self: Tensor, dim: Any, keepdim: bool) -> Request:
    kind = promotion.to_float(self._dtype_)
    dims = reduced_dims(self, dim)
    if kind.category == COMPLEX:
        size = reduced_size(self._size_, dims, keepdim)
        return Computed(
            [contiguous_spec(size, kind)], lambda: _complex_logsumexp(self, dims, keepdim)
        )
    check_kernel("max_values_cpu", kind)
    recipe = recipes.log_sum_exp(promotion.compute_type(kind), maths.exp, maths.log)
    return Reduce((self,), dims, keepdim, recipe, (kind,))


def _complex_logsumexp(self: Tensor, dims: Any, keepdim: bool) -> Tensor:
    """Shifted by the largest real part, if that is finite."""
    top = calls.amax(views.real(self), dims, True)
    top = indexing.masked_fill_Scalar(top, maps.isinf(top), 0)
    total = calls.sum_dim_IntList(maps.exp(maps.sub_Tensor(self, top, 1)), dims, True, None)
    found = maps.add_Tensor(maps.log(total), top, 1)
    return found if keepdim else views.squeeze_dims(found, dims)


@composite("special_logsumexp")
def special_logsumexp(self: Tensor, dim: Any, keepdim: bool) -> Tensor:
    return calls.logsumexp(self, dim, keepdim)


@composite("special_logsumexp.out")
def special_logsumexp_out(self: Tensor, dim: Any, keepdim: bool, out: Tensor) -> Tensor:
    return calls.logsumexp_out(self, dim, keepdim, out)


@planned("renorm")
def renorm(self: Tensor, p: Any, dim: int, maxnorm: Any) -> Request:
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    ndim = len(self._size_)
    if ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    d = wrap_dim(dim, ndim)

    def compute() -> Tensor:
        others = [i for i in range(ndim) if i != d]
        wide = self._dtype_ in (dtypes.float16, dtypes.bfloat16)
        kind = dtypes.float32 if wide else None
        norm = calls.linalg_vector_norm(self, p, others, True, kind)
        limit = maps.div_Tensor(creation.full_like(norm, maxnorm), maps.add_Scalar(norm, 1e-7, 1))
        factor = maps.clamp_max(limit, 1.0)
        within = maps.le_Scalar(norm, maxnorm)
        factor = indexing.where_self(within, creation.ones_like(factor), factor)
        found = copies.contiguous(maps.mul_Tensor(self, factor))
        return found if found._dtype_ is self._dtype_ else copies.to_dtype(found, self._dtype_)

    return Computed([contiguous_spec(self._size_, self._dtype_)], compute)
