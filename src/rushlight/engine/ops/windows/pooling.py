"""Pooling: the largest element or the mean of every window."""

from __future__ import annotations

from itertools import product as pairs
from math import prod
from typing import Any

from rushlight.engine.calls import view
from rushlight.engine.calls import windows as calls
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state, symbolic
from rushlight.engine.core.dtype import COMPLEX, FLOATING, INTEGRAL
from rushlight.engine.core.tensor import Tensor, check_room
from rushlight.engine.generated import functions
from rushlight.engine.ops import answers, formats
from rushlight.engine.ops.errors import check_deterministic, not_implemented
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.planned import Computed, Request, planned
from rushlight.engine.ops.kinds.views import composite, explicit
from rushlight.engine.ops.windows import adaptive_pooling
from rushlight.engine.ops.windows.convolution import padded, result_spec, windows
from rushlight.engine.ops.windows.max_pooling import MOST_TAPS, Peaks, lowest
from rushlight.engine.ops.windows.sizes import Ints, integers, reach


def _setting(pool: str, name: str, values: Ints, count: int) -> tuple[int, ...]:
    if len(values) not in (1, count):
        raise RuntimeError(
            f"{pool}: {name} must either be a single int, or a tuple of {count} ints"
        )
    return tuple(values) * count if len(values) == 1 else tuple(values)


