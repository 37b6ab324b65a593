"""Wrappers that compute modules again for their gradients."""

import copy

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    CheckpointWrapper,
    OffloadWrapper,
    apply_activation_checkpointing,
    checkpoint_wrapper,
    offload_wrapper,
)
from rushlight.distributed.fsdp.wrap import ModuleWrapPolicy


class Counted(nn.Linear):
    calls = 0

    def forward(self, input, scale=1.0):
        type(self).calls += 1
        return super().forward(input) * scale


def model():
    torch.manual_seed(0)
    return nn.Sequential(Counted(3, 4), nn.ReLU(), nn.Sequential(Counted(4, 2)))


def gradients(module, x):
    module(x).square().sum().backward()
    return [p.grad for p in module.parameters()]


@pytest.mark.parametrize("how", CheckpointImpl)
def test_modules_are_computed_again(how):
    plain = model()
    wrapped = copy.deepcopy(plain)
    apply_activation_checkpointing(
        wrapped,
        lambda m: checkpoint_wrapper(m, checkpoint_impl=how),
        check_fn=lambda m: isinstance(m, Counted),
    )
    assert isinstance(wrapped[0], CheckpointWrapper) and isinstance(
        wrapped[2][0], CheckpointWrapper
    )
    x = torch.randn(5, 3, requires_grad=True)
    wanted = gradients(plain, x)
    Counted.calls = 0
    torch.testing.assert_close(gradients(wrapped, x), wanted)
    assert Counted.calls == 4


def test_names_are_those_without_wrappers():
    plain, wrapped = model(), model()
    apply_activation_checkpointing(wrapped, auto_wrap_policy=ModuleWrapPolicy({Counted, nn.ReLU}))
    assert isinstance(wrapped[1], CheckpointWrapper)
    names = [name for name, _ in plain[0].named_parameters()]
    assert [name for name, _ in wrapped[0].named_parameters()] == names
    assert list(wrapped.state_dict()) == list(plain.state_dict())
    with torch.no_grad():
        plain[0].weight.fill_(7)
    wrapped.load_state_dict(plain.state_dict())
    assert wrapped[0].weight.eq(7).all()
    plain.load_state_dict(wrapped.state_dict())
    assert (
        wrapped[0].in_features == 3
        and wrapped[0]._checkpoint_wrapped_module.weight is wrapped[0].weight
    )


@pytest.mark.parametrize("how", CheckpointImpl)
def test_keywords(how):
    module = checkpoint_wrapper(Counted(3, 2), how)
    x = torch.ones(1, 3, requires_grad=True)
    torch.testing.assert_close(module(x, scale=2.0), 2 * module(x))
    module(x, scale=2.0).sum().backward()
    torch.testing.assert_close(x.grad, 2 * module.weight.sum(0, keepdim=True))


def test_a_function_of_the_program():
    seen = []

    def make(function, *args, word):
        seen.append(word)
        return function(*args)

    module = checkpoint_wrapper(nn.Linear(2, 2), checkpoint_fn=make, word="here")
    module(torch.ones(1, 2))
    assert seen == ["here"]


def test_kept_on_the_host():
    module = offload_wrapper(nn.Sequential(nn.Linear(2, 2), nn.Tanh()))
    assert isinstance(module, OffloadWrapper) and isinstance(module[1], nn.Tanh)
    x = torch.ones(1, 2, requires_grad=True)
    module(x).sum().backward()
    assert x.grad is not None
