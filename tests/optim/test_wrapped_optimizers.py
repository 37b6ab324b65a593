"""Optimizers around others, which do not call the base's `__init__`."""

from collections import OrderedDict

import rushlight as torch


class Doubled(torch.optim.Optimizer):
    """Steps another optimizer twice."""

    def __init__(self, optimizer):
        self._optimizer_step_pre_hooks = OrderedDict()
        self._optimizer_step_post_hooks = OrderedDict()
        self.optimizer = optimizer
        self._patch_step_function()

    def step(self, closure=None):
        self.optimizer.step()
        self.optimizer.step()
        return "stepped"


def test_hooks_of_a_wrapper_run():
    weight = torch.nn.Parameter(torch.zeros(2))
    weight.grad = torch.ones(2)
    optimizer = Doubled(torch.optim.SGD([weight], lr=1.0))
    seen = []
    optimizer.register_step_pre_hook(lambda *given: seen.append("before"))
    optimizer.register_step_post_hook(lambda *given: seen.append("after"))
    assert optimizer.step() == "stepped" and seen == ["before", "after"]
    assert weight.tolist() == [-2.0, -2.0]
    assert Doubled.step.hooked and optimizer._zero_grad_profile_name.endswith("Doubled.zero_grad")
