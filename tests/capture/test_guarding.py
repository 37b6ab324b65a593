"""The text of guards: what they have in common is computed once."""

from __future__ import annotations

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
