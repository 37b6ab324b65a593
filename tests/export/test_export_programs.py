"""`export`: the graph, its signature, and the module that it becomes again."""

import copy
import operator

import pytest

import rushlight as torch
from rushlight.export import export
from rushlight.export.graph_signature import InputKind, OutputKind
from rushlight.export.passes import move_to_device_pass

aten = torch.ops.aten


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("passing", torch.zeros(2), persistent=False)
        self.weights = torch.tensor([1.0, 2.0, 3.0, 4.0])

    def forward(self, x, *, scale=None):
        self.calls.add_(1)
        self.passing = self.passing + 1
        y = self.norm(self.linear(x)) * self.weights
        y.view(-1).mul_(2)
        return {"y": y.relu(), "others": [3, x, scale]}


def targets(program):
    return [n.target for n in program.graph.nodes if n.op == "call_function"]


def same(a, b):
    for one, other in zip(
        torch.utils._pytree.tree_leaves(a), torch.utils._pytree.tree_leaves(b), strict=True
    ):
        if isinstance(one, torch.Tensor):
            torch.testing.assert_close(one, other)
        else:
            assert one == other


@pytest.fixture
def exported():
    torch.manual_seed(0)
    model = Model()
    return model, export(model, (torch.randn(5, 3),), {"scale": None})


def test_the_graph_has_operators_as_they_were_called_and_writes(exported):
    _, program = exported
    assert targets(program) == [
        aten.add_.Tensor, aten.add.Tensor, aten.linear.default, aten.add_.Tensor,
        aten.batch_norm.default, aten.mul.Tensor, aten.view.default, aten.mul_.Tensor,
        aten.relu.default, aten.copy_.default,
    ]  # fmt: skip
    assert program.dialect == "TRAINING"


def test_the_signature_says_what_inputs_and_outputs_are(exported):
    _, program = exported
    signature = program.graph_signature
    assert signature.parameters == ("linear.weight", "linear.bias", "norm.weight", "norm.bias")
    assert signature.non_persistent_buffers == ("passing",)
    assert signature.lifted_tensor_constants == ("weights",)
    assert signature.inputs_to_buffers["b_norm_running_mean"] == "norm.running_mean"
    assert signature.user_inputs == ("x", None)
    assert signature.user_outputs == ("relu", 3, "x", None)
    assert list(program.state_dict)[:2] == ["linear.weight", "linear.bias"]
    assert sorted(program.constants) == ["passing", "weights"]
    assert [n for n, _ in program.named_buffers()][:2] == ["calls", "passing"]
    assert "b_calls: BUFFER target='calls' persistent=True" in str(program)


def test_the_module_computes_and_writes_what_the_program_does(exported):
    model, program = exported
    other = copy.deepcopy(model)
    x = torch.randn(5, 3)
    module = program.module()
    same(module(x, scale=None), other(x, scale=None))
    # Parameters and buffers are shared with the exported module.
    same(model.norm.running_mean, other.norm.running_mean)
    same(module.passing, other.passing)
    assert module.calls is model.calls and model.calls.item() == 1
    module(x, scale=None)["y"].sum().backward()
    assert model.linear.weight.grad is not None


def test_a_program_is_not_called(exported):
    with pytest.raises(RuntimeError, match="You should use `exported_program"):
        exported[1](torch.ones(5, 3))


def test_modules_refuse_other_structures_and_sizes(exported):
    module = exported[1].module()
    with pytest.raises(ValueError, match="Trying to flatten user inputs"):
        module(torch.ones(5, 3))
    with pytest.raises(AssertionError, match=r"Guard failed: x.size\(\)\[0\] == 5"):
        module(torch.ones(6, 3), scale=None)
    exported[1].module(check_guards=False)(torch.ones(6, 3), scale=None)
    with pytest.raises(NotImplementedError, match="train"):
        module.train()


