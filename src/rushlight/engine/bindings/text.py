"""The text of a binding's Python function: guards for usual calls.

What no guard recognises gives `UNREAD`, and the resolver reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rushlight.engine.bindings.guards import guard
from rushlight.engine.bindings.signatures import Binding, Signature
from rushlight.engine.dispatch.calls import default_source
from rushlight.engine.dispatch.named_results import fields_of
from rushlight.engine.dispatch.resolver import TENSOR_OPTIONS
from rushlight.engine.dispatch.schema import Argument
from rushlight.engine.dispatch.source import identifier


def binding_source(binding: Binding) -> str:
    """The definition of one function or method."""
    if takes_varargs(binding):
        return varargs_source(binding)
    if merges(binding.signatures):
        return merged_source(binding)
    return by_count_source(binding)


def python_name(binding: Binding, argument: Argument) -> str:
    """A function calls the tensor `self` of the schema `input`."""
    if argument.name == "self" and argument.type.plain == "Tensor" and not binding.is_method:
        return "input"
    return identifier(argument.name)


def takes_varargs(binding: Binding) -> bool:
    """True if one signature is a list of integers that may be spelled out as arguments."""
    return any(spelled_list(binding, s) is not None for s in binding.signatures)


def spelled_list(binding: Binding, signature: Signature) -> Argument | None:
    places = signature.positional
    rest = places[1:] if binding.is_method else places
    first_is_tensor = bool(places) and places[0].type.plain == "Tensor"
    if not binding.is_method and first_is_tensor:
        return None
    if len(rest) == 1 and rest[0].type.plain in ("int[]", "SymInt[]", "int[1]", "SymInt[1]"):
        return rest[0]
    return None


def merges(signatures: Sequence[Signature]) -> bool:
    """True if the signatures have the same names at the same positions."""
    lists = [[a.name for a in positional(s, signatures)] for s in signatures]
    longest = max(lists, key=len)
    return all(names == longest[: len(names)] for names in lists)


def positional(signature: Signature, signatures: Sequence[Signature]) -> list[Argument]:
    """Its arguments without those that any of the signatures takes by keyword only."""
    by_keyword = keyword_arguments(signatures)
    return [a for a in signature.positional if a.name not in by_keyword]


def call_source(signature: Signature, values: dict[str, str]) -> str:
    """The expression that calls the overload with these argument expressions."""
    schema = signature.schema
    inside = ", ".join(values[a.name] for a in schema.arguments)
    text = f"c_{signature.family}.{identifier(schema.base_name)}({inside})"
    fields = fields_of(schema)
    return f"named_result({schema.name!r}, {fields!r})({text})" if fields else text


def keyword_arguments(signatures: Sequence[Signature]) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    for signature in signatures:
        for argument in signature.schema.keyword_only:
            found.setdefault(argument.name, argument)
    return found


def options_of(signatures: Sequence[Signature]) -> list[str]:
    """Keyword names that the Python signature adds: `out` and `requires_grad`."""
    names = ["out"] if any(s.out for s in signatures) else []
    keywords = keyword_arguments(signatures)
    return names + (["requires_grad"] if set(TENSOR_OPTIONS) <= set(keywords) else [])


def common_default(signatures: Sequence[Signature], name: str) -> str:
    """The default that every signature gives to `name`, else `MISSING`."""
    defaults = set()
    for signature in signatures:
        found = next((a for a in signature.schema.arguments if a.name == name), None)
        has = found is not None and found.has_default
        defaults.add(default_source(found) if has and found else "MISSING")
    return defaults.pop() if len(defaults) == 1 else "MISSING"


def merged_source(binding: Binding) -> str:
    """One parameter for each name; a branch for each signature."""
    signatures = binding.signatures
    longest = max((positional(s, signatures) for s in signatures), key=len)
    names = {a.name: python_name(binding, a) for a in longest}
    keywords = keyword_arguments(signatures)
    names |= {name: identifier(name) for name in keywords}
    absent = {name: common_default(signatures, name) for name in names}
    options = [name for name in options_of(signatures) if name not in names]
    nothing = {"out": "None", "requires_grad": "False"}

    parameters = [f"{names[a.name]}={absent[a.name]}" for a in longest] + ["*extra"]
    parameters += [f"{names[name]}={absent[name]}" for name in keywords]
    parameters += [f"{name}={nothing[name]}" for name in options]
    lines = [f"def {binding.name}({', '.join(parameters)}, **others):"]
    quiet = ["not extra", "not others", *(f"{name} is {nothing[name]}" for name in options)]
    lines.append(f"    if {' and '.join(quiet)}:")
    branches = [line for one in signatures for line in branch(one, names, absent)]
    if not branches:
        return by_count_source(binding)
    lines += branches
    return "\n".join([*lines, "    return UNREAD"])


def branch(signature: Signature, names: dict[str, str], absent: dict[str, str]) -> list[str]:
    """`if` all values suit this signature, the call of its overload."""
    tests: list[str] = []
    values: dict[str, str] = {}
    own = {a.name for a in signature.schema.arguments}
    # The longest signature may leave arguments out; one that is given rules this one out.
    for name in names:
        if name not in own:
            tests.append(f"{names[name]} is {absent[name]}")
    for argument in signature.schema.arguments:
        name = names[argument.name]
        test, value = guard(argument, name)
        if test is None:
            return []
        if argument.has_default and absent[argument.name] == "MISSING":
            default = default_source(argument)
            test = f"({name} is MISSING or {test})" if test else ""
            value = f"({default} if {name} is MISSING else {value})"
        if test:
            tests.append(test)
        values[argument.name] = value
    condition = " and ".join(with_modes(tests))
    return [f"        if {condition}:", f"            return {call_source(signature, values)}"]


def with_modes(tests: list[str]) -> list[str]:
    """The tests of a call, with one that fails while there are function modes.

    `plain` is empty then, so a tensor's own test is enough.
    """
    has_tensor = any(re.fullmatch(r"type\([\w\[\]]+\) in plain", test) for test in tests)
    return tests if has_tensor else ["plain", *tests]


def by_count_source(binding: Binding) -> str:
    """Positional calls by number of arguments; calls with keywords go to the resolver."""
    branches: list[str] = []
    for signature in binding.signatures:
        places = signature.positional
        if any(not a.has_default for a in signature.schema.keyword_only):
            continue
        least = sum(1 for a in places if not a.has_default)
        for count in range(max(least, 1), len(places) + 1):
            branches += count_branch(signature, count)
    lines = [f"def {binding.name}(*args, **kwargs):"]
    if branches:
        lines += ["    if not kwargs:", "        n = len(args)", *branches]
    return "\n".join([*lines, "    return UNREAD"])


def count_branch(signature: Signature, count: int) -> list[str]:
    tests = [f"n == {count}"]
    values: dict[str, str] = {}
    for index, argument in enumerate(signature.arguments):
        if index >= count or argument.keyword_only:
            values[argument.name] = default_source(argument)
            continue
        test, value = guard(argument, f"args[{index}]", f"v{index}")
        if test is None:
            return []
        tests += [test] if test else []
        values[argument.name] = value
    return [
        f"        if {' and '.join(with_modes(tests))}:",
        f"            return {call_source(signature, values)}",
    ]


def takes_one_integer(signature: Signature) -> bool:
    """Whether another overload of the name is meant by a single integer."""
    positional = [a for a in signature.schema.positional if a.name != "self"]
    return len(positional) == 1 and positional[0].type.plain in ("int", "SymInt")


def varargs_source(binding: Binding) -> str:
    """`f(2, 3)` and `f((2, 3))` for the signature that takes integers one by one."""
    signature = next(
        s
        for s in binding.signatures
        if spelled_list(binding, s) is not None
        and all(a.has_default for a in s.schema.keyword_only)
    )
    spelled = spelled_list(binding, signature)
    assert spelled is not None
    schema = signature.schema
    keywords = list(schema.keyword_only)
    options = options_of([signature])
    nothing = {"out": "None", "requires_grad": "False"}
    parameters = ["self"] if binding.is_method else []
    parameters.append("*args")
    parameters += [f"{identifier(a.name)}={default_source(a)}" for a in keywords]
    parameters += [f"{name}={nothing[name]}" for name in options]
    tests = ["not others", *(f"{name} is {nothing[name]}" for name in options)]
    values: dict[str, str] = {}
    for argument in schema.arguments:
        name = identifier(argument.name)
        test, values[argument.name] = guard(argument, name)
        if argument is spelled:
            values[argument.name] = "integers_"
            continue
        tests += [test] if test else []
    if any(takes_one_integer(s) for s in binding.signatures if s is not signature):
        tests.append("not (len(args) == 1 and type(args[0]) is int)")
    tests.append("(integers_ := integers(args)) is not None")
    lines = [f"def {binding.name}({', '.join(parameters)}, **others):"]
    lines.append(f"    if {' and '.join(with_modes(tests))}:")
    lines.append(f"        return {call_source(signature, values)}")
    return "\n".join([*lines, "    return UNREAD"])
