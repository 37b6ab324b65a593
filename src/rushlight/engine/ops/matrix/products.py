"""Products of matrices and vectors, alone and added to something."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Union

from rushlight.engine.calls import matrix as calls
from rushlight.engine.calls import pointwise as maps
from rushlight.engine.calls import view as views
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state
from rushlight.engine.core.dtype import COMPLEX, FLOATING, dtype
from rushlight.engine.core.symbolic import required
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.ops.errors import not_implemented
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.products import Product
from rushlight.engine.ops.matrix.complex_products import scaled_sum
from rushlight.engine.ops.pointwise import activation

Ints = tuple[int, ...]
Asked = Union[Product, Computed]
_WITHOUT_KERNEL = (
    dtypes.bool_, dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.complex32, *dtypes.FLOAT8,
)  # fmt: skip


def _shape(tensor: Tensor) -> str:
    return "x".join(map(str, tensor._size_))


def _mismatch(operands: Sequence[Tensor]) -> str:
    """What PyTorch's kernels for vectors, matrices and batches say about different types."""
    *other, a, b = operands
    names = [promotion.title(t._dtype_) for t in (*(other or [b]), a, b)]
    if len(b._size_) == 1:
        return (
            f"addmv input tensors must have the same dtype, but got {names[0]}, {names[1]}, and "
            f"{names[2]}"
        )
    if len(a._size_) > 2 and len(b._size_) > 2:
        return f"expected scalar type {names[1]} but found {names[2]}"
    if not other:
        given = f"{promotion.c_name(a._dtype_)} != {promotion.c_name(b._dtype_)}"
        return f"expected m1 and m2 to have the same dtype, but got: {given}"
    which = ("self", names[0]) if names[0] != names[2] else ("mat1", names[1])
    return f"{which[0]} and mat2 must have the same dtype, but got {which[1]} and {names[2]}"


def check_types(kernel: str, *operands: Tensor) -> dtype:
    """The operands' common type; it must have a kernel."""
    first, second = operands[-2:]
    if any(t._dtype_ is not second._dtype_ for t in operands):
        raise RuntimeError(_mismatch(operands))
    if first._dtype_ in _WITHOUT_KERNEL and (first._numel_ or first._dtype_ is not dtypes.bool_):
        raise not_implemented(kernel, first._dtype_)
    return first._dtype_


def _factors(kind: dtype, *given: Any) -> list[Any]:
    """Beta and alpha, as the type of the result takes them."""
    if kind.category < COMPLEX and any(isinstance(value, complex) for value in given):
        raise RuntimeError("value cannot be converted to type without overflow")
    return [int(value) for value in given] if kind.category < FLOATING else list(given)


def _product(
    size: Sequence[int],
    operands: Sequence[Tensor],
    shape: Ints,
    strides: Sequence[Sequence[int]],
    result: Ints,
    beta: Any = 1,
    alpha: Any = 1,
    views: Any = None,
) -> Asked:
    """The request, for the types of its operands."""
    kind = operands[-1]._dtype_
    spec = contiguous_spec(size, kind)
    beta, alpha = _factors(kind, beta, alpha)
    if beta == 0 and len(operands) == 3:
        operands, strides = operands[1:], strides[1:]
    if is_made_of_real_products(kind):
        return Computed([spec], lambda: scaled_sum(operands, tuple(size), beta, alpha))
    return Product(tuple(operands), shape, strides, result, [spec], alpha, beta)


def is_made_of_real_products(kind: dtype) -> bool:
    """Whether products of a type are made of others: on the host, those of complex numbers."""
    return kind.category == COMPLEX and state.thread.planner is None


@planned("mm", exact=True)
def mm(self: Tensor, mat2: Tensor) -> Asked:
    if len(self._size_) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._size_) != 2:
        raise RuntimeError("mat2 must be a matrix")
    return _matrices("addmm_impl_cpu_", (self, mat2), 1, 1)


