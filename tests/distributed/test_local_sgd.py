"""Gradients averaged over few, parameters averaged now and then."""

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as local
from rushlight.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from rushlight.distributed.optim import PostLocalSGDOptimizer


def spread(model):
    """How far the processes' parameters are apart."""
    weight = model.module.weight.detach()
    every = [torch.empty_like(weight) for _ in range(dist.get_world_size())]
    dist.all_gather(every, weight)
    return max((t - every[0]).abs().max().item() for t in every)


def train(rank, size):
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 2))
    alone, _ = dist.new_subgroups(1)
    state = local.PostLocalSGDState(None, alone, start_localSGD_iter=2)
    model.register_comm_hook(state, local.post_localSGD_hook)
    inner = torch.optim.SGD(model.parameters(), 0.1)
    optimizer = PostLocalSGDOptimizer(inner, PeriodicModelAverager(period=3, warmup_steps=2))
    apart = []
    for _ in range(8):
        optimizer.zero_grad()
        model(torch.full((4, 3), float(rank + 1))).square().mean().backward()
        optimizer.step()
        apart.append(spread(model) > 1e-6)
    # averaged gradients twice, then parameters in the third step and in every third one after it
    assert apart == [False, False, False, True, True, False, True, True]
    assert optimizer.state_dict()["step"] == 8
    again = PostLocalSGDOptimizer(inner, PeriodicModelAverager(period=3))
    again.load_state_dict(optimizer.state_dict())
    assert again.averager.step == 8 and again.param_groups is inner.param_groups
    with pytest.raises(ValueError, match="positive"):
        PeriodicModelAverager(period=0)


def test_local_steps():
    run(2, train)
