"""The wrapper whose parameters are sharded: strategies, policies, state dicts."""

import copy
import functools

import pytest
from several import run
from test_fully_shard import Block, Model, batch, loss_of, made, whole

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight import nn
from rushlight.distributed.fsdp import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    FullyShardedDataParallel,
    MixedPrecision,
    ShardingStrategy,
    StateDictType,
)
from rushlight.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from rushlight.distributed.fsdp.wrap import (
    CustomPolicy,
    ModuleWrapPolicy,
    enable_wrap,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
    wrap,
)
from rushlight.distributed.tensor import DTensor


def names(model):
    return [name.replace("_fsdp_wrapped_module.", "") for name, _ in model.named_parameters()]


def train(model, plain, place, count):
    optimizers = [torch.optim.AdamW(m.parameters(), lr=0.05) for m in (model, plain)]
    for step in range(2):
        ids, target = batch(step, count)
        mine = slice(2 * place, 2 * place + 2)
        loss_of(model, ids[mine], target[mine]).backward()
        loss_of(plain, ids, target).backward()
        torch.testing.assert_close(
            model.clip_grad_norm_(0.5), nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
        )
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    assert names(model) == [name for name, _ in plain.named_parameters()]
    for own, right in zip(model.parameters(), plain.parameters()):
        torch.testing.assert_close(whole(own), right.detach())
    return optimizers


def strategies(rank, size):
    policy = ModuleWrapPolicy({Block})
    for strategy in ShardingStrategy:
        model = FullyShardedDataParallel(
            made(), sharding_strategy=strategy, auto_wrap_policy=policy, use_orig_params=True
        )
        assert len(FullyShardedDataParallel.fsdp_modules(model)) == 3
        assert isinstance(model.module.blocks[0], FullyShardedDataParallel)
        train(model, made(), rank, size)


def policies(rank, size):
    def wrapped(policy):
        model = FullyShardedDataParallel(made(), auto_wrap_policy=policy)
        found = [type(m.module).__name__ for m in FullyShardedDataParallel.fsdp_modules(model)]
        train(model, made(), rank, size)
        return found

    large = functools.partial(size_based_auto_wrap_policy, min_num_params=100)
    assert wrapped(large) == ["Model", "Block", "Block"]
    layers = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={nn.LayerNorm})
    assert wrapped(layers) == ["Model", "LayerNorm"]
    chosen = CustomPolicy(
        lambda m: (
            {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP} if type(m) is Block else False
        )
    )
    assert wrapped(chosen) == ["Model", "Block", "Block"]
    with enable_wrap(wrapper_cls=FullyShardedDataParallel):
        assert isinstance(wrap(nn.Linear(2, 2)), FullyShardedDataParallel)
    assert isinstance(wrap(nn.Linear(2, 2)), nn.Linear)


def state_dicts(rank, size):
    policy = ModuleWrapPolicy({Block})
    model, plain = FullyShardedDataParallel(made(), auto_wrap_policy=policy), made()
    optimizer, right = train(model, plain, rank, size)
    kind = functools.partial(FullyShardedDataParallel.state_dict_type, model)
    configs = FullStateDictConfig(rank0_only=True), FullOptimStateDictConfig(rank0_only=True)
    with kind(StateDictType.FULL_STATE_DICT, *configs):
        held = model.state_dict()
        states = FullyShardedDataParallel.optim_state_dict(model, optimizer)
    if rank == 0:
        torch.testing.assert_close(dict(held), dict(plain.state_dict()))
        first = states["state"]["table.weight"]["exp_avg"]
        torch.testing.assert_close(first, right.state[plain.table.weight]["exp_avg"])
    else:
        assert not held and not states
    for form in StateDictType:
        with kind(form):
            held = copy.deepcopy(dict(model.state_dict()))
            states = FullyShardedDataParallel.optim_state_dict(model, optimizer)
        assert list(held) == list(plain.state_dict())
        assert isinstance(held["table.weight"], DTensor) == (form.name == "SHARDED_STATE_DICT")
        other = FullyShardedDataParallel(Model(), auto_wrap_policy=policy)
        with kind(form):
            other.load_state_dict(held)
        step = torch.optim.AdamW(other.parameters(), lr=0.05)
        step.load_state_dict(FullyShardedDataParallel.optim_state_dict_to_load(other, step, states))
        for own, same in zip(other.parameters(), plain.parameters()):
            torch.testing.assert_close(whole(own), same.detach())
            torch.testing.assert_close(
                whole(step.state[own]["exp_avg"]), right.state[same]["exp_avg"]
            )


