"""Functions that are compiled: graphs, what ends them, guards, and what programs see of it."""

from __future__ import annotations

import copy
import gc
import linecache
import math
import sys
import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight._capture import programs
from tests.capture import random_programs

pytestmark = pytest.mark.skipif(
    not torch._dynamo.is_dynamo_supported(), reason="the bytecode of this Python is not known"
)


class Kept:
    """A back end that keeps its graphs."""

    def __init__(self):
        self.graphs = []

    def __call__(self, module, examples):
        self.graphs.append(module)
        return module.forward

    @property
    def sizes(self):
        calls = ("call_function", "call_method")
        return [sum(n.op in calls for n in g.graph.nodes) for g in self.graphs]


def check(function, *args, graphs=None, times=3, **kwargs):
    """A function gives the same, compiled and not; the sizes of its graphs are as told."""
    kept = Kept()
    made = torch.compile(function, backend=kept)
    for _ in range(times):
        given, others = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
        expected = random_programs.shown(function(*given[0], **given[1]))
        assert random_programs.shown(made(*others[0], **others[1])) == expected
        assert random_programs.shown(others) == random_programs.shown(given)
    if graphs is not None:
        assert kept.sizes == graphs, made._captured.reasons
    return made


X = torch.arange(6.0).view(2, 3) / 3


def test_one_graph():
    check(lambda x: torch.sin(x) + x * 2, X, graphs=[3])


def test_members_that_ask_modes_are_called_by_their_names():
    check(lambda x: x.split(2, 1)[1] + x.size(1) - x.dim(), X, graphs=[5])
    check(lambda x: 1 - x // 2 + x**2 % 3 + 2**x, X)


def test_loops_are_unrolled():
    def run(x, n):
        for i in range(n):
            x = x + i
        return [x, {"k": x.shape}]

    check(run, X, 3, graphs=[3])


def test_branches_on_tensors_end_graphs():
    def run(x):
        y = x.sin()
        if y.sum() > 0:
            return y * 2
        return y - 1

    made = check(run, X, graphs=[3, 1])
    assert "a branch on a tensor" in made._captured.reasons[0].reason
    assert torch.equal(made(-X), (-X).sin() - 1)


def test_python_between_graphs(capsys):
    def run(x):
        y = x + 1
        print("between")
        return y * 2

    check(run, X, graphs=[1, 1])
    assert capsys.readouterr().out == "between\n" * 6


def test_modules_are_read_and_parameters_are_inputs():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    kept = Kept()
    made = torch.compile(net, backend=kept)
    assert torch.equal(made(X), net(X))
    assert kept.sizes == [3]
    with torch.no_grad():
        net[0].weight.mul_(2)
    assert torch.equal(made(X), net(X))
    net[2] = torch.nn.Linear(4, 2, bias=False)
    assert torch.equal(made(X), net(X))
    assert len(kept.graphs) == 2
    assert list(made.state_dict()) == ["_orig_mod." + name for name in net.state_dict()]


def test_gradients_go_through_graphs():
    net = torch.nn.Linear(3, 2)
    for backend in ("eager", "inductor", "aot_eager"):
        made = torch.compile(net, backend=backend)
        for _ in range(3):
            net.zero_grad()
            made(X).square().sum().backward()
            found = net.weight.grad.clone()
            net.zero_grad()
            net(X).square().sum().backward()
            assert torch.allclose(found, net.weight.grad)


def test_closures_objects_and_generators():
    factor = torch.tensor(3.0)

    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

        @property
        def both(self):
            return self.a + self.b

    def run(x):
        def times(n):
            for i in range(n):
                yield x * i * factor

        pair = Pair(x, x * 2)
        total = sum(times(3))
        return pair.both, total, list(times(2)), max(len(t.shape) for t in times(2))

    check(run, X, times=2)


def test_what_is_changed_is_written_behind_the_graph():
    class Counter:
        def __init__(self):
            self.count, self.seen, self.table = 0, [], {}

        def add(self, x):
            self.count += 1
            self.seen.append(x * self.count)
            self.table[self.count] = x
            return self.seen[-1] + len(self.table)

    kept = Kept()
    counter, other = Counter(), Counter()
    made = torch.compile(lambda c, x: (c.add(x), c.add(x)), backend=kept)
    for _ in range(2):
        found = made(counter, X)
        expected = other.add(X), other.add(X)
        assert random_programs.shown(found) == random_programs.shown(expected)
    assert counter.count == 4 and len(counter.seen) == 4 and sorted(counter.table) == [1, 2, 3, 4]
    assert all(len(g.graph.nodes) > 2 for g in kept.graphs) and len(kept.graphs) == 2


def test_exceptions_are_the_programs():
    def run(table, x):
        try:
            return table["none"]
        except KeyError as error:
            x = x + len(error.args)
        return x.reshape(5)

    made = torch.compile(run, backend="eager")
    with pytest.raises(RuntimeError, match="shape '\\[5\\]' is invalid"):
        made({}, X)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        made({})


def test_guards_of_globals_closures_and_state():
    kept = Kept()
    factor = 2

    def run(x):
        return x * factor

    made = torch.compile(run, backend=kept)
    assert torch.equal(made(X), X * 2)
    factor = 3
    assert torch.equal(made(X), X * 3)
    with torch.no_grad():
        made(X)
    made(X.double())
    made(X[:, :2])
    made(X.clone().requires_grad_())
    count = len(kept.graphs)
    assert count == 6
    made(X)
    assert len(kept.graphs) == count


def test_fullgraph_refuses():
    def run(x):
        torch._dynamo.graph_break()
        return x + 1

    with pytest.raises(torch._dynamo.exc.Unsupported, match="not one graph"):
        torch.compile(run, backend="eager", fullgraph=True)(X)
    assert torch.equal(torch.compile(run, backend="eager")(X), X + 1)


def test_disabled_functions_stay_out_of_graphs():
    @torch.compiler.disable
    def outside(x):
        return x * 2 if not torch.compiler.is_compiling() else x

    made = torch.compile(lambda x: outside(x + 1) + 1, backend="eager")
    assert torch.equal(made(X), (X + 1) * 2 + 1)


def test_is_compiling_within_graphs_only():
    made = torch.compile(lambda x: x + (1 if torch.compiler.is_compiling() else 2), backend="eager")
    assert torch.equal(made(X), X + 1)
    assert not torch.compiler.is_compiling()


def test_explain():
    def run(x):
        x = x.sin()
        torch._dynamo.graph_break()
        return x.cos() + 1

    told = torch._dynamo.explain(run)(X)
    assert (told.graph_count, told.graph_break_count, told.op_count) == (2, 1, 3)
    assert "the program asks for it" in told.break_reasons[0].reason and "Graph Count: 2" in str(
        told
    )


def test_back_ends_by_name():
    assert {"eager", "aot_eager", "inductor"} <= set(torch._dynamo.list_backends(()))
    with pytest.raises(torch._dynamo.exc.InvalidBackend, match="Invalid backend: 'none'"):
        torch.compile(lambda x: x, backend="none")

    def failing(module, examples):
        raise ValueError("no")

    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="ValueError: no"):
        torch.compile(lambda x: x + 1, backend=failing)(X)


