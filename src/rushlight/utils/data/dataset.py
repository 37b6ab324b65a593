"""Data sets, and data sets made of others."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import rushlight

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

_Sample = TypeVar("_Sample", covariant=True)


class Dataset(Generic[_Sample]):
    """Samples by index: a subclass has ``__getitem__`` and, mostly, ``__len__``."""

    def __getitem__(self, index: Any) -> _Sample:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_Sample], Iterable[_Sample]):
    """Samples one after another: a subclass has ``__iter__``."""

    def __add__(self, other: Dataset[Any]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Samples that are slices of tensors along their first dimension.

    Args:
        tensors: tensors of one length
    """

    tensors: tuple[Any, ...]

    def __init__(self, *tensors: Any) -> None:
        if any(tensor.size(0) != tensors[0].size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


def _samples_of(dataset: Any, indices: list[Any]) -> list[Any]:
    """Several samples, all at once if the data set can."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    found = dataset.__getitems__(indices)
    if len(found) != len(indices):
        raise ValueError(
            f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(found)}"
        )
    return list(found)


class StackDataset(Dataset[Any]):
    """Samples that are tuples, or dicts, of the samples of several data sets.

    Args:
        args: data sets of one length, for tuples
        kwargs: data sets of one length, for dicts
    """

    datasets: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        self.datasets = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        parts = list(args or kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        if isinstance(self.datasets, dict):
            columns = [_samples_of(dataset, indices) for dataset in self.datasets.values()]
            return [
                dict(zip(self.datasets, row, strict=True)) for row in zip(*columns, strict=True)
            ]
        return list(zip(*(_samples_of(d, indices) for d in self.datasets), strict=True))

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """The samples of several data sets, one after another.

    Args:
        datasets: the data sets
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each data set ends."""
        return list(itertools.accumulate(len(dataset) for dataset in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < -len(self):
            raise ValueError("absolute value of index should not exceed dataset length")
        position = index + len(self) if index < 0 else index
        which = bisect.bisect_right(self.cumulative_sizes, position)
        return self.datasets[which][position - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """The samples of several streams, one after another.

    Args:
        datasets: the streams
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _streams(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self._streams())

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._streams())


class Subset(Dataset[_Sample]):
    """Some samples of a data set.

    Args:
        dataset: the data set
        indices: which of its samples, in order
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{own.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset "
                "and overriding __getitem__, you must also override __getitems__ to ensure "
                "DataLoader works correctly with your custom logic."
            )

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[position] for position in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        chosen = [self.indices[position] for position in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(chosen)  # type: ignore[no-any-return]
        return [self.dataset[index] for index in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def _lengths_of_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    """Whole lengths for fractions; what rounding leaves over goes to the first ones."""
    for position, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for position in range(total - sum(lengths)):
        lengths[position % len(lengths)] += 1
    for position, length in enumerate(lengths):
        if length == 0:
            warnings.warn(
                f"Length of split at index {position} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return lengths


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Any = None
) -> list[Subset[Any]]:
    """Parts of a data set that have no sample in common, chosen at random.

    Args:
        dataset: the data set
        lengths: the parts' lengths; or fractions that sum up to 1
        generator: the source of random numbers
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_of_fractions(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = rushlight.randperm(int(sum(lengths)), generator=generator).tolist()  # type: ignore[attr-defined]
    ends = [int(end) for end in itertools.accumulate(lengths)]
    return [Subset(dataset, order[a:b]) for a, b in itertools.pairwise([0, *ends])]
