"""Steps for which there is not enough memory: the next one goes on from what was known."""

import contextlib

import pytest

import rushlight as torch
from rushlight.engine.native import memory

PLAIN = [
    cls for cls in vars(torch.optim).values()
    if isinstance(cls, type) and issubclass(cls, torch.optim.Optimizer)
    and cls not in (torch.optim.Optimizer, torch.optim.SparseAdam)
]  # fmt: skip


@pytest.mark.parametrize("earlier", [0, 2])
@pytest.mark.parametrize("cls", PLAIN)
def test_the_next_step_is_made(cls, earlier):
    for number in range(1, 400):
        weight = torch.nn.Parameter(torch.arange(12.0).view(4, 3))
        optimizer = cls([weight])

        def closure(weight=weight, optimizer=optimizer):
            optimizer.zero_grad()
            loss = (weight * weight).sum()
            loss.backward()
            return loss

        for _ in range(earlier):
            optimizer.step(closure)
        with memory.failing_request(number):
            with contextlib.suppress(torch.OutOfMemoryError):
                optimizer.step(closure)
            came = memory.has_failed()
        before = weight.detach().clone()
        optimizer.step(closure)
        assert weight.isfinite().all()
        if not came:
            return
        assert not weight.equal(before) or cls is torch.optim.LBFGS
    raise AssertionError("a step makes fewer requests")
