"""Products made of others: of any rank, over chosen dimensions, of several factors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, linalg, reduction
from rushlight.engine.calls import matrix as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.ops.dims import wrap_dims
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite, explicit


def with_out(
    name: str, exact: bool = False, recorded: bool = True
) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Register a composite function and its ``out=`` form, which copies the result.

    Args:
        name: the operator
        exact: the output must have the result's own type
        recorded: the output gets the result's history; otherwise no argument may want a gradient
    """

    def decorate(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def written(*args: Any) -> Tensor:
            *given, out = args
            result = function(*given)
            if exact:
                outputs.check_exact(out, result._dtype_)
            return outputs.copy_result(out, result)

        composite(name)(function)
        # An operator of its own loses histories, and so refuses them; a composite one copies them.
        (composite if recorded else explicit)(f"{name}.out")(written)
        return function

    return decorate


def _product(self: Tensor, other: Tensor) -> Tensor:
    a, b = self._size_, other._size_
    if not a or not b:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D"
        )
    if len(a) == 2 and len(b) == 2:
        return calls.mm(self, other)
    if len(a) == 1 and len(b) == 1:
        return calls.dot(self, other)
    if len(a) == 2 and len(b) == 1:
        return calls.mv(self, other)
    if len(a) == 1 and len(b) == 2:
        return views._unsafe_view(calls.mm(views.unsqueeze(self, 0), other), b[1:])
    return calls._matmul_batched(self, other)


# Of one plan each; who watches calls sees these parts of them.


@composite("_matmul_batched")
def matmul_of_parts(self: Tensor, other: Tensor) -> Tensor:
    row, column = len(self._size_) == 1, len(other._size_) == 1
    if len(self._size_) > 2 and len(other._size_) <= 2:
        flat = views.reshape(self, (math.prod(self._size_[:-1]), self._size_[-1]))
        product = calls.mv(flat, other) if column else calls.mm(flat, other)
        return views._unsafe_view(product, (*self._size_[:-1], *other._size_[1:]))
    a = views.unsqueeze(self, 0) if row else self
    b = views.unsqueeze(other, 1) if column else other
    batch = geometry.broadcast_sizes(a._size_[:-2], b._size_[:-2])
    both = []
    for x in (a, b):
        whole = views.expand(x, (*batch, *x._size_[-2:]), implicit=False)
        both.append(views.reshape(whole, (math.prod(batch), *x._size_[-2:])))
    rows = () if row else (a._size_[-2],)
    columns = () if column else (b._size_[-1],)
    return views._unsafe_view(calls.bmm(*both), (*batch, *rows, *columns))


@composite("_linear_planned")
def linear_of_parts(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if bias is not None and len(input._size_) == 2:
        return calls.addmm(bias, input, views.t(weight))
    if bias is not None and len(input._size_) == 3 and input.is_contiguous():  # type: ignore[attr-defined]
        flat = views.view(input, (-1, input._size_[-1]))
        made = calls.addmm(bias, flat, views.t(weight))
        return views.view(made, (*input._size_[:-1], weight._size_[0]))
    made = calls.matmul(input, views.t(weight))
    return made if bias is None else maps.add_Tensor(made, bias, alpha=1)


with_out("matmul", exact=True, recorded=False)(_product)
with_out("linalg_matmul", exact=True, recorded=False)(lambda self, other: calls.matmul(self, other))


@with_out("linear")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if input._size_ and len(weight._size_) == 2 and (bias is None or len(bias._size_) == 1):
        return calls._linear_planned(input, weight, bias)
    made = calls.matmul(input, views.t(weight))
    return made if bias is None else maps.add_Tensor(made, bias, alpha=1)


@composite("bilinear")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if input1._size_[:-1] != input2._size_[:-1]:
        raise RuntimeError(
            f"bilinear(): input batch dimensions do not match: got {list(input1._size_)} and "
            f"{list(input2._size_)}"
        )
    for k, x in ((1, input1), (2, input2)):
        if x._size_[-1] != weight._size_[k]:
            raise RuntimeError(
                f"bilinear(): input{k} size does not match weight size: got {x._size_[-1]} but "
                f"expected {weight._size_[k]}"
            )
    batch = tuple(input1._size_[:-1])
    a = views.reshape(input1, (-1, 1, 1, input1._size_[-1]))
    b = views.reshape(input2, (-1, 1, input2._size_[-1], 1))
    made = views.reshape(calls.matmul(calls.matmul(a, weight), b), (*batch, weight._size_[0]))
    return made if bias is None else maps.add_Tensor(made, bias, 1)


def _outer(self: Tensor, vec2: Tensor) -> Tensor:
    for name, v in (("self", self), ("vec2", vec2)):
        if len(v._size_) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(v._size_)}-D")
    return maps.mul_Tensor(views.unsqueeze(self, 1), vec2)


