"""Where windows lie: along each dimension, which elements of an image meet which of a kernel.

The image is seen as laid out with borders of zeros, perhaps as several *planes* that hold every
``stride``-th element each, so that neighbouring windows read neighbouring elements. Along a
dimension, the result at a *position* is the sum over *taps* of ``kernel[tap] * image[plane, place +
shift]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rushlight.engine.core import symbolic
from rushlight.engine.native.records import dataclass
from rushlight.engine.ops.windows.sizes import Ints


class Tap(NamedTuple):
    """An element of the kernel, and where the elements lie that it multiplies."""

    element: int
    plane: int
    shift: int


class Slice(NamedTuple):
    """Which elements of an image a plane holds: ``length`` from ``start`` on, put at ``place``."""

    start: int
    step: int
    length: int
    place: int


class Spots(Sequence[tuple[int, int]]):
    """Results along a dimension and their places, both evenly spaced.

    Args:
        first: the first result's index
        apart: how far the next one is
        place: the first result's place
        pace: how far the next one is
        total: how many there are
    """

    def __init__(self, first: int, apart: int, place: int, pace: int, total: int) -> None:
        self.first, self.apart, self.place, self.pace = first, apart, place, pace
        self.total = total

    def moved(self, shift: int) -> Spots:
        """The same results, so many places further on."""
        return Spots(self.first, self.apart, self.place + shift, self.pace, self.total)

    def __len__(self) -> int:
        return int(self.total)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return list(self)[k]
        k = self.total + k if k < 0 else k
        return self.first + k * self.apart, self.place + k * self.pace

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return (self[k] for k in range(self.total))


@dataclass
class Axis:
    """The windows along one dimension.

    Args:
        slices: what each plane holds
        extent: how far the windows reach in a plane
        phases: groups of results that share their taps: the taps, and each result's index and place
    """

    slices: list[Slice]
    extent: int
    phases: list[tuple[list[Tap], Spots]]

    @property
    def pitch(self) -> int:
        """The length of a row, where the border before the next one serves as the one behind."""
        border = min(s.place for s in self.slices)
        places = [spots[-1][1] for _, spots in self.phases]
        ends = [s.place + s.length for s in self.slices]
        return symbolic.largest([self.extent - border, *ends, *(p + 1 for p in places)])

    @property
    def plain(self) -> bool:
        """Whether the plane is the image as it is."""
        only = self.slices[0]
        whole = only.start == only.place == 0 and only.length == self.extent
        return len(self.slices) == 1 and only.step == 1 and whole

    @property
    def one_to_one(self) -> bool:
        """Whether each result's window begins at the image's element of the same index."""
        same = all(s.first == s.place and s.apart == s.pace for _, s in self.phases)
        shifts = [tap.shift for taps, _ in self.phases for tap in taps[:1]]
        return self.plain and not any(shifts) and same


def _slice(length: int, first: int, step: int, extent: int) -> Slice:
    """The plane whose place v holds the image's element ``first + step * v``."""
    place = max(0, -(first // step))
    start = first + step * place
    count = symbolic.minimum(-(-(length - start) // step), extent - place)
    count = symbolic.maximum(0, count)
    return Slice(start if count else 0, step, count, place)


def convolution_axis(
    length: int, kernel: int, stride: int, padding: int, dilation: int, windows: int
) -> Axis:
    """The windows of a convolution along a dimension of the image."""
    reached = [r * dilation for r in range(kernel)]
    residues = sorted({u % stride for u in reached})
    taps = [Tap(r, residues.index(u % stride), u // stride) for r, u in enumerate(reached)]
    extent = windows + max(t.shift for t in taps)
    slices = [_slice(length, a - padding, stride, extent) for a in residues]
    return Axis(slices, extent, [(taps, Spots(0, 1, 0, 1, windows))])


def transposed_axis(
    length: int, kernel: int, stride: int, padding: int, dilation: int, results: int
) -> Axis:
    """The windows of a transposed convolution: results of different phases meet different taps."""
    found = []
    for phase in range(stride):
        taps = [
            Tap(r, 0, (phase - r * dilation) // stride)
            for r in range(kernel)
            if (r * dilation - phase) % stride == 0
        ]
        first = max(0, -((phase - padding) // stride))
        count = (results - 1 - phase + padding) // stride + 1 - first
        if count > 0:
            index = phase - padding + stride * first
            found.append((taps, Spots(index, stride, first, 1, count)))
    lowest = [spots.place + t.shift for taps, spots in found for t in taps]
    highest = [spots[-1][1] + t.shift for taps, spots in found for t in taps]
    border = max(0, -min(lowest, default=0))
    extent = border + symbolic.largest([length, 1, *(reached + 1 for reached in highest)])
    phases = [
        ([Tap(t.element, 0, t.shift + border) for t in taps], places) for taps, places in found
    ]
    return Axis([Slice(0, 1, length, border)], extent, _from_zero(phases))


def _from_zero(
    phases: list[tuple[list[Tap], Spots]],
) -> list[tuple[list[Tap], Spots]]:
    """The phases with no negative shift: each shift's least part moves to the places."""
    made = []
    for taps, places in phases:
        least = min((t.shift for t in taps), default=0)
        moved = [t._replace(shift=t.shift - least) for t in taps]
        made.append((moved, places.moved(least)))
    return made


def whole_axis(
    length: int, kernel: int, stride: int, padding: int, dilation: int, windows: int
) -> Axis:
    """As `convolution_axis`, in one plane that holds every element."""
    extent = (windows - 1) * stride + (kernel - 1) * dilation + 1
    taps = [Tap(r, 0, r * dilation) for r in range(kernel)]
    phase = (taps, Spots(0, 1, 0, stride, windows))
    return Axis([_slice(length, -padding, 1, extent)], extent, [phase])


def row_major(sizes: Sequence[int], unit: int = 1) -> list[int]:
    """Strides of dimensions one inside the other."""
    strides = []
    for n in reversed(sizes):
        strides.append(unit)
        unit *= n
    return strides[::-1]


def transposed_length(n: int, k: int, s: int, p: int, d: int, extra: int) -> int:
    """How long the result of a transposed convolution is along a dimension."""
    return (n - 1) * s - 2 * p + d * (k - 1) + 1 + extra


def missing(lengths: Ints, *of: Ints) -> list[int]:
    """The output paddings with which transposed convolutions reach the lengths."""
    return [n - transposed_length(*given, 0) for n, *given in zip(lengths, *of)]  # type: ignore[call-arg]


def window_count(n: int, k: int, s: int, p: int, d: int) -> int:
    """How many windows there are along a dimension."""
    return (n + 2 * p - d * (k - 1) - 1) // s + 1


__all__ = [
    "Axis", "Slice", "Spots", "Tap", "convolution_axis", "missing", "row_major", "transposed_axis",
    "transposed_length", "whole_axis", "window_count",
]  # fmt: skip
