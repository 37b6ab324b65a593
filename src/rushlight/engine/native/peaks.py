"""The largest element of every window of an image, and where it is, for windows of any kind.

All that sizes decide are words of memory, so that one piece of code serves images of all sizes.
"""

from __future__ import annotations

from rushlight.engine.native.lowlevel import (
    Module,
    load,
    load_float,
    load_float32,
    store,
    store_float,
    store_float32,
)

module = Module("peaks")
INF = float("inf")


class AXIS:
    """What `largest` is told about each of three dimensions, the innermost first."""

    length, kernel, stride, padding, dilation, step, flat = range(0, 56, 8)
    bytes = 56


@module.function
def first_of(axis: int, window: int) -> int:
    """Where a window begins, perhaps in the border."""
    return window * load(axis + AXIS.stride) - load(axis + AXIS.padding)


@module.function
def first_inside(axis: int, window: int) -> int:
    """The first element of a window that is not in the border before the image."""
    at = first_of(axis, window)
    while at < 0:
        at += load(axis + AXIS.dilation)
    return at


@module.function
def largest_in(image: int, axes: int, x: int, y: int, z: int, item: int, value: int) -> int:
    """The place of a window's largest element, which goes to ``value``; later ones must be larger."""
    best = 0.0 - INF
    outer = axes + 2 * AXIS.bytes
    middle = axes + AXIS.bytes
    found = (
        first_inside(outer, z) * load(outer + AXIS.flat)
        + first_inside(middle, y) * load(middle + AXIS.flat)
        + first_inside(axes, x)
    )
    first_k = first_of(outer, z)
    first_j = first_of(middle, y)
    first_i = first_of(axes, x)
    step = load(axes + AXIS.step)
    for c in range(load(outer + AXIS.kernel)):
        k = first_k + c * load(outer + AXIS.dilation)
        if k >= 0 and k < load(outer + AXIS.length):
            for b in range(load(middle + AXIS.kernel)):
                j = first_j + b * load(middle + AXIS.dilation)
                if j >= 0 and j < load(middle + AXIS.length):
                    row = image + k * load(outer + AXIS.step) + j * load(middle + AXIS.step)
                    flat = k * load(outer + AXIS.flat) + j * load(middle + AXIS.flat)
                    for a in range(load(axes + AXIS.kernel)):
                        i = first_i + a * load(axes + AXIS.dilation)
                        if i >= 0 and i < load(axes + AXIS.length):
                            if item == 4:
                                element = load_float32(row + i * step)
                            else:
                                element = load_float(row + i * step)
                            # What is no number is chosen, too.
                            if element > best or element != element:
                                best = element
                                found = flat + i
    if item == 4:
        store_float32(value, best)
    else:
        store_float(value, best)
    return found


@module.function
def largest(pointers: int, sizes: int, strides: int) -> int:
    """Operands: the largest elements, their places (both written), the image, three `AXIS`, the
    bytes of an element. The dimensions are those of the windows.
    """
    image = load(pointers + 16)
    axes = load(pointers + 24)
    item = load(axes + 3 * AXIS.bytes)
    for z in range(load(sizes + 16)):
        for y in range(load(sizes + 8)):
            value = load(pointers) + y * load(strides + 32) + z * load(strides + 64)
            place = load(pointers + 8) + y * load(strides + 40) + z * load(strides + 72)
            for x in range(load(sizes)):
                store(place, largest_in(image, axes, x, y, z, item, value))
                value += load(strides)
                place += load(strides + 8)
    return 0
