"""View operators that are made of others, and their copying and scattering companions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation
from rushlight.engine.calls import view as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import size as sizes
from rushlight.engine.core import symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops import geometry, promotion
from rushlight.engine.ops.dims import infer_size, narrowed, wrap_dim
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.numbers import read_element

Ints = Sequence[int]


# -- shapes --


@composite("reshape")
def reshape(self: Tensor, shape: Ints) -> Tensor:
    wanted = infer_size(shape, _count(self))
    if geometry.strides_for(self._size_, self._stride_, wanted) is not None:
        return calls.view(self, wanted)
    return calls._unsafe_view(copies.clone(self, _contiguous()), wanted)


def _count(self: Tensor) -> int:
    """How many elements there are; a symbol, which the field cannot hold, where sizes are."""
    size = self._size_
    return sizes.numel(size) if symbolic.has_symbols(size) else self._numel_


def _contiguous() -> Any:
    from rushlight.engine.core import layout

    return layout.contiguous_format


@composite("narrow")
def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """What modes and classes see: a slice."""
    d, first = narrowed(self._size_, dim, start, length)
    return calls.slice_Tensor(self, d, first, first + length, 1)


@composite("reshape_as")
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    return reshape(self, other._size_)


@composite("view_as")
def view_as(self: Tensor, other: Tensor) -> Tensor:
    return calls.view(self, other._size_)


@composite("sum_to_size")
def sum_to_size(self: Tensor, size: Ints) -> Tensor:
    """The sum over the dimensions along which ``size`` would be stretched to this shape."""
    from rushlight.engine.calls import reduction

    missing = len(self._size_) - len(size)
    fits = missing >= 0 and all(n in (1, m) for n, m in zip(size, self._size_[missing:]))
    if not fits:
        raise RuntimeError(
            f"size {{{list(size)}}} is not expandable to size {{{list(self._size_)}}}."
        )
    dims = [*range(missing)]
    dims += [missing + k for k, n in enumerate(size) if n == 1 and self._size_[missing + k] != 1]
    if not size:
        return reduction.sum(self)
    total = reduction.sum_dim_IntList(self, tuple(dims), True) if dims else self
    if missing:
        return calls.view(total, tuple(size))
    return steps.Same.note(self) if total is self else total


@composite("expand_as")
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    return calls.expand(self, other._size_, False)


@composite("broadcast_to")
def broadcast_to(self: Tensor, size: Ints) -> Tensor:
    return calls.expand(self, size, False)


@composite("broadcast_tensors")
def broadcast_tensors(tensors_: Sequence[Tensor]) -> tuple[Tensor, ...]:
    shape = geometry.broadcast_sizes(*(t._size_ for t in tensors_)) if tensors_ else ()
    return tuple(t if t._size_ == shape else calls.expand(t, shape, False) for t in tensors_)


@composite("ravel")
def ravel(self: Tensor) -> Tensor:
    return reshape(copies.contiguous(self), (-1,))


@composite("flatten.using_ints")
def flatten(self: Tensor, start_dim: int, end_dim: int) -> Tensor:
    ndim = len(self._size_)
    first, last = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return reshape(self, (1,))
    if first == last:
        return steps.Same.note(self)
    length = 1
    for n in self._size_[first : last + 1]:
        length *= n
    return reshape(self, (*self._size_[:first], length, *self._size_[last + 1 :]))


@composite("unflatten.int")
def unflatten(self: Tensor, dim: int, sizes: Ints) -> Tensor:
    d = wrap_dim(dim, len(self._size_))
    if not len(sizes):
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not self._size_:
        raise RuntimeError("unflatten: the tensor has no dimension to be split")
    try:
        parts = infer_size(sizes, self._size_[d])
    except RuntimeError as error:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {d} "
            f"({self._size_[d]}) in the input tensor"
        ) from error
    return calls.view(self, (*self._size_[:d], *parts, *self._size_[d + 1 :]))


@composite("atleast_1d")
def atleast_1d(self: Tensor) -> Tensor:
    return steps.Same.note(self) if self._size_ else reshape(self, (1,))


@composite("atleast_2d")
def atleast_2d(self: Tensor) -> Tensor:
    if len(self._size_) >= 2:
        return steps.Same.note(self)
    return reshape(self, (1, 1)) if not self._size_ else calls.unsqueeze(self, 0)


@composite("atleast_3d")
def atleast_3d(self: Tensor) -> Tensor:
    ndim = len(self._size_)
    if ndim >= 3:
        return steps.Same.note(self)
    if ndim == 0:
        return reshape(self, (1, 1, 1))
    if ndim == 1:
        return calls.unsqueeze(calls.unsqueeze(self, 0), -1)
    return calls.unsqueeze(self, -1)


def _register_sequence(name: str, function: Callable[[Tensor], Tensor]) -> None:
    @composite(f"{name}.Sequence")
    def each(tensors_: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return tuple(map(function, tensors_))


for _function in (atleast_1d, atleast_2d, atleast_3d):
    _register_sequence(_function.__name__, _function)


# -- transposes --


@composite("numpy_T")
def numpy_T(self: Tensor) -> Tensor:
    return calls.permute(self, tuple(reversed(range(len(self._size_)))))


@composite("mT")
def mT(self: Tensor) -> Tensor:
    if len(self._size_) == 1:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {len(self._size_)}-D tensor."
        )
    return calls.transpose_int(self, -2, -1) if self._size_ else steps.Same.note(self)


@composite("swapaxes", "swapdims")
def swapaxes(self: Tensor, axis0: int, axis1: int) -> Tensor:
    return calls.transpose_int(self, axis0, axis1)


@composite("swapaxes_", "swapdims_")
def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
    return calls.transpose_(self, axis0, axis1)


@composite("matrix_H")
def matrix_H(self: Tensor) -> Tensor:
    ndim = len(self._size_)
    if ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor."
        )
    return calls.conj(calls.transpose_int(self, 0, 1) if ndim else self)


@composite("mH", "adjoint")
def adjoint(self: Tensor) -> Tensor:
    if len(self._size_) == 1:
        raise RuntimeError(
            f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {len(self._size_)}-D tensor."
        )
    return calls.conj(calls.transpose_int(self, -2, -1) if self._size_ else self)


@composite("movedim.intlist", "moveaxis.intlist")
def movedim(self: Tensor, source: Ints, destination: Ints) -> Tensor:
    ndim = len(self._size_)
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should "
            f"contain the same number of dims as destination ({list(destination)} dims)"
        )
    here = [wrap_dim(d, ndim) for d in source]
    there = [wrap_dim(d, ndim) for d in destination]
    for name, dims in (("source", here), ("destination", there)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(dims)})")
    if ndim == 0:
        return copies.alias(self)
    order: list[int] = [-1] * ndim
    for a, b in zip(here, there):
        order[b] = a
    rest = iter(d for d in range(ndim) if d not in here)
    return calls.permute(self, tuple(next(rest) if d < 0 else d for d in order))


@composite("movedim.int", "moveaxis.int")
def movedim_int(self: Tensor, source: int, destination: int) -> Tensor:
    return movedim(self, (source,), (destination,))


# -- parts --


@composite("narrow.Tensor")
def narrow_tensor(self: Tensor, dim: int, start: Tensor, length: int) -> Tensor:
    if start._size_ or start._dtype_.category != dtypes.INTEGRAL:
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return calls.narrow(self, dim, int(read_element(start)), length)


@explicit("narrow_copy")
def narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    if dim >= len(self._size_) > 0:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false."
        )
    return copies.clone(calls.narrow(self, dim, start, length), _contiguous())


@explicit("unbind.int")
def unbind(self: Tensor, dim: int) -> tuple[Tensor, ...]:
    if not self._size_:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, len(self._size_))
    tensors.check_count(self._size_[d])
    return steps.Views.note(self, tensors.along(self, d))  # type: ignore[no-any-return]


def pieces(self: Tensor, dim: int, lengths: Ints) -> tuple[Tensor, ...]:
    """Consecutive parts of the given lengths along a dimension."""
    return steps.Views.note(self, tensors.cut(self, dim, lengths))  # type: ignore[no-any-return]


@explicit("split.Tensor")
def split(self: Tensor, split_size: int, dim: int) -> tuple[Tensor, ...]:
    if not self._size_:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={split_size}"
        )
    d = wrap_dim(dim, len(self._size_))
    length = self._size_[d]
    if split_size == 0:
        if length != 0:
            raise RuntimeError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}"
            )
        return pieces(self, d, [0])
    count = max(-(-length // split_size), 1)
    tensors.check_count(count)
    return pieces(
        self, d, [symbolic.minimum(split_size, length - k * split_size) for k in range(count)]
    )


@explicit("split_with_sizes")
def split_with_sizes(self: Tensor, split_sizes: Ints, dim: int) -> tuple[Tensor, ...]:
    if not self._size_:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, len(self._size_))
    if any(n < 0 for n in split_sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    if sum(split_sizes) != self._size_[d]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self._size_[d]} (input "
            f"tensor's size at dimension {dim}), but got split_sizes={list(split_sizes)}"
        )
    return pieces(self, d, split_sizes)


def apart(parts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Parts of a tensor that count as tensors of their own: a change of one is no other's business."""
    for part in parts:
        part._base, part._counter_ = None, tensors.VersionCounter()
    return parts