def test_nodes_know_modules_and_lines(exported):
    node = exported[1].graph.find_nodes(op="call_function", target=aten.linear.default)[0]
    stack = list(node.meta["nn_module_stack"].values())
    assert [path for path, _ in stack] == ["", "linear"]
    assert stack[-1][1] == "torch.nn.modules.linear.Linear"
    assert "self.norm(self.linear(x))" in node.meta["stack_trace"]
    assert tuple(node.meta["val"].shape) == (5, 4)


def test_the_exported_module_is_left_as_it_was(exported):
    model, _ = exported
    assert model.calls.item() == 0 and model.passing.tolist() == [0, 0]
    assert not isinstance(model.linear.weight, torch._subclasses.FakeTensor)
    assert isinstance(model.linear.weight, torch.nn.Parameter)


def test_names_of_inputs_are_those_of_arguments():
    class Net(torch.nn.Module):
        def forward(self, input, nested, *more, **named):
            return input + nested["a"][1] + more[0] + named["k"]

    x = torch.ones(2)
    program = export(Net(), (x, {"a": [x, x]}, x), {"k": x})
    assert program.graph_signature.user_inputs == (
        "input",
        "nested_a_0",
        "nested_a_1",
        "more_0",
        "k",
    )
    assert program.module()(x, {"a": [x, 2 * x]}, x, k=x).tolist() == [5, 5]


def test_a_tensor_given_twice_is_two_inputs():
    class Net(torch.nn.Module):
        def forward(self, x, y):
            return x - 2 * y

    x = torch.ones(2)
    module = export(Net(), (x, x)).module()
    assert module(x, 3 * x).tolist() == [-5, -5]


def test_tied_parameters_stay_tied():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(2, 2)
            self.b = torch.nn.Linear(2, 2)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(x))

    net, x = Net(), torch.randn(3, 2)
    program = export(net, (x,))
    assert set(program.state_dict) == {"a.weight", "a.bias", "b.weight", "b.bias"}
    same(program.module()(x), net(x))


def test_tensors_written_down_are_constants():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x + torch.tensor([1.0, 2.0])

    program = export(Net(), (torch.ones(2),))
    assert program.constants["lifted_tensor_0"].tolist() == [1, 2]
    assert program.module()(torch.ones(2)).tolist() == [2, 3]


def test_tensors_put_on_modules_are_refused():
    class Net(torch.nn.Module):
        def forward(self, x):
            self.kept = x + 1
            return x

    with pytest.raises(ValueError, match=r"The tensor attribute self.kept was assigned"):
        export(Net(), (torch.ones(2),))


def test_blocks_without_gradients_are_graphs_of_their_own():
    class Net(torch.nn.Module):
        def forward(self, x):
            with torch.no_grad():
                y = x.sin()
            return x * y

    program = export(Net(), (torch.ones(2),))
    wrap, item, product = targets(program)
    assert wrap.name() == "wrap_with_set_grad_enabled"
    assert (item, product) == (operator.getitem, aten.mul.Tensor)
    x = torch.ones(2, requires_grad=True)
    program.module()(x).sum().backward()
    same(x.grad, torch.ones(2).sin())


@pytest.mark.parametrize("functional", [False, True])
def test_blocks_of_autocast_stay(functional):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)

        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = self.linear(x @ x.t())
                with torch.no_grad():
                    z = y.sin()
            return y.float() + x.t().sum(0), z

    net, x = Net(), torch.randn(4, 4)
    program = export(net, (x,))
    assert targets(program)[0].name() == "wrap_with_autocast"
    module = (program.run_decompositions({}) if functional else program).module()
    for a, b in zip(module(x), net(x), strict=True):
        assert a.dtype is b.dtype
        torch.testing.assert_close(a, b, rtol=0.02, atol=0.02)


