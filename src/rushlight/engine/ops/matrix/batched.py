"""Products of tensors with any number of batch dimensions, each as one plan."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import view as views
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.loops import geometry
from rushlight.engine.ops.kinds.planned import Computed, contiguous_spec, planned
from rushlight.engine.ops.kinds.products import Product
from rushlight.engine.ops.matrix.complex_products import product, scaled_sum
from rushlight.engine.ops.matrix.products import Asked, check_types, is_made_of_real_products

Ints = tuple[int, ...]


@planned("_matmul_batched")
def matmul_batched(self: Tensor, other: Tensor) -> Asked:
    row, column = len(self._size_) == 1, len(other._size_) == 1
    a_size, a_stride = _with_rows(self, row)
    (columns, depth), (b_column, b_depth) = _last_two(other, column)
    height, inner = a_size[-2:]
    if inner != depth:
        if len(other._size_) > 2 and len(self._size_) > 2:
            raise RuntimeError(
                f"Expected size for first two dimensions of batch2 tensor to be: "
                f"[{self._size_[0]}, {inner}] but got: [{other._size_[0]}, {depth}]."
            )
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({height}x{inner} and {depth}x{columns})"
        )
    check_types("bmm", self, other)
    batches = tuple(a_size[:-2]), tuple(other._size_[:-2])
    batch = geometry.broadcast_sizes(*batches)
    around = [
        geometry.expanded_strides(batch, size, stride[: len(size)])
        for size, stride in zip(batches, (a_stride, other._stride_))
    ]
    size = (*batch, *([] if row else [height]), *([] if column else [columns]))
    if is_made_of_real_products(other._dtype_):
        return Computed([contiguous_spec(size, other._dtype_)], lambda: product(self, other))
    return _request(
        (self, other), size, batch, (inner, columns, height), around,
        (a_stride[-1], a_stride[-2]), (b_depth, b_column), (row, column), None,
    )  # fmt: skip


@planned("_linear_planned")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Asked:
    row = len(input._size_) == 1
    size, stride = _with_rows(input, row)
    height, inner = size[-2:]
    columns, depth = weight._size_
    if inner != depth:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({height}x{inner} and {depth}x{columns})"
        )
    given = (input, weight) if bias is None else (bias, input, weight)
    check_types("addmm_impl_cpu_", *given)
    if bias is not None and bias._size_[0] not in (1, columns):
        raise RuntimeError(
            f"The expanded size of the tensor ({columns}) must match the existing size "
            f"({bias._size_[0]}) at non-singleton dimension 1.  Target sizes: [{height}, {columns}]."
            f"  Tensor sizes: {list(bias._size_)}"
        )
    result = (*input._size_[:-1], columns)
    if is_made_of_real_products(weight._dtype_):
        return Computed(
            [contiguous_spec(result, weight._dtype_)],
            lambda: scaled_sum((*given[:-1], views.t(weight)), result),
        )
    batch = tuple(size[:-2])
    around = [tuple(stride[:-2]), (0,) * len(batch)]
    return _request(
        given, result, batch, (inner, columns, height), around,
        (stride[-1], stride[-2]), (weight._stride_[1], weight._stride_[0]), (row, False), bias,
    )  # fmt: skip


def _with_rows(tensor: Tensor, row: bool) -> tuple[Ints, Ints]:
    """A vector as a matrix of one row."""
    if row:
        return (1, *tensor._size_), (0, *tensor._stride_)
    return tuple(tensor._size_), tuple(tensor._stride_)


def _last_two(tensor: Tensor, column: bool) -> tuple[Ints, Ints]:
    """Columns and rows of the right factor, sizes and strides."""
    if column:
        return (1, tensor._size_[0]), (0, tensor._stride_[0])
    return (tensor._size_[-1], tensor._size_[-2]), (tensor._stride_[-1], tensor._stride_[-2])


def _request(
    given: tuple[Tensor, ...],
    size: Ints,
    batch: Ints,
    counts: Ints,
    around: Any,
    left: Ints,
    right: Ints,
    lone: tuple[bool, bool],
    bias: Tensor | None,
) -> Product:
    """The product over k, n, m and the batch's dimensions, innermost first."""
    depth, columns, height = counts
    outer = list(reversed(list(zip(batch, *around))))
    strides = [[left[0], 0, left[1]], [right[0], right[1], 0]]
    shape = [depth, columns, height, *(n for n, _, _ in outer)]
    for _, a, b in outer:
        strides[0].append(a)
        strides[1].append(b)
    result = [*range(len(shape) - 1, 2, -1)]
    result += [] if lone[0] else [2]
    result += [] if lone[1] else [1]
    if bias is not None:
        step = bias._stride_[0] if bias._size_[0] > 1 else 0
        strides.insert(0, [0, step, *([0] * (len(shape) - 2))])
    return Product(
        given, tuple(shape), strides, tuple(result), [contiguous_spec(size, given[-1]._dtype_)]
    )
