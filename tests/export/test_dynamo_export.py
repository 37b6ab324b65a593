"""`torch._dynamo.export`: a function captured as one graph that is called as the function is."""

import pytest

import rushlight as torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x, y=None, *, scale=2):
        return {"a": self.linear(x) + y["k"] * scale, "b": (x, 3)}


@pytest.mark.parametrize("aten_graph", [False, True])
def test_the_graph_is_called_as_the_function(aten_graph):
    model, x, y = Model(), torch.randn(4, 3), torch.randn(4, 3)
    graph, guards = torch._dynamo.export(model, aten_graph=aten_graph)(x, {"k": y}, scale=3)
    assert guards
    made, expected = graph(y, {"k": x}, scale=3), model(y, {"k": x}, scale=3)
    torch.testing.assert_close(made["a"], expected["a"])
    assert made["b"][0] is y and made["b"][1] == 3
    operators = [
        isinstance(n.target, torch._ops.OpOverload)
        for n in graph.graph.nodes
        if n.op == "call_function"
    ]
    assert all(operators) is aten_graph


def test_a_tensor_given_twice_is_two_inputs():
    x = torch.ones(2)
    graph, _ = torch._dynamo.export(lambda x, y: x - 2 * y)(x, x)
    assert graph(x, 3 * x).tolist() == [-5, -5]


def test_what_is_no_graph_is_refused():
    def broken(x):
        torch._dynamo.graph_break()
        return x

    with pytest.raises(torch._dynamo.exc.Unsupported, match="not one graph"):
        torch._dynamo.export(broken)(torch.ones(1))
    with pytest.raises(torch._dynamo.exc.UserError, match="not supported or"):
        torch._dynamo.export(lambda x: (x, {1}))(torch.ones(1))


def test_options_that_do_not_fit_are_refused():
    for options in ({"pre_dispatch": True}, {"decomposition_table": {}}):
        with pytest.raises(AssertionError):
            torch._dynamo.export(lambda x: x, **options)
    with pytest.raises(NotImplementedError, match="dynamic_shapes"):
        torch._dynamo.export(lambda x: x, dynamic_shapes={})


def test_arguments_at_once_are_deprecated():
    with pytest.warns(FutureWarning, match="deprecated"):
        graph, _ = torch._dynamo.export(torch.sin, torch.ones(1))
    torch.testing.assert_close(graph(torch.zeros(1)), torch.zeros(1))
