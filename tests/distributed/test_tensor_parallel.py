"""Modules in parts: what one process computes, several do together."""

import copy
import itertools

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from rushlight.distributed.tensor.experimental import _attention, context_parallel
from rushlight.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)


class Block(nn.Module):
    def __init__(self, width=8, hidden=12, classes=12):
        super().__init__()
        self.table = nn.Embedding(classes, width)
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.out = nn.Linear(width, classes)

    def forward(self, ids):
        x = self.table(ids)
        x = x + self.down(F.gelu(self.up(self.norm(x))))
        return self.out(x)


PLAN = {
    "table": RowwiseParallel(
        input_layouts=Replicate(), output_layouts=Shard(1), use_local_output=False
    ),
    "norm": SequenceParallel(),
    "up": ColwiseParallel(input_layouts=Shard(1)),
    "d*n": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
    "out": ColwiseParallel(
        input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False
    ),
}


def training(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    model = Block()
    plain = copy.deepcopy(model)
    assert parallelize_module(model, mesh, PLAN) is model
    assert model.up.weight.placements == (Shard(0),) and model.down.weight.placements == (Shard(1),)
    ids, target = torch.randint(0, 12, (3, 4)), torch.randint(0, 12, (3, 4))
    step = torch.optim.AdamW(model.parameters(), lr=0.1)
    other = torch.optim.AdamW(plain.parameters(), lr=0.1)
    for _ in range(2):
        with loss_parallel():
            loss = F.cross_entropy(
                model(ids).flatten(0, 1), distribute_tensor(target.flatten(), mesh)
            )
            loss.backward()
        right = F.cross_entropy(plain(ids).flatten(0, 1), target.flatten())
        right.backward()
        torch.testing.assert_close(loss.full_tensor(), right)
        for own, whole in zip(model.parameters(), plain.parameters(), strict=True):
            torch.testing.assert_close(own.grad.full_tensor(), whole.grad)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        torch.testing.assert_close(
            norm.full_tensor(), nn.utils.clip_grad_norm_(plain.parameters(), 0.1)
        )
        for optimizer in (step, other):
            optimizer.step()
            optimizer.zero_grad()
    for own, whole in zip(model.parameters(), plain.parameters()):
        torch.testing.assert_close(own.full_tensor(), whole.detach())


def losses(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    scores, target, weight = torch.randn(5, 7), torch.tensor([0, 6, 3, -100, 2]), torch.rand(7)
    for reduction in ("none", "mean", "sum"):
        for options in ({}, {"weight": weight}):
            plain = scores.clone().requires_grad_()
            right = F.cross_entropy(plain, target, reduction=reduction, **options)
            right.sum().backward()
            for lies in (Replicate(), Shard(0), Shard(1)):
                given = distribute_tensor(scores, mesh, [lies]).requires_grad_()
                more = {name: distribute_tensor(x, mesh) for name, x in options.items()}
                found = F.cross_entropy(
                    given, distribute_tensor(target, mesh), reduction=reduction, **more
                )
                torch.testing.assert_close(found.full_tensor(), right)
                found.sum().backward()
                torch.testing.assert_close(given.grad.full_tensor(), plain.grad)
                assert given.grad.placements == (lies,)


class Add(nn.Module):
    def forward(self, x, y=None):
        return x if y is None else x + y


def preparing(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    part = torch.full((1, 3), float(rank))
    style = PrepareModuleInput(
        input_layouts=Shard(0), desired_input_layouts=Replicate(),
        input_kwarg_layouts={"y": Shard(0)}, desired_input_kwarg_layouts={"y": Replicate()},
    )  # fmt: skip
    found = parallelize_module(Add(), mesh, style)(part, y=part)
    assert isinstance(found, DTensor) and found.placements == (Replicate(),)
    assert found.to_local().tolist() == [[2.0 * r] * 3 for r in range(size)]
    style = PrepareModuleOutput(output_layouts=Shard(0), desired_output_layouts=Replicate())
    assert parallelize_module(Add(), mesh, style)(part).shape == (size, 3)
    style = PrepareModuleInputOutput(
        input_layouts=(Shard(0),), desired_input_layouts=(Replicate(),), use_local_input=True,
        output_layouts=Replicate(), desired_output_layouts=Shard(0),
    )  # fmt: skip
    assert torch.equal(parallelize_module(Add(), mesh, style)(part), part)
    with pytest.raises(ValueError, match="same length"):
        parallelize_module(Add(), mesh, style)(part, part)
    with pytest.raises(NotImplementedError, match=r"nn.Linear and nn.Embedding"):
        parallelize_module(nn.Conv2d(1, 1, 1), mesh, ColwiseParallel())
    with pytest.warns(UserWarning, match="could not be resolved"):
        parallelize_module(Add(), mesh, {"other": ColwiseParallel()})


def attention(rank, size):
    """Heads are spread over devices."""
    mesh = dist.init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 4, 5, 3) for _ in range(3))
    for lies in (Shard(0), Shard(1)):
        plain = [x.clone().requires_grad_() for x in (q, k, v)]
        given = [distribute_tensor(x, mesh, [lies]).requires_grad_() for x in (q, k, v)]
        right = F.scaled_dot_product_attention(*plain, is_causal=True)
        found = F.scaled_dot_product_attention(*given, is_causal=True)
        assert found.placements == (lies,)
        torch.testing.assert_close(found.full_tensor(), right)
        right.sin().sum().backward()
        found.sin().sum().backward()
        for a, b in zip(given, plain):
            torch.testing.assert_close(a.grad.full_tensor(), b.grad)


def positions(rank, size):
    """Positions of sequences are spread over processes."""
    mesh = dist.init_device_mesh("cpu", (size,))
    torch.manual_seed(0)
    for balances, is_causal in itertools.product((True, False), repeat=2):
        _attention._cp_options.enable_load_balance = balances
        plain = [torch.randn(2, 3, 8, 4, requires_grad=True) for _ in range(3)]
        right = F.scaled_dot_product_attention(*plain, is_causal=is_causal)
        right.sin().sum().backward()
        given = [x.detach().clone() for x in plain]
        with context_parallel(mesh, buffers=given, buffer_seq_dims=[2] * 3):
            parts = [x.detach().clone().requires_grad_() for x in given]
            assert parts[0].shape == (2, 3, 8 // size, 4)
            found = F.scaled_dot_product_attention(*parts, is_causal=is_causal)
            found.sin().sum().backward()
            grads = [x.grad for x in parts]
        assert torch.equal(given[0], plain[0])
        (found,) = _attention.context_parallel_unshard(mesh, [found], [2])
        torch.testing.assert_close(found, right)
        for own, whole in zip(_attention.context_parallel_unshard(mesh, grads, [2] * 3), plain):
            torch.testing.assert_close(own, whole.grad)
    odd = context_parallel(mesh, buffers=[torch.ones(7)], buffer_seq_dims=[0])
    with pytest.raises(ValueError, match="cannot be cut"), odd:
        pass


@pytest.mark.parametrize(
    "function, size",
    [(positions, 2), (training, 2), (training, 3), (losses, 2), (preparing, 2), (attention, 2)],
)
def test_several_processes(function, size):
    run(size, function)
