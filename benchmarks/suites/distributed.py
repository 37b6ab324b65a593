"""Collectives, training steps, calls on distributed tensors and start-up, by processes of each library in turns.

Both sides have as many processes, one thread each, and the backend `gloo`. The processes of both live for a whole
measurement, and take turns: while one side works, the other one waits for its next line of input.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = {"1 KB": 1 << 10, "64 KB": 1 << 16, "1 MB": 1 << 20, "16 MB": 1 << 24, "256 MB": 1 << 28}
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all")
# Each process makes so many calls a turn, for some number of bytes.
BYTES_A_TURN, MOST_CALLS = 1 << 27, 200

# Workloads whose calls say themselves how large they are, and how many of them are a turn.
STEPS = {
    "data parallel step": ("data_parallel", 10),
    "fully sharded step": ("fully_sharded", 10),
    "tensor parallel step": ("tensor_parallel", 10),
    "distributed x + x": ("add", 1000),
    "distributed x @ w": ("product", 1000),
    "distributed x.t()": ("transposed", 1000),
    "distributed x.add_(y)": ("in_place", 1000),
    "distributed to the whole": ("whole", 200),
}
START_UP = "start-up to the first all_reduce"
# So many processes: on a machine with fewer cores, what is measured of four is mostly how they wait.
COUNTS = (2, 4)

WORKER = """
import sys, time
rank, size, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
import {name} as torch
import {name}.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{{path}}", rank=rank, world_size=size)

def made(kind, nbytes):
    n = nbytes // 4
    x, part = torch.ones(n), torch.ones(n // size)
    if kind == "all_reduce": return lambda: dist.all_reduce(x)
    if kind == "broadcast": return lambda: dist.broadcast(x, 0)
    if kind == "all_gather": return lambda: dist.all_gather_into_tensor(x, part)
    if kind == "reduce_scatter": return lambda: dist.reduce_scatter_tensor(part, x)
    if kind == "all_to_all":
        y = torch.empty_like(x)
        return lambda: dist.all_to_all_single(y, x)
    if kind in ("data_parallel", "fully_sharded", "tensor_parallel"): return step(kind)
    return on_parts(kind)

def mesh():
    return dist.device_mesh.init_device_mesh("cpu", (size,))

def on_parts(kind):
    from {name}.distributed.tensor import Replicate, Shard, distribute_tensor
    over = mesh()
    x, y = (distribute_tensor(torch.ones(8, 8), over, [Shard(0)]) for _ in range(2))
    w = distribute_tensor(torch.ones(8, 8), over, [Replicate()])
    return {{
        "add": lambda: x + x, "product": lambda: x @ w, "transposed": lambda: x.t(),
        "in_place": lambda: x.add_(y), "whole": lambda: x.full_tensor(),
    }}[kind]

def step(kind):
    torch.manual_seed(0)
    layers = [part for _ in range(6) for part in (torch.nn.Linear(512, 512), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers)
    if kind == "data_parallel":
        model = torch.nn.parallel.DistributedDataParallel(model)
    elif kind == "fully_sharded":
        from {name}.distributed.fsdp import fully_shard
        for layer in layers[::2]:
            fully_shard(layer)
        fully_shard(model)
    else:
        from {name}.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
        styles = [ColwiseParallel(), RowwiseParallel()] * 3
        parallelize_module(model, mesh(), {{str(2 * k): style for k, style in enumerate(styles)}})
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    x = torch.randn(64, 512)
    def run():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    return run

calls = {{}}
for line in sys.stdin:
    kind, nbytes, count = line.split()
    key = kind, nbytes
    if key not in calls:
        calls.clear()
        calls[key] = made(kind, int(nbytes))
        calls[key](); calls[key]()
    call = calls[key]
    dist.barrier()
    start = time.perf_counter()
    for _ in range(int(count)):
        call()
    dist.barrier()
    print(time.perf_counter() - start, flush=True)
"""


class Side:
    """The processes of one library."""

    def __init__(self, ours: bool, size: int, folder: str) -> None:
        name = "rushlight" if ours else "torch"
        program = WORKER.format(name=name)
        path = str(Path(folder) / name)
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-c", program, str(rank), str(size), path],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for rank in range(size)
        ]  # fmt: skip

    def seconds(self, kind: str, nbytes: int, count: int) -> float:
        """The time of so many calls, by the slowest process."""
        for process in self.processes:
            assert process.stdin is not None
            process.stdin.write(f"{kind} {nbytes} {count}\n")
            process.stdin.flush()
        return max(float(process.stdout.readline()) for process in self.processes)  # type: ignore[union-attr]

    def end(self) -> None:
        for process in self.processes:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.close()
            process.wait()
            process.stdout.close()


def _start_up(ours: bool, size: int, folder: str, number: int) -> float:
    """From nothing to the end of a first all_reduce."""
    start = time.perf_counter()
    place = Path(folder) / f"start {ours} {number}"
    place.mkdir()
    side = Side(ours, size, str(place))
    side.seconds("all_reduce", 1024, 1)
    taken = time.perf_counter() - start
    side.end()
    return taken


def _wanted(suite: str, size: int) -> list[tuple[str, str, int, int]]:
    """What a suite measures with so many processes: titles, kinds, bytes of a call and calls of a turn."""
    by = "" if size == COUNTS[0] else f", {size} processes"
    if suite == "sharded":
        return [(title + by, kind, 0, count) for title, (kind, count) in STEPS.items()]
    return [
        (f"{kind}, {title}", kind, nbytes, max(1, min(MOST_CALLS, BYTES_A_TURN // nbytes)))
        for kind in COLLECTIVES
        for title, nbytes in SIZES.items()
    ]


def measure(suite: str, rounds: int, only: str) -> dict[str, float]:
    """Ratios of the time of collectives and of start-up; or of training steps and of calls on distributed tensors."""
    ratios = {}
    for size in COUNTS if suite == "sharded" else COUNTS[:1]:
        ratios.update(_measure([w for w in _wanted(suite, size) if only in w[0]], rounds, size))
    if suite == "distributed" and only in START_UP:
        ratios[START_UP] = _ratio_of_start_up(rounds)
    return ratios


def _ratio_of_start_up(rounds: int, size: int = 2) -> float:
    with tempfile.TemporaryDirectory() as folder:
        both = [
            [_start_up(ours, size, folder, k) for ours in (True, False)]
            for k in range(min(rounds, 5))
        ]
    ours, theirs = (statistics.median(pair[at] for pair in both) for at in (0, 1))
    print(f"{START_UP:42s} {ours / theirs:5.2f}", flush=True)
    return ours / theirs


def _measure(wanted: list[tuple[str, str, int, int]], rounds: int, size: int) -> dict[str, float]:
    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        sides = [Side(ours, size, folder) for ours in (True, False)] if wanted else []
        for title, kind, nbytes, count in wanted:
            for side in sides:
                side.seconds(kind, nbytes, 1)
            times: list[list[float]] = [[], []]
            for round_ in range(rounds):
                for at in (0, 1) if round_ % 2 else (1, 0):
                    times[at].append(sides[at].seconds(kind, nbytes, count))
            ours, theirs = map(statistics.median, times)
            ratios[title] = ours / theirs
            print(f"{title:42s} {ours / theirs:5.2f}", flush=True)
        for side in sides:
            side.end()
    return ratios
