"""Draws on a GPU whose threads take elements in an order of their own: chances that differ, choices, permutations.

Each element computes the word that is its own from its number, in a map. So other orders than that of `device_draws` need no
other kernel.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rushlight.engine.calls import copy as copies
from rushlight.engine.calls import creation, pointwise, reduction, searching, sorting
from rushlight.engine.calls import sampling as calls
from rushlight.engine.calls import view as views
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import streams
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.loops.expr import Value, convert, select
from rushlight.engine.loops.maths.philox import KEY_STEPS, MULTIPLIERS, ROUNDS, philox, unit_singles
from rushlight.engine.loops.placement import planned_for
from rushlight.engine.loops.promotion import compute_type
from rushlight.engine.loops.ptx_philox import WORDS
from rushlight.engine.ops import answers, bridge
from rushlight.engine.ops.copy import device_copies
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.kinds.elementwise import elementwise_loop
from rushlight.engine.ops.kinds.views import cuda
from rushlight.engine.ops.sampling import distributions, given_tensors, integers
from rushlight.engine.ops.sampling.device_draws import generator_of

# Threads that choose rows by weight share a block of so many.
_CHOOSERS = 128


class Words(NamedTuple):
    """Where a kernel's words begin: a seed and a place, or, in a graph, the two words that hold them and what is added.

    Args:
        seed, place: as a kernel gets them
        held: the tensor with both, as it will be when the graph is replayed
    """

    seed: int
    place: int
    held: Tensor | None

    @property
    def operands(self) -> list[Tensor]:
        return [] if self.held is None else [views.select_int(self.held, 0, k) for k in (0, 1)]

    @property
    def numbers(self) -> list[tuple[str, int]]:
        return (
            [("i64", self.place)]
            if self.held is not None
            else [("i64", self.seed), ("i64", self.place)]
        )

    def found(self, values: Sequence[Value]) -> tuple[Value, Value]:
        """The seed and the place, of what a kernel gets for operands and numbers."""
        if self.held is None:
            return values[0], values[1]
        return values[0], values[1] / WORDS + values[2]


def _taken(where: devices.device, generator: Any, count: int) -> Words:
    """The words of a kernel whose threads take so many each at most."""
    # Where it begins is the kernel's own number: a call that is repeated would draw the same again.
    steps.Unrepeatable.note()
    index = where.index or 0
    source = generator_of(generator, index)
    seed, place, held = source.taken(count, streams.current(index).is_capturing())
    if held:
        return Words(0, place // WORDS, source.held_words())
    return Words(seed - (1 << 64) if seed >> 63 else seed, place // WORDS, None)


def unit(thread: Value, turn: Value, word: Value, seed: Value, place: Value) -> Value:
    """The number in (0, 1] that one of the four words of a thread's turn makes."""
    at, stream, key = (_halves(x) for x in (place + turn, thread, seed))
    made = unit_singles(philox([*at, *stream], key))
    last = select(word == 2, made[2], made[3])
    return select(word == 0, made[0], select(word == 1, made[1], last))


def _halves(number: Value) -> list[Value]:
    wide = convert(number, "u64")
    return [convert(wide & 0xFFFFFFFF, "u32"), convert(wide >> 32, "u32")]


def _map(
    name: str, body: Callable[..., Any], outs: Sequence[Tensor], operands: Sequence[Tensor], words: Words,
    numbers: Sequence[tuple[str, Any]] = (),
) -> None:  # fmt: skip
    """Fill tensors with a function of the elements of others, of a seed and a place, and of numbers.

    Functions of one name do the same.
    """
    count = len(operands)

    def whole(*values: Value) -> Any:
        last = len(values) - len(numbers)
        return body(*values[:count], *words.found(values[count:last]), *values[last:])

    given = [*operands, *words.operands]
    numbers = [*numbers]
    held = [*words.numbers, *numbers]
    ins = [x._dtype_.memory for x in given] + [kind for kind, _ in held]
    params = [compute_type(x._dtype_) for x in given] + [kind for kind, _ in held]
    values = [value for _, value in held]
    with planned_for(outs[0], f"aten::{name}"):
        made = [x._dtype_.memory for x in outs]
        same = "words", name, words.held is None
        loop = elementwise_loop(whole, outs, [*given, *values], made, ins, params, identity=same)
        loop.run(*outs, *given, *values)


def _numbers_for(like: Tensor) -> Tensor:
    """Each element's number in the order of memory, for a dense tensor."""
    count = creation.arange(like._numel_, dtypes.int64, None, like._storage_.device, None)
    return views.as_strided(count, like._size_, like._stride_, 0)


# -- chances that differ --


@cuda("bernoulli_.Tensor")
def bernoulli_tensor_(self: Tensor, p: Tensor, generator: Any) -> Tensor:
    distributions.has_kernel(
        p._dtype_ in distributions.FLOATS, "bernoulli_tensor_cuda_p_", p._dtype_
    )
    distributions.has_kernel(
        distributions.takes_truth(self._dtype_), "bernoulli_tensor_cuda_self_", self._dtype_
    )
    if not answers.are_within(p, 0, 1):
        distributions.refuse_probabilities()
    count, where = self._numel_, self._storage_.device
    if not count:
        return self
    chances = copies.contiguous(views.expand(p, self._size_, False))

    def coin(n: Value, chance: Value, seed: Value, place: Value) -> Value:
        return convert(unit(n / 4, n * 0, n % 4, seed, place), chance.type) <= chance

    target = creation.empty_memory_format(self._size_, self._dtype_, None, where, None, None)
    words = _taken(where, generator, 10)
    _map("bernoulli_", coin, [target], [_numbers_for(target), chances], words)
    return copies.copy_(self, target, False)


