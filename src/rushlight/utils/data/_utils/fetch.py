"""Samples out of data sets, by index or one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class MapFetcher:
    """Gets samples by their indices.

    Args:
        dataset: where they are
        in_batches: whether an index is a list of them
        collate_fn: makes the batch
    """

    def __init__(self, dataset: Any, in_batches: bool, collate_fn: Callable[..., Any]) -> None:
        self.dataset, self.in_batches, self.collate_fn = dataset, in_batches, collate_fn

    def fetch(self, index: Any) -> Any:
        """The batch, or the sample."""
        if not self.in_batches:
            return self.collate_fn(self.dataset[index])
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[position] for position in index])


class IterableFetcher:
    """Gets the next samples of a stream; the indices only say how many.

    Args:
        dataset: the stream
        in_batches: whether an index is a list
        collate_fn: makes the batch
        drop_last: whether a last batch that is not full is dropped
    """

    def __init__(
        self, dataset: Any, in_batches: bool, collate_fn: Callable[..., Any], drop_last: bool
    ) -> None:
        self.in_batches, self.collate_fn, self.drop_last = in_batches, collate_fn, drop_last
        self.samples = iter(dataset)
        self.ended = False

    def fetch(self, index: Any) -> Any:
        """The batch, or the sample; StopIteration at the end."""
        if self.ended:
            raise StopIteration
        if not self.in_batches:
            return self.collate_fn(next(self.samples))
        batch = []
        for _ in index:
            try:
                batch.append(next(self.samples))
            except StopIteration:
                self.ended = True
                break
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return self.collate_fn(batch)
