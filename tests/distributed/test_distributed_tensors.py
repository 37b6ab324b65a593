"""Distributed tensors: how they are made, redistributed and shown, and what operators make of them."""

import io
import itertools
import pickle

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed import tensor as dt
from rushlight.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
)
from rushlight.distributed.tensor._random import manual_seed
from rushlight.distributed.tensor.debug import CommDebugMode
from rushlight.distributed.tensor.experimental import (
    implicit_replication,
    local_map,
    register_sharding,
)
from rushlight.distributed.tensor.placement_types import _StridedShard

collectives = torch.ops._c10d_functional


def numbers(*size):
    return torch.arange(float(torch.Size(size).numel())).view(size)


def transitions(rank, size):
    mesh = dist.init_device_mesh("cpu", (2, 2))
    x = numbers(5, 3, 7)
    kinds = [Replicate(), Shard(0), Shard(1), Shard(2), Partial()]
    for before in itertools.product(kinds, kinds):
        given = distribute_tensor(x, mesh, before)
        for after in itertools.product(kinds, kinds):
            if any(isinstance(b, Partial) and a != b for a, b in zip(before, after)):
                continue
            found = given.redistribute(placements=after)
            assert found.placements == after
            assert torch.equal(found.full_tensor(), x), (before, after)
            if Partial() not in after:
                assert torch.equal(found.to_local(), distribute_tensor(x, mesh, after).to_local())
    given = distribute_tensor(x, mesh, [_StridedShard(0, split_factor=2), Shard(0)])
    assert torch.equal(given.full_tensor(), x)
    other = given.redistribute(placements=[Shard(0), Shard(0)])
    assert torch.equal(
        other.to_local(), distribute_tensor(x, mesh, [Shard(0), Shard(0)]).to_local()
    )


