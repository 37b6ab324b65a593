"""Collectives on a network: how long they take by latency and bandwidth, and what both are where they were measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# A call, as it was measured: the collective, how many ranks, the bytes of the whole tensor, seconds.
Measured = tuple[str, int, int, float]


@dataclass(frozen=True)
class Network:
    """Links of one kind between all ranks.

    Args:
        latency: seconds until the first byte of a message is there
        bandwidth: bytes a second that a rank sends, and receives at the same time
    """

    latency: float
    bandwidth: float

    def seconds(self, collective: str, ranks: int, nbytes: float) -> float:
        """How long a collective takes.

        Args:
            collective: which
            ranks: how many take part
            nbytes: of the whole tensor: what each rank has in the end, or had in the beginning
        """
        return sum(
            count * size for count, size in zip(costs(collective, ranks, nbytes), self._prices)
        )

    @property
    def _prices(self) -> tuple[float, float]:
        return self.latency, 1 / self.bandwidth


def costs(collective: str, ranks: int, nbytes: float) -> tuple[float, float]:
    """The messages that follow each other, and the bytes that a rank sends, for one collective.

    Rings are as good as any in bytes. In messages trees are better, which for long tensors are
    made of halves (Rabenseifner): as many bytes as a ring, and messages as a tree.
    """
    if ranks == 1:
        return 0.0, 0.0
    rounds = math.ceil(math.log2(ranks))
    share = (ranks - 1) / ranks * nbytes
    if collective == "all_reduce":
        return 2 * rounds, 2 * share
    if collective in ("all_gather", "reduce_scatter"):
        return rounds, share
    if collective == "all_to_all":
        return ranks - 1, share
    if collective == "broadcast":
        return rounds, nbytes
    raise ValueError(f"{collective} is none of the collectives that are known")


def fitted(measured: Iterable[Measured]) -> Network:
    """The network whose times are nearest to those measured, by relative error.

    Latency and bandwidth are found one after the other: short calls tell the first, long ones the second.
    """
    calls = list(measured)
    latency, per_byte = 0.0, 0.0
    for _ in range(50):
        latency = _nearest([(*costs(c, n, b), t) for c, n, b, t in calls], per_byte)
        turned = [(*reversed(costs(c, n, b)), t) for c, n, b, t in calls]
        per_byte = _nearest(turned, latency)  # type: ignore[arg-type]
    return Network(latency, 1 / per_byte)


def _nearest(calls: Sequence[tuple[float, float, float]], other: float) -> float:
    """The price of the first cost with the least relative error, given that of the second."""
    above = sum((t - other * b) * a / t**2 for a, b, t in calls)
    below = sum((a / t) ** 2 for a, _, t in calls)
    return max(above / below, 0.0)


def worst_error(network: Network, measured: Iterable[Measured]) -> float:
    """By which factor a time is off at most."""
    factors = [network.seconds(c, n, b) / t for c, n, b, t in measured]
    return max(max(f, 1 / f) for f in factors)
