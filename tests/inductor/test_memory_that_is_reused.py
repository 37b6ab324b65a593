"""Results in the memory of inputs that nobody reads afterwards."""

import pickle

import pytest

import rushlight as torch
from rushlight._inductor import compile_fx
from rushlight._inductor.lowering import lower
from rushlight.fx.experimental.proxy_tensor import make_fx

LARGE = torch.linspace(-1, 1, 96 * 96).view(96, 96)


def reusing(program, *args):
    """The kernels of a program's loops that write over an input, with that input's name."""
    loops = lower(make_fx(program, tracing_mode="fake")(*args))
    assert all(map(torch.equal, loops(*map(torch.clone, args)), program(*args)))
    found = {}
    for node in loops.graph.nodes:
        into = getattr(node.target, "into", None)
        if into is not None:
            found[node.target.__name__] = node.args[into].name
    return found


def test_a_product_is_written_over():
    assert reusing(lambda x: [torch.relu(x @ x)], LARGE) == {"fused_relu": "mm"}


def test_a_product_is_written_over_by_the_name_of_a_view():
    def program(x):
        return [torch.tanh((x @ x).view(48, 2, 96)) + 1]

    assert reusing(program, LARGE) == {"fused_tanh_add": "view"}


def test_a_product_of_which_something_else_was_made_before():
    def program(x):
        made = x @ x
        return [made @ x, torch.relu(made)]

    assert reusing(program, LARGE) == {"fused_relu": "mm"}


@pytest.mark.parametrize(
    "program",
    [
        lambda x: [torch.relu(x)],
        lambda x: [torch.relu(x.view(-1)), x],
        lambda x: (lambda made: [torch.relu(made), made])(x @ x),
        lambda x: (lambda made: [torch.relu(made), made.view(-1)])(x @ x),
        lambda x: (lambda made: [torch.relu(made) @ x, made @ x])(x @ x),
        lambda x: (lambda made: [made + made.t(), made.sum()])(x @ x),
        lambda x: [torch.relu(x @ x).double(), (x @ x).double()],
        lambda x: [(x[:4, :4] @ x[:4, :4]).relu()],
    ],
    ids=[
        "an argument", "a view of an argument", "a result", "a view of a result", "read later",
        "two views", "another type", "too small",
    ],
)  # fmt: skip
def test_what_is_not_written_over(program):
    assert reusing(program, LARGE) == {}


def test_sizes_that_vary_and_repeated_calls():
    def program(x, w):
        for _ in range(3):
            x = torch.tanh(x @ w) * 2
        return x.sum(-1), x

    compiled = torch.compile(program, dynamic=True)
    for rows in (96, 97, 96, 200, 1, 97, 96):
        given = torch.linspace(-2, 2, rows * 96).view(rows, 96)
        kept = given.clone()
        for found, wanted in zip(compiled(given, LARGE), program(given, LARGE)):
            torch.testing.assert_close(found, wanted)
        assert torch.equal(given, kept)


def test_the_peak_of_a_training_step():
    model = torch.nn.Sequential(torch.nn.Linear(96, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1))
    peaks = []
    for run in (model, torch.compile(model)):
        for _ in range(4):
            model.zero_grad()
            torch.cpu.reset_peak_memory_stats()
            before = torch.cpu.memory_allocated()
            run(LARGE).sum().backward()
        peaks.append(torch.cpu.max_memory_allocated() - before)
    assert peaks[1] <= 1.1 * peaks[0], peaks


def test_kernels_on_disk_write_over_the_same_input():
    loops = lower(make_fx(lambda x: [torch.relu(x @ x)], tracing_mode="fake")(LARGE))
    (kernel,) = [n.target for n in loops.graph.nodes if hasattr(n.target, "into")]
    again = pickle.loads(pickle.dumps(kernel))
    x = LARGE.clone()
    assert again.into == 0 and again(x) is x and torch.equal(x, LARGE.relu())


def test_listeners_hear_of_such_kernels():
    heard = []
    compile_fx.listeners.append(heard.append)
    try:
        torch.compile(lambda x: torch.relu(x @ x))(LARGE)
    finally:
        compile_fx.listeners.clear()
    assert "kernels_fused_relu" in heard[0].code
