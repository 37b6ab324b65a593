"""Steps of optimizers that graphs hold (``capturable``): beside the same without a graph."""

from __future__ import annotations

import copy

import pytest

import rushlight as torch
from rushlight import nn

NAMES = ["Adam", "AdamW", "RMSprop", "NAdam", "RAdam", "Adamax", "Adadelta", "ASGD", "Rprop"]


def pair(name, **settings):
    torch.manual_seed(0)
    net = nn.Linear(3, 2).cuda()
    other = copy.deepcopy(net)
    kind = getattr(torch.optim, name)
    more = {"t0": 3} if name == "ASGD" else {}
    return (
        (net, kind(net.parameters(), lr=0.1, capturable=True, **more, **settings)),
        (other, kind(other.parameters(), lr=0.1, **more)),
    )


def step(net, optimizer, x):
    optimizer.zero_grad(set_to_none=True)
    net(x).square().mean().backward()
    optimizer.step()


@pytest.mark.parametrize("name", NAMES)
def test_steps_of_a_graph(cuda, name):
    graphed, plain = pair(name)
    x = torch.randn(5, 3).cuda()

    def check():
        for one, other in zip(graphed[0].parameters(), plain[0].parameters()):
            # Powers of single precision.
            torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-3)

    for _ in range(7):
        step(*graphed, x)
        step(*plain, x)
    check()
    graph = torch.cuda.CUDAGraph()
    graphed[1].zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        graphed[0](x).square().mean().backward()
        graphed[1].step()
    for _ in range(3):
        graph.replay()
        step(*plain, x)
    check()
    counts = [s["step"] for s in graphed[1].state.values()]
    assert all(c.device == x.device and c.item() == 10 for c in counts)


def test_a_step_that_a_graph_would_repeat_is_refused(cuda):
    _, plain = pair("Adam")
    x = torch.ones(5, 3, device="cuda")
    step(*plain, x)
    with (
        pytest.raises(
            RuntimeError, match=r"capture of step\(\) for an instance of Adam but param_groups"
        ),
        torch.cuda.graph(torch.cuda.CUDAGraph()),
    ):
        plain[1].step()


def test_counts_of_steps_are_beside_the_parameters(cuda):
    graphed, plain = pair("AdamW")
    x = torch.ones(5, 3, device="cuda")
    step(*plain, x)
    loaded = plain[1].state_dict()
    loaded["param_groups"][0]["capturable"] = True
    graphed[1].load_state_dict(loaded)
    assert all(s["step"].is_cuda for s in graphed[1].state.values())
    step(*graphed, x)
    for state in graphed[1].state.values():
        state["step"] = state["step"].cpu()
    with pytest.raises(AssertionError, match="params and state_steps must be on supported devices"):
        graphed[1].step()


def test_a_rate_that_is_a_tensor_may_change_between_replays(cuda):
    graphed, plain = pair("Adam")
    rate = torch.tensor(0.1, device="cuda")
    graphed[1].param_groups[0]["lr"] = rate
    x = torch.ones(5, 3, device="cuda")
    for _ in range(3):
        step(*graphed, x)
        step(*plain, x)
    graph = torch.cuda.CUDAGraph()
    graphed[1].zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        graphed[0](x).square().mean().backward()
        graphed[1].step()
    for value in (0.5, 0.01):
        rate.fill_(value)
        plain[1].param_groups[0]["lr"] = value
        graph.replay()
        step(*plain, x)
    for one, other in zip(graphed[0].parameters(), plain[0].parameters()):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)