@explicit("unsafe_split.Tensor")
def unsafe_split(self: Tensor, split_size: int, dim: int) -> tuple[Tensor, ...]:
    return apart(split(self, split_size, dim))


@explicit("unsafe_split_with_sizes")
def unsafe_split_with_sizes(self: Tensor, split_sizes: Ints, dim: int) -> tuple[Tensor, ...]:
    return apart(split_with_sizes(self, split_sizes, dim))


@composite("split.sizes")
def split_sizes(self: Tensor, split_size: Ints, dim: int) -> tuple[Tensor, ...]:
    return tuple(calls.split_with_sizes(self, split_size, dim))


@composite("chunk")
def chunk(self: Tensor, chunks: int, dim: int) -> tuple[Tensor, ...]:
    return _chunk(self, chunks, dim, "chunk", calls.split_Tensor, calls.split_with_sizes)


@composite("unsafe_chunk")
def unsafe_chunk(self: Tensor, chunks: int, dim: int) -> tuple[Tensor, ...]:
    split_up = calls.unsafe_split_Tensor, calls.unsafe_split_with_sizes
    return _chunk(self, chunks, dim, "unsafe_chunk", *split_up)


def _chunk(
    self: Tensor, chunks: int, dim: int, name: str, by_length: Any, by_lengths: Any
) -> tuple[Tensor, ...]:
    """Parts of equal length, by operators that make them views or tensors of their own."""
    if not self._size_:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"{name} expects `chunks` to be greater than 0, got: {chunks}")
    d = wrap_dim(dim, len(self._size_))
    length = self._size_[d]
    each = -(-length // chunks)
    if each > 0 and type(length) is not int and -(-length // each) == chunks:
        # As many parts for other lengths, too.
        lengths = *[each] * (chunks - 1), length - each * (chunks - 1)
        return tuple(by_lengths(self, lengths, d))
    if each == 0 and length == 0:
        return tuple(by_lengths(self, (0,) * chunks, d))
    return tuple(by_length(self, each, d))


@composite("tensor_split.sections")
def tensor_split_sections(self: Tensor, sections: int, dim: int) -> tuple[Tensor, ...]:
    d = _split_dim(self, dim)
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    tensors.check_count(sections)
    each, extra = divmod(self._size_[d], sections)
    lengths = [each + (k < extra) for k in range(sections)]
    bounds = [0, *itertools.accumulate(lengths)]
    return tuple(calls.slice_Tensor(self, d, a, b, 1) for a, b in itertools.pairwise(bounds))


@composite("tensor_split.indices")
def tensor_split_indices(self: Tensor, indices: Ints, dim: int) -> tuple[Tensor, ...]:
    d = _split_dim(self, dim)
    bounds = [0, *indices, self._size_[d]]
    return tuple(calls.slice_Tensor(self, d, a, b, 1) for a, b in itertools.pairwise(bounds))


def _split_dim(self: Tensor, dim: int) -> int:
    if not self._size_:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    return wrap_dim(dim, len(self._size_))


@composite("tensor_split.tensor_indices_or_sections")
def tensor_split_tensor(
    self: Tensor, tensor_indices_or_sections: Tensor, dim: int
) -> tuple[Tensor, ...]:
    given = tensor_indices_or_sections
    _split_dim(self, dim)
    if given._dtype_ is not dtypes.int64:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
            f"{promotion.title(given._dtype_)}"
        )
    if len(given._size_) > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
            f"one-dimensional tensor, but got a tensor with {len(given._size_)} dims"
        )
    if not given._size_:
        return tensor_split_sections(self, int(read_element(given)), dim)
    return tensor_split_indices(self, given.tolist(), dim)  # type: ignore[attr-defined]


