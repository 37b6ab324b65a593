"""Operators that take functions: as they are, with gradients, in batches, and as nodes of graphs."""

import pytest

import rushlight as torch
from rushlight._higher_order_ops import associative_scan, scan, while_loop
from rushlight._higher_order_ops import map as mapped
from rushlight._subclasses.fake_tensor import FakeTensorMode
from rushlight._subclasses.functional_tensor import dispatch_functionalize
from rushlight.func import functionalize, grad, vmap
from rushlight.functorch.compile import aot_function, nop
from rushlight.fx.experimental.proxy_tensor import make_fx


def branches(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin() * x, lambda x: (x.cos() + 1, x)[0], (x,))


def loop(x):
    return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))[1]


def over_rows(x):
    return mapped(lambda row, y: {"sum": row.sin() * y}, x, x.sum(0))["sum"]


def along(x):
    carry, found = scan(lambda c, row: (c * 0.5 + row, (c * row).sin()), x[0] * 1, x)
    return carry + found


def prefixes(x):
    return associative_scan(lambda a, b: a * b, x, 0, combine_mode="generic")


PROGRAMS = [branches, loop, over_rows, along, prefixes]
DIFFERENTIABLE = [branches, over_rows, along, prefixes]


def values(sign=1):
    torch.manual_seed(0)
    return sign * torch.rand(4, 3)


def test_branches():
    x = torch.ones(3, requires_grad=True)
    for pred, factor in (True, 2), (torch.tensor(False), 3):
        made = torch.cond(pred, lambda x: x * 2, lambda x: x * 3, (x,))
        assert torch.autograd.grad(made.sum(), x)[0].tolist() == [factor] * 3
    with pytest.raises(RuntimeError, match="Expected pred to be bool or tensor"):
        torch.cond("yes", torch.sin, torch.cos, (x,))
    with pytest.raises(RuntimeError, match="only consists of tensor leaves"):
        torch.cond(True, torch.sin, torch.cos, ("x",))


def test_loops():
    x = torch.arange(6.0).view(3, 2)
    made = mapped(lambda x, y: {"sum": x["a"] + y}, {"a": x}, torch.ones(2))
    assert torch.equal(made["sum"], x + 1)
    with pytest.raises(RuntimeError, match="consistent"):
        mapped(lambda x: x[0], [torch.ones(2), torch.ones(3)])
    found = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))
    assert found[0].item() == 3 and torch.equal(found[1], x * 8)


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("reverse", [False, True])
def test_prefixes_are_those_of_a_loop(count, reverse):
    x = torch.rand(count, 2)
    found = associative_scan(torch.mul, x, 0, reverse=reverse, combine_mode="generic")
    order = x.flip(0) if reverse else x
    expected = torch.cumprod(order, 0)
    assert torch.allclose(found, expected.flip(0) if reverse else expected)
    carry, rows = scan(lambda c, row: (c + row, c * row), torch.zeros(2), x, reverse=reverse)
    assert torch.allclose(carry, x.sum(0))
    before = torch.cumsum(order, 0) - order
    assert torch.allclose(rows, (before * order).flip(0) if reverse else before * order, atol=1e-6)


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_graphs_compute_the_same(program, mode):
    graph = make_fx(program, tracing_mode=mode)(values())
    for sign in 1, -1:
        assert torch.allclose(graph(values(sign)), program(values(sign)))


def test_graph_of_branches():
    text = make_fx(branches)(values()).print_readable(False)
    assert "torch.ops.higher_order.cond(gt, true_graph_0, false_graph_0, (x_1,))" in text
    assert "class true_graph_0" in text and "class false_graph_0" in text


def test_what_functions_take_from_around_is_an_argument():
    def program(x, y):
        return torch.cond(x.sum() > 0, lambda x: x + y, lambda x: x - torch.ones(3), (x,))

    graph = make_fx(program)(torch.ones(3), torch.arange(3.0))
    assert "(x_1, y_1)" in graph.code
    assert graph(torch.ones(3), torch.ones(3)).tolist() == [2, 2, 2]
    assert graph(-torch.ones(3), torch.ones(3)).tolist() == [-2, -2, -2]


@pytest.mark.parametrize("program", DIFFERENTIABLE)
def test_gradients_in_graphs(program):
    def gradient(x):
        return torch.autograd.grad(program(x).cos().sum(), x)[0]

    x = values().requires_grad_()
    graph = make_fx(gradient, tracing_mode="fake")(x)
    assert torch.allclose(graph(x), gradient(x), atol=1e-6)
    assert torch.allclose(grad(lambda x: program(x).cos().sum())(values()), gradient(x), atol=1e-6)


