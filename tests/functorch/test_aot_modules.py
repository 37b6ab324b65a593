"""Modules through `aot_module`: two steps give the results, gradients and buffers that the module itself gives."""

import copy

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.functorch.compile import (
    aot_module,
    default_partition,
    min_cut_rematerialization_partition,
    nop,
)
from rushlight.utils import _pytree as pytree


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * 3


class Layer(nn.Module):
    """A product, and something of a program's own behind it."""

    def __init__(self, what):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.what = what

    def forward(self, *args):
        return self.what(self.linear, *args)


def with_function(linear, x):
    return Tripled.apply(linear(x)) + 1


def with_hook(linear, x):
    y = linear(x)
    y.register_hook(lambda grad: grad * 3)
    return y.sin()


def with_lower_precision(linear, x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = linear(x)
    return y.float() * 2


def with_indices(linear, x, index):
    y = torch.cat([linear.weight[index], x])
    z = torch.where(y > 0, y, y * 0.1)
    z[0] = 1.0
    return z.sort(0)[0], z.topk(2, 0)[0], z.cumsum(0)


def with_switches(linear, x):
    with torch.no_grad():
        scale = linear(x).abs().mean()
    y = linear(x).detach() + linear(x * scale)
    return y[:, :2], y


MODULES = {
    "mlp": (
        nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Dropout(0.3), nn.LayerNorm(8)),
        lambda: (torch.randn(5, 4),),
    ),
    "convolutions": (
        nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(4, 2, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        ),
        lambda: (torch.randn(2, 3, 8, 8),),
    ),
    "lstm": (nn.LSTM(4, 5, batch_first=True), lambda: (torch.randn(2, 3, 4),)),
    "gru": (nn.GRU(4, 5, 2, batch_first=True, dropout=0.2), lambda: (torch.randn(2, 3, 4),)),
    "attention": (
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), lambda: (torch.randn(2, 3, 8),)
    ),
    "embedding": (
        nn.Sequential(nn.Embedding(7, 4), nn.Linear(4, 3)), lambda: (torch.tensor([[1, 2], [3, 6]]),)
    ),
    "bags": (nn.EmbeddingBag(7, 4), lambda: (torch.tensor([[1, 2], [3, 6]]),)),
    "images": (
        nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(3, 4, 1)),
        lambda: (torch.randn(1, 3, 4, 4),),
    ),
    "function": (Layer(with_function), lambda: (torch.randn(3, 4),)),
    "hook": (Layer(with_hook), lambda: (torch.randn(3, 4),)),
    "precision": (Layer(with_lower_precision), lambda: (torch.randn(3, 4),)),
    "indices": (Layer(with_indices), lambda: (torch.randn(2, 4), torch.tensor([0, 3, 3]))),
    "switches": (Layer(with_switches), lambda: (torch.randn(2, 4),)),
}  # fmt: skip


def close(a, b):
    return (a is None) == (b is None) and (a is None or torch.allclose(a, b, 1e-4, 1e-4))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("partition", [default_partition, min_cut_rematerialization_partition])
@pytest.mark.parametrize("name", MODULES)
def test_two_steps(name, partition, dynamic):
    module, make = MODULES[name]
    one, other = copy.deepcopy(module), copy.deepcopy(module)
    compiled = aot_module(one, nop, partition_fn=partition, dynamic=dynamic)
    args = make()
    for _ in range(2):
        seen = []
        for run in compiled, other:
            given = [x.clone().requires_grad_(x.is_floating_point()) for x in args]
            torch.manual_seed(1)
            outs = pytree.tree_leaves(run(*given))
            sum(x.cos().sum() for x in outs if x.requires_grad).backward()
            seen.append([*outs, *(x.grad for x in given)])
        assert all(map(close, *seen))
        assert all(close(a.grad, b.grad) for a, b in zip(one.parameters(), other.parameters()))
        assert all(map(close, one.buffers(), other.buffers()))