def _numpy_split(name: str, least: int, dim_of: Callable[[Tensor], int]) -> None:
    """hsplit, vsplit and dsplit: tensor_split along a dimension of their own."""

    def check(self: Tensor) -> int:
        if len(self._size_) < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor "
                f"with {len(self._size_)} dimensions!"
            )
        return dim_of(self)

    @composite(f"{name}.int")
    def by_sections(self: Tensor, sections: int) -> tuple[Tensor, ...]:
        d = check(self)
        if sections == 0 or self._size_[d] % sections:
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {d}, but the size of the "
                f"dimension {self._size_[d]} is not divisible by the split_size {sections}!"
            )
        return tensor_split_sections(self, sections, d)

    @composite(f"{name}.array")
    def by_indices(self: Tensor, indices: Ints) -> tuple[Tensor, ...]:
        return tensor_split_indices(self, indices, check(self))


_numpy_split("hsplit", 1, lambda t: 0 if len(t._size_) == 1 else 1)
_numpy_split("vsplit", 2, lambda t: 0)
_numpy_split("dsplit", 3, lambda t: 2)


@composite("linalg_diagonal")
def linalg_diagonal(A: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    return calls.diagonal(A, offset, dim1, dim2)


@composite("diag")
def diag(self: Tensor, diagonal: int) -> Tensor:
    if len(self._size_) == 1:
        return calls.diag_embed(self, diagonal, 0, 1)
    if len(self._size_) == 2:
        return calls.diagonal_copy(self, diagonal, 0, 1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {len(self._size_)}D")


@composite("diag.out")
def diag_out(self: Tensor, diagonal: int, out: Tensor) -> Tensor:
    outputs.check_exact(out, self._dtype_)
    return outputs.copy_result(out, diag(self, diagonal))


@composite("narrow_copy.out")
def narrow_copy_out(self: Tensor, dim: int, start: int, length: int, out: Tensor) -> Tensor:
    return outputs.copy_result(out, narrow_copy(self, dim, start, length))


@explicit("diag_embed")
def diag_embed(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    if not self._size_:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    ndim = len(self._size_) + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    length = self._size_[-1] + abs(offset)
    shape = list(self._size_[:-1])
    for d in sorted((first, second)):
        shape.insert(d, length)
    made = creation.new_zeros(self, tuple(shape))
    copies.copy_(calls.diagonal(made, offset, first, second), self, False)
    return made


@composite("diagflat")
def diagflat(self: Tensor, offset: int) -> Tensor:
    return diag_embed(reshape(copies.contiguous(self), (-1,)), offset, 0, 1)


# -- scatters: a copy with one view of it replaced --


def _scatter(
    self: Tensor, src: Tensor, take: Callable[[Tensor], Tensor], whole: Tensor | None = None
) -> Tensor:
    made = _storage_copy(self, whole)
    part = take(made)
    if part._size_ != src._size_:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._size_)}, "
            f"slice size = {list(part._size_)}"
        )
    copies.copy_(part, src, False)
    return made


