"""The text of guards: what they have in common is computed once."""

from __future__ import annotations

import rushlight as torch
from rushlight._capture.guarding import statements


def test_what_comes_twice_has_a_name():
    found = statements(
        ["F[0].locals['x'].size is O1", "len(F[0].locals['x'].items) == 2", "type(F[0]) is O2"],
        "(F[0].locals['x'], O3.y)",
    )
    assert "\n".join(found) == (
        "p0 = F[0]\n"
        "p1 = p0.locals\n"
        "p2 = p1['x']\n"
        "if not (p2.size is O1):\n"
        "    return MISSED\n"
        "if not (len(p2.items) == 2):\n"
        "    return MISSED\n"
        "if not (type(p0) is O2):\n"
        "    return MISSED\n"
        "given = (p2, O3.y)"
    )


def test_texts_that_are_not_plain_and_parentheses():
    found = statements(
        ["(a.b or c).d == 'ä.b'", "f(a.b, 'ß', a.b.c)", "(a.b == 1)", "k in a.b['ü'].keys()"],
        "(a.b['ü'],)",
    )
    scope = {"a": type("A", (), {})(), "MISSED": None, "c": 0, "k": 1, "f": lambda *args: args}
    body = "\n".join(f"    {line}" for line in found)
    assert body.count("a.b") == 1
    exec(f"def run(a, c, f, k):\n{body}\n    return given", scope)

    class B(dict):
        d, c = "ä.b", 5

        def __eq__(self, other):
            return other == 1

    scope["a"].b = B({"ü": {1: 2}})
    assert scope["run"](scope["a"], 0, scope["f"], 1) == ({1: 2},)
    assert scope["run"](scope["a"], 0, scope["f"], 2) is None


def test_variables_of_comprehensions_stay_within():
    found = statements(["all(x.y for x in a.b)", "any(x.y for x in a.b)"], "(1,)")
    assert found[0] == "if not (all(x.y for x in a.b)):"


def compiled_counting(function):
    """A compiled function, and the graphs that were made of it."""
    graphs = []

    def keep(module, examples):
        graphs.append(module)
        return module.forward

    return torch.compile(function, backend=keep, dynamic=False), graphs


def test_each_kind_of_tensor_has_its_graph():
    run, graphs = compiled_counting(lambda x, y: x * 2 + y)
    kinds = [
        lambda: torch.ones(2, 2),
        lambda: torch.ones(3, 2),
        lambda: torch.ones(2, 2, dtype=torch.float64),
        lambda: torch.ones(2, 2, requires_grad=True),
        lambda: torch.nn.Parameter(torch.ones(2, 2)),
    ]
    for turn in range(2):
        for count, make in enumerate(kinds):
            x = make()
            assert torch.equal(run(x, 1.0), x * 2 + 1)
            assert len(graphs) == (count + 1 if turn == 0 else len(kinds))


def test_each_mode_of_recording_has_its_graph():
    run, graphs = compiled_counting(lambda x: x * 2)
    x = torch.ones(2, requires_grad=True)
    for turn in range(2):
        assert run(x).requires_grad
        with torch.no_grad():
            assert not run(x).requires_grad
        assert len(graphs) == 2, turn


def test_calls_begin_as_their_functions_say():
    def one(a, b=2):
        return a * b

    run, _ = compiled_counting(one)
    x = torch.ones(1)
    assert (run(x).item(), run(x, 3).item(), run(b=4, a=x).item()) == (2, 3, 4)
    one.__defaults__ = (5,)
    assert run(x).item() == 5
    every, _ = compiled_counting(lambda *args: sum(args))
    assert (every(x, x).item(), every(x, x, x).item()) == (2, 3)
    named, _ = compiled_counting(lambda *args, **kwargs: args[0] + kwargs["k"])
    assert named(x, k=2).item() == 3