with_out("outer", recorded=False)(_outer)
with_out("ger", recorded=False)(_outer)


@with_out("inner", exact=True)
def inner(self: Tensor, other: Tensor) -> Tensor:
    if not self._size_ or not other._size_:
        return maps.mul_Tensor(self, other)
    if self._size_[-1] != other._size_[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes "
            f"{list(self._size_)} and {list(other._size_)}"
        )
    return calls.tensordot(self, other, [-1], [-1])


@with_out("tensordot", exact=True)
def tensordot(
    self: Tensor, other: Tensor, dims_self: Sequence[int], dims_other: Sequence[int]
) -> Tensor:
    if len(dims_self) != len(dims_other):
        raise RuntimeError("both dimension lists should have same length")
    if self._dtype_ is not other._dtype_:
        raise RuntimeError("both inputs should have same dtype")
    a, b = wrap_dims(dims_self, len(self._size_)), wrap_dims(dims_other, len(other._size_))
    for x, y in zip(a, b):
        if self._size_[x] == 1:
            other = reduction.sum_dim_IntList(other, [y], True, other._dtype_)
        elif other._size_[y] == 1:
            self = reduction.sum_dim_IntList(self, [x], True, self._dtype_)
        elif self._size_[x] != other._size_[y]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {self._size_[x]} in dim "
                f"{x} and second has size {other._size_[y]} in dim {y}"
            )
    rest = [d for d in range(len(self._size_)) if d not in a]
    tail = [d for d in range(len(other._size_)) if d not in b]
    depth = math.prod(self._size_[d] for d in a)
    sizes = [self._size_[d] for d in rest], [other._size_[d] for d in tail]
    left = views.reshape(views.permute(self, [*rest, *a]), (math.prod(sizes[0]), depth))
    right = views.reshape(views.permute(other, [*b, *tail]), (depth, math.prod(sizes[1])))
    return views.reshape(calls.mm(left, right), (*sizes[0], *sizes[1]))


@with_out("kron", recorded=False)
def kron(self: Tensor, other: Tensor) -> Tensor:
    rank = max(len(self._size_), len(other._size_))
    sizes = [(1,) * (rank - len(t._size_)) + tuple(t._size_) for t in (self, other)]
    a = views.reshape(self, tuple(x for n in sizes[0] for x in (n, 1)))
    b = views.reshape(other, tuple(x for n in sizes[1] for x in (1, n)))
    made = copies.contiguous(maps.mul_Tensor(a, b))
    return views._unsafe_view(made, tuple(x * y for x, y in zip(*sizes)))


@with_out("linalg_vecdot", exact=True, recorded=False)
def vecdot(x: Tensor, y: Tensor, dim: int) -> Tensor:
    if x._dtype_.is_complex:
        x = views.conj_physical(x)
    return reduction.sum_dim_IntList(maps.mul_Tensor(x, y), [dim], False, None)


# -- several factors --


def _chain(matrices: Sequence[Tensor]) -> Tensor:
    """The product of matrices in the cheapest order."""
    count = len(matrices)
    sizes = [*(m._size_[0] for m in matrices), matrices[-1]._size_[1]]
    cost = [[0] * count for _ in range(count)]
    cut = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i][j], cut[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )

    def multiply(i: int, j: int) -> Tensor:
        if i == j:
            return matrices[i]
        k = cut[i][j]
        return calls.mm(multiply(i, k), multiply(k + 1, j))

    return multiply(0, count - 1)


