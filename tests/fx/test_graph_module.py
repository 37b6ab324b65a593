"""Modules of graphs: code, copies, pickles, submodules, errors."""

import copy
import pickle
import sys

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.fx.graph_module import _copy_attr


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.inner = nn.Module()
        self.inner.scale = nn.Parameter(torch.tensor(3.0))
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x):
        return self.linear(x) * self.inner.scale + self.shift


def traced():
    return fx.symbolic_trace(Net())


def test_only_what_the_graph_uses_is_taken_over():
    module = traced()
    assert {name for name, _ in module.named_parameters()} == {
        "linear.weight",
        "linear.bias",
        "inner.scale",
    }
    assert [name for name, _ in module.named_buffers()] == ["shift"]
    assert type(module).__name__ == "Net" and isinstance(module, fx.GraphModule)


def test_from_a_dictionary():
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_module("a.b", (x,)))
    module = fx.GraphModule({"a.b": nn.ReLU()}, graph)
    assert module(torch.tensor(-1.0)) == 0
    with pytest.raises(RuntimeError, match="was not provided in ``root``"):
        fx.GraphModule({}, graph)
    with pytest.raises(RuntimeError, match="passed for root!"):
        fx.GraphModule(5, graph)


def test_changes_count_after_the_code_is_written_anew():
    module, x = traced(), torch.ones(1, 2)
    before = module(x)
    node = module.graph.find_nodes(op="get_attr")[0]
    node.target = "shift"
    assert torch.equal(module(x), before)
    module.recompile()
    assert not torch.equal(module(x), before)


def test_copies_are_apart():
    module, x = traced(), torch.ones(1, 2)
    again = copy.deepcopy(module)
    assert again.code == module.code and torch.equal(again(x), module(x))
    again.linear.weight.data.zero_()
    again.graph.find_nodes(op="call_module")[0].meta["note"] = 1
    assert not torch.equal(again(x), module(x))
    third = copy.deepcopy(copy.deepcopy(again))
    assert third.graph.find_nodes(op="call_module")[0].meta["note"] == 1
    assert torch.equal(third(x), again(x))
    assert copy.copy(module).linear is module.linear


def test_pickles():
    module, x = traced(), torch.ones(1, 2)
    module.note = "kept"
    again = pickle.loads(pickle.dumps(module))
    assert again.code == module.code and torch.equal(again(x), module(x)) and again.note == "kept"
    nested = fx.symbolic_trace(lambda a: a["x"] + 1, concrete_args={"a": {"x": fx.PH}})
    assert pickle.loads(pickle.dumps(nested))({"x": 1}) == 2


def test_as_a_package(tmp_path, monkeypatch):
    module, x = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU())), torch.ones(1, 2)
    module.to_folder(tmp_path / "written", "Written")
    monkeypatch.syspath_prepend(tmp_path)
    import written

    assert torch.equal(written.Written()(x), module(x))
    del sys.modules["written"], sys.modules["written.module"]


def test_submodules():
    module = traced()
    assert module.add_submodule("a.b.c", nn.ReLU())
    assert not module.add_submodule("shift.x", nn.ReLU())
    assert isinstance(module.a.b.c, nn.ReLU)
    assert module.delete_submodule("a.b") and not module.delete_submodule("nothing")
    module.delete_all_unused_submodules()
    assert [name for name, _ in module.named_modules()] == ["", "linear", "inner"]


def test_an_error_shows_the_line(capsys):
    module = fx.symbolic_trace(lambda x: x.relu().nothing())
    with pytest.raises(AttributeError, match="nothing"):
        module(torch.ones(1))
    shown = capsys.readouterr().err
    assert "Call using an FX-traced Module, line 6 of the traced Module's generated" in shown
    assert "    nothing = relu.nothing();  relu = None\n" in shown and "~~~ <--- HERE" in shown


def test_an_error_of_a_function_of_the_library_shows_the_line(capsys):
    def program(x):
        return torch.mm(x, x)

    with pytest.raises(RuntimeError):
        fx.symbolic_trace(program)(torch.ones(2, 3))
    assert "    mm = torch.mm(x, x);  x = None\n" in capsys.readouterr().err


def test_an_error_elsewhere_shows_no_line(capsys):
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        traced()(torch.ones(1, 5))
    assert capsys.readouterr().err == ""


def test_what_is_printed():
    module = fx.symbolic_trace(lambda x: x + 1)
    assert module.print_readable(print_output=False) == (
        "class <lambda>(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        # No stacktrace found for following nodes\n"
        "        add = x + 1;  x = None\n"
        "        return add\n"
    )
    assert str(module).endswith(
        "# To see more debug info, please use `graph_module.print_readable()`"
    )


def test_hooks_hear_of_changes():
    module, heard = traced(), []
    module._register_create_node_hook(lambda node: heard.append(("made", node.name)))
    module._register_erase_node_hook(lambda node: heard.append(("erased", node.name)))
    with module._set_replace_hook(lambda old, new, user: heard.append((old.name, new, user.name))):
        linear = module.graph.find_nodes(op="call_module")[0]
        with module.graph.inserting_after(linear):
            other = module.graph.call_function(torch.relu, (1,))
        linear.replace_all_uses_with(other)
        module.graph.erase_node(linear)
    assert heard == [("made", "relu"), ("linear", "relu", "mul"), ("erased", "linear")]


def test_attributes_are_copied_along_paths():
    source, target = nn.Module(), nn.Module()
    source.child = nn.Module()
    source.child.register_buffer("b", torch.ones(2))
    source.child.p = nn.Parameter(torch.ones(1))
    for path in ("child.b", "child.p"):
        _copy_attr(source, target, path)
    assert "b" in target.child._buffers and target.child.p is source.child.p
    with pytest.raises(AttributeError):
        _copy_attr(source, target, "nothing")


def test_nests_of_classes_that_programs_have_registered():
    from rushlight.fx import _pytree as fx_pytree
    from rushlight.fx.experimental.proxy_tensor import make_fx
    from rushlight.utils import _pytree as pytree

    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    with pytest.raises(RuntimeError, match="does not have a flatten_fn_spec"):
        spec = pytree.tree_structure((1, 2))
        spec = type(spec)(Pair, None, spec.children())
        fx_pytree.tree_flatten_spec(Pair(1, 2), spec)
    pytree.register_pytree_node(
        Pair, lambda pair: ([pair.a, pair.b], None), lambda items, _: Pair(*items)
    )
    made = make_fx(lambda pair: pair.a * pair.b)(Pair(torch.ones(2), torch.ones(2)))
    assert made(Pair(torch.ones(2), torch.full((2,), 3.0))).tolist() == [3.0, 3.0]
