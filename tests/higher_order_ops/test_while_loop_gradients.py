"""Gradients of loops that are traced, and the values that a loop goes through."""

import pytest

import rushlight as torch
from rushlight._higher_order_ops import while_loop, while_loop_stack_output
from rushlight._higher_order_ops.while_loop import while_loop_op
from rushlight.functorch.compile import aot_function, nop
from rushlight.fx.experimental.proxy_tensor import make_fx


def goes_on(i, x, y, w, stop):
    return i < stop


def step(i, x, y, w, stop):
    return i + 1, x.sin() * w + y, y * x + w


def looped(x, y, w, stop):
    first = (torch.tensor(0), x, y)
    _, x, y = while_loop_op(goes_on, step, first, (w, stop))
    return (x * y + y).sum()


def arguments(stop):
    given = [torch.linspace(0.1 * k, 1, 3).requires_grad_() for k in range(3)]
    return *given, torch.tensor(stop)


def gradients(x, y, w, stop):
    made = looped(x, y, w, stop)
    return torch.autograd.grad(made, (x, y, w), allow_unused=True, materialize_grads=True)


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
@pytest.mark.parametrize("stop", [0, 1, 4])
def test_graph_runs_as_often_as_its_arguments_say(mode, stop):
    graph = make_fx(gradients, tracing_mode=mode)(*arguments(2))
    torch.testing.assert_close(graph(*arguments(stop)), gradients(*arguments(stop)))


@pytest.mark.parametrize("stop", [0, 3])
def test_loop_in_a_compiled_program(stop):
    compiled = aot_function(looped, nop, dynamic=True)
    given = arguments(stop)
    compiled(*given).backward()
    torch.testing.assert_close(tuple(x.grad for x in given[:3]), gradients(*arguments(stop)))


def test_values_of_each_step():
    body = (lambda i, x: i < 3, lambda i, x: (i + 1, x * 2 + i))
    found = while_loop_stack_output(*body, (torch.tensor(0), torch.ones(2)), ())
    assert found[0].tolist() == [1, 2, 3]
    assert found[1].tolist() == [[2.0, 2.0], [5.0, 5.0], [12.0, 12.0]]
    none = while_loop_stack_output(*body, (torch.tensor(5), torch.ones(2)), ())
    assert none[0].tolist() == [5]


def test_gradients_where_numbers_are_carried_are_refused_in_traces():
    def program(x):
        made = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.sin()), (0, x))
        return torch.autograd.grad(made[1].sum(), x)

    with pytest.raises(NotImplementedError, match="numbers are carried"):
        make_fx(program, tracing_mode="fake")(torch.ones(2, requires_grad=True))


def loop_over(x, w):
    made = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.sin() * w), (torch.tensor(0), x))
    return made[1].sum()


def branch_over(x, w):
    return torch.cond(x.sum() > 0, lambda x: x * w, lambda x: x.sin(), (x,)).sum()


@pytest.mark.parametrize("program", [loop_over, branch_over])
def test_tensors_from_around_the_functions_get_gradients(program):
    found = []
    for run in (program, aot_function(program, nop, dynamic=True)):
        x, w = torch.ones(2, requires_grad=True), torch.full((2,), 0.5, requires_grad=True)
        run(x, w).backward()
        found.append((x.grad, w.grad))
    torch.testing.assert_close(*found)
