"""Means and largest elements of windows of which there are so many, as equal as they can be.

Windows of one dimension may differ by an element in length, and overlap. Sizes are words of memory,
so that one piece of code serves images of all sizes.
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

module = Module("adaptive")
INF = float("inf")


class DIM:
    """Positions of the words about a dimension, in bytes: its length, and how many windows it has."""

    length, windows = 0, 8
    bytes = 16


# After three dimensions, the outermost first: the bytes of an element.
ITEM = 3 * DIM.bytes


@module.function
def begin(dim: int, window: int) -> int:
    """Where a window begins."""
    return window * load(dim + DIM.length) // load(dim + DIM.windows)


@module.function
def end(dim: int, window: int) -> int:
    """Where a window ends."""
    windows = load(dim + DIM.windows)
    return ((window + 1) * load(dim + DIM.length) + windows - 1) // windows


@module.function
def element(place: int, item: int) -> float:
    found = 0.0
    if item == 4:
        found = load_float32(place)
    else:
        found = load_float(place)
    return found


@module.function
def put(place: int, item: int, value: float) -> None:
    if item == 4:
        store_float32(place, value)
    else:
        store_float(place, value)


@module.function
def mean_of(image: int, dims: int, z: int, y: int, x: int) -> float:
    """The mean of a window."""
    middle = dims + DIM.bytes
    inner = middle + DIM.bytes
    item = load(dims + ITEM)
    total = 0.0
    count = 0.0
    first = begin(inner, x)
    last = end(inner, x)
    for k in range(begin(dims, z), end(dims, z)):
        for j in range(begin(middle, y), end(middle, y)):
            row = image + (k * load(middle) + j) * load(inner) * item
            for i in range(first, last):
                total += element(row + i * item, item)
                count += 1.0
    return total / count


@module.function
def means(pointers: int, sizes: int, strides: int) -> int:
    """A kernel over one image. Operands: the means (written), the image, the words."""
    target = load(pointers)
    image = load(pointers + 8)
    dims = load(pointers + 16)
    item = load(dims + ITEM)
    for z in range(load(dims + DIM.windows)):
        for y in range(load(dims + DIM.bytes + DIM.windows)):
            for x in range(load(dims + 2 * DIM.bytes + DIM.windows)):
                put(target, item, mean_of(image, dims, z, y, x))
                target += item
    return 0


@module.function
def spread(image: int, dims: int, z: int, y: int, x: int, value: float) -> None:
    """Add to every element of a window its part of the mean's gradient."""
    middle = dims + DIM.bytes
    inner = middle + DIM.bytes
    item = load(dims + ITEM)
    first = begin(inner, x)
    last = end(inner, x)
    count = 0.0
    for _k in range(begin(dims, z), end(dims, z)):
        for _j in range(begin(middle, y), end(middle, y)):
            for _i in range(first, last):
                count += 1.0
    part = value / count
    for k in range(begin(dims, z), end(dims, z)):
        for j in range(begin(middle, y), end(middle, y)):
            row = image + (k * load(middle) + j) * load(inner) * item
            for i in range(first, last):
                put(row + i * item, item, element(row + i * item, item) + part)


@module.function
def spread_means(pointers: int, sizes: int, strides: int) -> int:
    """A kernel over one image. Operands: its gradient (written), that of the means, the words."""
    image = load(pointers)
    grad = load(pointers + 8)
    dims = load(pointers + 16)
    item = load(dims + ITEM)
    whole = load(dims) * load(dims + DIM.bytes) * load(dims + 2 * DIM.bytes)
    for k in range(whole):
        put(image + k * item, item, 0.0)
    for z in range(load(dims + DIM.windows)):
        for y in range(load(dims + DIM.bytes + DIM.windows)):
            for x in range(load(dims + 2 * DIM.bytes + DIM.windows)):
                spread(image, dims, z, y, x, element(grad, item))
                grad += item
    return 0


@module.function
def place_of_largest(image: int, dims: int, z: int, y: int, x: int) -> int:
    """The place of a window's first largest element; what is no number is larger than all others."""
    middle = dims + DIM.bytes
    inner = middle + DIM.bytes
    item = load(dims + ITEM)
    first = begin(inner, x)
    last = end(inner, x)
    found = (begin(dims, z) * load(middle) + begin(middle, y)) * load(inner) + first
    best = element(image + found * item, item)
    for k in range(begin(dims, z), end(dims, z)):
        for j in range(begin(middle, y), end(middle, y)):
            row = (k * load(middle) + j) * load(inner)
            if item == 4:
                for i in range(first, last):
                    value = load_float32(image + (row + i) * 4)
                    if best == best and (value > best or value != value):
                        best = value
                        found = row + i
            else:
                for i in range(first, last):
                    value = load_float(image + (row + i) * 8)
                    if best == best and (value > best or value != value):
                        best = value
                        found = row + i
    return found


@module.function
def places_of_largest(pointers: int, sizes: int, strides: int) -> int:
    """A kernel over one image. Operands: the places (written), the image, the words."""
    target = load(pointers)
    image = load(pointers + 8)
    dims = load(pointers + 16)
    for z in range(load(dims + DIM.windows)):
        for y in range(load(dims + DIM.bytes + DIM.windows)):
            for x in range(load(dims + 2 * DIM.bytes + DIM.windows)):
                store(target, place_of_largest(image, dims, z, y, x))
                target += 8
    return 0
