"""The wrapper whose parameters are sharded: strategies, policies, state dicts."""

import copy
import functools

import pytest
from several import run
from test_fully_shard import Block, Model, batch, loss_of, made

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight import nn
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_state_dict,
    set_state_dict,
)
from rushlight.distributed.fsdp import (
    FlatParameter,
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
from rushlight.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)


def check_same(model, plain):
    """The whole parameters of a wrapped model are those of one process."""
    with FullyShardedDataParallel.summon_full_params(model, writeback=False):
        for (name, own), (same, right) in zip(
            model.named_parameters(), plain.named_parameters(), strict=True
        ):
            assert name == same
            torch.testing.assert_close(own.detach(), right.detach())


def check_same_states(model, optimizer, plain, right, key="exp_avg"):
    """What an optimizer keeps for the parameters of a wrapped model is what it keeps in one process."""
    states = FullyShardedDataParallel.full_optim_state_dict(model, optimizer, rank0_only=False)
    for name, parameter in plain.named_parameters():
        torch.testing.assert_close(states["state"][name][key], right.state[parameter][key])


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
    check_same(model, plain)
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
        if form is StateDictType.LOCAL_STATE_DICT:
            flat = ["_flat_param", *(f"blocks.{k}._flat_param" for k in range(2))]
            assert sorted(held) == flat and isinstance(held["_flat_param"], DTensor)
        else:
            assert sorted(held) == sorted(plain.state_dict())
            in_parts = form is StateDictType.SHARDED_STATE_DICT
            assert isinstance(held["table.weight"], DTensor) == in_parts
        other = FullyShardedDataParallel(Model(), auto_wrap_policy=policy)
        with FullyShardedDataParallel.state_dict_type(other, form):
            other.load_state_dict(held)
        step = torch.optim.AdamW(other.parameters(), lr=0.05)
        step.load_state_dict(FullyShardedDataParallel.optim_state_dict_to_load(other, step, states))
        check_same(other, plain)
        check_same_states(other, step, plain, right)


def the_rest(rank, size):
    torch.manual_seed(rank)
    model = FullyShardedDataParallel(Model(), sync_module_states=True, use_orig_params=True)
    torch.manual_seed(0)
    plain = Model()
    with FullyShardedDataParallel.summon_full_params(model):
        assert [n for n, _ in model.named_parameters()] == [n for n, _ in plain.named_parameters()]
        for own, right in zip(model.parameters(), plain.parameters()):
            assert torch.equal(own, right)
        with torch.no_grad():
            model.module.norm.weight.fill_(3)
            plain.norm.weight.fill_(3)
    with FullyShardedDataParallel.summon_full_params(model):
        assert model.norm.weight.tolist() == [3.0] * 6
    ids, target = batch(0, size)
    mine = slice(2 * rank, 2 * rank + 2)
    with model.no_sync():
        loss_of(model, ids[mine], target[mine]).backward()
    assert all(p.grad is None for p in model.parameters())
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
    assert [p.shape for p in model.parameters()] == [(10,), (4, 4), (4,)]
    model(torch.ones(2, 4)).sum().backward()
    assert model.module._flat_param.grad.shape == (10,)


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
    with FullyShardedDataParallel.summon_full_params(model):
        torch.testing.assert_close(model.module.weight.detach(), before - 1)


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
    check_same(model, plain)


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
    check_same_states(other, step, plain, right)


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
    check_same_states(other, step, plain, right)


def what_programs_see(rank, size):
    """One flat parameter for each wrapper, or what its piece has of each parameter that there was."""
    flat = FullyShardedDataParallel(nn.Linear(3, 3))
    (name, parameter), *others = flat.named_parameters()
    assert name == "_fsdp_wrapped_module._flat_param" and not others
    assert isinstance(parameter, FlatParameter) and type(parameter) is nn.Parameter
    assert parameter.shape == (6,) and flat.module.weight.shape == (3, 3)
    shown = FullyShardedDataParallel(nn.Linear(3, 3), use_orig_params=True)
    pieces = {name: tuple(p.shape) for name, p in shown.named_parameters()}
    # Twelve elements and three, each with room for whole vectors; so rank 1 has the last one of the weight.
    weight, bias = pieces["_fsdp_wrapped_module.weight"], pieces["_fsdp_wrapped_module.bias"]
    assert (weight, bias) == [((8,), (0,)), ((1,), (3,))][rank]
    assert not any(isinstance(p, FlatParameter) for p in shown.parameters())
    for model in (flat, shown):
        model(torch.ones(1, 3)).sum().backward()
        for p in model.parameters():
            assert p.grad is None if p.numel() == 0 else p.grad.shape == p.shape
    copied = FullyShardedDataParallel(
        nn.Linear(3, 3), use_orig_params=True, sharding_strategy=ShardingStrategy.NO_SHARD
    )
    assert [tuple(p.shape) for p in copied.parameters()] == [(3, 3), (3,)]
    block = FullyShardedDataParallel.summon_full_params(flat, with_grads=True)
    with pytest.raises(NotImplementedError, match="use_orig_params=False"), block:
        pass