def test_functions_with_a_gradient_of_their_own_are_traced_through():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            raise AssertionError

    class Net(torch.nn.Module):
        def forward(self, x):
            return Square.apply(x) + 1

    x = torch.ones(2, requires_grad=True)
    export(Net(), (x,)).module()(x).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_branches_on_tensors_are_operators_with_graphs():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)

        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: self.linear(x), lambda x: x - 1, (x,))

    net = Net()
    program = export(net, (torch.ones(3, 2),))
    assert torch.ops.higher_order.cond in targets(program)
    for x in (torch.ones(3, 2), -torch.ones(3, 2)):
        same(program.module()(x), net(x))
        same(program.run_decompositions().module()(x), net(x))


def test_what_elements_decide_is_checked_when_the_program_runs():
    class Net(torch.nn.Module):
        def forward(self, n):
            count = n.item()
            torch._check(count > 2)
            torch._check(count < 10)
            return torch.zeros(count) + 1

    program = export(Net(), (torch.tensor(5),))
    assert "VR[3, 9]" in str(program.range_constraints)
    assert targets(program).count(aten._assert_scalar.default) == 2
    assert program.module()(torch.tensor(7)).shape == (7,)
    with pytest.raises(RuntimeError, match="Runtime assertion failed"):
        program.module()(torch.tensor(12))


def test_what_programs_assert_of_elements_is_checked():
    # As text, since pytest writes other code for the asserts of tests.
    names = {}
    exec(
        "def forward(self, x):\n"
        "    y = x + 1\n"
        "    assert y.max().item() > 0\n"
        "    assert (y < 9).all() and y.sum() > 1, 'too much'\n"
        "    return y\n",
        names,
    )
    kind = type("Net", (torch.nn.Module,), {"forward": names["forward"]})
    program = export(kind(), (torch.zeros(4, dtype=torch.int),))
    assert targets(program).count(aten._assert_scalar.default) == 3
    assert program.module()(torch.ones(4, dtype=torch.int)).tolist() == [2] * 4
    for value in (-1, 8):
        with pytest.raises(RuntimeError, match="Runtime assertion failed"):
            program.module()(torch.full((4,), value, dtype=torch.int))


def test_branches_on_constants_are_taken():
    class Net(torch.nn.Module):
        def forward(self, flag, x):
            return torch.cond(flag, lambda x: x.sin(), lambda x: x.cos(), (x,))

    with pytest.warns(UserWarning, match="Pred is a Python constant"):
        program = export(Net(), (True, torch.ones(2)))
    assert targets(program) == [aten.sin.default]


def test_nodes_know_the_functions_that_were_called():
    program = export(torch.nn.Linear(2, 2), (torch.ones(1, 2),)).run_decompositions()
    told = [n.meta["torch_fn"] for n in program.graph.nodes if n.op == "call_function"]
    assert told == [("linear_1", "builtin_function_or_method.linear")] * 2


def test_inputs_are_asked_what_they_are(exported):
    from rushlight._export import utils

    model, program = exported
    places = {n.name: n for n in program.graph.find_nodes(op="placeholder")}
    assert utils.get_param(program, places["p_linear_bias"]) is model.linear.bias
    assert utils.get_buffer(program, places["b_passing"]) is model.passing
    assert utils.get_lifted_tensor_constant(program, places["c_weights"]) is model.weights
    assert (
        not utils.is_param(program, places["x"]) and utils.get_buffer(program, places["x"]) is None
    )


def test_branches_on_elements_are_refused():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x if x.sum() > 3 else x + 1

    kind = torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode
    with pytest.raises(kind, match="Could not guard on data-dependent expression"):
        export(Net(), (torch.ones(5),))


def test_results_of_other_types_are_refused():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x, object()

    with pytest.raises(torch._dynamo.exc.UserError, match="is not supported or"):
        export(Net(), (torch.ones(5),))
    with pytest.raises(ValueError, match="Expected `mod` to be an instance of"):
        export(lambda x: x, (torch.ones(5),))


