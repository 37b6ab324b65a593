"""Loops that carry numbers, in traces: nobody knows what they are after some steps."""

import pytest

import rushlight as torch
from rushlight._higher_order_ops import scan, while_loop
from rushlight._subclasses.functional_tensor import (
    CppFunctionalizeAPI,
    FunctionalTensorMode,
    PythonFunctionalizeAPI,
)


class Rows(torch.nn.Module):
    def forward(self, x):
        def body(i, x):
            torch._check(i >= 0)
            torch._check(i < x.shape[0])
            x = x.clone()
            x[i] = x[i] + i
            return i + 1, x

        count, x = while_loop(lambda i, x: i < x.shape[0], body, (0, x))
        return count + 1, x + count


def check(found, rows):
    assert found[0] == rows + 1
    wanted = torch.arange(float(rows)).reshape(-1, 1).expand(-1, 3) + rows
    torch.testing.assert_close(found[1], wanted)


@pytest.mark.parametrize("dynamic", [False, True])
def test_export(dynamic):
    shapes = {"x": {0: torch.export.Dim("rows")}} if dynamic else None
    program = torch.export.export(Rows(), (torch.zeros(4, 3),), dynamic_shapes=shapes)
    check(program.module()(torch.zeros(4, 3)), 4)
    if dynamic:
        check(program.module()(torch.zeros(6, 3)), 6)


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_compile(backend):
    compiled = torch.compile(Rows(), fullgraph=True, backend=backend)
    for rows in (4, 6):
        check(compiled(torch.zeros(rows, 3)), rows)


@pytest.mark.parametrize("api", [CppFunctionalizeAPI, PythonFunctionalizeAPI])
def test_loops_under_functionalization(api):
    def body(x):
        x = x.clone()
        x.add_(1)
        return (x,)

    def program(x):
        return while_loop(lambda x: x.sum() < 3, body, (x,))[0]

    x = torch.zeros(1)
    with FunctionalTensorMode() if api is PythonFunctionalizeAPI else torch.enable_grad():
        found = api().functionalize(program)(x)
    assert found.tolist() == [3.0] and x.tolist() == [0.0]


def test_a_scan_of_one_result_is_an_error():
    wrong = torch._dynamo.exc.UncapturedHigherOrderOpError
    with pytest.raises(
        wrong, match=r"torch\.ops\.higher_order\.scan: combine_fn needs to produce two"
    ):
        scan(lambda carry, x: carry + x, torch.zeros(2), torch.ones(3, 2))


def test_what_functions_say_of_elements_is_checked_in_their_graphs():
    class Steps(torch.nn.Module):
        def forward(self, i, x):
            def condition(i, x):
                number = i.item()
                torch._check(number != 5)
                return number <= 9

            def body(i, x):
                number = i.item()
                torch._check(number % 2 == 0)
                return i + 2, x + number

            return while_loop(condition, body, (i, x + i.item()))

    given = torch.tensor([0]), torch.zeros(1)
    program = torch.export.export(Steps(), given)
    assert [x.item() for x in program.module()(*given)] == [10, 20.0]
    graphs = program.graph_module
    with pytest.raises(RuntimeError, match=r"Runtime assertion failed for expression Ne\(u\d, 5\)"):
        graphs.while_loop_cond_graph_0(torch.tensor([5]), torch.zeros(1))
    with pytest.raises(RuntimeError, match="Runtime assertion failed"):
        graphs.while_loop_body_graph_0(torch.tensor([5]), torch.zeros(1))
    graphs.while_loop_cond_graph_0(torch.tensor([3]), torch.zeros(1))
