"""Tracing: what programs become, and what cannot be traced."""

import collections
import dataclasses
import math
import operator

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.fx.proxy import TraceError

Pair = collections.namedtuple("Pair", "a b")


@fx.wrap
def opaque(x, n):
    return x * n


fx.wrap("len")


def code(program, **options):
    return fx.symbolic_trace(program, **options).code.strip("\n ")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.seq = nn.Sequential(nn.ReLU(), nn.Linear(3, 3))
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("shift", torch.zeros(3))
        self.plain = torch.ones(3)

    def forward(self, x: torch.Tensor, y=2, *, z: float = 0.5):
        a = self.seq(self.linear(x)) * self.scale
        return {"a": a + self.shift, "b": [a[0, 1:], self.plain * y], "c": z}


def test_a_module():
    assert code(Net()).split("\n    ") == [
        "def forward(self, x : torch.Tensor, y = 2, z : float = 0.5):",
        "linear = self.linear(x);  x = None",
        'seq_0 = getattr(self.seq, "0")(linear);  linear = None',
        'seq_1 = getattr(self.seq, "1")(seq_0);  seq_0 = None',
        "scale = self.scale",
        "mul = seq_1 * scale;  seq_1 = scale = None",
        "shift = self.shift",
        "add = mul + shift;  shift = None",
        "getitem = mul[(0, slice(1, None, None))];  mul = None",
        "plain = self.plain",
        "mul_1 = plain.mul(y);  plain = y = None",
        "return {'a': add, 'b': [getitem, mul_1], 'c': z}",
    ]


def test_the_traced_module_computes_the_same():
    net, x = Net(), torch.arange(6.0).view(2, 3)
    wanted, found = net(x, 3), fx.symbolic_trace(net)(x, 3)
    assert torch.equal(wanted["a"], found["a"]) and torch.equal(wanted["b"][1], found["b"][1])
    assert found["a"].requires_grad


def test_functions_written_in_python_tell_all_arguments():
    assert code(lambda x: nn.functional.dropout(nn.functional.relu(x), training=False)).split(
        "\n    "
    )[1:] == [
        "relu = torch.nn.functional.relu(x, inplace = False);  x = None",
        "dropout = torch.nn.functional.dropout(relu, p = 0.5, training = False, inplace = False);  "
        "relu = None",
        "return dropout",
    ]


def test_compiled_functions_tell_calls_as_they_are():
    text = code(lambda x: nn.functional.linear(torch.conv2d(x, x, padding=1), torch.linalg.det(x)))
    assert "conv2d = torch.conv2d(x, x, padding = 1)" in text
    assert "linalg_det = torch._C._linalg.linalg_det(x)" in text
    assert "linear = torch._C._nn.linear(conv2d, linalg_det)" in text


def test_all_names_of_code_can_be_reached():
    def program(x):
        y = torch.fft.fft(torch.special.expm1(x)).real + torch.linalg.norm(x, dim=1)
        return nn.functional.linear(torch.split(y, 1)[0], torch.tensordot(x, y, dims=1))

    x = torch.arange(4.0).view(2, 2)
    assert torch.equal(fx.symbolic_trace(program)(x), program(x))


def test_classes_that_hold_values():
    @dataclasses.dataclass
    class Data:
        a: object
        b: int = 2

    traced = fx.symbolic_trace(lambda x: (Pair(x, 1), Data(x)))
    pair, data = traced(5)
    assert pair == Pair(5, 1) and data == Data(5)


def test_unpacking():
    def program(x):
        (a, b), c = x
        return a, b, c

    assert fx.symbolic_trace(program)([(1, 2), 3]) == (1, 2, 3)


@pytest.mark.parametrize(
    "program, error, text",
    [
        (lambda x: 1 if x > 0 else 2, TraceError, "cannot be used as inputs to control flow"),
        (lambda x: list(x), TraceError, "Proxy object cannot be iterated"),
        (lambda x: torch.add(*x), TraceError, "Proxy object cannot be iterated"),
        (lambda x: {x: 1}, RuntimeError, "cannot contain a Node"),
        (lambda x: x + nn.Parameter(torch.ones(1)), NameError, "parameter is not a member"),
        (lambda x: {x}, NotImplementedError, "argument of type: <class 'set'>"),
    ],
)
def test_what_cannot_be_traced(program, error, text):
    with pytest.raises(error, match=text):
        fx.symbolic_trace(program)


def test_modules_that_are_not_submodules_are_refused():
    with pytest.raises(NameError, match="module is not installed as a submodule"):
        fx.symbolic_trace(lambda x: nn.Linear(2, 2)(x))


def test_wrapped_functions_are_one_step():
    def program(x):
        return opaque(x, 2) + len(x) + math.sqrt(x)

    traced = fx.symbolic_trace(program)
    targets = [n.target for n in traced.graph.nodes if n.op == "call_function"]
    assert targets == [opaque, len, operator.add, math.sqrt, operator.add]
    assert 'wrap("math_sqrt")' in traced.code
    assert opaque(3, 2) == 6 and len([1]) == 1 and math.sqrt(4.0) == 2.0
    with pytest.raises(NotImplementedError, match="top level of a module"):
        fx.wrap("something")


