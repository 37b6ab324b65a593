"""`interpolate` and `upsample`: images of other sizes, every element a weighted mean of old ones."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import rushlight
from rushlight.engine.calls import resampling
from rushlight.engine.core import state, symbolic
from rushlight.engine.core.symbolic import SymInt
from rushlight.engine.core.tensor import check_room
from rushlight.engine.dispatch import layers, modes
from rushlight.engine.dispatch.call_cache import remembered, steps
from rushlight.engine.ops.resampling import filters
from rushlight.nn._functional import pooling

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


def _step(old: int, new: int, factor: Any) -> float:
    """From a new element to the next one, counted in old elements."""
    return 1.0 / factor if factor else old / new


def _held(values: tuple[Any, ...], dims: int, kind: Any, device: Any) -> Any:
    """Numbers as a tensor whose first dimension they are; it is never written."""
    # What a mode or a transformation makes of it is nobody else's.
    is_alone = modes.is_watched() or state.thread.layers
    return (_made if is_alone else _kept)(values, dims, kind, device)


def _made(values: tuple[Any, ...], dims: int, kind: Any, device: Any) -> Any:
    with rushlight.inference_mode(False):
        made = rushlight.tensor(values, dtype=kind, device=device)
    return made.reshape([*made.shape] + [1] * (dims - 1))


_kept = functools.lru_cache(maxsize=512)(_made)


def _places(values: Sequence[Any], image: Any) -> Any:
    """Where elements lie along a dimension of the image, as an index or rows of them."""
    key = tuple(values), 1, rushlight.int64, image.device
    return steps.Constant.of(lambda: _held(*key))


def _factors(rows: Sequence[Sequence[float]], image: Any, dim: int) -> Any:
    """What elements along a dimension of the image are multiplied by, several times."""
    key = tuple(map(tuple, rows)), image.dim() - dim, image.dtype, image.device
    return steps.Constant.of(lambda: _held(*key))


def _without_elements(image: Any, dim: int, new: int) -> Any:
    """An image of another size on the meta device, whatever its elements would be made of."""
    return image.index_select(dim, image.new_empty((new,), dtype=rushlight.int64))


def _nearest(image: Any, dim: int, new: int, factor: Any, exact: bool) -> Any:
    if image.device.type == "meta":
        return _without_elements(image, dim, new)
    has_shortcuts = not exact and image.dim() == 4
    places = _nearest_places(image.size(dim), new, factor, exact, has_shortcuts)
    return image.index_select(dim, _places(places, image))


@functools.lru_cache(maxsize=512)
def _nearest_places(
    old: int, new: int, factor: Any, exact: bool, has_shortcuts: bool
) -> tuple[int, ...]:
    """The old element for each new one, in single precision, as in PyTorch.

    Images of two dimensions that keep their size, or become twice as large, do so whatever the factor
    was: ``has_shortcuts``.
    """
    if has_shortcuts and new in (old, 2 * old):
        return tuple(i * old // new for i in range(new))
    single = np.float32
    step = single(1.0 / factor) if factor else single(old) / single(new)
    index = np.arange(new)
    at = ((index + 0.5) * float(step)).astype(single) if exact else index.astype(single) * step
    return tuple(np.minimum(np.floor(at).astype(np.int64), old - 1).tolist())


def _sources(old: int, new: int, factor: Any, align_corners: bool) -> list[float]:
    """Where the new elements lie among the old."""
    if align_corners:
        step = (old - 1) / (new - 1) if new > 1 else 0.0
        return [i * step for i in range(new)]
    step = _step(old, new, factor)
    return [(i + 0.5) * step - 0.5 for i in range(new)]


def _linear_taps(at: float) -> tuple[int, list[float]]:
    """The first old element that counts, and the weights from there."""
    at = max(at, 0.0)
    first = math.floor(at)
    return first, [1 - (at - first), at - first]


def _cubic_taps(at: float) -> tuple[int, list[float]]:
    a = -0.75
    first = math.floor(at)
    t = at - first

    def near(x: float) -> float:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: float) -> float:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return first - 1, [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _weighted(image: Any, dim: int, new: int, factor: Any, align_corners: bool, taps: Any) -> Any:
    """Weighted sums of neighbours along a dimension."""
    if image.device.type == "meta":
        return _without_elements(image, dim, new)
    old = image.size(dim)
    found = [taps(at) for at in _sources(old, new, factor, align_corners)]
    taps_each = range(len(found[0][1]))
    places = [tuple(min(max(first + k, 0), old - 1) for first, _ in found) for k in taps_each]
    factors = _factors([[w[k] for _, w in found] for k in taps_each], image, dim)
    return resampling._weighted_neighbours(image, dim, _places(places, image), factors)


def _tap_rows(old: int, found: Any) -> list[list[float]]:
    """For each new element the weights of all old ones; what lies outside counts for the edge."""
    rows = []
    for first, weights in found:
        row = [0.0] * old
        for k, weight in enumerate(weights):
            row[min(max(first + k, 0), old - 1)] += weight
        rows.append(row)
    return rows


def _resized_bytes(
    image: Any, first: int, new: list[int], factors: list[Any], align_corners: bool, taps: Any
) -> Any:
    rows = []
    for old, size, factor in zip(image.shape[first : first + 2], new, factors):
        places = _sources(old, size, factor, align_corners)
        rows.append(_tap_rows(old, [taps(at) for at in places]))
    return filters.weighted_bytes(image, first, rows)


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


@remembered
def interpolate(
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
    if mode.startswith("nearest"):
        kernel = "upsample_nearest2d_channels_last" if count == 2 else f"{_WEIGHTS}_nearest"
        filters.check_images(input, kernel)
        for d in range(count):
            image = _nearest(image, first + d, new[d], used[d], mode == "nearest-exact")
        return put_back(image)
    taps, filter_name = (_cubic_taps, "cubic") if mode == "bicubic" else (_linear_taps, "linear")
    kernel = (
        "upsample_bilinear2d_channels_last" if mode == "bilinear" else f"{_WEIGHTS}_{filter_name}"
    )
    filters.check_images(input, kernel, count == 2)
    if input.dtype is rushlight.uint8:
        return put_back(_resized_bytes(image, first, new, used, bool(align_corners), taps))
    for d in range(count):
        image = _weighted(image, first + d, new[d], used[d], bool(align_corners), taps)
    return put_back(image)


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
