"""`pad`: borders that are constant, mirrored, repeated or wrapped around."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import joining, view
from rushlight.engine.core.symbolic import maximum, minimum
from rushlight.engine.core.tensor import Tensor, check_room
from rushlight.engine.dispatch.autocasting import in_full
from rushlight.engine.generated import functions
from rushlight.engine.ops import formats
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.windows.sizes import Ints


def _cut(self: Tensor, dim: int, start: int, stop: int) -> Tensor:
    return view.slice_Tensor(self, dim, start, stop, 1)  # type: ignore[no-any-return]


def _mirrored(self: Tensor, dim: int, start: int, stop: int) -> Tensor:
    last = self._size_[dim] - 1
    around = 0 if start < 0 else 2 * last
    return view.flip(_cut(self, dim, around - stop + 1, around - start + 1), [dim])  # type: ignore[no-any-return]


def _repeated(self: Tensor, dim: int, start: int, stop: int) -> Tensor:
    place = 0 if start < 0 else self._size_[dim] - 1
    size = (*self._size_[:dim], stop - start, *self._size_[dim + 1 :])
    return view.expand(_cut(self, dim, place, place + 1), size, implicit=False)  # type: ignore[no-any-return]


def _wrapped(self: Tensor, dim: int, start: int, stop: int) -> Tensor:
    by = self._size_[dim] if start < 0 else -self._size_[dim]
    return _cut(self, dim, start + by, stop + by)


# What lies at places before or behind the elements of a dimension; none wraps around twice.
_SOURCES = {"reflect": _mirrored, "replicate": _repeated, "circular": _wrapped}


def _check_length(mode: str, before: int, after: int, length: int) -> None:
    if length == 0:
        raise RuntimeError("Expected a tensor with non-zero dimensions to pad")
    if mode == "reflect" and max(before, after) >= length:
        raise RuntimeError(
            f"Argument #4: Padding size should be less than the corresponding input dimension, but "
            f"got: padding ({before}, {after}) at a dimension of size {length}"
        )
    if mode == "circular" and max(before, after) > length:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    if before + after + length < (0 if mode == "circular" else 1):
        raise RuntimeError(
            "Negative padding value is resulting in an empty dimension"
            if mode == "circular"
            else f"input (length: {length}) is too small for padding ({before}, {after})"
        )


def _bordered(self: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    """One dimension with a border of elements taken from inside."""
    length = self._size_[dim]
    _check_length(mode, before, after, length)
    if before <= 0 and after <= 0:
        return view.slice_Tensor(self, dim, -before, length + after, 1)
    if mode == "circular" and min(before, after) < 0:
        # What is cut off at one side does not wrap around to the other.
        self = view.slice_Tensor(self, dim, max(-before, 0), length + min(after, 0), 1)
        return _bordered(self, dim, max(before, 0), max(after, 0), mode)
    count = before + length + after
    size, device = (*self._size_[:dim], count, *self._size_[dim + 1 :]), self._storage_.device
    check_room(size, self._dtype_, device)
    start, stop, border = -before, length + after, _SOURCES[mode]
    pieces = []
    if start < 0:
        pieces.append(border(self, dim, start, minimum(stop, 0)))
    if start < length and stop > 0:
        pieces.append(_cut(self, dim, maximum(start, 0), minimum(stop, length)))
    if stop > length:
        pieces.append(border(self, dim, maximum(start, length), stop))
    return joining.cat(pieces, dim)


@composite("pad")
def pad(self: Any, pad: Ints, mode: str, value: Any) -> Any:
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    dims = len(self._size_)
    if len(pad) > 2 * dims:
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension. "
            f"Padding length: {len(pad)}, Input of dimension: {dims}"
        )
    if mode == "constant":
        return functions.constant_pad_nd(self, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    count = len(pad) // 2
    if mode not in _SOURCES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if not 1 <= count <= 3 or dims not in (count + 1, count + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {dims}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    return _padded(self, pad, mode)


def _padded(self: Any, pad: Ints, mode: str) -> Any:
    """The image with a border of elements taken from inside."""
    dims, count = len(self._size_), len(pad) // 2
    if dims not in (count + 1, count + 2) or 0 in self._size_[dims - count - 1 :]:
        raise RuntimeError(
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size "
            f"and other non-zero dimensions for input, but got: {list(self._size_)}"
        )
    # What is mirrored in three dimensions is left out by PyTorch.
    made = self if mode == "circular" or (mode, count) == ("reflect", 3) else in_full(self)
    for d in range(count):
        before, after = pad[2 * d : 2 * d + 2]
        if before or after:
            made = _bordered(made, dims - 1 - d, before, after, mode)
    if made is self or made._storage_ is self._storage_:
        return functions.clone(made)
    return made if mode == "circular" else formats.laid_out_like(made, self)


def _register(kind: str, mode: str, count: int) -> None:
    """`reflection_pad1d` and its kin, of one mode and number of dimensions each."""
    name = f"{kind}_pad{count}d"

    def bordered(self: Any, padding: Ints) -> Any:
        sides = tuple(padding) * (2 * count) if len(padding) == 1 else tuple(padding)
        if len(sides) != 2 * count:
            raise RuntimeError(f"padding size is expected to be {2 * count}, but got: {len(sides)}")
        return _padded(self, sides, mode)

    def into(self: Any, padding: Ints, out: Any) -> Any:
        return outputs.copy_result(out, bordered(self, padding))

    composite(name)(bordered)
    explicit(f"{name}.out")(into)


for _kind, _mode in (("reflection", "reflect"), ("replication", "replicate")):
    for _count in (1, 2, 3):
        _register(_kind, _mode, _count)
