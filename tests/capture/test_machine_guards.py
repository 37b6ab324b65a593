"""Calls of compiled functions that machine code makes: what it takes over, and what it leaves to Python."""

from __future__ import annotations

import gc
import threading
import traceback
import weakref

import pytest

import rushlight as torch
from rushlight._capture.programs import Captured
from rushlight.engine.core import state
from rushlight.engine.core.guard_programs import ANOTHER_WAY
from rushlight.engine.native import heap_types

pytestmark = pytest.mark.skipif(
    not heap_types.supported(), reason="generated code does not touch objects here"
)


def counting(function):
    """A compiled function, and the graphs that were made of it."""
    graphs = []

    def keep(module, examples):
        graphs.append(module)
        return module.forward

    return torch.compile(function, backend=keep, dynamic=False), graphs


def by_machine(run, *args):
    """What machine code gives for a call."""
    captured: Captured = run._captured
    found = captured.call(*args)
    assert found is not ANOTHER_WAY
    return found


def is_left_to_python(run, *args) -> bool:
    return run._captured.call(*args) is ANOTHER_WAY


def test_machine_code_makes_a_call_that_is_remembered():
    x, y = torch.ones(3), torch.full((3,), 2.0)
    run = torch.compile(lambda a, b: a * b + a)
    assert is_left_to_python(run, x, y)
    run(x, y)
    assert torch.equal(by_machine(run, x, y), run(x, y))
    assert by_machine(run, x, y).tolist() == [3, 3, 3]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda a, b: a + b, "tensor"),
        (lambda a, b: (a + b, a - b), "tuple"),
        (lambda a, b: (a + b, a, 7, None, "x"), "with arguments and constants"),
        (lambda a, b: b, "an argument"),
        (lambda *all: all[0] + all[1], "a tuple of arguments"),
    ],
)
def test_results_are_put_together(function, expected):
    x, y = torch.randn(3), torch.randn(3)
    run = torch.compile(function)
    run(x, y)
    found, wanted = by_machine(run, x, y), function(x, y)
    if not isinstance(wanted, tuple):
        found, wanted = (found,), (wanted,)
    assert type(found) is tuple and len(found) == len(wanted)
    for one, other in zip(found, wanted):
        if isinstance(other, torch.Tensor):
            assert torch.equal(one, other) and (one is other) == any(other is z for z in (x, y))
        else:
            assert type(one) is type(other) and one == other


def test_what_is_no_simple_value_is_made_in_python():
    run = torch.compile(lambda a: {"sum": a + 1})
    x = torch.ones(2)
    assert run(x)["sum"].tolist() == run(x)["sum"].tolist() == [2, 2]
    assert is_left_to_python(run, x)


def test_tensors_of_other_kinds_are_left_to_python():
    run, graphs = counting(lambda a, b: a * b)
    x, y = torch.ones(2, 3), torch.ones(2, 3)
    run(x, y)
    by_machine(run, x, y)
    others = [
        (x, torch.ones(3)),
        (x.t(), y.t()),
        (x.double(), y),
        (x.clone().requires_grad_(), y),
        (x, x),
        (x, 2.0),
        (x,),
        (x, y, y),
    ]
    for other in others:
        assert is_left_to_python(run, *other)
    marked = torch.ones(2, 3)
    torch._dynamo.mark_static(marked, 0)
    marked.note = "an attribute of the program's"
    assert is_left_to_python(run, marked, y)
    assert len(graphs) == 1
    with torch.no_grad():
        assert is_left_to_python(run, x, y)
    by_machine(run, x, y)


def test_numbers_and_texts_count_by_value():
    run, graphs = counting(lambda a, n, how: a * n if how == "times" else a + n)
    x = torch.full((2,), 3.0)
    for n, how, expected in ((4, "times", 12), (4, "plus", 7), (5, "times", 15)):
        assert run(x, n, how).tolist() == [expected] * 2
        assert by_machine(run, x, n, how).tolist() == [expected] * 2
    assert len(graphs) == 3
    # It compares as equal, and is something else.
    assert is_left_to_python(run, x, 5.0, "times")
    assert is_left_to_python(run, x, True, "times")


def test_variables_around_the_function_are_looked_at():
    factor = 2
    helper = torch.sin

    def program(a):
        return helper(a) * factor

    run, graphs = counting(program)
    x = torch.ones(2)
    assert torch.equal(run(x), by_machine(run, x))
    factor = 3
    assert is_left_to_python(run, x)
    assert torch.equal(run(x), torch.sin(x) * 3) and torch.equal(by_machine(run, x), run(x))
    helper = torch.cos
    assert is_left_to_python(run, x)
    assert torch.equal(run(x), torch.cos(x) * 3)
    assert len(graphs) == 3


def test_a_function_may_get_another_body_and_other_defaults():
    def program(a, n=2):
        return a * n

    def other(a, n=2):
        return a + n

    run = torch.compile(program, dynamic=False)
    x = torch.full((2,), 5.0)
    assert run(x, 3).tolist() == by_machine(run, x, 3).tolist() == [15, 15]
    program.__defaults__ = (4,)
    assert is_left_to_python(run, x, 3)
    assert run(x).tolist() == [20, 20]
    program.__code__ = other.__code__
    assert run(x, 3).tolist() == by_machine(run, x, 3).tolist() == [8, 8]


