"""Where windows lie: along each dimension, which elements of an image meet which of a kernel.

The image is seen as laid out with borders of zeros, perhaps as several *planes* that hold every
``stride``-th element each, so that neighbouring windows read neighbouring elements. Along a
dimension, the result at a *position* is the sum over *taps* of ``kernel[tap] * image[plane, place +
shift]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
    phases: list[tuple[list[Tap], list[tuple[int, int]]]]

    @property
    def pitch(self) -> int:
        """The length of a row, where the border before the next one serves as the one behind."""
        border = min(s.place for s in self.slices)
        places = [place for _, spots in self.phases for _, place in spots[-1:]]
        ends = [s.place + s.length for s in self.slices]
        return max(self.extent - border, *ends, *(place + 1 for place in places))

    @property
    def plain(self) -> bool:
        """Whether the plane is the image as it is."""
        only = self.slices[0]
        whole = only.start == only.place == 0 and only.length == self.extent
        return len(self.slices) == 1 and only.step == 1 and whole

    @property
    def one_to_one(self) -> bool:
        """Whether each result's window begins at the image's element of the same index."""
        spots = [spot for _, places in self.phases for spot in places]
        shifts = [tap.shift for taps, _ in self.phases for tap in taps[:1]]
        return self.plain and not any(shifts) and all(index == place for index, place in spots)


def _slice(length: int, first: int, step: int, extent: int) -> Slice:
    """The plane whose place v holds the image's element ``first + step * v``."""
    place = max(0, -(first // step))
    start = first + step * place
    count = max(0, min(-(-(length - start) // step), extent - place))
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
    return Axis(slices, extent, [(taps, [(i, i) for i in range(windows)])])


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
        places = range(first, (results - 1 - phase + padding) // stride + 1)
        found.append((taps, [(phase - padding + stride * j, j) for j in places]))
    reached = [j + t.shift for taps, places in found for _, j in places[:1] for t in taps]
    reached += [j + t.shift for taps, places in found for _, j in places[-1:] for t in taps]
    border = max(0, -min(reached, default=0))
    extent = border + max(length, max(reached, default=0) + 1)
    phases = [
        ([Tap(t.element, 0, t.shift + border) for t in taps], places)
        for taps, places in found
        if places
    ]
    return Axis([Slice(0, 1, length, border)], extent, _from_zero(phases))


def _from_zero(
    phases: list[tuple[list[Tap], list[tuple[int, int]]]],
) -> list[tuple[list[Tap], list[tuple[int, int]]]]:
    """The phases with no negative shift: each shift's least part moves to the places."""
    made = []
    for taps, places in phases:
        least = min((t.shift for t in taps), default=0)
        moved = [t._replace(shift=t.shift - least) for t in taps]
        made.append((moved, [(i, j + least) for i, j in places]))
    return made


def whole_axis(
    length: int, kernel: int, stride: int, padding: int, dilation: int, windows: int
) -> Axis:
    """As `convolution_axis`, in one plane that holds every element."""
    extent = (windows - 1) * stride + (kernel - 1) * dilation + 1
    taps = [Tap(r, 0, r * dilation) for r in range(kernel)]
    phase = (taps, [(i, i * stride) for i in range(windows)])
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
    "Axis", "Slice", "Tap", "convolution_axis", "missing", "row_major", "transposed_axis",
    "transposed_length", "whole_axis", "window_count",
]  # fmt: skip