class _Pool:
    """The checked settings of a pooling operator, for an image."""

    def __init__(
        self, name: str, count: int, size: Ints, kernel: Ints, stride: Ints, padding: Ints,
        dilation: Ints, ceil_mode: bool,
    ) -> None:  # fmt: skip
        self.count = count
        self.kernel = _setting(name, "kernel_size", kernel, count)
        self.stride = _setting(name, "stride", stride, count) if stride else self.kernel
        self.padding = _setting(name, "padding", padding, count)
        self.dilation = _setting(name, "dilation", dilation, count)
        self.reach = reach(self.kernel, self.dilation)
        dims = len(size)
        if dims not in (count + 1, count + 2) or 0 in size[dims - count - 1 :]:
            raise RuntimeError(
                f"{name}: Expected {count + 1}D or {count + 2}D (batch mode) tensor with optional 0 "
                f"dim batch size for input, but got: {list(size)}"
            )
        if min(self.kernel) <= 0:
            raise RuntimeError(f"kernel size should be greater than zero, but got {self.kernel}")
        if min(self.stride) <= 0:
            raise RuntimeError(f"stride should not be zero, but got {self.stride}")
        if min(self.dilation) <= 0:
            raise RuntimeError(
                f"dilation should be greater than zero, but got dilation {self.dilation}"
            )
        if any(p < 0 or p > r // 2 for p, r in zip(self.padding, self.reach)):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={self.padding}, "
                f"kernel_size={self.kernel} and dilation={self.dilation}"
            )
        self.inside = size[dims - count :]
        self.size = tuple(self._length(n, d, ceil_mode) for d, n in enumerate(self.inside))
        if min(self.size) < 1:
            planes = size[dims - count - 1]
            given, wanted = (
                "x".join(map(str, (planes, *sizes))) for sizes in (self.inside, self.size)
            )
            raise RuntimeError(
                f"Given input size: ({given}). Calculated output size: ({wanted}). Output size is "
                "too small"
            )

    def _length(self, n: int, d: int, ceil_mode: bool) -> int:
        """How many windows there are along a dimension."""
        room, step = n + 2 * self.padding[d] - self.reach[d], self.stride[d]
        length = (-(-room // step) if ceil_mode else room // step) + 1
        # A window that begins in the border behind the image does not count.
        return length - (ceil_mode and (length - 1) * step >= n + self.padding[d])

    def windows(self, image: Tensor, border: Any) -> Any:
        """A view of the windows of the image with its border."""
        # What no window reaches need not be cut off.
        after = [
            symbolic.maximum((o - 1) * s + r - n - p, 0)
            for o, s, r, n, p in zip(self.size, self.stride, self.reach, self.inside, self.padding)
        ]
        wide = padded(image, self.padding, after, border)
        return windows(wide, self.kernel, self.stride, self.dilation)


def _places(pool: _Pool, image: Any) -> Any:
    """Where in the flattened image the largest element of every window is."""
    count = pool.count
    found = pool.windows(image.detach(), lowest(image._dtype_))
    within = found.flatten(-count).argmax(-1)
    flat: Any = 0
    for d in range(count):
        inner = prod(pool.kernel[d + 1 :])
        step = (within // inner) % pool.kernel[d] if d else within // inner
        start: Any = functions.arange(pool.size[d], device=image.device) * pool.stride[d]
        place = step * pool.dilation[d] + (start - pool.padding[d]).reshape(
            [-1] + [1] * (count - 1 - d)
        )
        # A border is chosen only where it ties with the least of all numbers.
        flat = flat * pool.inside[d] + place.clamp(0, pool.inside[d] - 1)
    return flat


def taken(image: Any, places: Any, count: int) -> Any:
    """The elements of the image at places of its flattened last dimensions."""
    return image.flatten(-count).gather(-1, places.flatten(-count)).reshape(places._size_)


def put_back(grad: Any, size: Ints, places: Any, count: int) -> Any:
    """The gradients of chosen elements, added up where those were in the last dimensions."""
    flat = grad.new_zeros([*size[: len(size) - count], prod(size[len(size) - count :])])
    flat.scatter_add_(-1, places.flatten(-count), grad.flatten(-count))
    return flat.reshape(size)


@explicit("max_pool2d_with_indices_backward")
def max_pool2d_backward(grad: Any, self: Tensor, *settings: Any) -> Any:
    return put_back(grad, self._size_, settings[-1], 2)


@explicit("max_pool3d_with_indices_backward")
def max_pool3d_backward(grad: Any, self: Tensor, *settings: Any) -> Any:
    return put_back(grad, self._size_, settings[-1], 3)


def _register_max(count: int) -> None:
    name = f"max_pool{count}d"

    @planned(f"{name}_with_indices")
    def with_places(
        self: Tensor, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
    ) -> Request:
        pool = _Pool(name, count, self._size_, kernel, stride, padding, dilation, ceil_mode)
        size = (*self._size_[: len(self._size_) - count], *pool.size)
        specs = [result_spec(size, kind, self) for kind in (self._dtype_, dtypes.int64)]
        if self._dtype_.category == COMPLEX:
            raise not_implemented(name, self._dtype_)
        has_taps = prod(pool.kernel) <= MOST_TAPS and state.thread.planner is None
        if not has_taps or self._dtype_.category not in (INTEGRAL, FLOATING):
            return Computed(specs, lambda: _by_places(pool, self.detach()))
        each = (pool.kernel, pool.stride, pool.padding, pool.dilation, pool.size)
        return Peaks((self,), list(zip(*each)), specs)

    call = getattr(calls, f"{name}_with_indices")

    def values(*args: Any) -> Any:
        return call(*args)[0]

    composite(name)(values)


def _by_places(pool: _Pool, image: Any) -> tuple[Any, Any]:
    places = _places(pool, image)
    return taken(image, places, pool.count), places


def _counts(pool: _Pool, d: int, with_border: bool) -> list[int]:
    """How many elements each window has along a dimension."""
    n, p = pool.inside[d], pool.padding[d]
    found = []
    for i in range(pool.size[d]):
        start = i * pool.stride[d] - p
        stop = min(start + pool.kernel[d], n + p)
        found.append(stop - start if with_border else min(stop, n) - max(start, 0))
    return found


def _are_whole(pool: _Pool, d: int, with_border: bool) -> bool:
    """Whether all elements of all windows count along a dimension."""
    border = pool.padding[d] if with_border else 0
    if border != pool.padding[d]:
        return False
    end = (pool.size[d] - 1) * pool.stride[d] - pool.padding[d] + pool.kernel[d]
    return end <= pool.inside[d] + border


def _divisor(pool: _Pool, like: Tensor, with_border: bool, override: int | None) -> Any:
    """What sums are divided by: a number if all windows have the same size."""
    if override is not None:
        return override
    if all(_are_whole(pool, d, with_border) for d in range(pool.count)):
        return prod(pool.kernel)
    counts = [_counts(pool, d, with_border) for d in range(pool.count)]
    if all(len(set(c)) == 1 for c in counts):
        return prod(c[0] for c in counts)
    return integers([prod(c) for c in pairs(*counts)], like).reshape(pool.size)


def _means(image: Any, pool: _Pool, with_border: bool, override: int | None) -> Any:
    if override == 0:
        raise RuntimeError("divisor must be not zero")
    inner = list(range(-pool.count, 0))
    found = pool.windows(image, 0)
    divisor = _divisor(pool, image, with_border, override)
    total = found.sum(inner, dtype=image._dtype_)
    if image._dtype_.is_floating_point:
        return total / (divisor.to(image._dtype_) if isinstance(divisor, Tensor) else divisor)
    return functions.div(total, divisor, rounding_mode="trunc")


def _register_mean(count: int) -> None:
    name = f"avg_pool{count}d"

    def means(
        self: Tensor, kernel: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
        with_border: bool, override: int | None = None,
    ) -> Any:  # fmt: skip
        pool = _Pool(name, count, self._size_, kernel, stride, padding, [1], ceil_mode)
        made = _means(self, pool, with_border, override)
        return made if count == 3 else formats.laid_out_like(made, self)

    explicit(name)(means)
    if count > 1:
        explicit(f"{name}.out")(lambda *args: outputs.copy_result(args[-1], means(*args[:-1])))


def mean_backward(
    grad: Any, size: Ints, count: int, kernel: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
    with_border: bool, override: int | None,
) -> Any:  # fmt: skip
    """Each window's gradient, shared by its elements."""
    pool = _Pool(f"avg_pool{count}d", count, size, kernel, stride, padding, [1], ceil_mode)
    shares = grad / _divisor(pool, grad, with_border, override)
    lead = list(size[: len(size) - count])
    if pool.kernel == pool.stride:
        found = _repeated(shares, pool.kernel)
    else:
        image = shares.reshape([prod(lead), 1, *pool.size])
        ones = grad.new_ones([1, 1, *pool.kernel])
        none, one = [0] * count, [1] * count
        found = calls.convolution(image, ones, None, pool.stride, none, one, True, none, 1)
        found = found.reshape([*lead, *found._size_[2:]])
    for d, (n, before) in enumerate(zip(pool.inside, pool.padding), len(lead)):
        found = _cut(found, d, before, n)
    return found


def _repeated(image: Any, times: Ints) -> Any:
    """Every element several times along the last dimensions."""
    count = len(times)
    lead = image._size_[: len(image._size_) - count]
    inner = image._size_[len(lead) :]
    image = image.reshape([*lead, *(n for pair in zip(inner, [1] * count) for n in pair)])
    image = image.expand([*lead, *(n for pair in zip(inner, times) for n in pair)])
    return image.reshape([*lead, *(n * k for n, k in zip(inner, times))])


def _cut(image: Any, dim: int, start: int, length: int) -> Any:
    """A part of a dimension, with zeros behind what it does not have."""
    there = min(length, image._size_[dim] - start)
    image = image.narrow(dim, start, there)
    if there == length:
        return image
    behind = [0, 0] * (len(image._size_) - 1 - dim) + [0, length - there]
    return functions.constant_pad_nd(image, behind)


# -- adaptive: so many windows, as equal as they can be --


# Larger images are looked at in vectors, for the largest elements of their adaptive windows.
_FEW = 1 << 16


def _spans(n: int, count: int) -> list[range]:
    return [range(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]


def _adaptive_sizes(name: str, self: Tensor, sizes: Ints, count: int) -> tuple[int, ...]:
    dims = len(self._size_)
    if dims not in (count + 1, count + 2):
        raise RuntimeError(
            f"{name}: Expected {count + 1}D or {count + 2}D tensor, but got {list(self._size_)}"
        )
    if 0 in self._size_ and 0 in self._size_[dims - count - (0 if dims == count + 1 else 1) :]:
        raise RuntimeError(
            f"{name}: Expected input to have non-zero size for non-batch dimensions, but input has "
            f"sizes {list(self._size_)}"
        )
    if len(sizes) not in (1, count):
        raise RuntimeError(f"{name}: internal error: output_size.size() must be {count}")
    if min(sizes) < 0:
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0")
    lengths = tuple(sizes) * count if len(sizes) == 1 else tuple(sizes)
    check_room((*self._size_[: dims - count], *lengths), self._dtype_, self._storage_.device)
    return lengths


def _mean_along(image: Any, dim: int, length: int) -> Any:
    """The means of ``length`` spans of a dimension, counted from the end."""
    n = image._size_[dim]
    if length and n % length == 0:
        if n == length:
            return image
        return image.unflatten(dim, [length, n // length]).mean(dim)
    spans = _spans(n, length)
    widest = max(map(len, spans), default=1)
    rows = [[min(s.start + i, n - 1) for i in range(widest)] for s in spans]
    outside = [[i >= len(s) for i in range(widest)] for s in spans]
    taken = image.index_select(dim, integers(rows, image).flatten())
    taken = taken.unflatten(dim, [length, widest])
    shape = [length, widest] + [1] * (-dim - 1)
    taken = taken.masked_fill(integers(outside, image).bool().reshape(shape), 0)
    lengths = integers([len(s) for s in spans], image).to(image._dtype_)
    return taken.sum(dim) / lengths.reshape([length] + [1] * (-dim - 1))


def _register_adaptive_mean(count: int) -> None:
    name = f"adaptive_avg_pool{count}d"
    ones, last_dims = (1,) * count, list(range(-count, 0))

    def means(self: Any, sizes: Ints) -> Any:
        lengths = _adaptive_sizes(name, self, sizes, count)
        if not self._dtype_.is_floating_point and not self._dtype_.is_complex:
            raise not_implemented(name if count < 3 else f"{name}_cpu", self._dtype_)
        if lengths == ones:
            return formats.laid_out_like(self.mean(last_dims, keepdim=True), self)
        if lengths == tuple(self._size_[-count:]):
            return self.clone()
        uneven = any(n % length for n, length in zip(self._size_[-count:], lengths) if length)
        if uneven and adaptive_pooling.suits(self, lengths):
            return calls._adaptive_means(self, lengths)
        made = self
        for dim, length in zip(range(-count, 0), lengths):
            made = _mean_along(made, dim, length)
        return made if count == 3 else formats.laid_out_like(made, self)

    composite(name)(means)


def _adaptive_places(image: Any, lengths: Ints) -> Any:
    """Where in the flattened image the largest element of every window is."""
    if all(length == 1 for length in lengths):
        found = image.detach().flatten(-len(lengths)).argmax(-1, keepdim=True)
        return found.unflatten(-1, lengths)
    if image._numel_ <= _FEW and adaptive_pooling.suits(image, lengths):
        return calls._adaptive_places(image.detach(), lengths)
    count = len(lengths)
    inside = image._size_[len(image._size_) - count :]
    flat: Any = 0
    for d, (n, length) in enumerate(zip(inside, lengths)):
        spans = _spans(n, length)
        widest = max(map(len, spans), default=1)
        # Shorter windows repeat their last element, which changes no maximum.
        rows = [[min(s.start + i, s.stop - 1) for i in range(widest)] for s in spans]
        shape = [1] * (2 * count)
        shape[d], shape[count + d] = length, widest
        flat = flat * n + integers(rows, image).reshape(shape)
    table = flat.flatten(-count)
    found = image.detach().flatten(-count)[..., table]
    best = found.argmax(-1, keepdim=True)
    return table.expand(found._size_).gather(-1, best).squeeze(-1)


def _register_adaptive_max(count: int) -> None:
    name = f"adaptive_max_pool{count}d"

    def maxima(self: Any, sizes: Ints) -> Any:
        lengths = _adaptive_sizes(name, self, sizes, count)
        if 0 in lengths:
            empty = self.new_empty([*self._size_[: len(self._size_) - count], *lengths])
            return empty, empty.long()
        places = _adaptive_places(self, lengths)
        values = taken(self, places, count)
        if count == 3:
            return values, places
        return formats.laid_out_like(values, self), formats.laid_out_like(places, self)

    composite(name)(maxima)


for _count in (1, 2, 3):
    for _register in (
        _register_max,
        _register_mean,
        _register_adaptive_mean,
        _register_adaptive_max,
    ):
        _register(_count)


# -- back to where the largest elements were --


def _unpooled(name: str, self: Any, indices: Any, size: Ints) -> Any:
    count = len(size)
    check_deterministic(f"{name}_forward_out")
    if indices._dtype_ is not dtypes.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices._dtype_}")
    if self._size_ != indices._size_:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor "
            f"({list(self._size_)}) but got indices tensor with shape: {list(indices._size_)}"
        )
    if len(self._size_) not in (count + 1, count + 2):
        raise RuntimeError(
            f"Input to {name} should be a {count + 1}d or {count + 2}d Tensor, but got a tensor "
            f"with {len(self._size_)} dim()"
        )
    room = prod(size)
    if indices._numel_ and not answers.are_within(indices, 0, room - 1):
        raise RuntimeError(
            f"Found an invalid max index: {int(indices.max())} (output volumes are of size "
            f"{'x'.join(map(str, size))})"
        )
    leading = self._size_[: len(self._size_) - count]
    made = self.new_zeros([*leading, room])
    made = made.scatter(-1, indices.flatten(-count), self.flatten(-count))
    made = view.view(made, [*leading, *size])
    return made if count == 3 else formats.laid_out_like(made, self)


@composite("max_unpool2d")
def max_unpool2d(self: Any, indices: Any, size: Ints) -> Any:
    return _unpooled("max_unpooling2d", self, indices, size)


@composite("max_unpool3d")
def max_unpool3d(self: Any, indices: Any, size: Ints, stride: Ints, padding: Ints) -> Any:
    return _unpooled("max_unpooling3d", self, indices, size)
