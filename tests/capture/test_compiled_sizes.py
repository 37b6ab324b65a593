"""Sizes and integers that vary: what is a symbol of a graph, and how often programs are captured."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.fx.experimental.symbolic_shapes import ConstraintViolationError

pytestmark = pytest.mark.skipif(
    not torch._dynamo.is_dynamo_supported(), reason="the bytecode of this Python is not known"
)
config = torch._dynamo.config


def graphs_of(function, calls, **options):
    """The graphs that calls of a function make, which give what the function gives."""
    graphs = []

    def keep(module, examples):
        graphs.append(module)
        return module.forward

    made = torch.compile(function, backend=keep, **options)
    for args in calls:
        assert repr(made(*args)) == repr(function(*args))
    return graphs


def rows(*numbers):
    return [(torch.ones(n, 3),) for n in numbers]


def inputs_of(graph):
    return [node.name for node in graph.graph.nodes if node.op == "placeholder"]


def test_a_size_that_has_varied_is_a_symbol():
    graphs = graphs_of(lambda x: x + x.shape[0], rows(2, 3, 4, 5, 9))
    assert list(map(inputs_of, graphs)) == [["l_x_"], ["s77", "l_x_"]]


def test_sizes_of_one_and_none_are_numbers():
    assert len(graphs_of(lambda x: x * 2, rows(4, 5, 1, 0, 6))) == 4


def test_all_or_no_sizes_are_symbols_if_a_program_says_so():
    assert len(graphs_of(lambda x: x * 2, rows(4, 5, 6), dynamic=True)) == 1
    assert len(graphs_of(lambda x: x * 2, rows(4, 5, 6), dynamic=False)) == 3
    with config.patch(assume_static_by_default=False):
        assert len(graphs_of(lambda x: x * 2, rows(4, 5, 6))) == 1
    with config.patch(automatic_dynamic_shapes=False):
        assert len(graphs_of(lambda x: x * 2, rows(4, 5, 6))) == 3


def test_integers_that_vary_are_inputs():
    calls = [(torch.ones(3), n) for n in (2, 3, 4, 5, -7)]
    graphs = graphs_of(lambda x, n: x * n + n, calls)
    assert list(map(inputs_of, graphs)) == [["l_x_"], ["l_x_", "l_n_"]]
    with config.patch(specialize_int=True):
        assert len(graphs_of(lambda x, n: x * n, calls)) == 5


def test_integers_of_modules_are_numbers():
    class Scaled(torch.nn.Module):
        def __init__(self, by):
            super().__init__()
            self.by = by

        def forward(self, x):
            return x * self.by

    graphs = graphs_of(lambda m, x: m(x), [(Scaled(n), torch.ones(2)) for n in (2, 3, 4)])
    assert len(graphs) == 3


def test_what_is_asked_of_sizes_is_guarded():
    def run(x):
        return x * 2 if x.shape[0] > 4 else x + 1

    assert len(graphs_of(run, rows(2, 3, 5, 4, 9), dynamic=True)) == 2


def test_results_and_objects_hold_sizes():
    def run(x):
        half = x.shape[0] // 2
        return half, [x.size(), {half: x.numel()}], f"{x.shape}", x[: half + 1].sum(0)

    graphs_of(run, rows(4, 5, 6, 4))


def test_sizes_go_on_behind_the_end_of_a_graph():
    def run(x):
        count = x.shape[0] + 1
        torch._dynamo.graph_break()
        return x * count

    assert len(graphs_of(run, rows(2, 3, 4, 5))) <= 4


def test_marks():
    x = torch.ones(4, 3)
    torch._dynamo.mark_dynamic(x, 0)
    assert len(graphs_of(lambda x: x * 2, [(x,), (torch.ones(5, 3),)])) == 1
    with pytest.raises(ConstraintViolationError, match=r"L\['x'\].size\(\)\[0\] as dynamic"):
        torch.compile(lambda x: x * 2 if x.shape[0] == 4 else x, backend="eager")(x)
    y = torch.ones(4, 3)
    torch._dynamo.maybe_mark_dynamic(y, 0)
    torch.compile(lambda x: x * 2 if x.shape[0] == 4 else x, backend="eager")(y)
    z = torch.ones(4, 3)
    torch._dynamo.mark_static(z, 0)
    graphs = graphs_of(lambda x: x * 2, [(z,)], dynamic=True)
    assert inputs_of(graphs[0]) == ["s27", "l_x_"]
    with pytest.raises(TypeError, match="mark_static expects a tensor"):
        torch._dynamo.mark_static(3)


def test_an_unbacked_size_cannot_be_asked_for():
    x = torch.ones(4, 3)
    torch._dynamo.mark_unbacked(x, 0)
    made = torch.compile(lambda x: x * 2 if x.shape[0] == 4 else x, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="data-dependent"):
        made(x)
    assert len(graphs_of(lambda x: x * 2, [(x,), (torch.ones(7, 3),)])) == 1


def test_elements_are_symbols_if_a_setting_says_so():
    def run(x):
        return x * x.sum().item()

    with config.patch(capture_scalar_outputs=True):
        made = torch.compile(run, backend="eager", fullgraph=True)
        assert torch.equal(made(torch.ones(3)), torch.full((3,), 3.0))


def test_limits_of_recompilation(caplog):
    def run(x, n):
        return x + n

    calls = [(torch.ones(2), f) for f in (0.5, 1.5, 2.5, 3.5)]
    with config.patch(recompile_limit=2):
        assert len(graphs_of(run, calls)) == 2
        made = torch.compile(run, backend="eager", fullgraph=True)
        with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="fullgraph=True"):
            [made(*call) for call in calls]
    assert "hit config.recompile_limit (2)" in caplog.text
    with config.patch(accumulated_recompile_limit=3):
        assert len(graphs_of(run, calls)) == 3
    with config.patch(error_on_recompile=True):
        made = torch.compile(run, backend="eager")
        made(*calls[0])
        with pytest.raises(torch._dynamo.exc.RecompileError, match="guard failure"):
            made(*calls[1])
    with config.patch(cache_size_limit=1):
        assert config.recompile_limit == 1
    with config.patch(disable=True):
        assert graphs_of(run, calls) == []
