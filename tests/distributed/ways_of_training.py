"""One model, trained in each way that spreads it or its batches over two processes; tells the losses as JSON.

    rushlight run -m torch.distributed.run --standalone --nproc-per-node 2 tests/distributed/ways_of_training.py

Without `rushlight run` it is a program of PyTorch's, whose losses are the same.
"""

import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import autograd, rpc
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.optim import DistributedOptimizer
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

STEPS, ROWS, IN, WIDE, OUT = 8, 8, 6, 16, 4


def made():
    """The model: its first part grows, its second one ends in as many numbers as there are classes."""
    torch.manual_seed(0)
    first = nn.Sequential(nn.Linear(IN, WIDE), nn.GELU(), nn.Linear(WIDE, IN))
    second = nn.Sequential(nn.LayerNorm(IN), nn.Linear(IN, WIDE), nn.GELU(), nn.Linear(WIDE, OUT))
    return nn.Sequential(first, second)


def batches():
    generator = torch.Generator().manual_seed(1)
    for _ in range(STEPS):
        x = torch.randn(ROWS, 5, IN, generator=generator)
        yield x, x[..., :OUT].argmax(-1)


def loss_of(output, target):
    return nn.functional.cross_entropy(output.flatten(0, 1), target.flatten())


def optimizer_of(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-2)


def trained(model, share=slice(None), average=False):
    """The losses of a model that sees a share of the rows, averaged over the ranks if asked for."""
    optimizer, losses = optimizer_of(model), []
    for x, target in batches():
        loss = loss_of(model(x[share]), target[share])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.detach()
        if average:
            dist.all_reduce(mean)
            mean = mean / dist.get_world_size()
        losses.append(mean.item())
    return losses


def own_rows():
    return slice(dist.get_rank(), None, dist.get_world_size())


def data_parallel():
    return trained(DistributedDataParallel(made()), own_rows(), average=True)


def fully_sharded():
    model = made()
    for part in model:
        fully_shard(part)
    return trained(fully_shard(model), own_rows(), average=True)


def fully_sharded_data_parallel():
    model = FullyShardedDataParallel(made(), device_id=torch.device("cpu"), use_orig_params=True)
    return trained(model, own_rows(), average=True)


def tensor_parallel():
    mesh = dist.init_device_mesh("cpu", (dist.get_world_size(),))
    plan = {
        "0.0": ColwiseParallel(), "0.2": RowwiseParallel(),
        "1.1": ColwiseParallel(), "1.3": RowwiseParallel(),
    }  # fmt: skip
    return trained(parallelize_module(made(), mesh, plan))


def sequence_parallel():
    from torch.distributed.tensor import Replicate, Shard

    mesh = dist.init_device_mesh("cpu", (dist.get_world_size(),))
    plan = {
        "0.0": ColwiseParallel(), "0.2": RowwiseParallel(output_layouts=Shard(0)),
        "1.0": SequenceParallel(sequence_dim=0),
        "1.1": ColwiseParallel(input_layouts=Shard(0)),
        "1.3": RowwiseParallel(output_layouts=Replicate()),
    }  # fmt: skip
    return trained(parallelize_module(made(), mesh, plan))


def pipelined():
    rank, size = dist.get_rank(), dist.get_world_size()
    part = made()[rank]
    schedule = Schedule1F1B(
        PipelineStage(part, rank, size, torch.device("cpu")), 4, loss_fn=loss_of
    )
    optimizer, losses = optimizer_of(part), []
    for x, target in batches():
        if rank == 0:
            schedule.step(x)
        else:
            of_parts = []
            schedule.step(target=target, losses=of_parts)
            losses.append(torch.stack(of_parts).mean().item())
        optimizer.step()
        optimizer.zero_grad()
    told = [losses]
    dist.broadcast_object_list(told, src=size - 1)
    return told[0]


class FirstPart:
    """What another process has of the model."""

    def __init__(self):
        self.part = made()[0]

    def forward(self, x):
        return self.part(x)

    def parameters(self):
        return [rpc.RRef(parameter) for parameter in self.part.parameters()]


def called():
    """The first part of the model is in the other process, which is called."""
    first, second, losses = rpc.remote("worker1", FirstPart), made()[1], []
    every = first.rpc_sync().parameters() + [rpc.RRef(one) for one in second.parameters()]
    optimizer = DistributedOptimizer(torch.optim.AdamW, every, lr=1e-2)
    for x, target in batches():
        with autograd.context() as context:
            loss = loss_of(second(first.rpc_sync().forward(x)), target)
            autograd.backward(context, [loss])
            optimizer.step(context)
        losses.append(loss.item())
    return losses


def by_calls():
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=size)
    losses = called() if rank == 0 else None
    rpc.shutdown()
    return losses


IN_A_GROUP = [
    data_parallel, fully_sharded, fully_sharded_data_parallel, tensor_parallel, sequence_parallel,
    pipelined,
]  # fmt: skip


def main():
    dist.init_process_group("gloo")
    found = {"one process": trained(made())}
    found |= {way.__name__: way() for way in IN_A_GROUP}
    dist.destroy_process_group()
    found["by_calls"] = by_calls()
    if int(os.environ["RANK"]) == 0:
        print("losses", json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