def test_functions_that_look_at_their_frame_run_as_they_are():
    def run(x):
        return x + len(locals()), sys._getframe().f_code.co_name

    found, name = torch.compile(run, backend="eager")(X)
    assert name == "run" and torch.equal(found, X + 1)


def test_identity_is_guarded():
    made = torch.compile(lambda a, b: a + 1 if a is b else a + 2, backend="eager")
    x, y = torch.ones(2), torch.ones(2)
    assert [made(x, y)[0].item(), made(x, x)[0].item(), made(x, y)[0].item()] == [3, 2, 3]

    def lengthened(a, b):
        a.append(1)
        return len(b)

    counted, both = torch.compile(lengthened, backend="eager"), [0]
    assert counted([0], [0]) == 1 and counted(both, both) == 2 and both == [0, 1]


def test_numbers_of_numpy_are_guarded_by_value():
    def run(x, factor, wanted):
        return x * math.sqrt(factor) if wanted else x, f"{factor}"

    made = torch.compile(run, backend="eager")
    for given in [(np.float64(4), np.bool_(True)), (np.float64(9), np.bool_(True)),
                  (np.float64(9), np.bool_(False))]:  # fmt: skip
        found, expected = made(X, *given), run(X, *given)
        assert torch.equal(found[0], expected[0]) and found[1] == expected[1]


def test_whole_training_steps():
    def step(net, optimizer, x):
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    net = torch.nn.Linear(3, 2)
    other = copy.deepcopy(net)
    mine = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    theirs = torch.optim.SGD(other.parameters(), lr=0.1, momentum=0.9)
    made = torch.compile(step)
    for x in torch.arange(72.0).view(6, 4, 3).sin():
        assert torch.allclose(made(net, mine, x), step(other, theirs, x))
    assert torch.allclose(net.weight, other.weight)


def test_what_is_to_be_cleaned_up_is_cleaned_up():
    cleaned = []

    def run(x):
        try:
            if x.sum() > 0:
                raise KeyboardInterrupt
        finally:
            cleaned.append(1)

    with pytest.raises(KeyboardInterrupt):
        torch.compile(run, backend="eager")(X)
    assert cleaned == [1]


@pytest.mark.parametrize(("backend", "first"), [("eager", 0), ("inductor", 15), ("aot_eager", 30)])
def test_random_programs(first, backend):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(first, first + 12):
            function = random_programs.defined(seed)
            made = torch.compile(function, backend=backend)
            made.space = function.space
            for call in range(len(random_programs.CALLS)):
                expected = random_programs.outcome(function, call)
                assert random_programs.outcome(made, call) == expected, random_programs.program(
                    seed
                )


