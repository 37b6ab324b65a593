"""Arrays of other libraries on a GPU: where their elements are (`__cuda_array_interface__`), and which stream has them."""

from __future__ import annotations

import functools
from typing import Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.ops import bridge

# Numbers that stand for the default stream, and for each thread's.
DEFAULT, OF_THREAD = 1, 2


class Lent:
    """What keeps another library's memory alive: the library's object."""

    def __init__(self, lender: Any) -> None:
        self.lender = lender

    def record_stream(self, stream: Any) -> None:
        """Nothing: when the memory is used again is for the library to know."""


@functools.cache
def _types() -> dict[str, dtypes.dtype]:
    return {text: kind for kind, text in bridge.TYPE_TEXTS.items()}


def tensor_over(array: Any) -> Tensor:
    """A tensor over another library's array, which the current stream may use."""
    told = array.__cuda_array_interface__
    if not isinstance(told, dict):
        raise TypeError("`__cuda_array_interface__` must be a dict")
    for name in ("shape", "typestr", "data"):
        if told.get(name) is None:
            raise TypeError(f"attribute `{name}` must exist")
    kind = _types().get(told["typestr"])
    if kind is None:
        raise TypeError(f"elements of type {told['typestr']!r} cannot be those of a tensor")
    size, (address, is_read_only) = tuple(told["shape"]), told["data"]
    if is_read_only:
        raise TypeError("the read only flag is not supported, should always be False")
    steps = told.get("strides")
    if steps is None:
        stride = tensors.sizes.contiguous_strides(size)
    else:
        stride = tuple(s // kind.itemsize for s in steps)
        if any(s < 0 or s % kind.itemsize for s in steps):
            raise ValueError(
                f"strides of an array must be multiples of its element size {kind.itemsize} and not negative, "
                f"but got {tuple(steps)}"
            )
    where = device_of(address)
    if told.get("stream") is not None:
        wait_for(told["stream"], where)
    # Storages have machine code, which nobody wants who only imports this package.
    from rushlight.engine.core import storage as storages

    nbytes = tensors.sizes.storage_extent(size, stride, 0) * kind.itemsize
    held = storages.from_pointer(address or 0, nbytes, where, Lent(array))
    return tensors.from_storage(held, kind, size, stride)


def device_of(address: int | None) -> devices.device:
    """The GPU that an address belongs to; the current one for no address."""
    from rushlight.engine.cuda import context, driver

    index = context.current()
    if address:
        context.enter(index)
        index = driver.device_of_address(address)
    return usable(index)


def usable(index: int) -> devices.device:
    """A GPU by its number, ready for tensors."""
    where = devices.device("cuda", index)
    where.key  # noqa: B018 (makes the device usable)
    return where


def _stream(number: int, index: int) -> Any:
    from rushlight.engine.cuda import streams

    return streams.Stream(index, 0 if number == DEFAULT else number)


def wait_for(number: int, where: devices.device) -> None:
    """Let the current stream of a GPU go on when another library's has come so far.

    Args:
        number: the driver's handle of the stream, or 1 or 2
        where: the GPU
    """
    _follow(number, where, comes_first=True)


def let_wait(number: int, where: devices.device) -> None:
    """Let another library's stream go on when the current one has come so far."""
    _follow(number, where, comes_first=False)


def _follow(number: int, where: devices.device, comes_first: bool) -> None:
    from rushlight.engine.cuda import streams

    if number == 0:
        raise ValueError(
            "unsupported stream on CUDA: 0, which may be the default one or each thread's"
        )
    index = where.index or 0
    own, other = streams.current(index), _stream(number, index)
    if own == other:
        return
    event = streams.Event()
    event.record(other if comes_first else own)
    event.wait(own if comes_first else other)
