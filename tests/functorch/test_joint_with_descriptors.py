"""Joint graphs whose inputs and outputs say what they are."""

from contextlib import ExitStack

import pytest

import rushlight as torch
from rushlight._functorch._aot_autograd.descriptors import (
    BufferAOTInput,
    GradAOTOutput,
    InputMutationAOTOutput,
    ParamAOTInput,
    PlainAOTInput,
    PlainAOTOutput,
    TangentAOTInput,
)
from rushlight._functorch._aot_autograd.fx_utils import (
    get_all_output_and_tangent_nodes,
    get_named_buffer_nodes,
    get_named_param_nodes,
    get_param_and_grad_nodes,
)
from rushlight._functorch.aot_autograd import (
    aot_compile_joint_with_descriptors,
    aot_export_joint_with_descriptors,
    aot_export_joint_with_descriptors_alone,
)
from tests.functorch.two_tensors import TwoTensor


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, *, scale):
        self.calls.add_(1)
        return {"out": self.linear(x) * scale}


def _descriptors(graph):
    (output,) = graph.find_nodes(op="output")
    given = [n.meta["desc"] for n in graph.find_nodes(op="placeholder")]
    return given, list(output.meta["desc"]), output


def test_inputs_and_outputs_say_what_they_are():
    net, x = Net(), torch.ones(4, 3)
    joint = aot_export_joint_with_descriptors_alone(net, (x,), {"scale": torch.tensor(2.0)})
    graph = joint.graph_module.graph
    given, made, output = _descriptors(graph)
    weight, bias, calls = (
        ParamAOTInput("linear.weight"), ParamAOTInput("linear.bias"), BufferAOTInput("calls"),
    )  # fmt: skip
    result = PlainAOTOutput(0)
    assert given == [
        weight,
        bias,
        calls,
        PlainAOTInput(0),
        PlainAOTInput(1),
        TangentAOTInput(result),
    ]
    assert made[:2] == [InputMutationAOTOutput(calls), result]
    assert made[2:] == [GradAOTOutput(one) for one in given[:5]]
    assert given[5].expr() == "__output_tangent(output[0])" and given[5].is_tangent()
    params = get_param_and_grad_nodes(graph)
    assert [desc.target for desc in params] == ["linear.weight", "linear.bias"]
    assert all(grad is not None for _, grad in params.values())
    assert list(get_named_param_nodes(graph)) == joint.params_spec
    assert list(get_named_buffer_nodes(graph)) == joint.buffers_spec == ["calls"]
    assert get_all_output_and_tangent_nodes(graph)[result][1].name == "tangents_1"
    assert len(output.args[0]) == len(made)


def test_a_function_is_made_of_a_graph_that_was_changed():
    net, x, scale = Net(), torch.randn(4, 3), torch.tensor(2.0)
    with ExitStack() as stack:
        joint = aot_export_joint_with_descriptors(stack, net, (x,), {"scale": scale})
        seen = []

        def keep(graph, inputs):
            seen.append(len(inputs))
            return graph

        run = aot_compile_joint_with_descriptors(joint, fw_compiler=keep, bw_compiler=keep)
        state = [*net.parameters(), *net.buffers()]
        made = run(*state, x, scale=scale)["out"]
    torch.testing.assert_close(made, net.linear(x) * 2)
    assert net.calls == 1
    made.sum().backward()
    torch.testing.assert_close(net.linear.bias.grad, torch.full((2,), 8.0))
    assert seen[0] == 5 and len(seen) == 2


def test_writes_stay_in_a_graph_if_that_is_wanted():
    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(()))

        def forward(self, x):
            self.total.add_(x.sum())
            return x.sin()

    joint = aot_export_joint_with_descriptors_alone(
        Counts(),
        (torch.ones(3),),
        keep_inference_input_mutations=True,
        disable_functionalization=True,
    )
    assert "torch.ops.aten.add_.Tensor(arg0_1, sum_1)" in joint.graph_module.code
    total, x = torch.zeros(()), torch.ones(3)
    (made,) = joint.graph_module(total, x)
    torch.testing.assert_close(made, x.sin())
    assert total == 3


def test_parts_of_tensors_of_classes_have_no_gradients_of_their_own():
    x = TwoTensor(torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True))

    class Doubles(torch.nn.Module):
        def forward(self, x):
            return x * 2

    joint = aot_export_joint_with_descriptors_alone(Doubles(), (x,))
    given, _, _ = _descriptors(joint.graph_module.graph)
    assert [one.expr() for one in given[:2]] == ["args[0].a", "args[0].b"]
    with pytest.raises(RuntimeError, match="part of a tensor of a class"):
        get_param_and_grad_nodes(joint.graph_module.graph)
