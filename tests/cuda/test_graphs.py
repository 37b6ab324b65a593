"""CUDA graphs: their memory, streams that join, what cannot be recorded, and functions made of graphs."""

from __future__ import annotations

import contextlib
import copy
import gc

import pytest

import rushlight as torch
from rushlight import nn


def reserved():
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return torch.cuda.memory_reserved()


def test_a_stream_that_joins_has_the_graph_s_memory(with_stand_in):
    with_stand_in(seed=3)
    x, side = torch.ones(1000, device="cuda"), torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            y = (x + 1) * 2
        torch.cuda.current_stream().wait_stream(side)
        z = y + 1
    here = [torch.full((1000,), 9.0, device="cuda") for _ in range(6)]
    with torch.cuda.stream(side):
        there = [torch.full((1000,), 9.0, device="cuda") for _ in range(6)]
    side.synchronize()
    for k in range(3):
        x.fill_(k)
        graph.replay()
        assert z.tolist() == [2.0 * (k + 1) + 1] * 1000
    assert all(t.eq(9).all() for t in here + there)


def test_memory_goes_back_with_the_last_graph_that_has_it(cuda):
    before = reserved()
    pool = torch.cuda.graph_pool_handle()
    graphs = [torch.cuda.CUDAGraph() for _ in range(2)]
    results = []
    for graph in graphs:
        with torch.cuda.graph(graph, pool=pool):
            results.append(torch.ones(1 << 20, device="cuda") * 2)
        assert graph.pool() == pool
    graphs[0].reset()
    assert reserved() >= before + (8 << 20)
    graphs[1].replay()
    assert results[1][:2].tolist() == [2.0, 2.0]
    del graph, graphs
    # What tensors have stays; the rest is for others.
    assert reserved() < before + (60 << 20) and results[1][:2].tolist() == [2.0, 2.0]
    results.clear()
    assert reserved() == before


def test_a_graph_that_ends_while_another_is_recorded_gives_back_later(cuda):
    before = reserved()
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    x = torch.ones(4, device="cuda")
    with torch.cuda.graph(first):
        x + 1
    with torch.cuda.graph(second):
        y = x + 2
        first.reset()
        z = y * 2
    second.replay()
    assert z.tolist() == [6.0] * 4
    del x, y, z, second
    assert reserved() == before


def test_graphs_may_have_a_program_s_pool(cuda):
    pool = torch.cuda.MemPool()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool.id):
        x = torch.ones(100, device="cuda")
    assert pool.use_count() == 2 and graph.pool() == pool.id
    assert any(
        s["address"] <= x.data_ptr() < s["address"] + s["total_size"] for s in pool.snapshot()
    )
    graph.reset()
    assert pool.use_count() == 1


def refused(text):
    return pytest.raises(torch.AcceleratorError, match=text)


def recording():
    return torch.cuda.graph(torch.cuda.CUDAGraph())


def test_what_ends_a_capture(with_stand_in):
    with_stand_in(seed=1)
    x, side = torch.ones(3, device="cuda"), torch.cuda.Stream()
    for wait in (lambda: x.sum().item(), torch.cuda.synchronize, x.cpu):
        with refused("not permitted when stream is capturing"), recording():
            wait()
    with refused("previous error during capture"), recording(), contextlib.suppress(RuntimeError):
        x.tolist()
    with refused("unjoined work"), recording():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            x + 1
    with torch.cuda.stream(side):
        event = side.record_event()
    with refused("uncaptured work"), recording():
        event.wait()
    recorded = torch.cuda.Event()
    with recording():
        recorded.record()
    with refused("last recorded in a capturing stream"):
        recorded.synchronize()
    # The next one is recorded as if nothing had been.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 3
    graph.replay()
    assert y.tolist() == [3.0] * 3


def layers():
    return nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6)).cuda()


def test_functions_that_run_one_after_the_other(with_stand_in):
    with_stand_in(seed=2)
    torch.manual_seed(0)
    parts = layers(), layers(), layers()
    plain = copy.deepcopy(parts)
    samples = [(torch.randn(4, 6, device="cuda", requires_grad=True),) for _ in parts]
    graphed = torch.cuda.make_graphed_callables(parts, tuple(samples))
    assert graphed == parts
    for _ in range(2):
        x = torch.randn(4, 6, device="cuda")
        found = []
        for net in (graphed, plain):
            given = x.clone().requires_grad_()
            weights = [p for part in net for p in part.parameters()]
            made = net[2](net[1](net[0](given))).square().sum()
            found.append([made, *torch.autograd.grad(made, [given, *weights])])
        for one, other in zip(*found):
            torch.testing.assert_close(one, other)


def test_functions_of_nested_tensors(cuda):
    def function(pair, other):
        return {"sum": pair["a"] + pair["b"], "rest": (pair["a"] * other, other.long())}

    def inputs():
        a, b, c = (torch.randn(3, device="cuda") for _ in range(3))
        return {"a": a.requires_grad_(), "b": b}, c

    graphed = torch.cuda.make_graphed_callables(function, inputs())
    given = inputs()
    found, wanted = graphed(*given), function(*given)
    assert torch.equal(found["sum"], wanted["sum"]) and torch.equal(
        found["rest"][0], wanted["rest"][0]
    )
    assert torch.equal(found["rest"][1], wanted["rest"][1]) and not found["rest"][1].requires_grad
    (found["sum"].sum() + found["rest"][0].sum()).backward()
    assert torch.allclose(given[0]["a"].grad, 1 + given[1])


def test_a_module_s_graph_is_for_the_mode_that_it_was_in(cuda):
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).cuda().eval()
    x = torch.ones(2, 3, device="cuda")
    torch.cuda.make_graphed_callables(net, (x,))
    assert torch.equal(net(x), net[0](x))
    net.train()
    assert any(not torch.equal(net(x), net[0](x)) for _ in range(5))


def test_functions_that_cannot_be_graphs(cuda):
    x = torch.ones(2, 2, device="cuda")
    net = nn.Linear(2, 2).cuda()
    with pytest.raises(AssertionError, match="must contain only Tensors"):
        torch.cuda.make_graphed_callables(lambda a, n: a * n, (x, 2))
    hook = net.register_forward_hook(lambda *given: None)
    with pytest.raises(AssertionError, match="must not have hooks"):
        torch.cuda.make_graphed_callables(net, (x,))
    hook.remove()
    net.register_buffer("more", torch.ones(1, device="cuda", requires_grad=True))
    with pytest.raises(AssertionError, match="only parameters may be trainable"):
        torch.cuda.make_graphed_callables(net, (x,))
    with (
        torch.autocast("cuda"),
        pytest.raises(RuntimeError, match="does not support the autocast caching"),
    ):
        torch.cuda.make_graphed_callables(torch.relu, (x,))
