"""Functions of one argument that are zero at zero: they change values and leave indices alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import pointwise
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.loops import promotion
from rushlight.engine.ops.sparse.conversion import values_at_places
from rushlight.engine.ops.sparse.parts import (
    alike,
    coalesced,
    flat_places,
    for_sparse,
    indices_of,
    is_sparse,
    parts_of,
    sparse_size,
    values_of,
)

# Those that a sum of parts goes through; the others need every index once.
LINEAR = frozenset({"neg", "deg2rad", "rad2deg", "_conj_physical"})
NAMES = frozenset({
    "abs", "asin", "asinh", "atan", "atanh", "ceil", "erf", "erfinv", "expm1", "floor", "frac",
    "isinf", "isnan", "isneginf", "isposinf", "log1p", "nan_to_num", "relu", "round",
    "round.decimals", "sgn", "sign", "signbit", "sin", "sinh", "sqrt", "tan", "tanh",
    "trunc",
}) | LINEAR  # fmt: skip


def _of_values(function: Callable[..., Any], linear: bool) -> Callable[..., Tensor]:
    def apply(self: Tensor, *args: Any) -> Tensor:
        whole = self if linear else coalesced(self)
        return alike(whole, function(values_of(whole), *args))

    return apply


def _in_place(name: str, function: Callable[..., Any], linear: bool) -> Callable[..., Tensor]:
    def change(self: Tensor, *args: Any) -> Tensor:
        if not linear and not parts_of(self).coalesced:
            raise RuntimeError(f"{name}_ requires coalesced input")
        made = function(values_of(self), *args)
        if not promotion.can_cast(made._dtype_, self._dtype_):
            raise RuntimeError(
                f"result type {promotion.title(made._dtype_)} can't be cast to the desired output "
                f"type {promotion.title(self._dtype_)}"
            )
        converted = copies.to_dtype(made, self._dtype_)
        return sparse_tensors.replace(self, alike(self, converted))

    return change


def _register(name: str) -> None:
    op = operators.find(name)
    if op is None:
        return
    linear = name in LINEAR
    for_sparse(name)(_of_values(op.call, linear))
    packet, _, overload = name.partition(".")
    inplace = operators.find(f"{packet}_.{overload}" if overload else f"{packet}_")
    if inplace is not None:
        for_sparse(inplace.full_name)(_in_place(packet, op.call, linear))


for _name in sorted(NAMES):
    _register(_name)


@for_sparse("pow.Tensor_Scalar")
def pow_number(self: Tensor, exponent: Any) -> Tensor:
    if exponent == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor "
            "dense"
        )
    whole = coalesced(self)
    return alike(whole, pointwise.pow_Tensor_Scalar(values_of(whole), exponent))


@for_sparse("positive")
def itself(self: Tensor) -> Tensor:
    return self


conjugate = conjugate = for_sparse("_conj")(_of_values(views.conj_physical, True))
for_sparse("conj_physical_")(_in_place("conj_physical", views.conj_physical, True))
for_sparse("pow_.Scalar")(_in_place("pow", pointwise.pow_Tensor_Scalar, False))

# -- gradients --

_GRADIENTS = {f"grad_{name.replace('.', '_')}_of_self" for name in NAMES} | {
    "grad_pow_Tensor_Scalar_of_self", "grad_div_Scalar_of_self", "grad_div_Tensor_of_self",
}  # fmt: skip


def is_gradient(op: Operator) -> bool:
    """Whether an operator is the gradient of such a function."""
    return op.namespace == "rushlight" and op.base_name in _GRADIENTS


def gradient(op: Operator, grad: Tensor, *given: Any) -> Tensor:
    """The gradient where the function's argument has values."""
    sparse = next(t for t in (*given, grad) if isinstance(t, Tensor) and is_sparse(t))
    like = coalesced(sparse)
    places = flat_places(indices_of(like), sparse_size(like))
    values = [
        values_at_places(t, like, places)
        if isinstance(t, Tensor) and t._size_ == like._size_
        else t
        for t in (grad, *given)
    ]
    return alike(like, op.call(*values))