def _matrices(kernel: str, operands: Sequence[Tensor], beta: Any, alpha: Any) -> Asked:
    *other, a, b = operands
    if not required(a._size_[1] == b._size_[0]):
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({_shape(a)} and {_shape(b)})"
        )
    size = (a._size_[0], b._size_[1])
    expanded = [_expanded(x, size) for x in other]
    check_types(kernel, *operands)
    strides = [[0, s[1], s[0]] for s in expanded]
    strides += [[a._stride_[1], 0, a._stride_[0]], [b._stride_[0], b._stride_[1], 0]]
    return _product(size, operands, (a._size_[1], size[1], size[0]), strides, (2, 1), beta, alpha)


def _expanded(tensor: Tensor, size: Ints) -> Ints:
    """Strides over the shape that a summand broadcasts to."""
    own = tensor._size_
    fits = len(own) <= len(size) and all(
        n in (1, wanted) for n, wanted in zip(reversed(own), reversed(size))
    )
    if not fits:
        if len(own) > len(size):
            raise RuntimeError(
                f"expand(torch.{_type_name(tensor)}{{{list(own)}}}, size={list(size)}): the number "
                f"of sizes provided ({len(size)}) must be greater or equal to the number of "
                f"dimensions in the tensor ({len(own)})"
            )
        place = next(d for d in range(1, len(own) + 1) if own[-d] not in (1, size[-d]))
        raise RuntimeError(
            f"The expanded size of the tensor ({size[-place]}) must match the existing size "
            f"({own[-place]}) at non-singleton dimension {len(size) - place}.  Target sizes: "
            f"{list(size)}.  Tensor sizes: {list(own)}"
        )
    return tuple(geometry.expanded_strides(size, own, tensor._stride_))


def _type_name(tensor: Tensor) -> str:
    return promotion.title(tensor._dtype_) + "Tensor"


@planned("addmm", exact=True)
def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any) -> Asked:
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if len(mat._size_) != 2:
            raise RuntimeError(f"{name} must be a matrix, got {len(mat._size_)}-D tensor")
    return _matrices("addmm_impl_cpu_", (self, mat1, mat2), beta, alpha)


@planned("_addmm_activation", exact=True)
def addmm_activation(
    self: Tensor, mat1: Tensor, mat2: Tensor, beta: Any, alpha: Any, use_gelu: bool
) -> Asked:
    request = addmm(self, mat1, mat2, beta, alpha)
    if not isinstance(request, Product):
        raise NotImplementedError(f"_addmm_activation is not there for {mat2._dtype_}")
    # PyTorch's libraries for GPUs have the other formula.
    formula = "none" if state.thread.planner is None else "tanh"
    request.activation = "gelu" if use_gelu else "relu"
    request.activate = (
        partial(activation.gelu, approximate=formula) if use_gelu else activation.relu
    )
    return request


def _batches(kernel: str, operands: Sequence[Tensor], beta: Any = 1, alpha: Any = 1) -> Asked:
    *other, a, b = operands
    for name, batch in (("batch1", a), ("batch2", b)):
        if len(batch._size_) != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    wanted = (a._size_[0], a._size_[2])
    if tuple(b._size_[:2]) != wanted:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{wanted[0]}, "
            f"{wanted[1]}] but got: [{b._size_[0]}, {b._size_[1]}]."
        )
    size = (a._size_[0], a._size_[1], b._size_[2])
    expanded = [_expanded(x, size) for x in other]
    check_types(kernel, *operands)
    strides = [[0, s[2], s[1], s[0]] for s in expanded]
    strides.append([a._stride_[2], 0, a._stride_[1], a._stride_[0]])
    strides.append([b._stride_[1], b._stride_[2], 0, b._stride_[0]])
    shape = (a._size_[2], size[2], size[1], size[0])
    return _product(size, operands, shape, strides, (3, 2, 1), beta, alpha)


@planned("bmm", exact=True)
def bmm(self: Tensor, mat2: Tensor) -> Asked:
    return _batches("bmm", (self, mat2))


@planned("baddbmm", exact=True)
def baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Any, alpha: Any) -> Asked:
    return _batches("baddbmm", (self, batch1, batch2), beta, alpha)


@planned("mv", exact=True)
def mv(self: Tensor, vec: Tensor) -> Asked:
    return _matrix_vector((self, vec), 1, 1)


@planned("addmv", exact=True)
def addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: Any, alpha: Any) -> Asked:
    return _matrix_vector((self, mat, vec), beta, alpha)