def the_rest(rank, size):
    torch.manual_seed(rank)
    model = FullyShardedDataParallel(Model(), sync_module_states=True)
    torch.manual_seed(0)
    plain = Model()
    with FullyShardedDataParallel.summon_full_params(model):
        assert [n for n, _ in model.named_parameters()] == [n for n, _ in plain.named_parameters()]
        for own, right in zip(model.parameters(), plain.parameters()):
            assert torch.equal(own, right)
        with torch.no_grad():
            model.module.norm.weight.fill_(3)
            plain.norm.weight.fill_(3)
    assert model.norm.weight.full_tensor().tolist() == [3.0] * 6
    ids, target = batch(0, size)
    mine = slice(2 * rank, 2 * rank + 2)
    with model.no_sync():
        loss_of(model, ids[mine], target[mine]).backward()
    assert model.norm.weight.grad is None
    loss_of(model, ids[mine], target[mine]).backward()
    for _ in range(2):
        loss_of(plain, ids, target).backward()
    with FullyShardedDataParallel.summon_full_params(model, with_grads=True):
        torch.testing.assert_close(model.module.norm.weight.grad, plain.norm.weight.grad)
    mixed = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = FullyShardedDataParallel(made(), mixed_precision=mixed)
    assert model(ids).dtype is torch.bfloat16
    with torch.device("meta"):
        late = nn.Linear(4, 4)
    assert FullyShardedDataParallel(late)(torch.ones(2, 4)).shape == (2, 4)
    frozen = nn.Linear(4, 4)
    model = FullyShardedDataParallel(
        nn.Sequential(frozen, nn.Linear(4, 4)), ignored_modules=[frozen]
    )
    assert not isinstance(frozen.weight, DTensor) and isinstance(model.module[1].weight, DTensor)
    model(torch.ones(2, 4)).sum().backward()
    assert model[1].weight.grad.shape == (4, 4)


def scaled_losses(rank, size):
    """A gradient that is not finite in one process ends the step of all."""
    scaler = ShardedGradScaler("cpu", init_scale=4.0)
    model = nn.Linear(2, 1, bias=False)
    before = model.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scaler.scale(model(torch.full((1, 2), float("inf") if rank else 1.0)).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(model.weight, before) and scaler.get_scale() == 2.0
    optimizer.zero_grad()
    model = FullyShardedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scaler.scale(model(torch.ones(1, 2)).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(whole(model.module.weight), before - 1)


def optimizers_made_before(rank, size):
    """What is wrapped keeps the objects that its parameters are, so an optimizer may have them already."""
    inner, plain = made(), made()
    before = list(inner.parameters())
    optimizer = torch.optim.AdamW(before, lr=0.05)
    model = FullyShardedDataParallel(
        inner, auto_wrap_policy=ModuleWrapPolicy({Block}), use_orig_params=True
    )
    assert {id(p) for p in model.parameters()} == {id(p) for p in before}
    right = torch.optim.AdamW(plain.parameters(), lr=0.05)
    for step in range(2):
        ids, target = batch(step, size)
        mine = slice(2 * rank, 2 * rank + 2)
        loss_of(model, ids[mine], target[mine]).backward()
        loss_of(plain, ids, target).backward()
        for one in (optimizer, right):
            one.step()
            one.zero_grad()
    for own, same in zip(model.parameters(), plain.parameters()):
        torch.testing.assert_close(whole(own), same.detach())


def states_of_the_first(rank, size):
    """With `rank0_only`, the others give nothing and get what the first process has."""
    model, plain = FullyShardedDataParallel(made()), made()
    optimizer, right = train(model, plain, rank, size)
    configs = FullStateDictConfig(rank0_only=True), FullOptimStateDictConfig(rank0_only=True)
    other = FullyShardedDataParallel(Model())
    step = torch.optim.AdamW(other.parameters(), lr=0.05)
    for one in (model, other):
        FullyShardedDataParallel.set_state_dict_type(one, StateDictType.FULL_STATE_DICT, *configs)
    states = FullyShardedDataParallel.optim_state_dict(model, optimizer) if rank == 0 else None
    if rank:
        FullyShardedDataParallel.optim_state_dict(model, optimizer)
    FullyShardedDataParallel.optim_state_dict_to_load(other, step, states, load_directly=True)
    for own, same in zip(other.parameters(), plain.parameters()):
        torch.testing.assert_close(whole(step.state[own]["exp_avg"]), right.state[same]["exp_avg"])


def states_from_a_checkpoint(rank, size, path):
    """An optimizer's state is read in parts, without one that is there."""
    model, plain = FullyShardedDataParallel(made(), use_orig_params=True), made()
    optimizer, right = train(model, plain, rank, size)
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        held = model.state_dict()
        states = FullyShardedDataParallel.optim_state_dict(model, optimizer)
        dcp.save({"model": held, "optimizer": states}, checkpoint_id=path)
    reader = dcp.FileSystemReader(path)
    found = dcp.load_sharded_optimizer_state_dict(held, "optimizer", reader)
    assert list(found) == ["optimizer"]
    first = found["optimizer"]["state"]["table.weight"]["exp_avg"]
    assert isinstance(first, DTensor)
    other = FullyShardedDataParallel(Model())
    step = torch.optim.AdamW(other.parameters(), lr=0.5)
    step.load_state_dict(
        FullyShardedDataParallel.optim_state_dict_to_load(other, step, found["optimizer"])
    )
    assert step.param_groups[0]["lr"] == 0.05
    for own, same in zip(other.parameters(), plain.parameters()):
        torch.testing.assert_close(whole(step.state[own]["exp_avg"]), right.state[same]["exp_avg"])


@pytest.mark.parametrize(
    "function",
    [strategies, policies, state_dicts, the_rest, scaled_losses, optimizers_made_before,
     states_of_the_first],
)  # fmt: skip
def test_several_processes(function):
    run(2, function)


def test_states_of_optimizers_from_checkpoints(tmp_path):
    run(2, states_from_a_checkpoint, tmp_path)


def test_on_one_process(tmp_path):
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    try:
        train(FullyShardedDataParallel(made()), made(), 0, 1)
    finally:
        dist.destroy_process_group()
