"""An optimizer in shares, against the same one alone."""

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.algorithms.join import Join
from rushlight.distributed.optim import ZeroRedundancyOptimizer
from rushlight.nn.parallel import DistributedDataParallel


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3), nn.Tanh(), nn.Linear(3, 1))


def step(model, optimizer, x):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()


def shares(rank, size):
    x = torch.randn(3, 6, 5, generator=torch.Generator().manual_seed(1))
    alone, divided = network(), network()
    plain = torch.optim.Adam(alone.parameters(), lr=0.01)
    zero = ZeroRedundancyOptimizer(divided.parameters(), torch.optim.Adam, lr=0.01)
    schedules = [torch.optim.lr_scheduler.StepLR(o, 1, 0.5) for o in (plain, zero)]
    for k in range(3):
        step(alone, plain, x[k])
        step(divided, zero, x[k])
        for schedule in schedules:
            schedule.step()
    for right, found in zip(alone.parameters(), divided.parameters()):
        torch.testing.assert_close(found, right)
    # each has the state of its share only
    held = torch.tensor([len(zero.optim.state)])
    assert 0 < held < 6
    dist.all_reduce(held)
    assert held == 6
    with pytest.raises(RuntimeError, match="has not been consolidated"):
        zero.state_dict()
    zero.consolidate_state_dict(to=1)
    told = [zero.state_dict() if rank == 1 else None]
    dist.broadcast_object_list(told, src=1)
    right = plain.state_dict()
    assert list(told[0]["state"]) == list(right["state"])
    for number, values in right["state"].items():
        for name, value in values.items():
            torch.testing.assert_close(told[0]["state"][number][name], value)
    assert told[0]["param_groups"][0]["lr"] == right["param_groups"][0]["lr"]
    again = ZeroRedundancyOptimizer(divided.parameters(), torch.optim.Adam, lr=1.0)
    again.load_state_dict(told[0])
    step(alone, plain, x[0])
    step(divided, again, x[0])
    for right, found in zip(alone.parameters(), divided.parameters()):
        torch.testing.assert_close(found, right)


def groups_and_uneven_inputs(rank, size):
    model = network()
    parallel = DistributedDataParallel(model)
    first, last = [*model[:3].parameters()], [*model[4].parameters()]
    zero = ZeroRedundancyOptimizer(first, torch.optim.SGD, lr=0.1, momentum=0.9)
    zero.add_param_group({"params": last, "lr": 0.2})
    assert [g["lr"] for g in zero.param_groups] == [0.1, 0.2]
    assert zero.param_groups[0]["momentum"] == 0.9
    with Join([parallel, zero]):
        for _ in range(2 + rank):
            step(parallel, zero, torch.ones(2, 5))
    for p in model.parameters():
        every = [torch.empty_like(p) for _ in range(size)]
        dist.all_gather(every, p.detach())
        assert all(torch.equal(every[0], other) for other in every)


@pytest.mark.parametrize("size", [2, 3])
def test_shares(size):
    run(size, shares)


def test_groups_and_uneven_inputs():
    run(2, groups_and_uneven_inputs)