@pytest.mark.parametrize("program", DIFFERENTIABLE)
def test_ahead_of_time(program):
    compiled = aot_function(program, nop)
    for sign in 1, -1:
        x, y = values(sign).requires_grad_(), values(sign).requires_grad_()
        made = compiled(x)
        assert torch.allclose(made, program(y))
        made.sin().sum().backward()
        program(y).sin().sum().backward()
        assert torch.allclose(x.grad, y.grad, atol=1e-6)


def test_changes_within_functions_are_followed():
    def program(x):
        def body(x):
            y = x.sin()
            y.add_(4)
            return y

        return torch.cond(x.sum() > 0, body, lambda x: x.cos(), (x,))

    for change in functionalize, dispatch_functionalize:
        graph = make_fx(change(program))(torch.ones(3))
        assert torch.allclose(graph(torch.ones(3)), program(torch.ones(3)))
        calls = [n.target for n in graph.true_graph_0.graph.nodes if n.op == "call_function"]
        assert not any(call.schema.mutated for call in calls)


@pytest.mark.parametrize("change", [functionalize, dispatch_functionalize])
def test_functions_that_change_their_arguments_are_refused(change):
    def changes(x):
        return torch.cond(x.sum() > 0, lambda x: x.add_(1), lambda x: x.cos(), (x,))

    def gives_back(x):
        return torch.cond(x.sum() > 0, lambda x: x.view(-1), lambda x: x.cos(), (x,))

    with pytest.raises(RuntimeError, match="cond_true might be modifying the input!"):
        make_fx(change(changes))(torch.ones(3))
    with pytest.raises(RuntimeError, match="cond_true might be aliasing the input!"):
        make_fx(change(gives_back))(torch.ones(3))


def test_batches():
    x = torch.tensor([[1.0, 2.0], [-1.0, -2.0]])
    assert torch.allclose(vmap(branches)(x), torch.stack([branches(row) for row in x]))
    found = vmap(lambda x: torch.cond(torch.tensor(True), torch.sin, torch.cos, (x,)))(x)
    assert torch.allclose(found, x.sin())
    assert torch.allclose(vmap(over_rows)(values().view(2, 2, 3))[1], over_rows(values()[2:]))


def test_fakes():
    with FakeTensorMode():
        x = torch.ones(4, 3)
        for program in PROGRAMS:
            assert tuple(program(x).shape) == (4, 3)
        with pytest.raises(RuntimeError, match="When merging two branches"):
            torch.cond(x.sum() > 0, lambda x: x[0], lambda x: x, (x,))


def test_names():
    assert repr(torch.ops.higher_order.cond) == "torch.ops.higher_order.cond"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        torch.ops.higher_order.nothing  # noqa: B018


def test_operators_of_programs():
    from rushlight._ops import HigherOrderOperator

    class Twice(HigherOrderOperator):
        def __init__(self):
            super().__init__("twice_of_a_test")

        def __call__(self, f, x):
            return super().__call__(f, x)

    twice = Twice()
    with pytest.raises(NotImplementedError, match="no rule registered"):
        twice(torch.sin, torch.ones(2))

    @twice.py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)
    def run(f, x):
        return f(f(x))

    assert torch.allclose(twice(torch.sin, torch.ones(2)), torch.ones(2).sin().sin())

    @twice.py_impl(torch._C._functorch.TransformType.Vmap)
    def in_batches(interpreter, f, x):
        assert interpreter.level() == 1
        value, dim = torch._C._functorch._unwrap_batched(x, 1)
        with interpreter.lower():
            made = twice(f, value) + 1
        return torch._C._functorch._add_batch_dim(made, dim, 1)

    assert torch.allclose(
        vmap(lambda x: twice(torch.sin, x))(torch.ones(2)), torch.ones(2).sin().sin() + 1
    )

    @twice.py_autograd_impl
    def with_gradients(f, x):
        with torch._C._AutoDispatchBelowAutograd():
            return twice(f, x) * 2

    assert torch.allclose(twice(torch.sin, torch.ones(2)), torch.ones(2).sin().sin() * 2)
    assert torch.ops.higher_order.twice_of_a_test is twice
    with pytest.raises(RuntimeError, match="Please subclass it"):
        HigherOrderOperator("plain")