def test_code_can_ask_whether_it_is_exported():
    class Net(torch.nn.Module):
        def forward(self, x):
            assert torch.compiler.is_compiling()
            return x + 1 if torch.compiler.is_exporting() else x

    assert export(Net(), (torch.ones(1),)).module()(torch.ones(1)).item() == 2
    assert not torch.compiler.is_exporting() and not torch.compiler.is_compiling()


def test_an_exported_module_is_exported_again(exported):
    _, program = exported
    again = export(program.module(), (torch.randn(5, 3),), {"scale": None})
    assert targets(again) == targets(program)
    first, second = (
        p.graph.find_nodes(op="call_function", target=aten.linear.default)[0]
        for p in (program, again)
    )
    assert first.meta["nn_module_stack"] == second.meta["nn_module_stack"]


def test_strict_export_refuses_what_cannot_be_captured():
    class Net(torch.nn.Module):
        def forward(self, x):
            torch._dynamo.graph_break()
            return x + 1

    export(Net(), (torch.ones(2),))
    with pytest.raises(torch._dynamo.exc.Unsupported):
        export(Net(), (torch.ones(2),), strict=True)
    linear = torch.nn.Linear(2, 2)
    program = export(linear, (torch.ones(1, 2),), strict=True)
    assert targets(program) == [aten.linear.default]


def test_dataclasses_are_arguments_once_they_are_registered():
    import dataclasses

    @dataclasses.dataclass
    class Pair:
        a: torch.Tensor
        b: torch.Tensor

    torch.export.register_dataclass(Pair, serialized_type_name="tests.Pair")

    class Net(torch.nn.Module):
        def forward(self, pair):
            return Pair(pair.a + pair.b, pair.a)

    x = torch.ones(2)
    made = export(Net(), (Pair(x, x),)).module()(Pair(x, 2 * x))
    assert type(made) is Pair and made.a.tolist() == [3, 3]
    with pytest.raises(TypeError):
        torch.export.register_dataclass(int)


def test_signatures_follow_nodes_that_are_renamed(exported):
    _, program = exported
    signature = copy.deepcopy(program.graph_signature)
    signature.replace_all_uses("relu", "other")
    assert signature.user_outputs[0] == "other"
    assert {s.kind for s in signature.input_specs} == {
        InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR, InputKind.USER_INPUT,
    }  # fmt: skip
    assert {s.kind for s in signature.output_specs} == {OutputKind.USER_OUTPUT}


def test_programs_are_checked():
    program = export(torch.nn.ReLU(), (torch.ones(2),))
    node = program.graph.find_nodes(op="call_function", target=aten.relu.default)[0]
    node.target = torch.relu
    with pytest.raises(torch._export.verifier.SpecViolationError):
        program.validate()


def test_programs_move_to_other_devices():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.linear(x) + torch.zeros(2, device="cpu")

    program = export(Net(), (torch.ones(1, 2),))
    moved = move_to_device_pass(program, "meta")
    assert all(p.device.type == "meta" for p in moved.parameters())
    zeros = moved.graph.find_nodes(op="call_function", target=aten.zeros.default)[0]
    assert zeros.kwargs["device"].type == "meta"
    assert moved.module()(torch.ones(1, 2, device="meta")).device.type == "meta"


def test_what_is_converted_is_checked():
    class Converting(torch.nn.Module):
        def forward(self, x):
            return x.to("cpu"), x.double()

    program = export(Converting(), (torch.ones(2),))
    aten = torch.ops.aten
    called = [n.target for n in program.graph.nodes if n.op == "call_function"]
    check = aten._assert_tensor_metadata.default
    assert called == [check, aten.to.dtype_layout, check, aten.to.dtype]
    run = program.run_decompositions().module(check_guards=False)
    assert run(torch.ones(2))[1].dtype is torch.float64
    with pytest.raises(RuntimeError, match="dtype mismatch! Expected"):
        run(torch.ones(2, dtype=torch.int64))
