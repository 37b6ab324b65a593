"""The share of a data set that one of several processes sees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import rushlight
from rushlight.engine.core.generator import Generator
from rushlight.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every so-many-th index; all processes get equally many.

    Args:
        dataset: the data set
        num_replicas: how many processes there are
        rank: the number of this one
        shuffle: whether the order is random
        seed: of the random order; the same in all processes
        drop_last: leave out what is too much, instead of repeating some indices
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            # Only programs of several processes need the rest of it.
            from rushlight import distributed as dist

            num_replicas = dist.get_world_size() if num_replicas is None else num_replicas
            rank = dist.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        share = len(dataset) / num_replicas
        self.num_samples = math.floor(share) if drop_last else math.ceil(share)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def _order(self) -> list[int]:
        count = len(self.dataset)
        if not self.shuffle:
            return list(range(count))
        generator = Generator().manual_seed(self.seed + self.epoch)
        order: list[int] = rushlight.randperm(count, generator=generator).tolist()  # type: ignore[attr-defined]
        return order

    def __iter__(self) -> Iterator[int]:
        order = self._order()
        if order:
            order = order * math.ceil(self.total_size / len(order))
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose another random order for the next pass; the same in all processes."""
        self.epoch = epoch
