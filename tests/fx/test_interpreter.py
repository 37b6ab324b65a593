"""Running graphs node by node, and making others so."""

import operator

import pytest

import rushlight as torch
from rushlight import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, x, y=1):
        return self.linear(x).relu() * self.scale + y


def test_a_graph_runs_as_its_module():
    module, x = fx.symbolic_trace(Net()), torch.ones(1, 2)
    assert torch.equal(fx.Interpreter(module).run(x), module(x))
    assert torch.equal(fx.Interpreter(module).run(x, 5), module(x, 5))


def test_kinds_can_be_overridden():
    class Counting(fx.Interpreter):
        count = 0

        def run_node(self, node):
            type(self).count += 1
            return super().run_node(node)

        def call_method(self, target, args, kwargs):
            return super().call_method("sigmoid" if target == "relu" else target, args, kwargs)

    module, x = fx.symbolic_trace(Net()), torch.zeros(1, 2)
    module.linear.bias.data.zero_()
    assert Counting(module).run(x).tolist() == [[2.0, 2.0]] and Counting.count == 8


def test_values_may_be_given():
    module, x = fx.symbolic_trace(Net()), torch.ones(1, 2)
    linear = module.graph.find_nodes(op="call_module")[0]
    found = fx.Interpreter(module).run(x, initial_env={linear: torch.zeros(1, 2)})
    assert found.tolist() == [[1.0, 1.0]]
    given = [x, 1]
    assert torch.equal(fx.Interpreter(module).boxed_run(given), module(x)) and given == []


def test_values_are_dropped_after_their_last_use():
    class Watching(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            most.append(len(self.env))
            return super().call_function(target, args, kwargs)

    most: list[int] = []
    module = fx.symbolic_trace(lambda x: x + 1 + 1 + 1)
    Watching(module).run(1)
    assert max(most) == 1
    most.clear()
    Watching(module, garbage_collect_values=False).run(1)
    assert max(most) == 3


def test_errors_name_the_node():
    module = fx.symbolic_trace(Net())
    with pytest.raises(RuntimeError, match=r"While executing %linear : \[num_users=1\]"):
        fx.Interpreter(module).run(torch.ones(1, 7))
    with pytest.raises(RuntimeError, match="Expected positional argument for parameter x"):
        fx.Interpreter(module).run()


def test_a_transformer_makes_another_graph():
    class Other(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(
                operator.sub if target is operator.add else target, args, kwargs
            )

    module, x = fx.symbolic_trace(Net()), torch.ones(1, 2)
    assert fx.Transformer(module).transform().code == module.code
    changed = Other(module).transform()
    assert torch.allclose(changed(x), module(x) - 2, atol=1e-6)


def test_lists_among_arguments_are_plain():
    seen = []

    class Looking(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            seen.append(type(args[1]))
            return super().call_function(target, args, kwargs)

    module = fx.symbolic_trace(lambda x: torch.permute(x, [1, 0]))
    x = torch.ones(2, 3)
    assert Looking(module).run(x).shape == (3, 2)
    assert seen == [list]