def _storage_copy(self: Tensor, whole: Tensor | None) -> Tensor:
    """A copy with the same strides and offset, over a copy of the whole storage."""
    if geometry.may_overlap_itself(self._size_, self._stride_):
        return copies.clone(self, None)
    if whole is None:
        made = tensors.view_of(self, (_extent(self),), (1,), 0)
        whole = steps.OtherView.note(self, steps.OtherView.EXACT, made)
    return calls.as_strided(copies.clone(whole, None), self._size_, self._stride_, self._offset_)


def _extent(self: Tensor) -> int:
    """How many elements the storage has."""
    return int(self._storage_.nbytes() // self._dtype_.itemsize)


@explicit("slice_scatter")
def slice_scatter(self: Tensor, src: Tensor, dim: int, start: Any, end: Any, step: int) -> Tensor:
    return copies.detach(
        _scatter(self, src, lambda t: calls.slice_Tensor(t, dim, start, end, step))
    )


@composite("slice_scatter.out")
def slice_scatter_out(
    self: Tensor, src: Tensor, dim: int, start: Any, end: Any, step: int, out: Tensor
) -> Tensor:
    return outputs.copy_result(out, calls.slice_scatter(self, src, dim, start, end, step))


@explicit("select_scatter")
def select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    return copies.detach(_scatter(self, src, lambda t: calls.select_int(t, dim, index)))


@explicit("diagonal_scatter")
def diagonal_scatter(self: Tensor, src: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    return copies.detach(_scatter(self, src, lambda t: calls.diagonal(t, offset, dim1, dim2)))


@explicit("as_strided_scatter")
def as_strided_scatter(
    self: Tensor, src: Tensor, size: Ints, stride: Ints, storage_offset: Any
) -> Tensor:
    # Where the tensor begins in its storage is no part of a call's key: a view of all of it says so.
    made = tensors.view_of(self, self._size_, self._stride_, self._offset_)
    steps.OtherView.note(self, steps.OtherView.EXACT, made)
    whole = calls.as_strided(self, (_extent(self),), (1,), 0)
    return copies.detach(
        _scatter(self, src, lambda t: calls.as_strided(t, size, stride, storage_offset), whole)
    )


@composite("slice_inverse")
def slice_inverse(self: Tensor, src: Tensor, dim: int, start: Any, end: Any, step: int) -> Tensor:
    return calls.slice_scatter(src, self, dim, start, end, step)


# -- complex parts --


@composite("real")
def real(self: Tensor) -> Tensor:
    if not self._dtype_.is_complex:
        return steps.Same.note(self)
    if self._keys_ & key_bits.CONJUGATE:
        return calls.select_int(calls.view_as_real(calls._conj(self)), -1, 0)
    return calls.select_int(calls.view_as_real(self), -1, 0)


@composite("imag")
def imag(self: Tensor) -> Tensor:
    if not self._dtype_.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if self._keys_ & key_bits.CONJUGATE:
        part = calls.select_int(calls.view_as_real(calls._conj(self)), -1, 1)
        return calls._neg_view(part)
    return calls.select_int(calls.view_as_real(self), -1, 1)


@composite("conj")
def conj(self: Tensor) -> Tensor:
    return calls._conj(self) if self._dtype_.is_complex else steps.Same.note(self)


@composite("conj_physical")
def conj_physical(self: Tensor) -> Tensor:
    return calls._conj_physical(self) if self._dtype_.is_complex else steps.Same.note(self)


@explicit("is_conj")
def is_conj(self: Tensor) -> bool:
    return bool(self._keys_ & key_bits.CONJUGATE)


@explicit("is_neg")
def is_neg(self: Tensor) -> bool:
    return bool(self._keys_ & key_bits.NEGATIVE)


# -- metadata as operators --


@explicit("size.int", "sym_size.int")
def size_of(self: Tensor, dim: int) -> int:
    return self._size_[wrap_dim(dim, len(self._size_), False)]


@explicit("stride.int", "sym_stride.int")
def stride_of(self: Tensor, dim: int) -> int:
    return self._stride_[wrap_dim(dim, len(self._size_), False)]


@explicit("sym_size")
def sizes_of(self: Tensor) -> list[int]:
    return list(self._size_)


@explicit("sym_stride")
def strides_of(self: Tensor) -> list[int]:
    return list(self._stride_)


@explicit("sym_numel")
def sym_numel(self: Tensor) -> int:
    return _count(self)


@explicit("sym_storage_offset")
def sym_storage_offset(self: Tensor) -> int:
    return self._offset_


# -- grids --


@composite("meshgrid.indexing")
def meshgrid_indexing(tensors_: Sequence[Tensor], indexing: str) -> tuple[Tensor, ...]:
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    if not tensors_:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors_:
        if len(t._size_) > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(t._size_)}"
            )
        if t._dtype_ is not tensors_[0]._dtype_:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    swap = indexing == "xy" and len(tensors_) >= 2
    axes = [reshape(t, (-1,)) for t in tensors_]
    if swap:
        axes[0], axes[1] = axes[1], axes[0]
    shape = tuple(a._numel_ for a in axes)
    grids = [
        calls.expand(calls.view(a, (1,) * k + (-1,) + (1,) * (len(axes) - k - 1)), shape, False)
        for k, a in enumerate(axes)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@composite("meshgrid")
def meshgrid(tensors_: Sequence[Tensor]) -> tuple[Tensor, ...]:
    return meshgrid_indexing(tensors_, "ij")


@composite("cartesian_prod")
def cartesian_prod(tensors_: Sequence[Tensor]) -> Tensor:
    from rushlight.engine.calls import joining

    for t in tensors_:
        if len(t._size_) != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._size_)}")
    if len(tensors_) == 1:
        return steps.Same.note(tensors_[0])  # type: ignore[no-any-return]
    grids = meshgrid_indexing(tensors_, "ij")
    return joining.stack([reshape(g, (-1,)) for g in grids], 1)


