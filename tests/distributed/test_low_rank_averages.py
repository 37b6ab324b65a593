"""Gradients averaged as matrices of low rank."""

import copy
import pickle

import pytest
from several import run

import rushlight as torch
from rushlight import nn
from rushlight.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import (
    PowerSGDState,
    batched_powerSGD_hook,
    powerSGD_hook,
)
from rushlight.nn.parallel import DistributedDataParallel


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))


def gradients(model, data):
    model.zero_grad()
    model(data).square().sum(1).mean().backward()
    return [p.grad.clone() for p in model.parameters()]


def steps(rank, size, hook, count, **settings):
    """What the hook's gradients are in each step, and what plain averages are."""
    model, plain = DistributedDataParallel(network()), DistributedDataParallel(network())
    state = PowerSGDState(None, start_powerSGD_iter=2, **settings)
    model.register_comm_hook(state, hook)
    torch.manual_seed(1 + rank)
    data = torch.randn(4, 6)
    found = [(gradients(model, data), gradients(plain, data)) for _ in range(count)]
    return state, found


def full_rank(rank, size):
    """With as many columns as a matrix has, nothing is left out."""
    for together in (False, True):
        state, found = steps(
            rank, size, powerSGD_hook, 4, matrix_approximation_rank=8, min_compression_rate=0,
            batch_tensors_with_same_shape=together,
        )  # fmt: skip
        for own, right in found:
            torch.testing.assert_close(own, right)
        assert state.iter == 4


def what_is_left_out(rank, size):
    """It comes in later steps: over many, the mean is that of the gradients."""
    for hook in (powerSGD_hook, batched_powerSGD_hook):
        settings = {"min_compression_rate": 1, "orthogonalization_epsilon": 1e-8}
        state, found = steps(rank, size, hook, 60, **settings)
        late = found[2:]
        own, right = (
            torch.stack([torch.cat([g.flatten() for g in pair[k]]) for pair in late])
            for k in range(2)
        )
        assert (own[0] - right[0]).norm() > 0.05 * right[0].norm()
        assert (own.mean(0) - right.mean(0)).norm() < 0.1 * right[0].norm()
        rate, before, after = state.compression_stats()
        assert before == 58 * right.shape[1] and rate == before / after > 1


def memory(rank, size):
    state, _ = steps(rank, size, powerSGD_hook, 3, min_compression_rate=1)
    assert state.p_memory_dict and state.error_dict
    again = pickle.loads(pickle.dumps(state))
    assert again.iter == 3 and torch.equal(again.error_dict[0], state.error_dict[0])
    assert copy.copy(again).process_group.size() == size
    state, _ = steps(
        rank, size, powerSGD_hook, 3, use_error_feedback=False, warm_start=False,
        min_compression_rate=1,
    )  # fmt: skip
    assert not state.p_memory_dict and not state.error_dict


@pytest.mark.parametrize("function", [full_rank, what_is_left_out, memory])
def test_averages_of_low_rank(function):
    run(2, function)


def test_the_first_steps_are_plain():
    with pytest.raises(ValueError, match=r"Expect `start_powerSGD_iter` > 1"):
        PowerSGDState(None, start_powerSGD_iter=1)
    settings = {"use_error_feedback": False, "warm_start": False}
    assert PowerSGDState(None, start_powerSGD_iter=0, **settings).compression_stats() == (0, 0, 0)
