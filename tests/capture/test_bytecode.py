"""Bytecode of all versions, told in the instructions that the interpreter does."""

from __future__ import annotations

import dis
import inspect
import types

import pytest

from rushlight._capture import bytecode, interpreter

pytestmark = pytest.mark.skipif(
    not bytecode.SUPPORTED, reason="the bytecode of this Python is not known"
)


def codes(text: str) -> list[types.CodeType]:
    """The code objects of a program's functions, those within others too."""
    found, left = [], [compile(text, "<program>", "exec")]
    while left:
        inner = [c for c in left.pop().co_consts if isinstance(c, types.CodeType)]
        functions = [c for c in inner if c.co_flags & inspect.CO_OPTIMIZED]
        found += [c for c in functions if c.co_name != "__annotate__"]
        left += inner
    return found


PROGRAMS = {
    "signs": "def f(a, b): return -a + b * a[1] - a[1:b] ** (not b), a is not b, a in b, a < b <= a",
    "slices": "def f(a, b):\n a[b:] = a[::2]\n del a[b]\n a[b:1] += 1",
    "calls": "def f(g, *a, **k): return g(), g(1, x=2), g(*a), g(*a, **k), g.h(1), g.h(y=1), g(*a, x=1)",
    "displays": "def f(a): return [a, *a], (a, *a), {a, *a}, {'k': a, **a}, {1: 2, a: 3}, f'{a!r:>{a}} {a}'",
    "comprehensions": "def f(a, b): return [x + b for x in a if x], {x for x in a}, {x: b for x in a}, [lambda: x for x in a]",
    "loops": "def f(a):\n for i in a:\n  if i: continue\n  if a: break\n else:\n  a = 1\n while a:\n  a -= 1\n return any(x for x in a)",
    "functions": "def f(a, b=1, *, c=2):\n def g(x: int, y=a, *, z=b) -> int:\n  nonlocal a\n  a = x\n  return a + b\n return g, lambda: a",
    "blocks": "def f(a):\n with a as b, b():\n  return b\n",
    "errors": "def f(a):\n try:\n  assert a, 'no'\n except (KeyError, ValueError) as e:\n  raise TypeError from e\n finally:\n  a()\n",
    "generators": "def f(a):\n b = yield a\n c = yield from b\n return c",
    "super": "class A:\n def f(self): return super().f(1), super(A, self).g, super().h",
    "names": "def f(a):\n global g\n import os.path as p\n from os import sep\n g, (a.b, *c) = a\n del a.b, c\n return p, sep",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_interpreter_knows_what_programs_use(name):
    unknown = {
        one.name
        for code in codes(PROGRAMS[name])
        for one in bytecode.instructions(code)
        if one.name not in interpreter.KNOWN
    }
    assert not unknown


@pytest.mark.parametrize("name", PROGRAMS)
def test_instructions_keep_their_places(name):
    for code in codes(PROGRAMS[name]):
        found = bytecode.instructions(code)
        offsets = [one.offset for one in found]
        assert offsets == sorted(offsets)
        real = {i.offset for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"}
        assert set(offsets) == real
