"""Helper functions that many kernels have in common, cut out of a kernel's text.

The kernels of a family differ in how they walk over memory; what takes long to compile is the
functions that they call for each part of it, which are the same ones. So these become an object of
their own, and the first kernel of a family pays for all.
"""

from __future__ import annotations

import re

from rushlight.engine.native.records import dataclass

# A text with less in its helper functions is compiled as it is: an object more costs time, too.
_LEAST = 1 << 14
# A function that never becomes part of its callers, as `Text.define_function` writes it.
_HELPER = re.compile(
    r"^define internal (?P<result>\w+) @(?P<name>\w+)\((?P<parameters>[^\n]*)\) noinline \{\n.*?^\}\n",
    re.MULTILINE | re.DOTALL,
)
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
    found = list(_HELPER.finditer(ir))
    bodies = "".join(helper[0] for helper in found)
    if len(bodies) < _LEAST:
        return None
    names = tuple(helper["name"] for helper in found)
    called = set(_NAME.findall(bodies)) - set(names)
    declared = [line for line in ir.split("\n") if line.startswith("declare ")]
    needed = [line for line in declared if called & set(_NAME.findall(line))]
    if called - set(_NAME.findall("\n".join(needed))):
        return None
    heads = [f"declare {h['result']} @{h['name']}({h['parameters']})\n" for h in found]
    helpers = bodies.replace("define internal ", "define ") + "\n".join(sorted(needed)) + "\n"
    return Cut(helpers, names, "".join(heads) + _HELPER.sub("", ir))