class Scaled(torch.nn.Module):
    where = "after"

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(3, 2)
        self.scale = 0.5
        self.others = torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.Dropout(0.0)])

    def forward(self, x):
        x = self.inner(x) * self.scale
        for other in self.others:
            x = other(x)
        return x if self.where == "before" else x + 1


def of_module(module):
    """A compiled module, and what its calls are given to."""
    compiled = torch.compile(module, dynamic=False)
    return compiled, compiled.__dict__["_compiled"]


def test_modules_are_looked_into():
    module, x = Scaled(), torch.randn(4, 3)
    compiled, run = of_module(module)

    def holds() -> None:
        assert torch.equal(compiled(x), module(x))
        assert torch.equal(by_machine(run, module, x), module(x))

    def changes(change) -> None:
        change()
        assert is_left_to_python(run, module, x)
        holds()

    holds()
    changes(lambda: setattr(module, "scale", -2.0))
    changes(lambda: module.eval())
    changes(lambda: setattr(module, "inner", torch.nn.Linear(3, 4)))
    changes(lambda: module.others.append(torch.nn.Tanh()))
    changes(lambda: setattr(module, "where", "before"))
    changes(lambda: setattr(Scaled, "forward", lambda self, x: self.inner(x)))
    # Other weights are the same kind of tensors.
    module.inner.weight.data.mul_(2)
    module.inner.bias = torch.nn.Parameter(torch.zeros(4))
    assert torch.equal(by_machine(run, module, x), module(x))
    assert is_left_to_python(run, module)
    assert is_left_to_python(run, torch.nn.Linear(3, 4), x)


def test_hooks_of_modules_are_seen():
    module, x = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()), torch.randn(4, 3)
    compiled, run = of_module(module)
    plain = compiled(x)
    by_machine(run, module, x)
    handles = [
        lambda: module[0].register_forward_hook(lambda module, args, out: out + 1),
        lambda: torch.nn.modules.module.register_module_forward_hook(lambda m, a, out: out * 3),
    ]
    for register in handles:
        handle = register()
        assert is_left_to_python(run, module, x)
        assert torch.equal(run(module, x), module(x)) and not torch.equal(run(module, x), plain)
        handle.remove()
        assert torch.equal(compiled(x), plain)
        assert torch.equal(by_machine(run, module, x), plain)


def test_what_changes_calls_is_seen():
    run = torch.compile(lambda a: a + torch.ones(2))
    x = torch.zeros(2)
    run(x)
    by_machine(run, x)
    torch.set_default_dtype(torch.float64)
    try:
        assert is_left_to_python(run, x)
        assert run(x).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    run(x)
    by_machine(run, x)
    with torch.inference_mode():
        assert is_left_to_python(run, x)
        assert run(x).is_inference()
    run(x)
    by_machine(run, x)
    with torch.autocast("cpu"):
        assert is_left_to_python(run, x)
    with torch._dynamo.config.patch(disable=True):
        assert is_left_to_python(run, x)
    by_machine(run, x)
    torch._dynamo.reset()
    assert is_left_to_python(run, x)
    assert run(x).tolist() == [1, 1]


def test_an_error_of_the_graph_shows_the_program():
    def program(a, places):
        return a.index_select(0, places) * 2

    run = torch.compile(program)
    x, good, bad = torch.arange(3.0), torch.tensor([2]), torch.tensor([7])
    assert run(x, good).tolist() == by_machine(run, x, good).tolist() == [4]
    with pytest.raises(IndexError) as eager:
        program(x, bad)
    with pytest.raises(IndexError) as compiled:
        run(x, bad)
    assert str(compiled.value) == str(eager.value)
    assert compiled.value.__context__ is None
    names = [frame.name for frame in traceback.extract_tb(compiled.value.__traceback__)]
    assert "program" in names
    assert run(x, good).tolist() == by_machine(run, x, good).tolist() == [4]


def test_threads_call_one_function_in_their_own_modes():
    run = torch.compile(lambda a: a * 3)
    x = torch.ones(4, requires_grad=True)
    wrong = []

    def work(recording: bool) -> None:
        with torch.set_grad_enabled(recording):
            for _ in range(300):
                y = run(x)
                if y.requires_grad is not recording or y.tolist() != [3] * 4:
                    wrong.append(recording)

    threads = [threading.Thread(target=work, args=(k % 2 == 0,)) for k in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []
    # Nothing that a thread did keeps machine code from making calls.
    assert (state.switches.busy, state.active, state.switches.unrecorded) == (0, 0, 0)


def test_a_program_goes_with_its_function(new_objects_only):
    run = torch.compile(lambda a: a + 1)
    x = torch.ones(2)
    run(x)
    by_machine(run, x)
    gone = weakref.ref(run._captured._kept)
    del run
    gc.collect()
    assert gone() is None


def test_programs_may_be_exchanged_while_they_run():
    """A graph that calls its own function, which is compiled anew for that."""

    def program(a, n):
        return a * n

    def keep(module, examples):
        def call(*args):
            if args[0].shape == (2,):
                made.append(run(torch.ones(5), 7))
            return module.forward(*args)

        return call

    made: list[torch.Tensor] = []
    run = torch.compile(program, backend=keep, dynamic=False)
    x = torch.ones(2)
    for _ in range(3):
        assert run(x, 2).tolist() == [2, 2]
    assert all(y.tolist() == [7] * 5 for y in made)
