"""Helper functions that many kernels have in common, cut out of a kernel's text.

The kernels of a family differ in how they walk over memory; what takes long to compile is the
functions that they call for each part of it, which are the same ones. So these become an object of
their own, and the first kernel of a family pays for all.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rushlight.engine.native.records import dataclass

# A text with less in its helper functions is compiled as it is: an object more costs time, too.
_LEAST = 1 << 14
# How a function begins that never becomes part of its callers.
_HEAD = re.compile(
    r"^define internal (?P<result>\w+) @(?P<name>\w+)\((?P<parameters>[^\n]*)\) noinline \{\n",
    re.MULTILINE,
)
_END = "\n}\n"
_NAME = re.compile(r"@([\w.]+)")


@dataclass(frozen=True)
class Cut:
    """A text in two parts.

    Args:
        helpers: the helper functions as a text that others can link with
        names: what they are called
        rest: the text that calls them, where they are declared
    """

    helpers: str
    names: tuple[str, ...]
    rest: str


def cut(ir: str) -> Cut | None:
    """The helper functions of a text apart from what calls them; None if they are few or tied to it."""
    heads, bodies, rest = _apart(ir)
    if len(bodies) < _LEAST:
        return None
    names = tuple(head["name"] for head in heads)
    called = _named_in(bodies) - set(names)
    declared = [line for line in rest.split("\n") if line.startswith("declare ")]
    needed = [line for line in declared if called & set(_NAME.findall(line))]
    if called - set(_NAME.findall("\n".join(needed))):
        return None
    lines = [f"declare {h['result']} @{h['name']}({h['parameters']})\n" for h in heads]
    helpers = bodies.replace("define internal ", "define ") + "\n".join(sorted(needed)) + "\n"
    return Cut(helpers, names, "".join(lines) + rest)


def _apart(ir: str) -> tuple[list[re.Match[str]], str, str]:
    """How the helper functions of a text begin, their text, and the rest."""
    heads, bodies, rest = [], [], []
    done = 0
    while head := _HEAD.search(ir, done):
        end = ir.index(_END, head.end() - 1) + len(_END)
        heads.append(head)
        rest.append(ir[done : head.start()])
        bodies.append(ir[head.start() : end])
        done = end
    return heads, "".join(bodies), "".join([*rest, ir[done:]])


@lru_cache(maxsize=16)
def _named_in(bodies: str) -> frozenset[str]:
    """What a text names; many kernels have the same helper functions."""
    return frozenset(_NAME.findall(bodies))
