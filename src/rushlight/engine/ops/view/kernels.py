"""View operators, as rules on sizes, strides and offsets."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.symbolic import is_unknown
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import geometry
from rushlight.engine.ops.dims import infer_size, narrowed, wrap_dim, wrap_dims
from rushlight.engine.ops.kinds.views import Geometry, explicit, view
from rushlight.engine.ops.view import composites, conjugates, pixel_shuffle, rearranging

Ints = Sequence[int]

# Importing the family registers all of its files.
__all__ = ["composites", "conjugates", "pixel_shuffle", "rearranging"]


# -- the same elements under another shape --


@view("view")
def view_as_shape(self: Tensor, size: Ints) -> Geometry:
    shape = infer_size(size, self._numel_)
    stride = geometry.strides_for(self._size_, self._stride_, shape)
    if stride is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return shape, stride, self._offset_


@explicit("_unsafe_view")
def unsafe_view(self: Tensor, size: Ints) -> Tensor:
    made = tensors.view_of(self, *view_as_shape(self, size))
    made._base = None
    return steps.View.note(self, made)  # type: ignore[no-any-return]


@view("_reshape_alias")
def reshape_alias(self: Tensor, size: Ints, stride: Ints) -> Geometry:
    return tuple(size), tuple(stride), self._offset_


@view("expand")
def expand(self: Tensor, size: Ints, implicit: bool) -> Geometry:
    missing = len(size) - len(self._size_)
    if missing < 0:
        raise RuntimeError(
            f"expand(torch.{tensor_type_name(self)}{{{list(self._size_)}}}, size={list(size)}): the "
            f"number of sizes provided ({len(size)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(self._size_)})"
        )
    shape, stride = list(size), [0] * len(size)
    for dim in range(len(size) - 1, -1, -1):
        wanted = size[dim]
        own = dim - missing
        if own < 0:
            if wanted < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, "
                    f"non-existing dimension {dim}"
                )
            stride[dim] = shape[dim + 1] * stride[dim + 1] if dim + 1 < len(size) else 1
            # What was expanded from a number tells so by its strides, even with one element:
            # nobody takes it for memory of its own.
            if wanted != 1 or not self._size_:
                stride[dim] = 0
            continue
        have = self._size_[own]
        shape[dim] = have if wanted == -1 else wanted
        stride[dim] = self._stride_[own]
        if have == shape[dim]:
            continue
        if have != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({have}) "
                f"at non-singleton dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: "
                f"{list(self._size_)}"
            )
        if wanted < 0:
            raise RuntimeError(f"invalid expanded size {wanted}")
        stride[dim] = 0
    return tuple(shape), tuple(stride), self._offset_


def tensor_type_name(tensor: Tensor) -> str:
    from rushlight.engine.loops.promotion import title

    return f"{title(tensor._dtype_)}Tensor"


@explicit("view.dtype")
def view_dtype(self: Tensor, dtype: dtypes.dtype) -> Tensor:
    old, new = self._dtype_.itemsize, dtype.itemsize
    size, stride, offset = list(self._size_), list(self._stride_), self._offset_
    for bit, what in (
        (key_bits.CONJUGATE, "conjugate view tensors"),
        (key_bits.NEGATIVE, "tensors with negative bit set"),
    ):
        if self._keys_ & bit:
            raise RuntimeError(
                f"torch.Tensor.view is not supported for {what} when converting to a different "
                "dtype."
            )
    if old != new:
        if not size:
            raise RuntimeError(
                f"self.dim() cannot be 0 to view {self._dtype_._name} as {dtype._name} (different element sizes)"
            )
        if stride[-1] != 1:
            raise RuntimeError(
                f"self.stride(-1) must be 1 to view {self._dtype_._name} as {dtype._name} (different "
                f"element sizes), but got {stride[-1]}"
            )
    if old > new:
        ratio = old // new
        size[-1] *= ratio
        stride = [s * ratio for s in stride[:-1]] + [1]
        offset *= ratio
    elif old < new:
        ratio = new // old
        for what, value in (("self.size(-1)", size[-1]), ("self.storage_offset()", offset)):
            if value % ratio:
                raise RuntimeError(
                    f"{what} must be divisible by {ratio} to view {self._dtype_._name} as "
                    f"{dtype._name} (different element sizes), but got {value}"
                )
        for dim, step in enumerate(stride[:-1]):
            if step % ratio:
                raise RuntimeError(
                    f"self.stride({dim}) must be divisible by {ratio} to view {self._dtype_._name} "
                    f"as {dtype._name} (different element sizes), but got {step}"
                )
        size[-1] //= ratio
        stride = [s // ratio for s in stride[:-1]] + [1]
        offset //= ratio
    made = tensors.reinterpret(self, dtype, tuple(size), tuple(stride), offset)
    # Histories do not go through other element types: it is nobody's view.
    made._base = None
    return steps.OtherView.note(self, steps.OtherView.RELATIVE, made)  # type: ignore[no-any-return]


@explicit("as_strided")
def as_strided(self: Tensor, size: Ints, stride: Ints, storage_offset: int | None) -> Tensor:
    made = tensors.view_of(self, *strided_geometry(self, size, stride, storage_offset))
    # Storages of tensors with the same sizes may end sooner. Who gives a place has often asked a tensor for its own.
    kind = steps.OtherView
    place = kind.RELATIVE if storage_offset is None else kind.EXACT
    return kind.note(self, place, made)  # type: ignore[no-any-return]


@explicit("as_strided_")
def as_strided_inplace(
    self: Tensor, size: Ints, stride: Ints, storage_offset: int | None
) -> Tensor:
    tensors.set_geometry(self, *strided_geometry(self, size, stride, storage_offset))
    tensors.bump_version(self)
    return self


def strided_geometry(
    self: Tensor, size: Ints, stride: Ints, storage_offset: int | None
) -> Geometry:
    """Check an explicit geometry against the storage."""
    offset = self._offset_ if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError(
            f"mismatch in length of strides and shape: {len(size)} sizes and {len(stride)} strides"
        )
    if any(s < 0 for s in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
        )
    if any(s < 0 for s in size):
        raise RuntimeError(f"as_strided: negative sizes are not allowed, got {list(size)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    tensors.check_inside(self, tuple(size), tuple(stride), offset)
    return tuple(size), tuple(stride), offset


# -- dimensions in another order, added or dropped --


@view("permute")
def permute(self: Tensor, dims: Ints) -> Geometry:
    if len(dims) != len(self._size_):
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {len(self._size_)} is "
            f"not equal to len(dims) = {len(dims)}"
        )
    order = [wrap_dim(d, len(self._size_)) for d in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return (
        tuple(self._size_[d] for d in order),
        tuple(self._stride_[d] for d in order),
        self._offset_,
    )


@view("transpose.int")
def transpose(self: Tensor, dim0: int, dim1: int) -> Geometry:
    ndim = len(self._size_)
    first, second = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    size, stride = list(self._size_), list(self._stride_)
    if ndim:
        size[first], size[second] = size[second], size[first]
        stride[first], stride[second] = stride[second], stride[first]
    return tuple(size), tuple(stride), self._offset_


@view("t")
def t(self: Tensor) -> Geometry:
    if len(self._size_) > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {len(self._size_)}D"
        )
    return self._size_[::-1], self._stride_[::-1], self._offset_


@view("squeeze")
def squeeze(self: Tensor) -> Geometry:
    return squeeze_dims(self, range(len(self._size_)))


@view("squeeze.dim")
def squeeze_dim(self: Tensor, dim: int) -> Geometry:
    return squeeze_dims(self, [dim])


@view("squeeze.dims")
def squeeze_dims(self: Tensor, dims: Ints) -> Geometry:
    drop = set(wrap_dims(dims, len(self._size_)))
    kept = [d for d in range(len(self._size_)) if d not in drop or self._size_[d] != 1]
    return (
        tuple(self._size_[d] for d in kept),
        tuple(self._stride_[d] for d in kept),
        self._offset_,
    )


@view("unsqueeze")
def unsqueeze(self: Tensor, dim: int) -> Geometry:
    ndim = len(self._size_)
    at = wrap_dim(dim, ndim + 1)
    step = self._size_[at] * self._stride_[at] if at < ndim else 1
    return (
        (*self._size_[:at], 1, *self._size_[at:]),
        (*self._stride_[:at], step, *self._stride_[at:]),
        self._offset_,
    )


# -- fewer elements --


@view("select.int")
def select(self: Tensor, dim: int, index: int) -> Geometry:
    if not self._size_:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, len(self._size_))
    length = self._size_[d]
    if is_unknown(index):
        # Elements decide which one it is; a program says that it is there (`torch._check`), and counts from the start.
        position = index
    elif not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self._size_)} at "
            f"dimension {d}"
        )
    else:
        position = index + length if index < 0 else index
    return (
        self._size_[:d] + self._size_[d + 1 :],
        self._stride_[:d] + self._stride_[d + 1 :],
        self._offset_ + position * self._stride_[d],
    )


def slice_bounds(length: int, start: int | None, end: int | None) -> tuple[int, int]:
    """Slice bounds brought into 0..length."""
    first = 0 if start is None else start
    last = length if end is None else end
    first = min(max(first + length if first < 0 else first, 0), length)
    last = min(max(last + length if last < 0 else last, first), length)
    return first, last


@view("slice.Tensor")
def slice_(self: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Geometry:
    if not self._size_:
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    d = wrap_dim(dim, len(self._size_))
    first, last = slice_bounds(self._size_[d], start, end)
    return (
        (*self._size_[:d], (last - first + step - 1) // step, *self._size_[d + 1 :]),
        (*self._stride_[:d], self._stride_[d] * step, *self._stride_[d + 1 :]),
        self._offset_ + first * self._stride_[d],
    )


@view("narrow")
def narrow(self: Tensor, dim: int, start: int, length: int) -> Geometry:
    d, first = narrowed(self._size_, dim, start, length)
    return slice_(self, d, first, first + length, 1)


@view("diagonal")
def diagonal(self: Tensor, offset: int, dim1: int, dim2: int) -> Geometry:
    ndim = len(self._size_)
    first, second = wrap_dim(dim1, ndim, False), wrap_dim(dim2, ndim, False)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, columns = self._size_[first], self._size_[second]
    if offset >= 0:
        length = max(min(rows, columns - offset), 0)
        start = self._offset_ + (offset * self._stride_[second] if length else 0)
    else:
        length = max(min(rows + offset, columns), 0)
        start = self._offset_ - (offset * self._stride_[first] if length else 0)
    kept = [d for d in range(ndim) if d not in (first, second)]
    return (
        (*(self._size_[d] for d in kept), length),
        (*(self._stride_[d] for d in kept), self._stride_[first] + self._stride_[second]),
        start,
    )


@view("unfold")
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Geometry:
    d = wrap_dim(dimension, len(self._size_))
    length = self._size_[d] if self._size_ else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(
            f"maximum size for tensor at dimension {d} is {length} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not self._size_:
        return (size,), (1,), self._offset_
    return (
        (*self._size_[:d], (length - size) // step + 1, *self._size_[d + 1 :], size),
        (*self._stride_[:d], self._stride_[d] * step, *self._stride_[d + 1 :], self._stride_[d]),
        self._offset_,
    )


# -- complex numbers as pairs --


@explicit("view_as_real")
def view_as_real(self: Tensor) -> Tensor:
    if not self._dtype_.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if self._keys_ & key_bits.CONJUGATE:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
            "tensor so you can view it as real, use self.resolve_conj(); however, be warned that "
            "the resulting tensor will NOT alias the original."
        )
    size, stride = (*self._size_, 2), (*(2 * s for s in self._stride_), 1)
    made = tensors.reinterpret(self, self._dtype_.to_real(), size, stride, 2 * self._offset_)
    return steps.OtherView.note(self, steps.OtherView.RELATIVE, made)  # type: ignore[no-any-return]


@explicit("view_as_complex")
def view_as_complex(self: Tensor) -> Tensor:
    if self._dtype_ not in (dtypes.float16, dtypes.float32, dtypes.float64):
        raise RuntimeError(
            f"view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {self._dtype_._name}"
        )
    if not self._size_:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if self._size_[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if self._stride_[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    used = [s for s, n in zip(self._stride_[:-1], self._size_) if n != 1]
    if any(s % 2 for s in used) or self._offset_ % 2:
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    size, stride = self._size_[:-1], tuple(s // 2 for s in self._stride_[:-1])
    made = tensors.reinterpret(self, self._dtype_.to_complex(), size, stride, self._offset_ // 2)
    return steps.OtherView.note(self, steps.OtherView.RELATIVE, made)  # type: ignore[no-any-return]


def _with_toggled_key(self: Tensor, key: int) -> Tensor:
    made = tensors.view_of(self, self._size_, self._stride_, self._offset_)
    made._keys_ ^= key
    return steps.OtherView.note(self, steps.OtherView.RELATIVE, made)  # type: ignore[no-any-return]


@explicit("_conj")
def conjugate_view(self: Tensor) -> Tensor:
    return _with_toggled_key(self, key_bits.CONJUGATE)


@explicit("_neg_view")
def negative_view(self: Tensor) -> Tensor:
    return _with_toggled_key(self, key_bits.NEGATIVE)