# -- choices by weight --


@cuda("multinomial")
def multinomial(self: Tensor, num_samples: int, replacement: bool, generator: Any) -> Tensor:
    given_tensors.check_choice(self, num_samples, replacement)
    if not self._numel_:
        shape = (*self._size_[:-1], num_samples)
        return tensors.empty(shape, dtypes.int64, self._storage_.device)
    _check_weights(self)
    if not replacement or num_samples == 1:
        return given_tensors.race(self, num_samples, generator)
    rows = views.reshape(self, (-1, self._size_[-1]))
    wide = copies.to_dtype(rows, dtypes.float32) if self._dtype_.itemsize == 2 else rows
    shares = pointwise.div_Tensor(wide, reduction.sum_dim_IntList(wide, [1], True))
    sums = reduction.cumsum(shares, 1)
    found = searching.searchsorted_Tensor(
        sums, _choosing(rows, num_samples, generator, sums._dtype_)
    )
    # Behind the last weight there is nothing to choose.
    along = creation.arange(self._size_[-1], dtypes.int64, None, self._storage_.device, None)
    last = reduction.amax(pointwise.mul_Tensor(pointwise.gt_Scalar(rows, 0), along), [1], True)
    return views.reshape(pointwise.minimum(found, last), (*self._size_[:-1], num_samples))


def _choosing(rows: Tensor, samples: int, generator: Any, kind: dtypes.dtype) -> Tensor:
    """A number in (0, 1] for each sample of each row."""
    where = rows._storage_.device
    made = tensors.empty((rows._size_[0], samples), kind, where)
    width = -(-samples // _CHOOSERS) * _CHOOSERS

    def number(n: Value, seed: Value, place: Value, count: Value, apart: Value) -> Value:
        thread = (n / count) * apart + n % count
        return unit(thread, n * 0, n * 0, seed, place)

    words = _taken(where, generator, WORDS)
    given = [("i64", samples), ("i64", width)]
    _map("multinomial", number, [made], [_numbers_for(made)], words, given)
    return made


def _check_weights(self: Tensor) -> None:
    good = pointwise.logical_and(pointwise.ge_Scalar(self, 0), pointwise.lt_Scalar(self, math.inf))
    if not answers.are_all(good):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not answers.are_all(pointwise.gt_Scalar(reduction.sum_dim_IntList(self, [-1], False), 0)):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


# -- permutations --


@cuda("randperm.generator_out")
def randperm(n: int, generator: Any, out: Tensor) -> Tensor:
    """The order of random keys; runs of equal keys are shuffled by themselves."""
    integers.check_permutation(n, out._dtype_)
    outputs.set_size(out, (n,))
    if not n:
        return out
    where = out._storage_.device
    bits = _key_bits(n)
    kind = dtypes.int32 if bits <= 32 else dtypes.int64
    keys = tensors.empty((n,), kind, where)
    info = dtypes.iinfo(kind)
    calls.random__from(keys, info.min, info.max, generator)
    lowest = copies.to_dtype(keys, dtypes.int64)
    if bits < 64:
        lowest = pointwise.bitwise_and_Scalar(lowest, (1 << bits) - 1)
    ordered, places = sorting.sort_stable(lowest, True, 0, False)
    words = _taken(where, generator, WORDS)
    if n > 1:
        later, earlier = views.narrow(ordered, 0, 1, n - 1), views.narrow(ordered, 0, 0, n - 1)
        if not answers.are_all(pointwise.ne_Tensor(later, earlier)):
            places = _shuffled_runs(ordered, places, words.seed, words.place)
    return copies.copy_(out, places, False)


def _key_bits(n: int) -> int:
    """How many bits keys have, so that in nine of ten cases no two are equal."""
    threshold = math.log(0.9) * 12
    return min(64, math.ceil(math.log2(n - (6 * float(n) * n + 1) / threshold)))


def _shuffled_runs(keys: Tensor, places: Tensor, seed: int, place: int) -> Tensor:
    """Shuffle places of equal keys: each run by the stream of the thread at its beginning."""
    given = bridge.array(device_copies.to_host(keys))
    host = device_copies.to_host(places)
    numbers = bridge.array(host)
    starts = [0, *(np.flatnonzero(given[1:] != given[:-1]) + 1).tolist(), len(given)]
    for start, end in itertools.pairwise(starts):
        words = _stream(seed, start, place)
        for last in range(end - start - 1, 0, -1):
            pair = [start + last, start + next(words) % (last + 1)]
            numbers[pair] = numbers[pair[::-1]]
    return device_copies.to_device(host, places._storage_.device)


def _stream(seed: int, thread: int, place: int) -> Iterator[int]:
    """The words of a thread's stream, one after the other."""
    key = _words_of(seed) + _words_of(thread)
    for at in itertools.count(place):
        a, b, c, d = *_words_of(at), *key[2:]
        first, second = key[:2]
        for _ in range(ROUNDS):
            one, other = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
            a, b, c, d = other >> 32 ^ b ^ first, other & _MASK, one >> 32 ^ d ^ second, one & _MASK
            first, second = first + KEY_STEPS[0] & _MASK, second + KEY_STEPS[1] & _MASK
        yield from (a, b, c, d)


_MASK = (1 << 32) - 1


def _words_of(number: int) -> list[int]:
    return [number & _MASK, number >> 32 & _MASK]
