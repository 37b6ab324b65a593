"""Random integers and permutations."""

from __future__ import annotations

from typing import Any

from rushlight.engine.calls import sampling as calls
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Template, Tensor
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.expr import Value, convert
from rushlight.engine.native import mersenne
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.views import cpu, meta
from rushlight.engine.ops.sampling.distributions import has_kernel, require
from rushlight.engine.ops.sampling.streams import (
    Filling,
    chosen,
    fill_from_words,
    filling,
    joined,
    reals,
    sampling_loop,
    written_through,
)

_C_NAMES = {
    dtypes.bool_: "bool", dtypes.uint8: "unsigned char", dtypes.int8: "signed char",
    dtypes.int16: "short", dtypes.int32: "int", dtypes.int64: "long int",
    dtypes.float16: "c10::Half", dtypes.bfloat16: "c10::BFloat16", dtypes.float32: "float",
    dtypes.float64: "double", dtypes.uint16: "short unsigned int", dtypes.uint32: "unsigned int",
    dtypes.uint64: "long unsigned int",
}  # fmt: skip
# Types that are only drawn from a range that is given.
_RANGES_ONLY = (dtypes.uint16, dtypes.uint32, dtypes.uint64)
# Bits of the whole numbers that a floating type holds exactly.
_DIGITS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}
# From this range on an element takes two words.
_WIDE = 1 << 28


def _narrow(word: Value, length: Value, low: Value) -> Value:
    return convert(word % length, "i64") + low


def _wide(upper: Value, lower: Value, length: Value, low: Value) -> Value:
    return convert(joined(upper, lower) % length, "i64") + low


def _whole(upper: Value, lower: Value) -> Value:
    return convert(joined(upper, lower), "i64")


def fill_range(out: Tensor, low: int, length: int, generator: Any) -> Tensor:
    """Numbers of ``length`` successive ones, of which ``low`` is the first."""
    if length >= 1 << 64:
        return fill_from_words(out, generator, "random whole", _whole, 2)
    if length >= _WIDE:
        operands = (("u64", length), ("i64", low))
        return fill_from_words(out, generator, "random", _wide, 2, operands)
    return fill_from_words(out, generator, "random", _narrow, 1, (("u32", length), ("i64", low)))


def bounds(kind: dtypes.dtype) -> tuple[int, int]:
    """The least and the greatest number that `random_` may be asked for."""
    if kind in _DIGITS:
        limit = int(dtypes.finfo(kind).max)
        return -limit, limit
    if kind is dtypes.bool_:
        return 0, 1
    info = dtypes.iinfo(kind)
    return info.min, info.max


def check_range(kind: dtypes.dtype, low: int, last: int) -> None:
    if kind not in _C_NAMES:
        raise RuntimeError(
            "check_random_bounds handles only integral, floating-point and boolean types"
        )
    least, greatest = bounds(kind)
    for name, value in (("from", low), ("to - 1", last)):
        require(least <= value <= greatest, f"{name} is out of bounds for {_C_NAMES[kind]}")
        digits = _DIGITS.get(kind, 64)
        if not -(1 << digits) <= value <= 1 << digits:
            steps.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{_C_NAMES[kind]} can support discrete uniform distribution only within this "
                "range. This warning will become an error in version 1.7 release, please fix the "
                "code in advance",
                stacklevel=2,
            )


def _check_order(low: int, end: int) -> None:
    if low >= end:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={end}"
        )


def _checked(self: Tensor, low: int, end: int | None) -> int:
    """Check a range; gives its length."""
    kind = self._dtype_
    if end is None:
        if kind in _DIGITS:
            last = 1 << _DIGITS[kind]
        else:
            last = bounds(kind)[1] if kind in _C_NAMES else 0
            # The limit is compared as a number with a sign.
            last = -1 if kind is dtypes.uint64 else last
        check_range(kind, low, last)
        return last - low + 1
    _check_order(low, end)
    check_range(kind, low, end - 1)
    return end - low


@cpu("random_.from")
def random_from(self: Tensor, from_: int, to: int | None, generator: Any) -> Tensor:
    return fill_range(self, from_, _checked(self, from_, to), generator)


@cpu("random_.to")
def random_to(self: Tensor, to: int, generator: Any) -> Tensor:
    return fill_range(self, 0, _checked(self, 0, to), generator)


def checked_kind(self: Tensor, kernel: str) -> dtypes.dtype:
    """The type that `random_` draws for a tensor, all of whose numbers it may give."""
    kind = self._dtype_
    known = kind in _C_NAMES and kind not in _RANGES_ONLY
    has_kernel(known or not self._numel_, kernel, kind)
    # Nothing is drawn for no elements, but it counts as a change.
    return kind if known else dtypes.int64


def whole_range(kind: dtypes.dtype) -> int:
    """How many numbers from 0 on `random_` chooses from."""
    return (1 << _DIGITS[kind]) + 1 if kind in _DIGITS else bounds(kind)[1] + 1


@cpu("random_")
def random_(self: Tensor, generator: Any) -> Tensor:
    kind = checked_kind(self, "random_kernel_cpu")
    length = whole_range(kind)
    if kind in (dtypes.int64, dtypes.float64):
        return fill_range(self, 0, length, generator)
    operands = (("u32", length), ("i64", 0))
    return fill_from_words(self, generator, "random", _narrow, 1, operands)


@meta("random_.from")
def random_from_meta(self: Tensor, from_: int, to: int | None, generator: Any) -> Tensor:
    _checked(self, from_, to)
    return self


@meta("random_.to")
def random_to_meta(self: Tensor, to: int, generator: Any) -> Tensor:
    _checked(self, 0, to)
    return self


@meta("random_")
def random_meta(self: Tensor, generator: Any) -> Tensor:
    return self


def permutation(out: Tensor, n: int, generator: Any) -> Tensor:
    """Resize a tensor to the numbers below ``n`` in random order."""
    kind = out._dtype_
    known = kind in _C_NAMES and kind not in (dtypes.bool_, *_RANGES_ONLY)
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got{n}")
    outputs.set_size(out, (n,))
    if not tensors.is_computed(out):
        return out
    has_kernel(known, "randperm", kind)
    if out._storage_.device is not devices.cpu:
        return calls.randperm_generator_out(n, generator, out)
    stream = chosen(generator)
    if not n:
        return out
    found = filling(("permutation", kind, out._stride_, out._size_), lambda: _shuffling(reals(out)))
    return found.fill(out, stream.address)


def _shuffling(out: Template) -> Filling:
    loop = sampling_loop(mersenne.permutation, out.size, [8])
    return written_through(out, loop, dtypes.int64, 1)


def check_permutation(n: int, kind: dtypes.dtype) -> None:
    """A type must hold every number below ``n``."""
    if kind in _DIGITS:
        limit = (1 << _DIGITS[kind]) + 1
        names = {dtypes.float16: "Half", dtypes.bfloat16: "BFloat16", dtypes.float32: "Float",
                 dtypes.float64: "Double"}  # fmt: skip
        shown = f"2^{_DIGITS[kind]}+1" if kind in (dtypes.float32, dtypes.float64) else limit
        require(n <= limit, f"n cannot be greater than {shown} for {names[kind]} type.")
    elif kind.category == dtypes.INTEGRAL and n > 0 and n - 1 > dtypes.iinfo(kind).max:
        name = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int"}
        raise RuntimeError(
            f"value cannot be converted to type {name.get(kind._name, kind._name)} without overflow"
        )
