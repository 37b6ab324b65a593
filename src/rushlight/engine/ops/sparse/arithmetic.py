"""Sums, differences, products and quotients with sparse tensors.

A sum of two sparse tensors has the values of both; only if both are in order, it is put in order
too. A product has values where both have some; a dense factor is read at the indices.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls.remembered import copy as copies
from rushlight.engine.calls.remembered import indexing, joining, pointwise
from rushlight.engine.calls.remembered import view as views
from rushlight.engine.core import sparse as sparse_tensors
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.ops.sparse import shapes, walks
from rushlight.engine.ops.sparse.conversion import add_to_dense, dense_of
from rushlight.engine.ops.sparse.parts import (
    alike,
    coalesced,
    flat_places,
    for_sparse,
    from_coordinates,
    indices_of,
    indices_of_places,
    is_sparse,
    new_zeros,
    parts_of,
    sparse_dims,
    sparse_size,
    values_of,
)

# -- sums --


def refuse_dense_addend(*unused: Any) -> Tensor:
    raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")


for_sparse("add.Scalar", "add_.Scalar", "sub.Scalar", "sub_.Scalar")(refuse_dense_addend)


@for_sparse("add.Tensor")
def add(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    kind = promotion.result_type(self, other)
    if not is_sparse(self):
        _check_same_size(self, other)
        made = copies._to_copy(self, kind)
        return _added_to_dense(made, other, alpha)
    return _joined(self, other, alpha, kind)


@for_sparse("sub.Tensor")
def sub(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    return add(self, other, -alpha)


@for_sparse("rsub.Tensor")
def rsub(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    return add(other, self, -alpha)


@for_sparse("add_.Tensor")
def add_(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    kind = promotion.result_type(self, other)
    _check_kind(kind, self._dtype_, "add")
    if is_sparse(self):
        return sparse_tensors.replace(self, _joined(self, other, alpha, self._dtype_))
    _check_same_size(self, other)
    _added_to_dense(self, other, alpha)
    tensors.bump_version(self)
    return self


@for_sparse("sub_.Tensor")
def sub_(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    return add_(self, other, -alpha)


def _check_kind(kind: dtype, target: dtype, name: str) -> None:
    if not promotion.can_cast(kind, target):
        raise RuntimeError(
            f"Can't convert result type {promotion.title(kind)} to output "
            f"{promotion.title(target)} in {name} operation"
        )


def _check_same_size(dense: Tensor, sparse: Tensor) -> None:
    if dense._size_ != sparse._size_:
        raise RuntimeError(
            "add: expected 'self' and 'other' to have same size, but self has size "
            f"{list(dense._size_)} while other has size {list(sparse._size_)} (FYI: dense-sparse "
            "addition does not currently support broadcasting)"
        )


def _added_to_dense(dense: Tensor, sparse: Tensor, alpha: Any) -> Tensor:
    """A dense tensor with a sparse one added in place."""
    if tensors.sizes.is_contiguous(dense._size_, dense._stride_):
        add_to_dense(dense, sparse, alpha)
        return dense
    given = pointwise.mul_Scalar(copies.to_dtype(values_of(sparse), dense._dtype_), alpha)
    if not sparse_dims(sparse):
        return pointwise.add__Tensor(dense, dense_of(alike(sparse, given), None, None))
    rows = views.unbind_int(indices_of(sparse), 0)
    return indexing.index_put_(dense, list(rows), given, True)


def _joined(self: Tensor, other: Tensor, alpha: Any, kind: dtype) -> Tensor:
    """The sum of two sparse tensors: one behind the other where neither of them is in order, but what
    both have next comes once."""
    if not is_sparse(other):
        refuse_dense_addend()
    if self._size_ != other._size_:
        raise RuntimeError(
            "add: expected sizes of 'self' and 'other' to match, but "
            f"{list(self._size_)} != {list(other._size_)}"
        )
    if sparse_dims(self) != sparse_dims(other):
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have as many sparse dimensions, but they have "
            f"{sparse_dims(self)} and {sparse_dims(other)}"
        )
    left, right = (copies.to_dtype(values_of(t), kind) for t in (self, other))
    if alpha != 1:
        right = pointwise.mul_Scalar(right, alpha)
    both_in_order = parts_of(self).coalesced and parts_of(other).coalesced
    if left._storage_.device.type == "meta":
        indices = joining.cat([indices_of(self), indices_of(other)], 1)
        joined = joining.cat([left, right], 0)
        return from_coordinates(indices, joined, self._size_, both_in_order)
    size = sparse_size(self)
    places, *at = walks.unite(*(flat_places(indices_of(t), size) for t in (self, other)))
    total = new_zeros((places._numel_, *left._size_[1:]), left)
    for where, values in zip(at, (left, right)):
        indexing.index_add_(total, 0, where, values, 1)
    return from_coordinates(indices_of_places(places, size), total, self._size_, both_in_order)


# -- products --


@for_sparse("mul.Scalar")
def mul_number(self: Tensor, other: Any) -> Tensor:
    return alike(self, pointwise.mul_Scalar(values_of(self), other))


@for_sparse("mul_.Scalar")
def mul_number_(self: Tensor, other: Any) -> Tensor:
    pointwise.mul__Scalar(values_of(self), other)
    tensors.bump_version(self)
    return self


def _is_one_number(sparse: Tensor) -> bool:
    """Whether a sparse tensor without dimensions has one value, or none: its values may be several that add up."""
    return bool(parts_of(sparse).coalesced) or values_of(sparse)._size_[0] < 2


@for_sparse("mul.Tensor")
def mul(self: Tensor, other: Tensor) -> Tensor:
    kind = promotion.result_type(self, other)
    sparse, factor = (self, other) if is_sparse(self) else (other, self)
    if is_sparse(factor) and not sparse._size_ and (factor._size_ or _is_one_number(sparse)):
        sparse, factor = factor, sparse
    if is_sparse(factor) and not factor._size_:
        factor = dense_of(factor, None, None)
    if is_sparse(factor):
        return _intersection(sparse, factor, kind)
    if not factor._size_:
        return alike(sparse, pointwise.mul_Tensor(copies.to_dtype(values_of(sparse), kind), factor))
    size = geometry.broadcast_sizes(sparse._size_, factor._size_)
    if size != sparse._size_:
        sparse = shapes.broadcast_to(sparse, size)
    chosen = _read_at(factor, sparse)
    return alike(sparse, copies.to_dtype(pointwise.mul_Tensor(values_of(sparse), chosen), kind))


@for_sparse("mul_.Tensor")
def mul_(self: Tensor, other: Tensor) -> Tensor:
    made = mul(self, other)
    _check_kind(made._dtype_, self._dtype_, "mul")
    if not is_sparse(self):
        return copies.copy_(self, dense_of(made, None, None), False)
    converted = alike(made, copies.to_dtype(values_of(made), self._dtype_))
    return sparse_tensors.replace(self, converted)


def _read_at(dense: Tensor, sparse: Tensor) -> Tensor:
    """The elements of a dense tensor at the indices of a sparse one, to whose size it broadcasts."""
    expanded = views.expand(dense, list(sparse._size_))
    if not sparse_dims(sparse):
        return views.unsqueeze(expanded, 0)
    return indexing.index_Tensor(expanded, list(views.unbind_int(indices_of(sparse), 0)))


def _intersection(self: Tensor, other: Tensor, kind: dtype) -> Tensor:
    """The product of two sparse tensors: what has values in both."""
    same_kind = len(self._size_) == len(other._size_) and sparse_dims(self) == sparse_dims(other)
    if not same_kind or sparse_size(self) != sparse_size(other):
        raise RuntimeError(
            "mul: expects sparse inputs with equal dimensionality, number of sparse dimensions, and "
            "shape of sparse dimensions"
        )
    left, right = coalesced(self), coalesced(other)
    places, others = (flat_places(indices_of(t), sparse_size(t)) for t in (left, right))
    kept, at = walks.intersect(places, others)
    factors = [
        copies.to_dtype(indexing.index_select(values_of(t), 0, chosen), kind)
        for t, chosen in ((left, kept), (right, at))
    ]
    indices = indexing.index_select(indices_of(left), 1, kept)
    size = sparse_size(self) + geometry.broadcast_sizes(
        *(t._size_[sparse_dims(t) :] for t in (self, other))
    )
    return from_coordinates(indices, pointwise.mul_Tensor(*factors), size, True)


# -- quotients --


def _check_divisor(self: Tensor, other: Tensor, what: str = "division") -> None:
    if is_sparse(other) or other._size_:
        raise RuntimeError(
            f"Sparse {what} requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other._size_)} for divisor)"
        )


def _divided(self: Tensor, other: Any, rounding_mode: str | None) -> Tensor:
    """The quotient; only an exact one of parts is the one of their sum."""
    whole = self if rounding_mode is None else coalesced(self)
    divide = pointwise.div_Tensor_mode if isinstance(other, Tensor) else pointwise.div_Scalar_mode
    return alike(whole, divide(values_of(whole), other, rounding_mode=rounding_mode))


@for_sparse("div.Tensor")
def div(self: Tensor, other: Tensor) -> Tensor:
    _check_divisor(self, other)
    return _divided(self, other, None)


@for_sparse("div.Tensor_mode")
def div_rounded(self: Tensor, other: Tensor, rounding_mode: str | None) -> Tensor:
    _check_divisor(self, other)
    return _divided(self, other, rounding_mode)


@for_sparse("div.Scalar")
def div_number(self: Tensor, other: Any) -> Tensor:
    return _divided(self, other, None)


@for_sparse("div.Scalar_mode")
def div_number_rounded(self: Tensor, other: Any, rounding_mode: str | None) -> Tensor:
    return _divided(self, other, rounding_mode)


@for_sparse("floor_divide", "floor_divide.Scalar")
def floor_divide(self: Tensor, other: Any) -> Tensor:
    if isinstance(other, Tensor):
        _check_divisor(self, other, "floor division")
    return _divided(self, other, "floor")


def _in_place(function: Any) -> Any:
    """The in-place form of a quotient."""

    def change(self: Tensor, *args: Any) -> Tensor:
        made = function(self, *args)
        if not promotion.can_cast(made._dtype_, self._dtype_):
            raise RuntimeError(
                f"result type {promotion.title(made._dtype_)} can't be cast to the desired output "
                f"type {promotion.title(self._dtype_)}"
            )
        return sparse_tensors.replace(
            self, alike(made, copies.to_dtype(values_of(made), self._dtype_))
        )

    return change


for _name, _function in (
    ("div_.Tensor", div), ("div_.Tensor_mode", div_rounded), ("div_.Scalar", div_number),
    ("div_.Scalar_mode", div_number_rounded), ("floor_divide_.Tensor", floor_divide),
    ("floor_divide_.Scalar", floor_divide),
):  # fmt: skip
    for_sparse(_name)(_in_place(_function))
