"""Times of training steps from 8 to 4,096 ranks: `python benchmarks/simulation` on this machine, which is measured first."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from suites.distributed import BYTES_A_TURN, MOST_CALLS, Side

from simulation import network, training

SIZES = [1 << k for k in range(10, 27, 4)]
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast")


def measured(ranks: int, rounds: int = 5) -> list[network.Measured]:
    """Calls between processes of this machine."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        side = Side(True, ranks, folder)
        for kind in COLLECTIVES:
            for nbytes in SIZES:
                count = max(1, min(BYTES_A_TURN // nbytes, MOST_CALLS))
                taken = min(side.seconds(kind, nbytes, count) for _ in range(rounds)) / count
                found.append((kind, ranks, nbytes, taken))
        side.end()
    return found


def table(
    links: network.Network,
    inner: network.Network,
    speed: float,
    model: training.Model,
    examples: int,
) -> str:
    """A line for each number of ranks."""
    lines = ["ranks   DDP              fully_shard      fully_shard and 8 by tensor parallel"]
    for ranks in (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
        shared = training.Shared(8, inner)
        steps = [
            training.data_parallel(model, links, ranks, examples, speed),
            training.fully_sharded(model, links, ranks, examples, speed),
            training.fully_sharded(model, links, ranks, examples, speed, shared),
        ]
        cells = [f"{s.seconds:7.3f} s {s.waited / s.seconds:4.0%}" for s in steps]
        lines.append(f"{ranks:5}  " + "   ".join(cells))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=5e-6, help="between machines, seconds")
    parser.add_argument(
        "--bandwidth", type=float, default=50e9, help="between machines, bytes a second"
    )
    parser.add_argument("--inner-latency", type=float, default=3e-6, help="within a machine")
    parser.add_argument("--inner-bandwidth", type=float, default=450e9, help="within a machine")
    parser.add_argument("--speed", type=float, default=4e14, help="operations a second of a rank")
    parser.add_argument("--examples", type=int, default=4, help="of each rank")
    parser.add_argument("--no-measurement", action="store_true", help="only the table")
    given = parser.parse_args()
    if not given.no_measurement:
        two, four = measured(2), measured(4)
        here = network.fitted(two)
        print(
            f"this machine: {here.latency * 1e6:.1f} us, {here.bandwidth / 1e9:.2f} GB/s; "
            f"two processes within {network.worst_error(here, two):.2f}x of the model, "
            f"four within {network.worst_error(here, four):.2f}x"
        )
    model = training.Model(layers=32, width=4096, vocabulary=32000, sequence=4096)
    print(
        f"\na model of {model.parameters / 1e9:.1f} G parameters, {given.examples} examples of "
        f"{model.sequence} words a rank; seconds of a step, and the part of it spent waiting"
    )
    links = network.Network(given.latency, given.bandwidth)
    inner = network.Network(given.inner_latency, given.inner_bandwidth)
    print(table(links, inner, given.speed, model, given.examples))


if __name__ == "__main__":
    main()