def gradients_of_redistribution(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    x = numbers(4, 3)
    for before, after in itertools.product([Replicate(), Shard(0), Shard(1)], repeat=2):
        given = distribute_tensor(x, mesh, [before]).requires_grad_()
        given.redistribute(placements=[after]).to_local().square().sum().backward()
        assert given.grad.placements == (before,)
        # Parts of a whole are counted once; where it is on all devices, each device's gradient is the same.
        assert torch.equal(given.grad.full_tensor(), 2 * x)
    local = torch.full((2,), rank + 1.0, requires_grad=True)
    total = DTensor.from_local(local, mesh, [Partial()]).redistribute(placements=[Replicate()])
    assert total.to_local().tolist() == [sum(range(1, size + 1))] * 2
    total.to_local().sum().backward()
    assert local.grad.tolist() == [1.0, 1.0]


def making(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    for make, plain in ((dt.zeros, torch.zeros), (dt.ones, torch.ones)):
        made = make(5, 3, device_mesh=mesh, placements=[Shard(0)])
        assert torch.equal(made.full_tensor(), plain(5, 3)) and made.shape == (5, 3)
    assert dt.full((3, 2), 7, device_mesh=mesh).to_local().tolist() == [[7, 7]] * 3
    with mesh:
        assert dt.empty(4, 2, placements=[Shard(1)]).stride() == (2, 1)
    # All devices draw what one process would.
    manual_seed(5, mesh)
    drawn = [
        dt.rand(5, 2, device_mesh=mesh, placements=[Shard(0)]),
        dt.randn((3, 2), device_mesh=mesh, placements=[Shard(1)]),
        nn.init.kaiming_uniform_(dt.empty(4, 3, device_mesh=mesh, placements=[Shard(0)])),
        F.dropout(dt.ones(5, 4, device_mesh=mesh, placements=[Shard(0)]), 0.5),
    ]
    torch.manual_seed(5)
    wanted = [
        torch.rand(5, 2), torch.randn(3, 2), nn.init.kaiming_uniform_(torch.empty(4, 3)),
        F.dropout(torch.ones(5, 4), 0.5),
    ]  # fmt: skip
    for found, right in zip(drawn, wanted):
        assert torch.equal(found.full_tensor(), right)
    torch.manual_seed(rank)
    other = torch.distributed.new_group(list(range(size)))
    mesh = dist.DeviceMesh.from_group(other, "cpu")
    one = dt.rand(3, device_mesh=mesh)
    torch.manual_seed(0)
    assert torch.equal(one.to_local(), torch.rand(3))


def errors(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    x = dt.ones(4, 2, device_mesh=mesh, placements=[Shard(0)])
    with pytest.raises(RuntimeError, match=r"got mixed torch\.Tensor and DTensor"):
        x + torch.ones(4, 2)
    with implicit_replication():
        assert (x + torch.ones(4, 2)).full_tensor().tolist() == [[2, 2]] * 4
    assert (x + torch.tensor(1.0)).full_tensor().tolist() == [[2, 2]] * 4
    with pytest.raises(RuntimeError, match="redistributing to Partial is for internal"):
        x.redistribute(placements=[Partial()])
    with pytest.raises(RuntimeError, match="placements is needed"):
        x.redistribute()
    with pytest.raises(ValueError, match="do you want to call `redistribute` instead"):
        distribute_tensor(x, mesh, [Replicate()])
    with pytest.raises(ValueError, match="must have the same length"):
        distribute_tensor(torch.ones(2), mesh, [Replicate(), Replicate()])
    with pytest.raises(RuntimeError, match=r"only accepts torch\.Tensor"):
        DTensor.from_local(x, mesh)
    with pytest.raises(RuntimeError, match="leaf tensors"):
        distribute_tensor(torch.ones(2, requires_grad=True) * 2, mesh)
    again = pickle.loads(pickle.dumps(x))
    assert again.placements == x.placements and torch.equal(again.to_local(), x.to_local())
    file = io.BytesIO()
    torch.save({"x": nn.Parameter(x)}, file)
    file.seek(0)
    found = torch.load(file)["x"]
    assert isinstance(found, nn.Parameter) and found.placements == (Shard(0),)
    assert torch.equal(found.to_local(), x.to_local())
    assert repr(x).startswith("DTensor(local_tensor=tensor([[1., 1.]")
    inner, facts = x.__tensor_flatten__()
    parts = {name: getattr(x, name) for name in inner}
    back = DTensor.__tensor_unflatten__(parts, facts, x.shape, x.stride())
    assert torch.equal(back.full_tensor(), x.full_tensor())


def placements_of_results(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    x = distribute_tensor(numbers(4, 6), mesh, [Shard(0)])
    assert (x * 2).relu().placements == (Shard(0),)
    assert x.sum(0).placements == (Partial(),) and x.sum(1).placements == (Shard(0),)
    assert x.mean(0).placements == (Partial("avg"),) and x.amax().placements == (Partial("max"),)
    assert (x.sum(0) * 3 + x.sum(0)).placements == (Partial(),)
    assert x.sum(0).relu().placements == (Replicate(),)
    assert x.t().placements == (Shard(1),) and x.view(4, 2, 3).placements == (Shard(0),)
    assert (x @ x.t()).shape == (4, 4)
    assert (x.t() @ x).placements == (Partial(),)
    assert x.view(24).placements == (Shard(0),) and x.view(2, 2, 6).placements == (Shard(0),)
    assert x.softmax(1).placements == (Shard(0),)
    columns = x.redistribute(placements=[Shard(1)])
    with CommDebugMode() as counted:
        found = columns.log_softmax(1)
    assert found.placements == (Shard(1),)
    assert counted.get_comm_counts() == {collectives.all_reduce: 2}
    torch.testing.assert_close(found.full_tensor(), numbers(4, 6).log_softmax(1))
    # A view that had to be gathered still writes to what it is of.
    x.diagonal().fill_(0)
    right = numbers(4, 6)
    right.diagonal().fill_(0)
    assert torch.equal(x.full_tensor(), right)


def extensions(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    y = numbers(4, 3)
    x = distribute_tensor(y, mesh, [Shard(0)])
    total = local_map(lambda a, k: a.sum(0) * k, [Partial()], in_placements=([Shard(0)], None))
    torch.testing.assert_close(total(x, 2).full_tensor(), y.sum(0) * 2)
    with pytest.raises(ValueError, match="mismatched placements"):
        total(x.redistribute(placements=[Replicate()]), 2)
    assert x.cumsum(0).placements == (Replicate(),)

    @register_sharding(torch.ops.aten.cumsum.default)
    def rule(given, dim, dtype=None):
        return [([Shard(0)], [Shard(0), None])]

    assert x.cumsum(0).placements == (Shard(0),)

    def partition(name, module, mesh):
        if isinstance(module, nn.Linear):
            made = distribute_tensor(module.weight.detach(), mesh, [Shard(0)])
            module.register_parameter("weight", nn.Parameter(made))

    torch.manual_seed(0)
    model, plain = nn.Linear(3, 4), nn.Linear(3, 4)
    plain.load_state_dict(model.state_dict())
    distribute_module(
        model, mesh, partition,
        lambda m, inputs, mesh: distribute_tensor(inputs[0], mesh, [Replicate()]),
        lambda m, result, mesh: result.full_tensor(),
    )  # fmt: skip
    assert model.bias.placements == (Replicate(),)
    right = plain(y)
    for key, value in plain.state_dict().items():
        if rank == 0:
            assert value.shape == model.state_dict()[key].shape
    assert model(y).shape == right.shape


def outside(rank, size):
    mesh = dist.DeviceMesh("cpu", [0, 1])
    x = distribute_tensor(torch.ones(4), mesh, [Shard(0)])
    y = x * 2
    assert y.shape == (4,) and len(y.to_local()) == (2 if rank < 2 else 0)


def gradients_of_tables(rank, size):
    """What devices have of the indices adds up to a table's gradient; columns are by themselves."""
    mesh = dist.init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    rows, weights = torch.randn(7, 4), torch.randn(2, 3, 4)
    places = torch.tensor([[1, 2, 2], [5, 6, 1]])
    summed = {Shard(0): Partial(), Shard(1): Partial(), Replicate(): Replicate()}
    for table, cut, often in itertools.product(
        (Replicate(), Shard(0), Shard(1)), summed, (False, True)
    ):
        options = {"padding_idx": 5, "scale_grad_by_freq": often}
        weight = distribute_tensor(rows, mesh, [table]).requires_grad_()
        found = F.embedding(distribute_tensor(places, mesh, [cut]), weight, **options)
        (
            found.redistribute(placements=[Replicate()]) * distribute_tensor(weights, mesh)
        ).sum().backward()
        plain = rows.clone().requires_grad_()
        (F.embedding(places, plain, **options) * weights).sum().backward()
        torch.testing.assert_close(weight.grad.full_tensor(), plain.grad)
        if table == Shard(1):
            assert weight.grad.placements == (Shard(1),)
        else:
            # How often an index is there, none knows by itself.
            assert weight.grad.placements == (Replicate() if often else summed[cut],)
    given = DTensor.from_local(weights, mesh, [Partial()])
    total = torch.ops.aten.embedding_dense_backward(
        given, distribute_tensor(places, mesh), 7, -1, False
    )
    assert total.placements == (Partial(),)


@pytest.mark.parametrize(
    "function, size",
    [
        (transitions, 4),
        (gradients_of_redistribution, 2),
        (making, 3),
        (errors, 2),
        (placements_of_results, 2),
        (extensions, 2),
        (outside, 3),
        (gradients_of_tables, 2),
    ],
)
def test_several_processes(function, size):
    run(size, function)


def test_groups_that_come_after_others():
    """What was decided for devices of groups that have ended is not for those of new ones."""
    for _ in range(2):
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
        try:
            mesh = dist.init_device_mesh("cpu", (1,))
            found = distribute_tensor(numbers(2, 3), mesh, [Shard(0)]).sum(0)
            assert found.device_mesh.get_group() is mesh.get_group()
        finally:
            dist.destroy_process_group()
