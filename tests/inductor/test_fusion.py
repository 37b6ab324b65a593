"""Which nodes of a graph share a kernel, and that compiled programs compute what they do uncompiled."""

from __future__ import annotations

import weakref

import pytest
from expecttest import assert_expected_inline

import rushlight as torch
from rushlight._inductor.kernels import Kernel, Map, Reduced, Rows
from rushlight._inductor.lowering import lower
from rushlight.engine.dispatch.call_cache import graph_function
from rushlight.fx.experimental.proxy_tensor import make_fx

X = torch.arange(12.0).view(3, 4).sin()
Y = torch.arange(12.0).view(3, 4).cos()


def lowered(function, *args, mode="fake"):
    graph = make_fx(function, tracing_mode=mode)(*args)
    graph.graph.eliminate_dead_code()
    return lower(graph)


def kernels(function, *args, mode="fake"):
    """The kernels of a program, checked against the program."""
    made = lowered(function, *args, mode=mode)
    assert torch.allclose(made(*args), function(*args), equal_nan=True)
    return [node.target for node in made.graph.nodes if isinstance(node.target, Kernel)]


def kinds(function, *args, mode="fake"):
    return [type(kernel) for kernel in kernels(function, *args, mode=mode)]


def test_pointwise_calls_are_one_map():
    assert kinds(lambda x, y: ((x + y).exp() * 2).relu() - x, X, Y) == [Map]


def test_reductions_of_rows_stay_with_what_reads_them():
    def norm(x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) + 1

    assert kinds(norm, X) == [Rows]
    assert kinds(lambda x: torch.softmax(x * 2, -1) + 1, X) == [Rows]
    assert kinds(lambda x: torch.nn.functional.layer_norm(x + 1, (4,)).tanh(), X) == [Rows]


def test_results_of_rows_without_their_dimension():
    assert kinds(lambda x: (x * 2).sum(-1) + 1, X) == [Rows]


def test_row_values_with_and_without_their_dimension_broadcast():
    x = torch.rand(3, 5)
    function = lambda x: (x * 2).sum(-1, keepdim=True) + (x * 2).sum(-1)
    assert torch.allclose(lowered(function, x)(x), function(x))


def test_other_reductions_read_what_they_reduce_from_registers():
    assert kinds(lambda x, y: (x - y).abs().mean(), X, Y) == [Reduced]
    assert kinds(lambda x, y: (x * y).sum(0), X, Y) == [Reduced]


def test_what_others_read_is_written():
    def run(x):
        y = x.exp() * 2
        return y.sum(0) + y.t().contiguous()[0, 0]

    assert kinds(run, X) == [Map]


def test_groups_do_not_wait_for_each_other():
    """The product needs one call of a map, another call needs the product."""

    def run(x, y):
        a = x.sin() + 1
        return (a @ y.t()).sum() + a * 2 + y.cos() * (a @ y.t()).mean()

    assert torch.allclose(lowered(run, X, Y)(X, Y), run(X, Y))


def test_groups_that_a_node_reads_become_one():
    def program(x, y):
        return (x.exp() + 1) * (y.sin() - 2)

    assert kinds(program, X, Y) == [Map]

    def rows(x, y):
        return torch.softmax(x, -1) * (y.sin() - 2)

    assert kinds(rows, X, Y) == [Rows]

    def two_rows(x, y):
        return torch.softmax(x, -1) * torch.softmax(y, -1) + x.mean(-1, keepdim=True)

    assert kinds(two_rows, X, Y) == [Rows]


def test_groups_with_a_product_between_them_stay_apart():
    def program(x, y):
        first = x.exp() + 1
        return first * (y @ first).sin().cos()

    square = torch.arange(9.0).view(3, 3).sin()
    assert kinds(program, square, square) == [Map, Map]


def test_sizes_that_are_symbols():
    def run(x, y):
        return torch.softmax(x * 2 + y, -1).exp() - y

    made = lowered(run, X, Y[0], mode="symbolic")
    assert sum(isinstance(node.target, Kernel) for node in made.graph.nodes) == 1
    for rows, columns in [(3, 4), (2, 9), (5000, 2), (2, 5000), (1, 4), (0, 4)]:
        x, y = torch.rand(rows, columns), torch.rand(columns)
        assert torch.allclose(made(x, y), run(x, y))


