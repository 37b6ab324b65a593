"""Pictures of exported programs and of what lazy tensors promise."""

from drawings import boxes_of

import rushlight as torch
from rushlight._command.explain.graphs import exported_picture, lazy_picture
from rushlight._lazy import metrics


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls.add_(1)
        return self.linear(x).relu()


def test_inputs_have_the_colours_of_their_kinds():
    program = torch.export.export(Net(), (torch.ones(4, 3),)).run_decompositions()
    found = boxes_of(exported_picture(program))
    assert found["p_linear_weight"] == found["p_linear_bias"] == found["parameter"]
    assert found["b_calls"] == found["buffer"]
    assert found["x"] == found["user input"]
    assert found["add"] == found["buffer mutation"]
    assert found["relu"] == found["user output"]


def test_a_promise_is_drawn_and_not_computed():
    x = torch.ones(4, 8).to("lazy")
    promised = (x * 2).sin()
    metrics.reset()
    found = boxes_of(lazy_picture([promised]))
    assert found["mul"] == found["sin"] == found["fused_mul_sin"]
    assert metrics.counter_value("UncachedCompile") == 0
    assert torch.equal(promised.cpu(), torch.full((4, 8), 2.0).sin())
