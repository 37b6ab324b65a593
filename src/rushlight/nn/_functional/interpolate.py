"""`interpolate` and `upsample`: images of other sizes, every element a weighted mean of old ones."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight.engine.calls import resampling
from rushlight.engine.core import state, symbolic
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import check_room
from rushlight.engine.dispatch import layers, modes
from rushlight.engine.dispatch.call_cache import Sizes, overridable_function, steps
from rushlight.engine.dispatch.call_cache.recorder import unnoted
from rushlight.engine.ops import bridge
from rushlight.engine.ops.creation.from_data import shown
from rushlight.engine.ops.resampling import filters
from rushlight.nn._functional import pooling

if TYPE_CHECKING:
    from rushlight.engine.ops.resampling.taps import Filter, Line

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
# What PyTorch calls the kernel that refuses an element type, but for a few.
_WEIGHTS = "compute_indices_weights"
_AREA = {
    1: pooling.adaptive_avg_pool1d,
    2: pooling.adaptive_avg_pool2d,
    3: pooling.adaptive_avg_pool3d,
}


def _is_whole(length: Any) -> bool:
    if isinstance(length, rushlight.Tensor):
        return not length.dtype.is_floating_point
    return hasattr(length, "__index__")


def _new_size(input: Any, size: Any, factor: Any, count: int) -> tuple[list[int], Any]:
    """The wanted size, and the factors if they were given."""
    if size is not None and factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and factor is None:
        raise ValueError("either size or scale_factor should be defined")
    name, given = ("output_size", size) if factor is None else ("scale_factor", factor)
    if isinstance(size, (list, tuple)) and not all(map(_is_whole, size)):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, "
            f"int], but got size with types {[type(n) for n in size]}"
        )
    values = list(given) if isinstance(given, (list, tuple)) else [given] * count
    if len(values) != count:
        raise ValueError(
            f"Input and {name} must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(input.shape[2:])} and {name} of {given}."
        )
    if factor is None:
        sizes: list[Any] = [n if type(n) is SymInt else int(n) for n in values]
        return sizes, None
    return [_scaled(n, f) for n, f in zip(input.shape[2:], values)], values


def _scaled(n: Any, factor: Any) -> Any:
    """So many times a size; also one that is a symbol, if the factor is a whole number."""
    if type(n) is SymInt and factor == int(factor):
        return n * int(factor)
    return math.floor(float(n) * factor)


def _tables() -> Any:
    """What makes the tables; it is loaded when the first image is resized, with the compiler that it needs."""
    from rushlight.engine.ops.resampling import taps

    return taps


def _length(n: Any) -> Any:
    """A length as tables take it: in a trace of a whole program, what it is now."""
    return int(n) if type(n) is SymInt and n.trace.defers else n


def _held(make: Callable[..., Any], *facts: Any, device: Any) -> Any:
    """A table of a dimension where the image is, which is never written."""
    is_alone = modes.is_watched() or state.thread.layers
    if device.type == "cpu" and not is_alone:
        return steps.OfSizes.of(lambda: make(*facts))
    # What a mode or a transformation makes of it is nobody else's.
    found = _made if is_alone else _kept
    return steps.Constant.of(lambda: found(make, facts, device))


def _made(make: Callable[..., Any], facts: tuple[Any, ...], device: Any) -> Any:
    with rushlight.inference_mode(False):
        return shown(make(*facts)).to(device)


_kept = functools.lru_cache(maxsize=512)(_made)


def _without_elements(image: Any, dim: int, new: int) -> Any:
    """An image of another size on the meta device, whatever its elements would be made of."""
    return image.index_select(dim, image.new_empty((new,), dtype=rushlight.int64))


def _nearest(image: Any, dim: int, line: Line, exact: bool) -> Any:
    if image.device.type == "meta":
        return _without_elements(image, dim, line.new)
    # Images of two dimensions that keep their size, or double it, do so whatever the factor was.
    if not exact and image.dim() == 4 and line.new in (line.old, 2 * line.old):
        places = _held(_tables().multiples, line, device=image.device)
    else:
        places = _held(_tables().nearest, line, exact, device=image.device)
    return image.index_select(dim, places)


def _weighted(image: Any, dim: int, line: Line, filter: Filter) -> Any:
    """Weighted sums of neighbours along a dimension."""
    if image.device.type == "meta":
        return _without_elements(image, dim, line.new)
    facts = line, filter
    places = _held(_tables().places, *facts, device=image.device)
    factors = _held(_tables().factors, *facts, image.dtype, image.dim() - dim, device=image.device)
    return resampling._weighted_neighbours(image, dim, places, factors)


def _rows_of(line: Line, filter: Filter) -> list[list[float]]:
    """For each new element the weights of all old ones; what lies outside counts for the edge."""
    taps = _tables()
    tables = taps.places(line, filter), taps.factors(line, filter, rushlight.float64, 1)
    places, factors = (bridge.array(table).tolist() for table in tables)
    rows = [[0.0] * line.old for _ in range(line.new)]
    for places_of_tap, factors_of_tap in zip(places, factors):
        for row, place, factor in zip(rows, places_of_tap, factors_of_tap):
            row[place] += factor
    return rows


def _check(input: Any, mode: str, align_corners: bool | None) -> int:
    """How many dimensions images have."""
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | "
                "bilinear | bicubic | trilinear | lanczos"
            )
    elif mode not in (*_LINEAR, "bicubic", "lanczos"):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the "
            f"modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact "
            f"(got {mode})"
        )
    count = int(input.dim()) - 2
    needed = 2 if mode in ("bicubic", "lanczos") else _LINEAR.get(mode, count)
    if not 1 <= count <= 3 or count != needed:
        raise NotImplementedError(
            f"Got {input.dim()}D input, but {mode} mode needs {needed + 2}D input"
        )
    return count


def _is_only_fake() -> bool:
    """Whether what is computed now is looked at by nobody: there are no elements, and nothing is traced."""
    active = modes.stack()
    is_fake = bool(active) and all(getattr(mode, "rank", None) == 0 for mode in active)
    return is_fake and not layers.stack()


# By how many dimensions images have, how they are filled and whether they are smoothed: the operator.
_OPERATORS: dict[tuple[int, str, bool], str] = {
    **{(d, "nearest", False): f"upsample_nearest{d}d" for d in (1, 2, 3)},
    **{(d, "nearest-exact", False): f"_upsample_nearest_exact{d}d" for d in (1, 2, 3)},
    (1, "linear", False): "upsample_linear1d", (2, "bilinear", False): "upsample_bilinear2d",
    (3, "trilinear", False): "upsample_trilinear3d", (2, "bicubic", False): "upsample_bicubic2d",
    (2, "bilinear", True): "_upsample_bilinear2d_aa", (2, "bicubic", True): "_upsample_bicubic2d_aa",
}  # fmt: skip


def _interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:  # fmt: skip
    """Images of another size."""
    if antialias and (mode not in filters.MODES or input.dim() != 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a "
            "4-D tensor as input"
        )
    if mode == "lanczos" and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")
    if mode == "lanczos" and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    count = _check(input, mode, align_corners)
    new, factors = _new_size(input, size, scale_factor, count)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if any(n <= 0 for n in new) or 0 in input.shape[1:]:
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input {list(input.shape)} "
            f"and output {new}"
        )
    told = factors if not recompute_scale_factor else None
    if layers.sees_whole() and (count, mode, antialias) in _OPERATORS:
        resize = getattr(rushlight.ops.aten, _OPERATORS[count, mode, antialias]).vec
        corners = () if mode.startswith("nearest") else (bool(align_corners),)
        return resize(input, new if told is None else None, *corners, told)
    check_room((*input.shape[:2], *new), input.dtype, input.device)
    if input.is_quantized and mode in ("nearest", "nearest-exact", "bilinear"):
        from rushlight.engine.ops.quantized import pools

        return pools.resampled(
            input,
            lambda image: interpolate(
                image, size, scale_factor, mode, align_corners, recompute_scale_factor
            ),
        )
    if symbolic.has_symbols((*input.shape[2:], *new)) and _is_only_fake():
        # Without elements only the size of the result matters, and that it follows from the input.
        corner = input[(..., *[slice(0, 1)] * count)]
        return corner.expand(*input.shape[:2], *new).contiguous()
    if antialias:
        given = [None if factors is None or recompute_scale_factor else f for f in factors or new]
        steps = filters.steps_between(input.shape[2:], new, bool(align_corners), given)
        return filters.smoothed(input, new, steps, mode)
    if mode == "area":
        return _AREA[count](input, new)
    used = [None] * count if factors is None or recompute_scale_factor else factors
    image, first, put_back = filters.in_memory_order(input)
    taps = _tables()
    lines = [
        taps.Line(_length(image.size(first + d)), _length(new[d]), used[d], bool(align_corners))
        for d in range(count)
    ]
    if mode.startswith("nearest"):
        kernel = "upsample_nearest2d_channels_last" if count == 2 else f"{_WEIGHTS}_nearest"
        filters.check_images(input, kernel)
        for d in range(count):
            image = _nearest(image, first + d, lines[d], mode == "nearest-exact")
        return put_back(image)
    filter, filter_name = (taps.CUBIC, "cubic") if mode == "bicubic" else (taps.LINEAR, "linear")
    kernel = (
        "upsample_bilinear2d_channels_last" if mode == "bilinear" else f"{_WEIGHTS}_{filter_name}"
    )
    filters.check_images(input, kernel, count == 2)
    if input.dtype is rushlight.uint8:
        # Sizes and factors decide it, which are part of the call's key.
        rows = unnoted(lambda: [_rows_of(line, filter) for line in lines])
        return put_back(filters.weighted_bytes(image, first, rows))
    for d in range(count):
        image = _weighted(image, first + d, lines[d], filter)
    return put_back(image)


interpolate = overridable_function("interpolate", _interpolate, Sizes(0b10, ("size",)))


def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:  # fmt: skip
    """The old name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """`interpolate` by the nearest element."""
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """`interpolate` of images along straight lines, corner on corner."""
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
