"""Modules of graphs whose code is written when it is asked for."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight.fx import GraphModule, symbolic_trace
from rushlight.fx._lazy_graph_module import (
    _force_skip_lazy_graph_module,
    _LazyGraphModule,
    _make_graph_module,
    _use_lazy_graph_module,
)


def plus_one(x):
    return x + 1


@pytest.fixture
def module():
    return _LazyGraphModule({}, symbolic_trace(plus_one).graph)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m(torch.ones(2)),
        lambda m: m.forward,
        lambda m: m.code,
        lambda m: type(m).forward(m, torch.ones(1)),
        str,
        _LazyGraphModule.force_recompile,
    ],
)
def test_what_writes_the_code(module, ask):
    assert module._needs_recompile()
    ask(module)
    assert not module._needs_recompile()
    assert module(torch.ones(2)).tolist() == [2, 2]


def test_another_graph_is_written_anew(module):
    assert module(torch.ones(1)).tolist() == [2]
    node = next(n for n in module.graph.nodes if n.op == "call_function")
    node.args = (node.args[0], 5)
    assert module(torch.ones(1)).tolist() == [2]
    module.recompile()
    assert module._needs_recompile()
    assert module(torch.ones(1)).tolist() == [6]
    assert "x + 5" in module.code


def test_copies_and_pickles(module):
    for made in (copy.copy(module), copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert isinstance(made, GraphModule) and made(torch.ones(1)).tolist() == [2]


def test_which_modules_are_lazy():
    graph = symbolic_trace(plus_one).graph

    def is_lazy():
        return isinstance(_make_graph_module({}, graph), _LazyGraphModule)

    assert not is_lazy()
    with _use_lazy_graph_module(True):
        assert is_lazy()
        with _force_skip_lazy_graph_module():
            assert not is_lazy()
            with _use_lazy_graph_module(True):
                assert not is_lazy()
        with _use_lazy_graph_module(False):
            assert not is_lazy()
        assert is_lazy()
    plain = GraphModule({}, graph)
    made = _LazyGraphModule.from_graphmodule(plain)
    assert isinstance(made, _LazyGraphModule) and made is _LazyGraphModule.from_graphmodule(made)
