"""Pipes of samples one after another."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rushlight.utils.data._utils.collate import default_collate
from rushlight.utils.data.datapipes.datapipe import Batches, IterDataPipe, functional_datapipe

__all__ = [
    "Batcher", "Collator", "Concater", "Filter", "IterableWrapper", "Mapper", "UnBatcher",
    "Zipper",
]  # fmt: skip


class IterableWrapperIterDataPipe(IterDataPipe[Any]):
    """A pipe over anything that can be iterated.

    Args:
        iterable: the samples
        deepcopy: iterate over a copy, so that changes meanwhile do not show
    """

    def __init__(self, iterable: Iterable[Any], deepcopy: bool = True) -> None:
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator[Any]:
        yield from copy.deepcopy(self.iterable) if self.deepcopy else self.iterable

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]


def _chosen(sample: Any, columns: Any) -> tuple[Any, ...]:
    """The parts of a sample that a function is called with."""
    if columns is None:
        return (sample,)
    if isinstance(columns, (list, tuple)):
        return tuple(sample[column] for column in columns)
    return (sample[columns],)


def _with_result(sample: Any, result: Any, columns: Any, target: Any) -> Any:
    """The sample with a result in the place of some of its parts."""
    is_tuple = isinstance(sample, tuple)
    parts = list(sample) if is_tuple else copy.copy(sample)
    if target is None:
        first, *others = columns if isinstance(columns, (list, tuple)) else [columns]
        parts[first] = result
        for column in sorted(others, reverse=True):
            del parts[column]
    elif target == -1 and not isinstance(parts, dict):
        parts.append(result)
    else:
        parts[target] = result
    return tuple(parts) if is_tuple else parts


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe[Any]):
    """What a function makes of every sample.

    Args:
        datapipe: the samples
        fn: the function
        input_col: the part of a sample, or the parts, that the function gets; all if None
        output_col: where the result goes; to the first of the given parts if None, and behind the
            others if -1
    """

    def __init__(
        self, datapipe: Any, fn: Callable[..., Any], input_col: Any = None, output_col: Any = None
    ) -> None:
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) != 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.datapipe = datapipe
        self.fn = fn
        self.input_col = input_col
        self.output_col = output_col

    def __iter__(self) -> Iterator[Any]:
        for sample in self.datapipe:
            result = self.fn(*_chosen(sample, self.input_col))
            if self.input_col is not None:
                result = _with_result(sample, result, self.input_col, self.output_col)
            yield result

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe[Any]):
    """The samples that a function says True of.

    Args:
        datapipe: the samples
        filter_fn: the function
        input_col: the part of a sample, or the parts, that the function gets
    """

    def __init__(
        self, datapipe: Any, filter_fn: Callable[..., bool], input_col: Any = None
    ) -> None:
        self.datapipe = datapipe
        self.filter_fn = filter_fn
        self.input_col = input_col

    def __iter__(self) -> Iterator[Any]:
        for sample in self.datapipe:
            verdict = self.filter_fn(*_chosen(sample, self.input_col))
            if not isinstance(verdict, bool):
                raise ValueError(
                    "Boolean output is required for `filter_fn` of FilterIterDataPipe, got",
                    type(verdict),
                )
            if verdict:
                yield sample


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Batches as tensors.

    Args:
        datapipe: the batches
        conversion: the function that makes tensors of a batch
        collate_fn: another name for it
    """

    def __init__(
        self, datapipe: Any, conversion: Any = default_collate, collate_fn: Any = None
    ) -> None:
        super().__init__(datapipe, conversion if collate_fn is None else collate_fn)


@functional_datapipe("batch")
class BatcherIterDataPipe(Batches, IterDataPipe[Any]):
    """Samples in lists of one length.

    Args:
        datapipe: the samples
        batch_size: how many make a batch
        drop_last: leave out a last batch that is shorter
        wrapper_class: makes a batch of a list
    """

    def __iter__(self) -> Iterator[Any]:
        batch: list[Any] = []
        for sample in self.datapipe:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)


def _opened(sample: Any, levels: int) -> Iterator[Any]:
    """The samples inside lists of lists; all levels if -1."""
    if levels == 0 or (levels < 0 and not isinstance(sample, list)):
        yield sample
        return
    if not isinstance(sample, list):
        raise IndexError(f"unbatch_level {levels} exceeds the depth of the DataPipe")
    for inner in sample:
        yield from _opened(inner, levels - 1 if levels > 0 else levels)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe[Any]):
    """The samples of batches, one after another.

    Args:
        datapipe: the batches
        unbatch_level: how many levels of lists are opened; all if -1
    """

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        self.datapipe = datapipe
        self.unbatch_level = unbatch_level

    def __iter__(self) -> Iterator[Any]:
        if self.unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        for batch in self.datapipe:
            yield from _opened(batch, self.unbatch_level)


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe[Any]):
    """The samples of several pipes, one pipe after the other."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe[Any]):
    """Tuples of the samples of several pipes, until one of them ends."""

    def __init__(self, *datapipes: Any) -> None:
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        yield from zip(*self.datapipes)

    def __len__(self) -> int:
        return min(map(len, self.datapipes))


Batcher = BatcherIterDataPipe
Collator = CollatorIterDataPipe
Concater = ConcaterIterDataPipe
Filter = FilterIterDataPipe
IterableWrapper = IterableWrapperIterDataPipe
Mapper = MapperIterDataPipe
UnBatcher = UnBatcherIterDataPipe
Zipper = ZipperIterDataPipe
