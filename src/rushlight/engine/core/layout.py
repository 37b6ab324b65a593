"""Layouts, memory formats and quantisation schemes: named facts with one object each."""

from __future__ import annotations

from typing import Any


class _Named:
    """An object that is its name: compared by identity, pickled by reference."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name

    def __copy__(self) -> _Named:
        return self

    def __deepcopy__(self, memo: Any) -> _Named:
        return self


class layout(_Named):
    """How a tensor's elements are kept: ``strided`` or one of the sparse layouts."""

    __slots__ = ()


class memory_format(_Named):
    """The order of dimensions in memory."""

    __slots__ = ()


class qscheme(_Named):
    """How numbers stand for the elements of a quantized tensor."""

    __slots__ = ()


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
jagged = layout("jagged")

# Families of the sparse layouts of matrices that are kept line by line.
BY_ROWS = (sparse_csr, sparse_bsr)
BLOCKED = (sparse_bsr, sparse_bsc)
COMPRESSED = (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)

contiguous_format = memory_format("contiguous_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
preserve_format = memory_format("preserve_format")

per_tensor_affine = qscheme("per_tensor_affine")
per_channel_affine = qscheme("per_channel_affine")
per_tensor_symmetric = qscheme("per_tensor_symmetric")
per_channel_symmetric = qscheme("per_channel_symmetric")
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams")
SCHEMES = (
    per_tensor_affine, per_channel_affine, per_tensor_symmetric, per_channel_symmetric,
    per_channel_affine_float_qparams,
)  # fmt: skip


def title(layout: layout) -> str:
    """A layout in the words of messages: ``SparseCsr``."""
    return "".join(word.capitalize() for word in layout._name.removesuffix("_coo").split("_"))
