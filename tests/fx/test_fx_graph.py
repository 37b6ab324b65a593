"""Graphs: nodes, their order, their users, and what is checked."""

import copy
import operator

import pytest

import rushlight as torch
from rushlight import fx
from rushlight.fx.immutable_collections import immutable_dict, immutable_list


def graph_of_sum():
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.add, (x, x))
    graph.output(y)
    return graph, x, y


def test_a_graph_prints_its_nodes():
    graph, _, _ = graph_of_sum()
    assert str(graph).splitlines() == [
        "graph():",
        "    %x : [num_users=1] = placeholder[target=x]",
        "    %add : [num_users=1] = call_function[target=torch.add](args = (%x, %x), kwargs = {})",
        "    return add",
    ]


def test_arguments_and_users_stay_in_step():
    graph, x, y = graph_of_sum()
    z = graph.placeholder("z")
    y.args = (z, [x, {"k": x}])
    assert list(x.users) == [y] and list(z.users) == [y] and y.all_input_nodes == [z, x]
    assert type(y.args[1]) is immutable_list and type(y.args[1][1]) is immutable_dict
    y.update_arg(1, z)
    assert not x.users
    y.insert_arg(0, x)
    assert y.args == (x, z, z)
    y.update_kwarg("alpha", x)
    y.args = ()
    assert list(x.users) == [y] and not z.users


def test_arguments_cannot_be_changed_in_place():
    _, x, y = graph_of_sum()
    y.args = ([x], {"k": x})
    with pytest.raises(TypeError, match="does not support mutation"):
        y.args[0].append(x)
    with pytest.raises(TypeError, match="does not support mutation"):
        y.args[1]["k"] = x


def test_replacing_all_uses():
    graph, _x, y = graph_of_sum()
    with graph.inserting_after(y):
        z = graph.call_function(torch.neg, (y,))
    changed = y.replace_all_uses_with(z, lambda user: user is not z)
    assert [n.op for n in changed] == ["output"] and list(y.users) == [z]
    assert graph.output_node().args == (z,)


def test_erasing():
    graph, x, y = graph_of_sum()
    with pytest.raises(RuntimeError, match="still had 1 users in the graph"):
        graph.erase_node(y)
    with pytest.raises(RuntimeError, match="from wrong graph"):
        graph.erase_node(fx.Graph().placeholder("z"))
    graph.erase_node(graph.output_node())
    graph.erase_node(y)
    assert not x.users and len(graph.nodes) == 1


def test_insertion_points():
    graph, x, y = graph_of_sum()
    with graph.inserting_before(y):
        graph.call_function(torch.abs, (x,))
        graph.call_function(torch.neg, (x,))
    with graph.inserting_after(y):
        graph.call_function(torch.sin, (x,))
    names = [n.name for n in graph.nodes]
    assert names == ["x", "abs_1", "neg", "add", "sin", "output"]
    y.append(x)
    assert [n.name for n in graph.nodes][:4] == ["abs_1", "neg", "add", "x"]
    assert y < x and not x < y
    assert next(n.name for n in reversed(graph.nodes)) == "output"


def test_nodes_are_found_by_kind_and_target():
    graph, x, y = graph_of_sum()
    assert graph.find_nodes(op="call_function", target=torch.add) == [y]
    with graph.inserting_before(y):
        first = graph.call_function(torch.add, (x, 1))
    assert graph.find_nodes(op="call_function", target=torch.add) == [first, y]
    y.target = torch.mul
    assert graph.find_nodes(op="call_function", target=torch.add) == [first]
    assert graph.find_nodes(op="placeholder") == [x]
    graph.erase_node(first)
    assert graph.find_nodes(op="call_function", target=torch.add) == []