@with_out("linalg_multi_dot", exact=True, recorded=False)
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    ranks = [len(t._size_) for t in tensors]
    for place, name in ((0, "first"), (-1, "last")):
        if ranks[place] not in (1, 2):
            raise RuntimeError(
                f"multi_dot(): the {name} tensor must be 1D or 2D but got {ranks[place]}D"
            )
    for position, (t, rank) in enumerate(zip(tensors, ranks)):
        if 0 < position < len(tensors) - 1 and rank != 2:
            raise RuntimeError(f"multi_dot(): tensor {position} must be 2D but got {rank}D")
        if t._dtype_ is not tensors[0]._dtype_:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{tensors[0]._dtype_._name} and tensor {position} {t._dtype_._name}"
            )
    row, column = ranks[0] == 1, ranks[-1] == 1
    matrices = list(tensors)
    if row:
        matrices[0] = views.unsqueeze(matrices[0], 0)
    if column:
        matrices[-1] = views.unsqueeze(matrices[-1], 1)
    for position, (a, b) in enumerate(itertools.pairwise(matrices)):
        if a._size_[1] != b._size_[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {position} and {position + 1} with shapes "
                f"{list(tensors[position]._size_)} and {list(tensors[position + 1]._size_)} cannot "
                f"be multiplied"
            )
    made = _chain(matrices)
    if row:
        made = views.squeeze_dim(made, 0)
    return views.squeeze_dim(made, -1) if column else made


@with_out("chain_matmul", exact=True, recorded=False)
def chain_matmul(matrices: Sequence[Tensor]) -> Tensor:
    for position, m in enumerate(matrices):
        if len(m._size_) != 2:
            raise RuntimeError(
                f"Tensor dimension is {len(m._size_)}, expected 2 instead for tensor {position}"
            )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    return matrices[0] if len(matrices) == 1 else calls.linalg_multi_dot(matrices)


def _power(self: Tensor, n: int) -> Tensor:
    if len(self._size_) < 2:
        raise RuntimeError(
            "linalg.matrix_power: The input tensor A must have at least 2 dimensions."
        )
    if self._size_[-1] != self._size_[-2]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are "
            f"{self._size_[-2]} by {self._size_[-1]} matrices"
        )
    if n == 0:
        eye = creation.eye(self._size_[-1], dtype=self._dtype_, device=self._storage_.device)
        # A copy of the matrix first: what is differentiable stays so, with a gradient of zero.
        return copies.copy_(copies.clone(self), eye, False)
    if n < 0:
        return _power(linalg.linalg_inv(self), -n)
    made, square = None, self
    while n:
        if n & 1:
            made = square if made is None else calls.matmul(made, square)
        n >>= 1
        if n:
            square = calls.matmul(square, square)
    assert made is not None
    return copies.clone(made) if made is self else made


with_out("linalg_matrix_power")(_power)
with_out("matrix_power", exact=True, recorded=False)(_power)


@with_out("addbmm", exact=True, recorded=False)
def addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any) -> Tensor:
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if len(batch._size_) != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    (count, rows, depth), (other, inner_, columns) = batch1._size_, batch2._size_
    if count != other:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {count} and {other}"
        )
    if depth != inner_:
        raise RuntimeError(
            f"Incompatible matrix sizes for bmm ({rows}x{depth} and {inner_}x{columns})"
        )
    left = views.reshape(views.permute(batch1, [1, 0, 2]), (rows, count * depth))
    right = views.reshape(batch2, (count * depth, columns))
    return calls.addmm(self, left, right, beta=beta, alpha=alpha)


@composite("addbmm_")
def addbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any) -> Tensor:
    made = addbmm(self, batch1, batch2, beta, alpha)
    if self._size_ != made._size_:
        # Unlike its kin, this one lets its target grow.
        tensors.resize(self, made._size_)
    return copies.copy_(self, made, False)