def _matrix_vector(operands: Sequence[Tensor], beta: Any, alpha: Any) -> Asked:
    *other, a, x = operands
    ranks = [len(t._size_) for t in (a, x, *other)]
    if ranks[:2] != [2, 1] or any(r > 1 for r in ranks[2:]):
        written = ", ".join(map(str, ranks))
        raise RuntimeError(f"vector + matrix @ vector expected, got {written}")
    if not required(a._size_[1] == x._size_[0]):
        raise RuntimeError(
            f"size mismatch, got input ({a._size_[0]}), mat ({_shape(a)}), vec ({x._size_[0]})"
        )
    size = (a._size_[0],)
    expanded = [_expanded(t, size) for t in other]
    check_types("addmv_impl_cpu", *operands)
    strides = [[0, 0, s[0]] for s in expanded]
    strides += [[a._stride_[1], 0, a._stride_[0]], [x._stride_[0], 0, 0]]
    return _product(size, operands, (a._size_[1], 1, size[0]), strides, (2,), beta, alpha)


@planned("dot", exact=True)
def dot(self: Tensor, tensor: Tensor) -> Asked:
    return _vectors(self, tensor)


@planned("vdot", exact=True)
def vdot(self: Tensor, other: Tensor) -> Asked:
    if self._dtype_.category < COMPLEX:
        return _vectors(self, other)
    request = _vectors(self, other)
    return Computed(request.specs, lambda: calls.dot(views.conj_physical(self), other))


def _vectors(a: Tensor, b: Tensor) -> Asked:
    if len(a._size_) != 1 or len(b._size_) != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {len(a._size_)}D and {len(b._size_)}D tensors"
        )
    if a._dtype_ is not b._dtype_:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found "
            f"{promotion.title(a._dtype_)} and {promotion.title(b._dtype_)}"
        )
    if not required(a._size_[0] == b._size_[0]):
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a._size_[0]}] and src [{b._size_[0]}] to "
            f"have the same number of elements, but got {a._size_[0]} and {b._size_[0]} elements "
            f"respectively"
        )
    check_types("dot", a, b)
    strides = [[a._stride_[0], 0, 0], [b._stride_[0], 0, 0]]
    return _product((), (a, b), (a._size_[0], 1, 1), strides, ())


@planned("addr", exact=False)
def addr(self: Tensor, vec1: Tensor, vec2: Tensor, beta: Any, alpha: Any) -> Asked:
    for position, v in enumerate((vec1, vec2), start=1):
        if len(v._size_) != 1:
            raise RuntimeError(
                f"addr: Expected 1-D argument vec{position}, but got {len(v._size_)}-D"
            )
    size = (vec1._size_[0], vec2._size_[0])
    s = _expanded(self, size)
    kind = promotion.result_type(self, vec1, vec2)
    for name, value in (("beta", beta), ("alpha", alpha)):
        if kind.category < FLOATING and isinstance(value, (float, complex)):
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number."
            )
    if not self._dtype_ is vec1._dtype_ is vec2._dtype_ or kind in _WITHOUT_KERNEL:
        return Computed(
            [contiguous_spec(size, kind)], lambda: _addr_of_parts(self, vec1, vec2, beta, alpha)
        )
    strides = [[0, s[1], s[0]], [0, 0, vec1._stride_[0]], [0, vec2._stride_[0], 0]]
    return _product(size, (self, vec1, vec2), (1, size[1], size[0]), strides, (2, 1), beta, alpha)


def _addr_of_parts(self: Tensor, vec1: Tensor, vec2: Tensor, beta: Any, alpha: Any) -> Tensor:
    """For mixed types, and truth values: elementwise steps."""
    product = calls.outer(vec1, vec2)
    if product._dtype_ is dtypes.bool_ and self._dtype_ is dtypes.bool_:
        if not alpha:
            product = maps.logical_and(product, maps.logical_not(product))
        return maps.logical_or(product, self) if beta else product
    if alpha != 1:
        product = maps.mul_Scalar(product, alpha)
    if not beta:
        return product
    added = self if beta == 1 else maps.mul_Scalar(self, beta)
    return maps.add_Tensor(added, product, 1)
