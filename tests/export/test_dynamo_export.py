"""`torch._dynamo.export`: a function captured as one graph that is called as the function is."""

import copy

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


def test_the_names_of_a_modules_tensors_are_kept():
    kept = torch.ones(3)

    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)

        def forward(self, x):
            return self.second(self.first(x)) + kept

    model, x = Two().eval(), torch.randn(2, 3)
    graph = torch._dynamo.functional_export.dynamo_graph_capture_for_export(model)(x)
    torch.export._restore_state_dict(model, graph)
    assert [n for n, _ in graph.named_parameters()] == [n for n, _ in model.named_parameters()]
    # What the graph has from elsewhere is not there.
    assert [n for n, _ in graph.named_buffers()] == [n for n, _ in model.named_buffers()]
    assert torch.equal(graph(x), model(x))
    context = graph.meta["tracing_context"]
    assert context.fake_mode is graph.meta["fake_mode"] and x in context.tensor_to_context


def test_operators_know_what_was_called():
    from rushlight.fx.passes.utils.source_matcher_utils import get_source_partitions

    graph, _ = torch._dynamo.export(lambda x: torch.relu(torch.relu(x)), aten_graph=True)(
        torch.ones(2)
    )
    assert len(get_source_partitions(graph.graph, [torch.relu])[torch.relu]) == 2


def test_a_captured_function_finds_its_inputs_and_makes_its_results():
    capture = torch._dynamo.functional_export.dynamo_graph_capture_for_export
    outer = torch.ones(3)

    class Pair:
        def __init__(self, first, second):
            self.first, self.second = first, second

    def program(pair, scale=2):
        total = pair.first + outer
        return Pair(total * scale, pair)

    graph = capture(program)(Pair(torch.zeros(3), 5))
    assert graph.code.strip() == (
        "def forward(self, pair):\n"
        "    _fn_args = (pair, )\n"
        "    L_pair_first , L_outer_ , = self._dynamo_bytecode_flatten(*_fn_args)\n"
        "    l_pair_first = L_pair_first\n"
        "    l_outer_ = L_outer_\n"
        "    total = l_pair_first + l_outer_;  l_pair_first = l_outer_ = None\n"
        "    mul = total * 2;  total = None\n"
        "    return self._dynamo_bytecode_unflatten((mul,), _fn_args)"
    )
    given = Pair(torch.ones(3), "other")
    made = graph(given)
    assert type(made) is Pair and made.second is given
    torch.testing.assert_close(made.first, torch.full((3,), 4.0))
    assert torch.fx.Interpreter(graph).run(given).second is given


def test_a_captured_module_has_the_tables_of_the_module():
    capture = torch._dynamo.functional_export.dynamo_graph_capture_for_export
    seen = []

    class Adds(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)

        def forward(self, x):
            seen.append(1)
            return self.inner(x)

    model, x = Adds(), torch.ones(1, 2)
    with pytest.warns(UserWarning, match="certain side effects happened"):
        graph = capture(model)(x)
    assert torch.equal(graph(x), model(x)) and seen == [1]
    zeros = {"inner.weight": torch.zeros(2, 2), "inner.bias": torch.zeros(2)}
    assert torch.func.functional_call(graph, zeros, x).eq(0).all()
    assert torch.equal(graph(x), model(x))


def test_a_captured_operator_has_the_parameters_of_its_schema():
    capture = torch._dynamo.functional_export.dynamo_graph_capture_for_export
    graph = capture(torch.ops.aten.add.Tensor)(torch.ones(2), torch.ones(2))
    assert (
        "add_tensor = torch.ops.aten.add.Tensor(self = l_self_, other = l_other_, alpha = 1)"
        in graph.code
    )
    torch.testing.assert_close(graph(torch.ones(2), torch.zeros(2)), torch.ones(2))


def test_sizes_vary_that_can():
    def program(x, w):
        return torch.cond(x.shape[0] > 4, lambda x: x + 1, lambda x: x - 1, (x,)) @ w, x.shape[
            0
        ] * 2

    graph, _ = torch._dynamo.export(program)(torch.ones(6, 2), torch.ones(2, 2))
    for rows in (6, 3, 9):
        given = torch.ones(rows, 2), torch.ones(2, 2)
        made, expected = graph(*given), program(*given)
        torch.testing.assert_close(made[0], expected[0])
        assert made[1] == rows * 2
    fixed, _ = torch._dynamo.export(lambda x: x * x.shape[0], assume_static_by_default=True)(
        torch.ones(3)
    )
    assert "arg0 * 3" in fixed.code


def test_a_captured_module_is_copied_with_its_tensors():
    capture = torch._dynamo.functional_export.dynamo_graph_capture_for_export
    model, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
    graph = capture(model)(x)
    other, expected = copy.deepcopy(graph), model(x)
    with torch.no_grad():
        model.weight.zero_()
    assert torch.equal(other(x), expected) and not torch.equal(graph(x), expected)
    assert [name for name, _ in other.named_parameters()] == ["weight", "bias"]
    with torch.no_grad():
        other.weight.fill_(3.0)
    assert torch.equal(other(x), other.bias + torch.full((1, 1), 6.0))
