"""Pipes of samples by index."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.utils.data.datapipes.datapipe import Batches, MapDataPipe, functional_datapipe

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Zipper"]


class SequenceWrapperMapDataPipe(MapDataPipe[Any]):
    """A pipe over a sequence or a mapping.

    Args:
        sequence: the samples
        deepcopy: keep a copy, so that later changes do not show
    """

    def __init__(self, sequence: Sequence[Any] | Mapping[Any, Any], deepcopy: bool = True) -> None:
        self.sequence = copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


def _itself(sample: Any) -> Any:
    return sample


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe[Any]):
    """What a function makes of every sample."""

    def __init__(self, datapipe: Any, fn: Callable[..., Any] = _itself) -> None:
        self.datapipe = datapipe
        self.fn = fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("batch")
class BatcherMapDataPipe(Batches, MapDataPipe[Any]):
    """Samples in lists of one length.

    Args:
        datapipe: the samples, with indices from zero
        batch_size: how many make a batch
        drop_last: leave out a last batch that is shorter
        wrapper_class: makes a batch of a list
    """

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} is out of bound.")
        first = index * self.batch_size
        last = min(first + self.batch_size, len(self.datapipe))
        return self.wrapper_class([self.datapipe[i] for i in range(first, last)])


class _Several(MapDataPipe[Any]):
    """What pipes over several pipes share."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(pipe, MapDataPipe) for pipe in datapipes):
            raise TypeError("Expected all inputs to be `MapDataPipe`")
        self.datapipes = datapipes


@functional_datapipe("concat")
class ConcaterMapDataPipe(_Several):
    """The samples of several pipes, one pipe after the other."""

    def __getitem__(self, index: int) -> Any:
        place = index
        for pipe in self.datapipes:
            if place < len(pipe):
                return pipe[place]
            place -= len(pipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class ZipperMapDataPipe(_Several):
    """Tuples of the samples of several pipes."""

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(pipe[index] for pipe in self.datapipes)

    def __len__(self) -> int:
        return min(map(len, self.datapipes))


Batcher = BatcherMapDataPipe
Concater = ConcaterMapDataPipe
Mapper = MapperMapDataPipe
SequenceWrapper = SequenceWrapperMapDataPipe
Zipper = ZipperMapDataPipe