def test_values_are_rounded_as_tensors_would():
    x = torch.rand(100).to(torch.bfloat16)
    function = lambda x: (x * 3.1 + 0.7).sin() / 3
    assert torch.equal(lowered(function, x)(x), function(x))


def test_numbers_and_types():
    n = torch.arange(5)
    assert torch.equal(lowered(lambda n: (n * 2.5 + n) // 2, n)(n), (n * 2.5 + n) // 2)
    assert torch.equal(lowered(lambda n: n.pow(2) % 3 == 1, n)(n), n.pow(2) % 3 == 1)
    assert lowered(lambda n: (n > 2) & (n < 4), n)(n).dtype is torch.bool


def test_long_rows_and_rows_that_do_not_lie_in_one_stretch():
    for shape in [(2, 20000), (2, 5000), (3, 4, 5)]:
        x = torch.rand(shape)
        function = lambda x: (x.exp() / x.exp().sum(-1, keepdim=True)).log()
        assert torch.allclose(lowered(function, x)(x), function(x), atol=1e-5)
    wide = torch.rand(4, 3, 5).transpose(0, 1)
    function = lambda x: (x - x.amax((1, 2), keepdim=True)) * x[:, :1]
    assert torch.allclose(lowered(function, wide)(wide), function(wide))


def test_code_of_a_lowered_graph():
    made = lowered(lambda x, y: torch.softmax(x + 1, -1) @ (y.exp() * 2).t(), X, Y)
    assert_expected_inline(
        made.code.strip(),
        """\
def forward(self, x_1, y_1):
    fused_add_softmax = kernels_fused_add_softmax(x_1);  x_1 = None
    fused_exp_mul = kernels_fused_exp_mul(y_1);  y_1 = None
    t = torch.ops.aten.t.default(fused_exp_mul);  fused_exp_mul = None
    mm = torch.ops.aten.mm.default(fused_add_softmax, t);  fused_add_softmax = t = None
    return mm""",
    )


@pytest.mark.parametrize("steps", [3, 200])
def test_graphs_of_any_length(steps):
    """More steps than one remembered call has are several calls."""

    def run(x, y):
        for k in range(steps):
            x = (x @ y).softmax(-1) + k
        return x

    y = torch.rand(4, 4)
    compiled = torch.compile(run)
    for _ in range(4):
        assert torch.allclose(compiled(X, y), run(X, y))


def test_training_steps():
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2)
    )
    compiled = torch.compile(net)
    for _ in range(4):
        expected = torch.autograd.grad(net(X).square().mean(), list(net.parameters()))
        found = torch.autograd.grad(compiled(X).square().mean(), list(net.parameters()))
        assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(expected, found))
        assert all(a.stride() == b.stride() for a, b in zip(expected, found))


def test_random_numbers_are_those_of_the_program():
    drop = lambda x: torch.nn.functional.dropout(x * 2, 0.5) + torch.rand(4)
    compiled = torch.compile(drop)
    for seed in range(4):
        torch.manual_seed(seed)
        expected = drop(X)
        torch.manual_seed(seed)
        assert torch.equal(compiled(X), expected)


def test_changes_of_arguments():
    def run(x, y):
        x.mul_(2).add_(y)
        return x.exp()

    compiled = torch.compile(run)
    for _ in range(4):
        a, b = X.clone(), X.clone()
        assert torch.equal(compiled(a, Y), run(b, Y)) and torch.equal(a, b)


def test_compiled_graphs_go_with_their_functions(collect):
    class Owner:
        pass

    def made_of(owner):
        return graph_function("graph", lambda x: owner and x * 2 + 1)

    owner = Owner()
    kept, made = weakref.ref(owner), made_of(owner)
    del owner
    for _ in range(4):
        made(X)
    assert kept() is not None
    del made
    collect()
    assert kept() is None
