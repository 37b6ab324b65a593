"""The in-place and `out=` overloads that follow from a functional one."""

from __future__ import annotations

import re
import string

# What a factory's `out=` overload takes from its output instead.
_OPTIONS = re.compile(
    r"(?:, )?ScalarType\? dtype=None, Layout\? layout=None, Device\? device=None, "
    r"bool\? pin_memory=None"
)
_FUNC = re.compile(r"(\w+)(?:\.(\w+))?\((.*)\) -> (.*)")
# Tags that say something of the functional form alone.
_OWN_TAGS = {"core", "view_copy"}


def inplace_of(func: str) -> str | None:
    """The schema of the method that writes over its first argument."""
    name, overload, arguments, result = _parts(func)
    if result != "Tensor" or not re.match(r"Tensor self(,|$)", arguments):
        return None
    written = arguments.replace("Tensor self", "Tensor(a!) self", 1)
    return f"{name}_{'.' if overload else ''}{overload}({written}) -> Tensor(a!)"


def out_of(func: str, overload: str) -> str | None:
    """The schema of the overload that writes to tensors given as `out=`, or with the results' names."""
    name, _, arguments, result = _parts(func)
    is_tuple = result.startswith("(")
    results = result.strip("()").split(", ")
    if any(kind.split(" ")[0] != "Tensor" for kind in results):
        return None
    given, returned = [], []
    for k, kind in enumerate(results):
        own = kind.removeprefix("Tensor").strip()
        written = f"Tensor({string.ascii_lowercase[k]}!)"
        given.append(f"{written} {own or (f'out{k}' if is_tuple else 'out')}")
        returned.append(f"{written} {own}".strip())
    positional, _, keyword_only = _OPTIONS.sub("", arguments).partition("*")
    before = [x for x in (positional.rstrip(", "),) if x]
    after = [x for x in (keyword_only.strip(", "),) if x]
    taken = ", ".join([*before, "*", *after, *given])
    made = f"({', '.join(returned)})" if is_tuple else returned[0]
    return f"{name}.{overload}({taken}) -> {made}"


def tags_of(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags of a variant whose functional form has these."""
    # What writes a copy of a view somewhere is PyTorch's generator's own making.
    made = ("generated", "view_copy") if "view_copy" in tags else ()
    return (*(tag for tag in tags if tag not in _OWN_TAGS), *made)


def _parts(func: str) -> tuple[str, str, str, str]:
    found = _FUNC.fullmatch(func)
    if found is None:
        return "", "", "", ""
    name, overload, arguments, result = found.groups(default="")
    return name, overload, arguments, result
