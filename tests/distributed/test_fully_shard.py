"""Modules whose parameters are sharded: what one process computes, several do together."""

import copy

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_state_dict,
    set_model_state_dict,
    set_state_dict,
)
from rushlight.distributed.fsdp import (
    CPUOffloadPolicy,
    FSDPModule,
    MixedPrecisionPolicy,
    fully_shard,
    register_fsdp_forward_method,
)
from rushlight.distributed.tensor import DTensor, Replicate, Shard
from rushlight.distributed.tensor.debug import CommDebugMode
from rushlight.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from rushlight.distributed.tensor.placement_types import _StridedShard

collectives = torch.ops._c10d_functional


class Block(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(x)))


class Model(nn.Module):
    """The weight of the last layer is that of the first."""

    def __init__(self, width=6):
        super().__init__()
        self.table = nn.Embedding(11, width)
        self.blocks = nn.ModuleList(Block(width, 12) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 11, bias=False)
        self.out.weight = self.table.weight

    def forward(self, ids):
        x = self.table(ids)
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x))


def made():
    torch.manual_seed(0)
    return Model()


def sharded(model, **options):
    for block in model.blocks:
        fully_shard(block, **options)
    return fully_shard(model, **options)


def batch(step, count):
    torch.manual_seed(step)
    return torch.randint(0, 11, (2 * count, 4)), torch.randint(0, 11, (2 * count, 4))


def loss_of(model, ids, target):
    return F.cross_entropy(model(ids).flatten(0, 1), target.flatten())


def check_same(model, plain, of=lambda p: p.detach()):
    for (name, own), (same, whole) in zip(
        model.named_parameters(), plain.named_parameters(), strict=True
    ):
        assert name == same and isinstance(own, DTensor)
        torch.testing.assert_close(of(own).full_tensor(), of(whole))


def train(model, plain, place, count, first=lambda mine, every: None, clips=True):
    """Steps of both, with the same data."""
    optimizers = [torch.optim.AdamW(m.parameters(), lr=0.05) for m in (model, plain)]
    for step in range(2):
        ids, target = batch(step, count)
        mine = slice(2 * place, 2 * place + 2)
        first((ids[mine], target[mine]), (ids, target))
        loss_of(model, ids[mine], target[mine]).backward()
        loss_of(plain, ids, target).backward()
        check_same(model, plain, lambda p: p.grad)
        if clips:
            norms = [nn.utils.clip_grad_norm_(m.parameters(), 0.5) for m in (model, plain)]
            torch.testing.assert_close(norms[0].full_tensor(), norms[1])
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    check_same(model, plain)


def training(rank, size):
    for options in ({}, {"reshard_after_forward": False}, {"offload_policy": CPUOffloadPolicy()}):
        model, plain = sharded(made(), **options), made()
        assert isinstance(model, FSDPModule) and isinstance(model, Model)
        train(model, plain, rank, size)
        assert model.table.weight is model.out.weight


def gradients_later(rank, size):
    model, plain = sharded(made()), made()

    def first(mine, every):
        model.set_requires_gradient_sync(False)
        with CommDebugMode() as counted:
            loss_of(model, *mine).backward()
        assert collectives.reduce_scatter_tensor not in counted.get_comm_counts()
        model.set_requires_gradient_sync(True)
        loss_of(plain, *every).backward()

    train(model, plain, rank, size, first)


def copies(rank, size):
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("copies", "parts"))
    model, plain = sharded(made(), mesh=mesh), made()
    assert model.norm.weight.placements == (Replicate(), Shard(0))
    train(model, plain, rank, size)
    with pytest.raises(AssertionError, match="HSDP with mesh_dim_names"):
        fully_shard(nn.Linear(2, 2), mesh=dist.init_device_mesh("cpu", (2, 2)))