def test_a_call_that_is_remembered_makes_no_frames(monkeypatch):
    scale = torch.tensor(2.0)

    def function(x, /, a0, *rest, F=1, **given):
        given = {name: value * F for name, value in given.items()}
        return x * scale + a0 + sum(rest), given

    made = torch.compile(function, backend="eager", fullgraph=True)
    x = torch.arange(3.0)
    calls = [
        lambda f: f(x, 1),
        lambda f: f(x, a0=2, state=x),
        lambda f: f(x, 1, 2, 3, F=5, thread=x, G=x),
    ]
    for call in calls:
        assert repr(call(made)) == repr(call(function))

    def no_frame(*args):
        raise AssertionError("a frame is made")

    call = calls[-1]
    call(made)
    monkeypatch.setattr(programs, "Frame", no_frame)
    assert repr(call(made)) == repr(call(function))
    with pytest.raises(AssertionError, match="a frame is made"):
        calls[0](made)


def test_segments_of_calls_follow_what_the_function_is():
    def made_of(number):
        def function(x, y=number):
            return x * number + y

        return function

    function, x = made_of(2), torch.ones(2)
    made = torch.compile(function, backend="eager")
    assert made(x).tolist() == made(x).tolist() == [4, 4]
    function.__defaults__ = (5,)
    assert made(x).tolist() == [7, 7]
    function.__closure__[0].cell_contents = 10
    assert made(x).tolist() == [15, 15]
    with pytest.raises(TypeError, match=r"made_of.<locals>.function\(\) missing 1 required"):
        made()


def test_a_result_that_is_assumed_to_be_constant_is_made_once():
    calls = []

    @torch.compiler.assume_constant_result
    def places(x, scale):
        calls.append(x.clone())
        return {"places": torch.nonzero(x)[:, 0], "sum": x.sum().item() * scale}

    def program(x):
        y = x * 2
        y.add_(1)
        found = places(y - 1, 3)
        return y[found["places"]] + found["sum"] + places(x, 0)["sum"]

    x = torch.tensor([0.0, 1.0, 2.0])
    compiled = torch.compile(program, backend="eager", fullgraph=True)
    expected = torch.tensor([21.0, 23.0])
    torch.testing.assert_close(compiled(x), expected)
    torch.testing.assert_close(calls[0], torch.tensor([0.0, 2.0, 4.0]))
    assert torch.equal(calls[1], x) and torch.equal(x, torch.tensor([0.0, 1.0, 2.0]))
    torch.testing.assert_close(compiled(x + 1), expected + 2)
    assert len(calls) == 2


def test_functions_of_operators_need_not_use_what_others_do():
    class Sum(torch.nn.Module):
        def __init__(self, value):
            super().__init__()
            self.register_buffer("own", torch.full((3,), value))

        def forward(self):
            return self.own.sum()

    class Nested(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = Sum(1.0), Sum(2.0), Sum(3.0)

        def forward(self, x):
            def inner(x):
                return torch.cond(x.sum() > 0, lambda x: x + self.a(), lambda x: x + self.b(), (x,))

            return torch.cond(x.sum() > 3, inner, lambda x: x + self.c(), (x,))

    model = Nested()
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    for x in (torch.full((2,), 4.0), torch.ones(2), torch.full((2,), -1.0)):
        torch.testing.assert_close(compiled(x), model(x))


def test_a_leaf_that_is_made_in_a_function_gets_its_gradient():
    def program(x):
        leaf = torch.ones(2, requires_grad=True)
        return leaf, leaf * x

    leaf, made = torch.compile(program, backend="aot_eager")(torch.full((2,), 3.0))
    made.sum().backward()
    assert torch.equal(leaf.grad, torch.full((2,), 3.0))


def test_elements_that_a_function_has_written_down_are_known():
    def program(x):
        place = torch.as_tensor(1)
        if torch.tensor(3) > 2:
            return [x, x + 1][place], place.item()
        return x

    compiled = torch.compile(program, backend="eager", fullgraph=True)
    made, place = compiled(torch.ones(2))
    assert torch.equal(made, torch.full((2,), 2.0)) and place == 1


def test_tensors_are_in_sets_by_what_they_are():
    def program(x, y):
        known = {y}
        return x.add_(1) in known, x not in known

    compiled = torch.compile(program, backend="eager", fullgraph=True)
    x, y = torch.zeros(2), torch.zeros(2)
    for given in ((x, y), (x, x)):
        assert compiled(*given) == program(*given)


def test_the_text_of_a_function_is_that_of_the_same_function():
    def first():
        pass

    def program(x, function):
        return x + 1, "first" in str(function)

    compiled = torch.compile(program, backend="eager", fullgraph=True)
    assert compiled(torch.ones(1), first)[1] and not compiled(torch.ones(1), program)[1]


def test_texts_of_segments_go_with_them():
    def texts():
        return {name for name in linecache.cache if "segment of a program" in name}

    def made(number):
        return torch.compile(lambda x: x * number, backend="eager")

    before = texts()
    # The text does not depend on the number: both have it.
    first, second = made(2.5), made(3.5)
    assert first(torch.ones(2)).tolist() == [2.5, 2.5]
    assert second(torch.ones(2)).tolist() == [3.5, 3.5]
    own = texts() - before
    assert own
    del first
    gc.collect()
    assert second(torch.ones(2)).tolist() == [3.5, 3.5] and texts() - before
    del second
    torch._dynamo.reset()
    gc.collect()
    assert not own & texts()
