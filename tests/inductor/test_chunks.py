"""Graphs as several calls: where they are long, and where memory can be given back between them."""

import pytest

import rushlight as torch
from rushlight._functorch._aot_autograd.utils import OWNED
from rushlight._inductor import chunks
from rushlight.fx.experimental.proxy_tensor import make_fx


def graph_of(count, size=4, owned=False):
    def run(x, *kept):
        for value in kept:
            x = torch.sin(x) * value
        return (x,)

    given = [torch.ones(size) for _ in range(count + 1)]
    made = make_fx(run)(*given)
    for node in made.graph.find_nodes(op="placeholder")[1:] if owned else ():
        node.meta[OWNED] = size * 4
    return made, run, given


@pytest.mark.parametrize("count, calls", [(3, 1), (40, 1), (41, 2), (100, 3)])
def test_long_graphs_are_cut(count, calls):
    made, run, given = graph_of(count)
    assert len(chunks._cut(made.graph)) == calls
    box = list(given)
    (found,) = chunks.boxed(made)(box)
    assert torch.equal(found, run(*given)[0])
    assert bool(box) == (calls == 1)


def test_what_is_owned_is_let_go_of(collect):
    size = chunks.ENOUGH_BYTES // 4
    made, _, given = graph_of(6, size, owned=True)
    assert [len(one) for one in chunks._cut(made.graph)] == [2] * 6
    run_boxed = chunks.boxed(made)
    for _ in range(3):
        given = [torch.ones(size) for _ in range(7)]
        box, given = given, None
        collect()
        before = torch.cpu.memory_allocated()
        torch.cpu.reset_peak_memory_stats()
        run_boxed(box)
    # A sine and a product are made in each call, while what earlier ones read is gone.
    assert torch.cpu.max_memory_allocated() - before <= 2 * size * 4


def test_items_stay_with_what_gives_them():
    def run(x):
        for _ in range(60):
            x, _ = torch.max(x.sin().view(2, 2), 1, keepdim=True)
            x = x.expand(2, 2).reshape(4)
        return (x,)

    made = make_fx(run)(torch.ones(4))
    found = chunks._cut(made.graph)
    assert len(found) > 1
    for chunk in found:
        for node in chunk:
            if node.target.__name__ == "getitem":
                assert node.args[0] in chunk
    assert torch.equal(chunks.boxed(made)([torch.ones(4)])[0], run(torch.ones(4))[0])


def step_of(model, compiled):
    run = torch.compile(model) if compiled else model
    x = torch.ones(256, 256)

    def step():
        model.zero_grad()
        run(x).sum().backward()

    return step


def test_a_step_takes_hardly_more_memory_than_uncompiled(collect):
    layers = [m for _ in range(12) for m in (torch.nn.Linear(256, 256), torch.nn.Tanh())]
    peaks = []
    for compiled in (False, True):
        step = step_of(torch.nn.Sequential(*layers), compiled)
        for _ in range(4):
            step()
        torch.nn.Sequential(*layers).zero_grad()
        collect()
        before = torch.cpu.memory_allocated()
        torch.cpu.reset_peak_memory_stats()
        step()
        peaks.append(torch.cpu.max_memory_allocated() - before)
    # Twice as much if nothing was let go of before the end. What a layer kept lives as long as the call that reads it.
    of_layer = 256 * 256 * 4
    assert peaks[1] <= peaks[0] + of_layer + chunks.ENOUGH_BYTES, peaks


def test_graphs_that_are_kept_can_be_passed_again():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())
    loss = torch.compile(model)(torch.ones(2, 4)).sum()
    loss.backward(retain_graph=True)
    first = model[0].weight.grad.clone()
    loss.backward()
    assert torch.equal(model[0].weight.grad, 2 * first)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()
