"""`im2col` and `col2im`: sliding windows of images as columns, and back."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, pointwise
from rushlight.engine.calls import indexing as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import size as sizes
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import explicit

Pair = Sequence[int]


def _positive(name: str, values: Pair, zero: bool = False) -> tuple[int, int]:
    first, second = (values[0], values[0]) if len(values) == 1 else values
    if first < 0 or second < 0 or (not zero and 0 in (first, second)):
        least = "non-negative" if zero else "greater than zero"
        raise RuntimeError(
            f"{name} should be {least}, but got {name}_height: {first} {name}_width: {second}"
        )
    return first, second


class _Windows:
    """Where the windows of an image of a given size lie."""

    def __init__(
        self, size: Pair, kernel: Pair, dilation: Pair, padding: Pair, stride: Pair
    ) -> None:
        self.size = tuple(size)
        self.kernel = _positive("kernel_size", kernel)
        self.dilation = _positive("dilation", dilation)
        self.padding = _positive("padding", padding, zero=True)
        self.stride = _positive("stride", stride)
        self.padded = tuple(n + 2 * p for n, p in zip(self.size, self.padding))
        self.count = tuple(
            (n - d * (k - 1) - 1) // s + 1
            for n, d, k, s in zip(self.padded, self.dilation, self.kernel, self.stride)
        )

    def check(self) -> None:
        if any(n < 1 for n in self.count):
            raise RuntimeError(
                f"Given input with spatial size {self.size}, kernel_size={self.kernel}, "
                f"dilation={self.dilation}, padding={self.padding}, calculated shape of the array of "
                f"sliding blocks as {self.count}, but its components must be at least one."
            )

    def inner(self, padded: Tensor) -> Tensor:
        """The image inside its padding."""
        for d, (p, n) in enumerate(zip(self.padding, self.size)):
            padded = views.slice_Tensor(padded, d + 2, p, p + n, 1)
        return padded


def _blank(shape: tuple[int, ...], like: Tensor) -> Tensor:
    return creation.new_zeros(like, shape)


@explicit("im2col")
def im2col(self: Tensor, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair) -> Tensor:
    if len(self._size_) not in (3, 4) or 0 in self._size_[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(self._size_)}"
        )
    image = self if len(self._size_) == 4 else views.unsqueeze(self, 0)
    batch, channels = image._size_[:2]
    windows = _Windows(image._size_[2:], kernel_size, dilation, padding, stride)
    windows.check()
    if any(windows.padding):
        padded = _blank((batch, channels, *windows.padded), image)
        copies.copy_(windows.inner(padded), image, False)
    else:
        padded = copies.contiguous(image)
    down, right = padded._stride_[2:]
    (dy, dx), (sy, sx) = windows.dilation, windows.stride
    every = views.as_strided(
        padded,
        (batch, channels, *windows.kernel, *windows.count),
        (*padded._stride_[:2], down * dy, right * dx, down * sy, right * sx),
    )
    (ky, kx), (ny, nx) = windows.kernel, windows.count
    made = creation.new_empty(self, (batch, channels * ky * kx, ny * nx))
    copies.copy_(views.view(made, every._size_), every, False)
    return made if len(self._size_) == 4 else views.squeeze_dim(made, 0)


@explicit("im2col.out")
def im2col_out(
    self: Tensor, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair, out: Tensor
) -> Tensor:
    return outputs.copy_result(out, calls.im2col(self, kernel_size, dilation, padding, stride))


def _check_columns(self: Tensor, windows: _Windows) -> None:
    (ky, kx), (ny, nx) = windows.kernel, windows.count
    if len(self._size_) not in (2, 3) or 0 in self._size_[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(self._size_)}"
        )
    if ky * kx > sizes.MOST:
        raise RuntimeError(
            f"Given kernel_width = {kx} and kernel_height = {ky} the product of kernel_width and "
            "kernel_height overflowed."
        )
    if self._size_[-2] % (ky * kx):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={self._size_[-2]} and kernel_size=({ky}, {kx})."
        )
    if ny < 1 or nx < 1 or self._size_[-1] != ny * nx:
        raise RuntimeError(
            f"Given output_size={windows.size}, kernel_size={windows.kernel}, "
            f"dilation={windows.dilation}, padding={windows.padding}, stride={windows.stride}, "
            f"expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{ny} * {nx} = {ny * nx}, but got input.size(2)={self._size_[-1]}."
        )


@explicit("col2im")
def col2im(
    self: Tensor, output_size: Pair, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair
) -> Tensor:
    size = _positive("output_size", output_size)
    windows = _Windows(size, kernel_size, dilation, padding, stride)
    _check_columns(self, windows)
    columns = self if len(self._size_) == 3 else views.unsqueeze(self, 0)
    (ky, kx), (ny, nx) = windows.kernel, windows.count
    channels = columns._size_[1] // (ky * kx)
    blocks = views.reshape(columns, (columns._size_[0], channels, ky, kx, ny, nx))
    padded = _blank((columns._size_[0], channels, *windows.padded), self)
    for y in range(ky):
        for x in range(kx):
            place = _reached(padded, windows, y, x)
            part = views.select_int(views.select_int(blocks, 3, x), 2, y)
            pointwise.add__Tensor(place, part)
    made = copies.clone(windows.inner(padded)) if any(windows.padding) else padded
    made = copies.contiguous(made)
    return made if len(self._size_) == 3 else views.squeeze_dim(made, 0)


def _reached(padded: Tensor, windows: _Windows, y: int, x: int) -> Tensor:
    """What one element of every window covers."""
    for d, k in ((0, y), (1, x)):
        start = k * windows.dilation[d]
        step = windows.stride[d]
        last = start + (windows.count[d] - 1) * step + 1
        padded = views.slice_Tensor(padded, d + 2, start, last, step)
    return padded


@explicit("col2im.out")
def col2im_out(
    self: Tensor,
    output_size: Pair,
    kernel_size: Pair,
    dilation: Pair,
    padding: Pair,
    stride: Pair,
    out: Tensor,
) -> Tensor:
    made = calls.col2im(self, output_size, kernel_size, dilation, padding, stride)
    return outputs.copy_result(out, made)
