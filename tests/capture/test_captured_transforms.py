"""`vmap`, `grad` and their kin in captured functions."""

import pytest

import rushlight as torch
from rushlight._higher_order_ops import associative_scan
from rushlight.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vmap,
)
from rushlight.utils import _pytree as pytree

W, X = torch.randn(3, 3), torch.randn(4, 3)
scale = 2.0


def _loss(w, x):
    return ((x @ w).tanh() ** 2).sum() * scale


per_sample = vmap(grad(_loss), (None, 0))


def check(function, *args, count=None):
    """One graph, which gives what the function gives."""
    graphs = []

    def keep(graph, examples):
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    made = torch.compile(function, backend=keep, fullgraph=True)(*args)
    for one, other in zip(
        pytree.tree_leaves(made), pytree.tree_leaves(function(*args)), strict=True
    ):
        torch.testing.assert_close(one, other)
    assert len(graphs) == 1
    return graphs[0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: vmap(lambda a: (a @ W).sin() * scale)(x),
        lambda x: vmap(lambda a, b: a * b, (0, None), 1)(x, x[0]),
        lambda x: grad(lambda a: (a @ W).sin().sum())(x),
        lambda x: vmap(grad(lambda a: (a * a).sum() * scale))(x),
        lambda x: per_sample(W, x),
        lambda x: (jacrev(torch.cos)(x[0]), jacfwd(torch.cos)(x[0])),
        lambda x: hessian(lambda a: (a**3).sum())(x[0]),
        lambda x: jvp(torch.sin, (x,), (torch.ones_like(x),)),
        lambda x: grad_and_value(lambda a, b: (a @ b).sum(), argnums=(0, 1))(x, W),
        lambda x: vmap(lambda a: torch.tensor(0.5))(x),
        lambda x: vmap(torch.Tensor.sin_)(x.clone()),
        lambda x: grad(lambda a: (a * x.detach()).sum())(x) + x,
    ],
)
def test_a_transformation_is_part_of_the_graph(function):
    check(function, X)


def test_nodes_are_operators_below_the_layers():
    graph = check(lambda x: vmap(lambda a: a.sum() * 2)(x), X)
    called = [node.target for node in graph.graph.nodes if node.op == "call_function"]
    assert torch.ops.aten.mul.Tensor in called and torch.Tensor.sum not in called


def test_gradients_of_samples_by_functional_call():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))

    def program(x):
        tensors = dict(net.named_parameters())
        return vmap(grad(lambda p, a: functional_call(net, p, (a,)).sum()), (None, 0))(tensors, x)

    check(program, X)
    halves = {name: tensor.detach() / 2 for name, tensor in net.named_parameters()}
    check(lambda x: (functional_call(net, halves, x), net(x)), X)


def test_results_have_gradients():
    def program(x):
        return vmap(lambda a: (a @ W).sin())(x), grad(lambda a: (a**3).sum())(x)

    x = X.clone().requires_grad_()
    compiled = torch.compile(program, backend="aot_eager", fullgraph=True)
    found = torch.autograd.grad([y.sum() for y in compiled(x)], x)[0]
    expected = torch.autograd.grad([y.sum() for y in program(x)], x)[0]
    torch.testing.assert_close(found, expected)


def test_what_transformed_functions_read_is_guarded():
    global scale
    compiled = torch.compile(lambda x: per_sample(W, x), backend="eager", fullgraph=True)
    before = compiled(X)
    scale = 3.0
    try:
        torch.testing.assert_close(compiled(X), before * 1.5)
    finally:
        scale = 2.0


def test_a_graph_ends_before_a_transformation_that_cannot_be_in_it():
    seen = []

    def inner(a):
        seen.append(a.shape)
        torch._dynamo.graph_break()
        return a.sin().sum()

    def program(x):
        return grad(inner)(x * 2) + 1

    compiled = torch.compile(program, backend="eager")
    torch.testing.assert_close(compiled(X), program(X))
    assert len(seen) == 2


def test_prefixes_by_functions_of_the_program():
    weight = torch.ones(3, requires_grad=True)

    def program(x):
        def combine(left, right):
            return left[0] * right[0], right[0] * left[1] + right[1] + weight

        return associative_scan(combine, (x, x + 1), dim=0, combine_mode="generic")

    for rows in (1, 2, 5):
        check(program, torch.linspace(-1, 1, rows * 3).view(rows, 3))
    compiled = torch.compile(program, backend="aot_eager", fullgraph=True)
    found, expected = (
        torch.autograd.grad(sum(y.sum() for y in run(X)), weight)[0] for run in (compiled, program)
    )
    torch.testing.assert_close(found, expected)
