"""Folding of constants, fusion, normalised arguments, rewritten programs."""

import operator

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.fx.experimental import meta_tracer
from rushlight.fx.experimental.const_fold import split_const_subgraphs
from rushlight.fx.experimental.normalize import NormalizeArgs, NormalizeOperators
from rushlight.fx.experimental.optimization import fuse, optimize_for_inference, remove_dropout
from rushlight.fx.experimental.rewriter import RewritingTracer


class Constant(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.full((2,), 3.0))

    def forward(self, x):
        total = self.a + self.b
        return x * total + (total - self.a)


def test_constants_are_computed_once():
    module, x = split_const_subgraphs(Constant()), torch.tensor([1.0, 2.0])
    assert torch.equal(module(x), Constant()(x))
    assert module.has_folding_been_run and len(module._FX_CONST_FOLDED_ATTRS) == 2
    assert [n.target for n in module.graph.nodes if n.op == "get_attr"].count("a") == 0
    with torch.no_grad():
        module.const_subgraph_module.a.add_(1)
    assert torch.equal(module(x), Constant()(x))


def test_nothing_constant_is_nothing_folded():
    module = split_const_subgraphs(nn.Sequential(nn.ReLU()))
    assert module.const_subgraph_module is None and module(torch.tensor(-1.0)) == 0


def test_normalisations_become_part_of_convolutions():
    net = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout()).eval()
    net[1].running_mean.fill_(0.5)
    x = torch.randn(2, 1, 3, 3)
    fused = fuse(net)
    assert [n.target for n in fused.graph.nodes if n.op == "call_module"] == ["0", "2", "3"]
    torch.testing.assert_close(fused(x), net(x))
    assert len(remove_dropout(net).graph.nodes) == 5
    torch.testing.assert_close(optimize_for_inference(net)(x), net(x))
    with pytest.raises(NotImplementedError, match="MKL-DNN"):
        optimize_for_inference(net, {"mkldnn_layout_optimize": True})


def test_arguments_by_name():
    module = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2)))
    assert 'getattr(self, "0")(input = input_1)' in NormalizeArgs(module).transform().code


def test_operators_for_functions():
    module = fx.symbolic_trace(lambda x, y: torch.add(x, y))
    changed = NormalizeOperators(module).transform()
    assert changed.graph.find_nodes(op="call_function", target=operator.add)
    assert changed(1, 2) == 3


class Checked(nn.Module):
    def forward(self, x):
        assert x.shape[0] == 2, "two"
        y: torch.Tensor = x + 1
        return y


def test_asserts_are_rewritten():
    # pytest writes other code for assertions of its own; the text of the file counts here.
    tracer = RewritingTracer()
    module = fx.GraphModule(tracer.root if hasattr(tracer, "root") else {}, tracer.trace(Checked()))
    assert module(torch.ones(2)).tolist() == [2.0, 2.0]
    assert module.graph.find_nodes(op="call_function", target=operator.add)[0].type is torch.Tensor
    with pytest.raises(AssertionError, match="two"):
        module(torch.ones(3))


def test_sizes_may_be_known():
    def program(x):
        y = x.reshape(x.shape[0], -1)
        return y.sum(1) if y.shape[1] > 4 else y

    traced = meta_tracer.symbolic_trace(program, meta_args={"x": torch.ones(2, 3, 4)})
    assert [n.name for n in traced.graph.nodes] == ["x", "reshape", "sum_1", "output"]
    x = torch.randn(2, 3, 4)
    assert torch.equal(traced(x), program(x))


def test_modules_have_known_sizes_too():
    class Sized(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 5)
            self.scale = nn.Parameter(torch.ones(5))

        def forward(self, x):
            y = self.linear(x) * self.scale
            return y.view(y.size(0), 1, y.size(1)) if y.dim() == 2 else y

    net, x = Sized(), torch.ones(2, 3)
    traced = meta_tracer.symbolic_trace(net, meta_args={"x": x})
    assert torch.equal(traced(x), net(x)) and traced(x).shape == (2, 1, 5)
