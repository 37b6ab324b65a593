"""Samples out of data sets, by index or one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.engine.core.tensor import Tensor
from rushlight.utils.data._utils.collate import default_collate
from rushlight.utils.data.dataset import Subset, TensorDataset


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
        if self.collate_fn is default_collate:
            whole = _rows_of_tensors(self.dataset, index)
            if whole is not None:
                return whole
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[position] for position in index])


def _rows_of_tensors(dataset: Any, positions: list[Any]) -> list[Any] | None:
    """The batch of a set of tensors, or of a part of one, without a tensor for every sample.

    None where samples might differ from rows: for sets of another class, tensors with a gradient or
    of another class, and positions that are no numbers.
    """
    while type(dataset) is Subset:
        positions = [dataset.indices[position] for position in positions]
        dataset = dataset.dataset
    plain = type(dataset) is TensorDataset and all(
        type(tensor) is Tensor and not tensor.requires_grad for tensor in dataset.tensors
    )
    if not plain or not positions or not all(type(position) is int for position in positions):
        return None
    rows = torch.tensor(positions)
    return [tensor[rows].contiguous() for tensor in dataset.tensors]


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