def test_leaves_are_for_the_tracer_to_say():
    class Through(fx.Tracer):
        def is_leaf_module(self, module, path):
            return path == "linear"

    tracer = Through()
    graph = tracer.trace(Net())
    called = [n.target for n in graph.nodes if n.op == "call_module"]
    assert called == ["linear"]
    assert [n.target for n in graph.nodes if n.op == "get_attr"][:2] == [
        "seq.1.weight",
        "seq.1.bias",
    ]
    node = graph.find_nodes(op="call_function", target=nn.functional.relu)[0]
    assert list(node.meta["nn_module_stack"]) == ["seq", "seq.0"]


def test_values_that_the_graph_is_made_for():
    def program(a, b=None, flag=True):
        return a["x"] + a["y"][0] + (0 if b is None else b) if flag else a

    traced = fx.symbolic_trace(
        program, concrete_args={"a": {"x": fx.PH, "y": [fx.PH, 3]}, "flag": True}
    )
    with pytest.raises(AssertionError, match="a has been specialized to have value 3"):
        traced({"x": 1, "y": [2, 4]}, None, True)
    with pytest.raises(AssertionError, match="flag has been specialized to have value True"):
        traced({"x": 1, "y": [2, 3]}, 1, False)


def test_nested_arguments():
    traced = fx.symbolic_trace(lambda a, b: {"sum": a["x"] + b}, concrete_args={"a": {"x": fx.PH}})
    assert "a_1, b, = fx_pytree.tree_flatten_spec([a, b], self._in_spec)" in traced.code
    assert traced({"x": 1}, 2) == {"sum": 3}
    assert fx.Interpreter(traced).run({"x": 1}, 2) == {"sum": 3}


def test_asserts_can_become_steps():
    class Asserting(fx.Tracer):
        trace_asserts = True

    # As text, since pytest writes other code for its own assertions.
    names: dict[str, object] = {}
    exec("def program(x):\n assert x > 0\n assert x < 9, 'too large'\n return x", names)
    traced = fx.GraphModule({}, Asserting().trace(names["program"]))
    assert traced(5) == 5
    with pytest.raises(AssertionError):
        traced(10)


def test_where_nodes_come_from():
    class Recording(fx.Tracer):
        record_stack_traces = True

    def program(x):
        return x.sin()

    node = Recording().trace(program).find_nodes(op="call_method")[0]
    assert node.stack_trace.endswith("return x.sin()") and "in program" in node.stack_trace


def test_other_proxies():
    class Mine(fx.Proxy):
        def double(self):
            return self * 2

    class Making(fx.Tracer):
        def proxy(self, node):
            return Mine(node, self)

    graph = Making().trace(lambda x: x.double())
    assert "mul" in [n.name for n in graph.nodes]


def test_sizes_of_parameters_may_be_known():
    class Sized(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2, 3))

        def forward(self, x):
            return x + 1 if self.weight.shape[0] == 2 else x

    graph = fx.Tracer(param_shapes_constant=True).trace(Sized())
    assert "add" in [n.name for n in graph.nodes]
    with pytest.raises(TraceError):
        fx.symbolic_trace(Sized())


def test_a_trace_leaves_nothing_behind():
    net, x = Net(), torch.ones(2, 3)
    before = [net(x)["a"] for _ in range(3)]
    call, find = nn.Module.__call__, nn.Module.__getattr__
    with pytest.raises(TraceError):
        fx.symbolic_trace(lambda x: bool(x))
    fx.symbolic_trace(net)
    assert nn.Module.__call__ is call and nn.Module.__getattr__ is find
    assert not fx._symbolic_trace.is_fx_tracing()
    after = net(x)["a"]
    assert all(torch.equal(after, one) for one in before)


def test_proxies_edit_graphs():
    traced = fx.symbolic_trace(lambda x: x + 1)
    add = traced.graph.find_nodes(op="call_function", target=operator.add)[0]
    output = traced.graph.output_node()
    with traced.graph.inserting_before(output):
        output.args = ((fx.Proxy(add) * 3).node,)
    traced.recompile()
    assert traced(1) == 6


def test_functions_of_the_library_are_traced_by_themselves():
    traced = fx.symbolic_trace(nn.functional.leaky_relu)
    assert traced.graph.find_nodes(op="call_function", target=nn.functional.leaky_relu)
    x = torch.tensor([-2.0, 3.0])
    assert torch.equal(traced(x), nn.functional.leaky_relu(x))
    assert traced(x, 0.5).tolist() == [-1.0, 3.0]
    with pytest.raises(AssertionError, match="Expected FunctionType"):
        # Nobody can tell what its arguments are called.
        fx.symbolic_trace(nn.functional.linear)
