"""Transforms along one dimension: numpy's, as loops like any other, which threads share."""

from __future__ import annotations

import ctypes
import math
from typing import Any

from numpy.fft import _pocketfft_umath as pocketfft  # type: ignore[attr-defined]

from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import objects, symbolic
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.plan import Loop
from rushlight.engine.loops.plans import PlanTable
from rushlight.engine.native import ufuncs
from rushlight.engine.ops.fourier import device_rows

NONE, BY_ROOT, BY_N = 0, 1, 2
_LETTERS = {
    dtypes.float32: "f", dtypes.float64: "d", dtypes.complex64: "F", dtypes.complex128: "D",
}  # fmt: skip
_loops = PlanTable()


def complex_to_complex(made: Tensor, given: Tensor, d: int, mode: int, forward: bool) -> None:
    """The transform of a tensor along a dimension, into another one or itself."""
    function = pocketfft.fft if forward else pocketfft.ifft
    _run(function, made, given, d, made._size_[d], mode)


def real_to_complex(made: Tensor, given: Tensor, d: int, mode: int) -> None:
    """The first half of the transform; the other half mirrors it."""
    length = given._size_[d]
    function = pocketfft.rfft_n_odd if length % 2 else pocketfft.rfft_n_even
    _run(function, made, given, d, length, mode)


def complex_to_real(made: Tensor, given: Tensor, d: int, mode: int) -> None:
    """The real numbers whose transform begins with the given ones."""
    _run(pocketfft.irfft, made, given, d, made._size_[d], mode)


def _run(function: Any, made: Tensor, given: Tensor, d: int, length: int, mode: int) -> None:
    if made._storage_.device is not devices.cpu:
        forward = function not in (pocketfft.ifft, pocketfft.irfft)
        device_rows.run(made, given, d, length, mode, forward, "aten::_fft")
        return
    shape = (made._size_, made._stride_, given._size_, given._stride_)
    key = (function, made._dtype_, given._dtype_, *shape, d, length, mode)
    loop = _loops.get(key)
    if loop is None:
        loop = _loops[key] = _loop(function, made, given, d, length, mode)
    loop.run(made, given)
    steps.Written.note(loop, (made, given), 1)
    tensors.bump_version(made)


def _loop(function: Any, made: Tensor, given: Tensor, d: int, length: int, mode: int) -> Loop:
    real = made._dtype_.to_real()
    is_single = real is dtypes.float32
    factor = 1 / math.sqrt(length) if mode == BY_ROOT else 1.0
    number = (ctypes.c_float if is_single else ctypes.c_double)(factor)
    letters = [_LETTERS[x] for x in (given._dtype_, real, made._dtype_)]
    address, data = ufuncs.loop_of(function, f"{letters[0]}{letters[1]}->{letters[2]}")
    items = made._dtype_.itemsize, given._dtype_.itemsize
    words = symbolic.words([
        address, data, 0 if mode == BY_N else symbolic.memory(number), given._size_[d],
        made._size_[d], given._stride_[d] * items[1], made._stride_[d] * items[0], length,
        int(is_single),
    ])  # fmt: skip
    others = [k for k in reversed(range(len(made._size_))) if k != d]
    sizes = [made._size_[k] for k in others] or [1]
    strides = [
        [x._stride_[k] * item for k in others] or [0] for x, item in zip((made, given), items)
    ]
    kinds = [
        (objects.CONSTANT_OPERAND, 8), (objects.TENSOR_OPERAND, items[0]),
        (objects.TENSOR_OPERAND, items[1]),
    ]  # fmt: skip
    work = made._numel_ * items[0] * max(length.bit_length(), 1)
    return Loop(
        ufuncs.module.address(ufuncs.one_dimension), sizes, [[0] * len(sizes), *strides], kinds, 1,
        range(len(sizes)), work, [ctypes.addressof(words), 0, 0], (words, number),
    )  # fmt: skip