def what_cannot_be_flat(rank, size):
    mixed = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).bfloat16())
    with pytest.raises(ValueError, match=r"uniform dtype but got torch.float32 and torch.bfloat16"):
        FullyShardedDataParallel(mixed)
    frozen = nn.Linear(2, 2)
    frozen.bias.requires_grad_(False)
    with pytest.raises(ValueError, match="uniform `requires_grad` when `use_orig_params=False`"):
        FullyShardedDataParallel(frozen)
    model = FullyShardedDataParallel(frozen, use_orig_params=True)
    model(torch.ones(1, 2)).sum().backward()
    assert model.module.bias.grad is None
    lonely = nn.Module()
    lonely.scale = nn.Parameter(torch.ones(()))
    with pytest.raises(ValueError, match="scale to a 1D tensor"):
        FullyShardedDataParallel(lonely)


def element_types(rank, size):
    """What is computed in fewer bits is not rounded where it lies."""
    for shows in (True, False):
        mixed = MixedPrecision(param_dtype=torch.bfloat16)
        model = FullyShardedDataParallel(made(), mixed_precision=mixed, use_orig_params=shows)
        ids, target = batch(0, size)
        for _ in range(2):
            loss_of(model, ids, target).backward()
            assert {p.grad.dtype for p in model.parameters() if p.grad is not None} == {
                torch.float32
            }
            check_same(model, made())
        torch.testing.assert_close(dict(model.state_dict()), dict(made().state_dict()))
        model.double()
        assert {p.dtype for p in model.parameters()} == {torch.float64}
        check_same(model, made().double())


def named_states(rank, size):
    """What `distributed.checkpoint.state_dict` gives, whole or in parts, goes into another kind of wrapper."""
    model, plain = FullyShardedDataParallel(made(), use_orig_params=True), made()
    optimizer, right = train(model, plain, rank, size)
    for options in (
        StateDictOptions(),
        StateDictOptions(full_state_dict=True),
        StateDictOptions(full_state_dict=True, flatten_optimizer_state_dict=True),
    ):
        held, states = get_state_dict(model, optimizer, options=options)
        assert sorted(held) == sorted(plain.state_dict())
        assert isinstance(held["table.weight"], DTensor) != options.full_state_dict
        other = FullyShardedDataParallel(Model())
        step = torch.optim.AdamW(other.parameters(), lr=0.5)
        set_state_dict(other, step, model_state_dict=held, optim_state_dict=states, options=options)
        assert step.param_groups[0]["lr"] == 0.05
        check_same(other, plain)
        check_same_states(other, step, plain, right)


def copies_and_tensor_parallel(rank, size):
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("outer", "inner"))
    for shows in (True, False):
        model = FullyShardedDataParallel(
            made(), sharding_strategy=ShardingStrategy.HYBRID_SHARD, device_mesh=mesh,
            use_orig_params=shows,
        )  # fmt: skip
        train(model, made(), rank, size)
    inner, plain = made(), made()
    for block in inner.blocks:
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        parallelize_module(block, mesh["inner"], plan)
    model = FullyShardedDataParallel(inner, device_mesh=mesh["outer"], use_orig_params=True)
    optimizers = [torch.optim.AdamW(m.parameters(), lr=0.05) for m in (model, plain)]
    for step in range(2):
        ids, target = batch(step, 2)
        mine = slice(2 * (rank // 2), 2 * (rank // 2) + 2)
        loss_of(model, ids[mine], target[mine]).backward()
        loss_of(plain, ids, target).backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    held = dict(model.state_dict())
    torch.testing.assert_close(held, dict(plain.state_dict()))
    check_same_states(model, optimizers[0], plain, optimizers[1])
    fresh = Model()
    for block in fresh.blocks:
        parallelize_module(block, mesh["inner"], plan)
    other = FullyShardedDataParallel(fresh, device_mesh=mesh["outer"])
    for form in (StateDictType.FULL_STATE_DICT, StateDictType.SHARDED_STATE_DICT):
        with FullyShardedDataParallel.state_dict_type(model, form):
            held = model.state_dict()
        other.load_state_dict(held)
        torch.testing.assert_close(dict(other.state_dict()), dict(plain.state_dict()))


def loading_tells_what_is_wrong(rank, size):
    for shows in (True, False):
        model = FullyShardedDataParallel(nn.Linear(3, 3), use_orig_params=shows)
        with pytest.raises(RuntimeError, match=r"size mismatch for _fsdp_wrapped_module.weight"):
            model.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.ones(3)})
        found = model.load_state_dict({"weight": torch.ones(3, 3), "more": torch.ones(1)}, False)
        assert found.missing_keys == ["bias"] and found.unexpected_keys == ["more"]
        assert model.state_dict()["weight"].tolist() == [[1.0] * 3] * 3


@pytest.mark.parametrize(
    "function",
    [strategies, policies, state_dicts, the_rest, scaled_losses, optimizers_made_before,
     states_of_the_first, what_programs_see, what_cannot_be_flat, element_types, named_states,
     loading_tells_what_is_wrong],
)  # fmt: skip
def test_several_processes(function):
    run(2, function)


def test_copies_and_tensor_parallel():
    run(4, copies_and_tensor_parallel)


def test_states_of_optimizers_from_checkpoints(tmp_path):
    run(2, states_from_a_checkpoint, tmp_path)


def test_on_one_process(tmp_path):
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    try:
        train(FullyShardedDataParallel(made()), made(), 0, 1)
    finally:
        dist.destroy_process_group()
