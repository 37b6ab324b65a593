"""The order of samples."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import rushlight
from rushlight.engine.core.generator import Generator

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_Index = TypeVar("_Index", covariant=True)
# With replacement, indices are drawn in rows of this length.
_ROW = 32


class Sampler(Generic[_Index]):
    """An order of indices: a subclass has ``__iter__`` and, mostly, ``__len__``."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[_Index]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All indices, in their order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def _check_flag(name: str, value: Any, error: type[Exception]) -> None:
    if not isinstance(value, bool):
        raise error(f"{name} should be a boolean value, but got {name}={value}")


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def draw_seed(generator: Generator | None = None) -> int:
    """A seed from a generator's stream."""
    return int(rushlight.empty((), dtype=rushlight.int64).random_(generator=generator).item())  # type: ignore[attr-defined]


class RandomSampler(Sampler[int]):
    """Indices at random.

    Args:
        data_source: the data set
        replacement: whether an index can come again
        num_samples: how many; as many as there are samples unless told otherwise
        generator: the source of random numbers
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        _check_flag("replacement", replacement, TypeError)
        _check_count("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            # A stream of its own: what the loop draws meanwhile does not change the order.
            generator = Generator().manual_seed(draw_seed())
        rows = self._replaced(generator) if self.replacement else self._permuted(generator)
        yield from itertools.chain.from_iterable(rows)

    def _replaced(self, generator: Generator) -> Iterator[list[int]]:
        high, (full, rest) = len(self.data_source), divmod(self.num_samples, _ROW)
        for length in [*itertools.repeat(_ROW, full), rest]:
            yield rushlight.randint(high, (length,), generator=generator).tolist()  # type: ignore[attr-defined]

    def _permuted(self, generator: Generator) -> Iterator[list[int]]:
        count = len(self.data_source)
        full, rest = divmod(self.num_samples, count)
        for length in [*itertools.repeat(count, full), rest]:
            # The last permutation is drawn even if nothing of it is needed, as PyTorch does.
            yield rushlight.randperm(count, generator=generator).tolist()[:length]  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in a random order.

    Args:
        indices: the indices
        generator: the source of random numbers
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for position in rushlight.randperm(len(self.indices), generator=self.generator).tolist():  # type: ignore[attr-defined]
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices at random, some more likely than others.

    Args:
        weights: how likely each index is
        num_samples: how many indices
        replacement: whether an index can come again
        generator: the source of random numbers
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        _check_count("num_samples", num_samples)
        _check_flag("replacement", replacement, ValueError)
        self.weights = rushlight.as_tensor(weights, dtype=rushlight.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from rushlight.multinomial(  # type: ignore[attr-defined]
            self.weights, self.num_samples, self.replacement, generator=self.generator
        ).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of a sampler's indices.

    Args:
        sampler: the indices
        batch_size: how many make a list
        drop_last: whether a last list that is not full is left out
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        _check_count("batch_size", batch_size)
        _check_flag("drop_last", drop_last, ValueError)
        self.sampler: Any = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
