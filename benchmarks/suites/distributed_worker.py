"""One process of one library: reads what to do how often from its input, and writes how long that took.

python distributed_worker.py LIBRARY RANK SIZE FILE
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

name, rank, size, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
sys.path.insert(0, str(Path(__file__).parent.parent))
torch = importlib.import_module(name)
dist = importlib.import_module(f"{name}.distributed")
Call = Callable[[], Any]


def part(module: str) -> Any:
    """A module of the library."""
    return importlib.import_module(f"{name}.{module}")


def collective(kind: str, nbytes: int) -> Call:
    n = nbytes // 4
    x, share = torch.ones(n), torch.ones(n // size)
    if kind == "all_to_all":
        y = torch.empty_like(x)
        return lambda: dist.all_to_all_single(y, x)
    return {
        "all_reduce": lambda: dist.all_reduce(x),
        "broadcast": lambda: dist.broadcast(x, 0),
        "all_gather": lambda: dist.all_gather_into_tensor(x, share),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(share, x),
    }[kind]


def mesh() -> Any:
    return part("distributed.device_mesh").init_device_mesh("cpu", (size,))


def on_parts(kind: str) -> Call:
    tensors = part("distributed.tensor")
    over = mesh()
    x, y = (tensors.distribute_tensor(torch.ones(8, 8), over, [tensors.Shard(0)]) for _ in range(2))
    w = tensors.distribute_tensor(torch.ones(8, 8), over, [tensors.Replicate()])
    return {
        "add": lambda: x + x, "product": lambda: x @ w, "transposed": lambda: x.t(),
        "in_place": lambda: x.add_(y), "whole": lambda: x.full_tensor(),
    }[kind]  # fmt: skip


def step(kind: str) -> Call:
    """A training step of a perceptron."""
    torch.manual_seed(0)
    layers = [part for _ in range(6) for part in (torch.nn.Linear(512, 512), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers)
    if kind == "data_parallel":
        model = torch.nn.parallel.DistributedDataParallel(model)
    elif kind == "fully_sharded":
        fully_shard = part("distributed.fsdp").fully_shard
        for layer in layers[::2]:
            fully_shard(layer)
        fully_shard(model)
    else:
        ways = part("distributed.tensor.parallel")
        styles = [ways.ColwiseParallel(), ways.RowwiseParallel()] * 3
        plan = {str(2 * k): style for k, style in enumerate(styles)}
        ways.parallelize_module(model, mesh(), plan)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    x = torch.randn(64, 512)

    def run() -> None:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return run


def whole_model(kind: str) -> Call:
    """A training step of a model of the suite `models`; `alone` is without other processes."""
    from suites import models

    parallel = torch.nn.parallel.DistributedDataParallel
    setting = models.Setting(wrapped=parallel) if size > 1 else models.ON_CPU
    if kind == "gpt":
        return models.gpt(torch, setting)
    return models.resnet(True, setting)(torch)


def round_trip(nbytes: int) -> Call:
    """A call of the next process that gives back what it gets; only the first one calls."""
    rpc = part("distributed.rpc")
    options = rpc.TensorPipeRpcBackendOptions(init_method=f"file://{path}.rpc")
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=size, rpc_backend_options=options)
    x = torch.ones(nbytes // 4)
    if rank:
        return lambda: None
    return lambda: rpc.rpc_sync("worker1", torch.mul, (x, 1))


def checkpoint(kind: str, nbytes: int) -> Call:
    """Save or load a state dict that each process has its own part of."""
    dcp = part("distributed.checkpoint")
    folder = os.path.join(os.path.dirname(path), f"checkpoint of {name}")
    count, length = 16, nbytes // 4 // 16
    state = {f"rank {rank}.{k}": torch.ones(length) for k in range(count)}
    dcp.save(state, checkpoint_id=folder)
    if kind == "save":
        return lambda: dcp.save(state, checkpoint_id=folder)
    return lambda: dcp.load(state, checkpoint_id=folder)


def made(kind: str, nbytes: int) -> Call:
    """What a kind of workload does once."""
    if kind in ("data_parallel", "fully_sharded", "tensor_parallel"):
        return step(kind)
    if kind in ("gpt", "resnet18"):
        return whole_model(kind)
    if kind == "round_trip":
        return round_trip(nbytes)
    if kind in ("save", "load"):
        return checkpoint(kind, nbytes)
    if kind in ("add", "product", "transposed", "in_place", "whole"):
        return on_parts(kind)
    return collective(kind, nbytes)


def ended(kind: str) -> None:
    """Take down what a kind of workload has started."""
    if kind == "round_trip":
        part("distributed.rpc").shutdown()
        # all need the file until they have shut down
        dist.barrier()
        if rank == 0:
            os.unlink(f"{path}.rpc")
        dist.barrier()


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=size)
    now: tuple[str, str] = ("", "")
    call: Call = lambda: None
    for line in sys.stdin:
        kind, nbytes, count = line.split()
        if (kind, nbytes) != now:
            ended(now[0])
            now, call = (kind, nbytes), made(kind, int(nbytes))
            call()
            call()
        dist.barrier()
        start = time.perf_counter()
        for _ in range(int(count)):
            call()
        dist.barrier()
        print(time.perf_counter() - start, flush=True)
    ended(now[0])


main()