def with_tensor_parallel(rank, size):
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))
    model, plain = made(), made()
    for block in model.blocks:
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        parallelize_module(block, mesh["model"], plan)
    sharded(model, mesh=mesh["data"])
    first = model.blocks[0].up.weight
    assert first.placements == (_StridedShard(0, split_factor=2), Shard(0))
    assert first.to_local().shape == (3, 6)
    train(model, plain, rank // 2, 2, clips=False)


def element_types(rank, size):
    policy = MixedPrecisionPolicy(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float32, output_dtype=torch.float64
    )
    seen = []
    model = made()
    model.norm.register_forward_pre_hook(lambda m, inputs: seen.append(m.weight.dtype))
    fully_shard(model, mp_policy=policy)
    found = model(torch.zeros(2, 3, dtype=torch.int64))
    assert found.dtype is torch.float64 and seen == [torch.bfloat16]
    found.sum().backward()
    assert {p.grad.dtype for p in model.parameters()} == {torch.float32}


def without_memory_first(rank, size):
    with torch.device("meta"):
        model = Model()
    sharded(model)
    with pytest.raises(RuntimeError, match="materialized from meta device"):
        model(torch.zeros(1, 1, dtype=torch.int64))
    model.to_empty(device="cpu")
    torch.manual_seed(1)
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    loss_of(model, *batch(0, 1)).backward()
    assert all(torch.isfinite(p.grad.full_tensor()).all() for p in model.parameters())


def what_it_can_do(rank, size):
    model = sharded(made())
    plain = made()
    model.unshard()
    assert torch.equal(model.table.weight, plain.table.weight)
    model.reshard()
    assert isinstance(model.table.weight, DTensor)
    handle = model.blocks[0].unshard(async_op=True)
    handle.wait()
    assert torch.equal(model.blocks[0].up.weight, plain.blocks[0].up.weight)
    assert isinstance(model.state_dict()["blocks.0.up.weight"], DTensor)
    model.blocks[0].set_modules_to_forward_prefetch([model.blocks[1]])
    model.blocks[1].set_modules_to_backward_prefetch([model.blocks[0]])
    loss_of(model, *batch(0, 1)).backward()
    with pytest.raises(AssertionError, match="does not support deepcopy"):
        copy.deepcopy(model)
    with pytest.raises(ValueError, match="containers that do not implement forward"):
        fully_shard(nn.ModuleList())
    other = Block(4, 4)
    kept = other.up.bias
    other.twice = lambda x: x
    fully_shard(other, ignored_params={kept}, shard_placement_fn=lambda p: Shard(p.dim() - 1))
    assert other.up.bias is kept and other.up.weight.placements == (Shard(1),)
    register_fsdp_forward_method(other, "forward")
    assert other(torch.ones(2, 4)).shape == (2, 4)


def kept_by_some(rank, size):
    """From the forward to the backward pass, pairs of devices have the parameters in parts."""
    for options in ({}, {"mp_policy": MixedPrecisionPolicy(param_dtype=torch.float32)}):
        model, plain = made(), made()
        for block in model.blocks:
            fully_shard(block, reshard_after_forward=2, **options)
        fully_shard(model, reshard_after_forward=2, **options)
        groups = [g for block in model.blocks for g in block._get_fsdp_state().groups]
        ids, target = batch(0, 1)
        loss = loss_of(model, ids, target)
        assert all(2 * g.kept.numel() == g.full.numel() and not g.is_unsharded for g in groups)
        loss.backward()
        assert all(g.kept is None for g in groups)
        model.zero_grad()
        # what a forward pass kept is not what the next one begins with
        loss_of(model, ids, target)
        train(model, plain, rank, size)
        with torch.no_grad():
            model(ids)
        assert all(g.kept is None for g in groups)
    with pytest.raises(ValueError, match="should be a factor of 4, not 3"):
        fully_shard(nn.Linear(2, 2), reshard_after_forward=3)


def checkpointed_blocks(rank, size):
    """The forward pass of a block is computed once more in the backward pass."""
    model, plain = sharded(made()), made()
    for m in (model, plain):
        forwards = [block.forward for block in m.blocks]
        for block, forward in zip(m.blocks, forwards):
            block.forward = lambda x, f=forward: torch.utils.checkpoint.checkpoint(
                f, x, use_reentrant=False
            )
    train(model, plain, rank, size)


@pytest.mark.parametrize(
    "function, size",
    [
        (training, 2), (training, 3), (gradients_later, 2), (copies, 4), (with_tensor_parallel, 4),
        (kept_by_some, 4), (element_types, 2), (without_memory_first, 2), (what_it_can_do, 2), (checkpointed_blocks, 2),
    ],
)  # fmt: skip
def test_several_processes(function, size):
    run(size, function)


# -- checkpoints --


def stepped(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for _ in range(2):
        model(torch.arange(8).view(2, 4)).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return optimizer


def whole(x):
    return x.full_tensor() if isinstance(x, DTensor) else x.detach()


def check_stepped(model, optimizer):
    plain = made()
    right = stepped(plain)
    for own, other in zip(model.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(whole(own), other.detach())
        state = optimizer.state[own]["exp_avg"]
        torch.testing.assert_close(whole(state), right.state[other]["exp_avg"])


def save(rank, size, path):
    model = sharded(made())
    optimizer = stepped(model)
    held, states = get_state_dict(model, optimizer)
    dcp.save({"model": held, "optimizer": states}, checkpoint_id=path)
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    found = get_state_dict(model, optimizer, options=options)
    if rank == 0:
        torch.save(found, f"{path}/whole.pt")
    else:
        assert found == ({}, {})


def load(path, model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    held, states = get_state_dict(model, optimizer)
    dcp.load({"model": held, "optimizer": states}, checkpoint_id=path)
    set_state_dict(model, optimizer, model_state_dict=held, optim_state_dict=states)
    check_stepped(model, optimizer)


def load_in_parts(rank, size, path):
    load(path, sharded(made()))
    model = sharded(made())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    held, states = torch.load(f"{path}/whole.pt") if rank == 0 else ({}, {})
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_state_dict(
        model, optimizer, model_state_dict=held, optim_state_dict=states, options=options
    )
    check_stepped(model, optimizer)


def without_memory(rank, size):
    """What the first process has goes into parameters that are only described."""
    plain = made()
    with torch.device("meta"):
        model = Model()
    model = sharded(model)
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(model, plain.state_dict() if rank == 0 else {}, options=options)
    ids, _ = batch(0, 1)
    torch.testing.assert_close(model(ids), plain(ids))


def test_whole_states_into_modules_without_memory():
    run(2, without_memory)


def test_checkpoints_fit_any_number_of_processes(tmp_path):
    run(4, save, str(tmp_path))
    run(2, load_in_parts, str(tmp_path))
    load(tmp_path, made())