# -- copies of views: every ``X_copy`` is a clone of ``X`` --


def _register_copies() -> None:
    for full_name, (_, family, *_) in list(operators.index().items()):
        base, _, overload = full_name.removeprefix("aten::").partition(".")
        if not base.endswith("_copy") or base == "narrow_copy" or family != "view":
            continue
        source = base.removesuffix("_copy") + (f".{overload}" if overload else "")
        if operators.find(source) is None or "out" in overload:
            continue
        operators.when_needed(full_name, partial(_register_copy, full_name, source))


def _register_copy(name: str, of: str) -> None:
    op, source = operators.operator(name), operators.operator(of)

    def make(*args: Any) -> Any:
        made = source.call(*args)
        if isinstance(made, (tuple, list)):
            return tuple(copies.clone(t, _contiguous()) for t in made)
        return copies.clone(made, _contiguous())

    operators.register_kernel(op.full_name, operators.EXPLICIT, make)
    for out in outputs.variants(op)[1]:
        operators.register_kernel(out.full_name, operators.EXPLICIT, _into(make))


def _into(make: Callable[..., Any]) -> Callable[..., Any]:
    def fill(*args: Any) -> Any:
        *given, target = args
        made = make(*given)
        if isinstance(made, tuple):
            for t, m in zip(target, made):
                outputs.copy_result(t, m)
            return None
        return outputs.copy_result(target, made)

    return fill


_register_copies()
