"""Steps of training a transformer: when each rank computes, sends, and waits.

A rank has one queue for what it computes and one for collectives. Both go on at the same time; what needs something of
the other queue begins when that is there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from simulation.network import Network


@dataclass(frozen=True)
class Model:
    """A transformer.

    Args:
        layers: how many blocks it has
        width: of its hidden states
        vocabulary: how many words it knows
        sequence: how many words an example has
        item: the bytes of a parameter, and of an element of a hidden state
    """

    layers: int
    width: int
    vocabulary: int
    sequence: int
    item: int = 2

    @property
    def block(self) -> int:
        """The parameters of a block: attention has four matrices, and what follows it two of four times the width."""
        return 12 * self.width**2

    @property
    def parameters(self) -> int:
        return self.layers * self.block + self.vocabulary * self.width

    def block_operations(self, examples: float) -> float:
        """Of a block's forward pass: two for each parameter and word, and attention's."""
        words = examples * self.sequence
        return 2 * words * self.block + 4 * words * self.sequence * self.width

    def head_operations(self, examples: float) -> float:
        """Of the forward pass of the last layer."""
        return 2 * examples * self.sequence * self.vocabulary * self.width


@dataclass
class Rank:
    """One rank: when its queues are free."""

    computes: float = 0.0
    sends: float = 0.0
    waited: float = field(default=0.0)

    def compute(self, seconds: float, after: float = 0.0) -> float:
        """Compute something that needs what is there at some time; when it is done."""
        begin = max(self.computes, after)
        self.waited += begin - self.computes
        self.computes = begin + seconds
        return self.computes

    def wait(self, seconds: float) -> None:
        """Do nothing for some time, as others' results are needed."""
        self.waited += seconds
        self.computes += seconds

    def send(self, seconds: float, after: float = 0.0) -> float:
        """Do a collective of what is there at some time; when it is done."""
        self.sends = max(self.sends, after) + seconds
        return self.sends

    def end(self) -> float:
        """When all is done."""
        self.waited += max(self.sends - self.computes, 0.0)
        self.computes = max(self.computes, self.sends)
        return self.computes


@dataclass(frozen=True)
class Step:
    """A step of training.

    Args:
        seconds: how long it takes
        waited: the part of that in which nothing is computed
    """

    seconds: float
    waited: float


# A backward pass is two products for each of the forward pass.
BACKWARD = 2
BUCKET = 25 << 20


def data_parallel(
    model: Model, network: Network, ranks: int, examples: int, speed: float, bucket: int = BUCKET
) -> Step:
    """A step of `DistributedDataParallel`: gradients are all-reduced in buckets, beside the backward pass.

    Args:
        model: what is trained
        network: between ranks
        ranks: how many there are
        examples: of each rank
        speed: operations a second of a rank
        bucket: the bytes of a bucket
    """
    rank = Rank()
    block, head = (f(examples) / speed for f in (model.block_operations, model.head_operations))
    rank.compute(model.layers * block + head)
    full, ready = 0, 0.0
    pieces = [(head, model.vocabulary * model.width), *[(block, model.block)] * model.layers]
    for seconds, parameters in pieces:
        ready = rank.compute(BACKWARD * seconds)
        full += parameters * model.item
        while full >= bucket:
            rank.send(network.seconds("all_reduce", ranks, bucket), ready)
            full -= bucket
    rank.send(network.seconds("all_reduce", ranks, full), ready)
    return Step(rank.end(), rank.waited)


@dataclass(frozen=True)
class Shared:
    """Ranks that share each block's matrices by tensor parallel.

    Args:
        ranks: how many there are
        network: between them
    """

    ranks: int
    network: Network


ALONE = Shared(1, Network(0.0, math.inf))


def fully_sharded(
    model: Model,
    network: Network,
    ranks: int,
    examples: int,
    speed: float,
    shared: Shared = ALONE,
    ahead: int = 1,
) -> Step:
    """A step of `fully_shard`, block by block: gathered before both passes, gradients reduced and scattered.

    Args:
        model: what is trained
        network: between ranks
        ranks: how many there are
        examples: of each rank
        speed: operations a second of a rank
        shared: those of the ranks that have parts of each block, whose parts are sharded over the others
        ahead: how many blocks are gathered before they are needed
    """
    rank = Rank()
    # Ranks that share a block work on the examples of all of them.
    together = examples * shared.ranks
    block, head = (
        f(together) / speed / shared.ranks for f in (model.block_operations, model.head_operations)
    )
    words = together * model.sequence * model.width * model.item
    # After attention and after what follows it, in each pass.
    exchange = 2 * shared.network.seconds("all_reduce", shared.ranks, words)
    part = model.block * model.item / shared.ranks
    gather = network.seconds("all_gather", ranks // shared.ranks, part)
    scatter = network.seconds("reduce_scatter", ranks // shared.ranks, part)

    def through(seconds: float, reduces: bool) -> None:
        """All blocks, one after the other."""
        done: list[float] = []
        there = [rank.send(gather) for _ in range(min(ahead, model.layers))]
        for k in range(model.layers):
            if k + ahead < model.layers:
                # Memory for so many blocks is there: a gather waits until an earlier one has been used.
                there.append(rank.send(gather, done[-1] if done else 0.0))
            done.append(rank.compute(seconds, there[k]))
            rank.wait(exchange)
            if reduces:
                rank.send(scatter, done[-1])

    through(block, reduces=False)
    rank.compute((1 + BACKWARD) * head)
    through(BACKWARD * block, reduces=True)
    return Step(rank.end(), rank.waited)