def test_what_is_not_well_formed_is_found():
    graph, x, y = graph_of_sum()
    graph.lint()
    y.append(x)
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        graph.lint()
    graph, x, y = graph_of_sum()
    graph.call_function(torch.add, (graph_of_sum()[1],))
    with pytest.raises(RuntimeError, match="does not belong to this Graph"):
        graph.lint()
    graph, x, y = graph_of_sum()
    y.name = "x"
    with pytest.raises(RuntimeError, match="Node redefined name x!"):
        graph.lint()


def test_nodes_of_unknown_kinds_are_refused():
    graph = fx.Graph()
    with pytest.raises(AssertionError, match="op 'foo' is not in _legal_ops"):
        graph.create_node("foo", "a")
    with pytest.raises(ValueError, match="a Callable is expected"):
        graph.create_node("call_function", "relu")


@pytest.mark.parametrize(
    "target, args, impure",
    [
        (torch.add, (1,), False),
        (torch.rand, (2,), True),
        (torch._assert, (True, ""), True),
        (operator.setitem, (1, 0, 1), True),
        (torch.ops.aten.add.Tensor, (1, 1), False),
        (torch.ops.aten.add_.Tensor, (1, 1), True),
        (torch.ops.aten.add.out, (1, 1), True),
        (torch.nn.functional.dropout, (1,), False),
    ],
)
def test_what_is_dead_code(target, args, impure):
    graph, x, _ = graph_of_sum()
    with graph.inserting_after(x):
        node = graph.call_function(target, args)
    assert node.is_impure() is impure
    assert graph.eliminate_dead_code() is not impure
    assert (node in list(graph.nodes)) is impure


def test_side_effects_can_be_declared():
    def told(value):
        return value

    graph, x, _ = graph_of_sum()
    with graph.inserting_after(x):
        graph.call_function(fx.has_side_effect(told), (x,))
    assert graph.eliminate_dead_code() is False


def test_dead_chains_go_altogether():
    traced = fx.symbolic_trace(lambda x: (x + 1, x.sin().cos().exp())[0])
    traced.graph.eliminate_dead_code()
    assert [n.name for n in traced.graph.nodes] == ["x", "add", "output"]


def test_copies():
    graph, x, y = graph_of_sum()
    y.meta["note"] = 1
    again = copy.deepcopy(graph)
    assert str(again) == str(graph) and list(again.nodes)[1].meta == {"note": 1}
    other = fx.Graph()
    given = other.placeholder("given")
    result = other.graph_copy(graph, {x: given})
    other.output(result)
    assert [n.name for n in other.nodes] == ["given", "add", "output"]
    other.lint()


def test_names():
    graph = fx.Graph()
    words = ["a", "a", "a_1", "sum", "if", "1x", "x.y", "torch", "foo_3", "foo", "foo"]
    made = [graph.create_node("call_function", torch.add, name=word).name for word in words]
    assert made == [
        "a", "a_1", "a_2", "sum_1", "if_1", "_1x", "x_y", "torch_1", "foo_3", "foo", "foo_4",
    ]  # fmt: skip
    assert graph.call_method("someMethod", ()).name == "some_method"
    assert graph.get_attr("layer.Weight").name == "layer_weight"


def test_code_can_be_changed_when_it_is_written():
    traced = fx.symbolic_trace(lambda x: x + 1)

    def insert(current):
        return lambda body: ["print('here')\n", *(current(body) if current else body)]

    with traced.graph.on_generate_code(insert):
        assert traced.recompile().src.count("print('here')") == 1
    assert "print" not in traced.recompile().src


def test_another_object_can_write_the_code():
    class Listed(fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation):
            return f"def forward(self, args_list):\n    {', '.join(free_vars)}, = args_list"

        def process_inputs(self, *inputs):
            return inputs[0]

    traced = fx.symbolic_trace(lambda x, y: x - y)
    traced.graph.set_codegen(Listed())
    traced.recompile()
    assert traced([5, 3]) == 2
    assert fx.Interpreter(traced).run([5, 3]) == 2
