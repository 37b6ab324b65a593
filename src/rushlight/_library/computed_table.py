"""Which kernel serves which of PyTorch's keys, as text: what the dispatcher knows of an operator."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from rushlight import engine
from rushlight.engine.autograd import derivative_table
from rushlight.engine.core import keys as key_bits
from rushlight.engine.dispatch import key_names, registrations, registry
from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.registrations import Registration
from rushlight.engine.dispatch.schema import Schema

ENGINE = os.path.dirname(engine.__file__)
Stacks = dict[str, list[Registration]]
Found = tuple[Registration, str]

# Which of PyTorch's keys our kernels are for: those for a layout serve the processor.
SHOWN = {
    "Sparse": "SparseCPU",
    "SparseCsr": "SparseCsrCPU",
    "NestedTensor": "NestedTensorCPU",
    "Autocast": "AutocastCPU",
    "Batched": "FuncTorchBatched",
}
# What of PyTorch the files of keys stand in for; programs know fallbacks by these names.
STANDS_FOR = {
    "Autograd": "VariableFallbackKernel.cpp",
    "Python": "PythonFallbackKernel.cpp",
    "Conjugate": "ConjugateFallback.cpp",
    "Negative": "NegateFallback.cpp",
    "Autocast": "autocast_mode.cpp",
}
AMBIGUOUS = Registration(None, "ambiguous_autogradother")
PLACE_OF_SCHEMAS = f"registered at {os.path.join(ENGINE, 'generated', 'operators.py')}:1"


def stacks_of(name: str) -> Stacks:
    """All kernels of an operator by PyTorch's keys: those of programs first, then our own."""
    name = registry.full_name(name)
    entry = registrations.entries.get(name)
    found: Stacks = {key: list(stack) for key, stack in entry.kernels.items()} if entry else {}
    op = operators.find(name)
    if op is None or (entry is not None and entry.op is not None):
        return found
    overridden = entry.own if entry is not None else {}
    for key, kernel in own_kernels(op).items():
        kernel = overridden.get(key, kernel)
        if kernel is not None:
            found.setdefault(key, []).append(described(op.schema, kernel))
    return found


def own_kernels(op: Operator) -> dict[str, Any]:
    """What serves a built-in operator."""
    registry.load_family(op.family)
    names = {bit: registry.name_of(bit) for bit in op.kernels}
    found = {SHOWN.get(name, name): op.kernels[bit] for bit, name in names.items()}
    if op.composite is not None:
        found[key_names.IMPLICIT] = op.composite
    if op.explicit is not None:
        found[key_names.EXPLICIT] = op.explicit
    if op.composite is None and has_rule(op):
        found.setdefault(key_names.AUTOGRAD, registry.part(key_bits.AUTOGRAD))
    return {key: kernel for key, kernel in found.items() if key_names.is_key(key)}


def has_rule(op: Operator) -> bool:
    """Whether something says how an operator is differentiated."""
    return derivative_table.entry_for(op) is not None


def described(schema: Schema, kernel: Any) -> Registration:
    if isinstance(kernel, registry.Fallthrough):
        return Registration(kernel, f"fallthrough {place_of(registry)}", signature_of(schema))
    return Registration(kernel, place_of(kernel), signature_of(schema))


def place_of(kernel: Any) -> str:
    """Where a kernel of our own is written."""
    kernel = getattr(kernel, "__func__", kernel)
    code = getattr(kernel, "__code__", None)
    if code is not None:
        return f"registered at {code.co_filename}:{code.co_firstlineno}"
    return f"registered in {getattr(kernel, '__module__', None) or type(kernel).__module__}"


def signature_of(schema: Schema) -> str:
    """The types of a schema with names that count."""
    arguments = ", ".join(f"{a.type.plain} _{k}" for k, a in enumerate(schema.arguments))
    returns = [f"{r.type.plain} _{k}" for k, r in enumerate(schema.returns)]
    return f"({arguments}) -> {returns[0] if len(returns) == 1 else '(' + ', '.join(returns) + ')'}"


def fallback_for(key: str) -> Registration | None:
    """What serves a key of all operators without a kernel for it."""
    given = registrations.fallbacks.get(key)
    if given is not None:
        return given
    ours = next((name for name in STANDS_FOR if key.startswith(name)), None)
    if ours is None or key in ("AutogradNestedTensor", "PythonDispatcher"):
        return None
    backend = key.removeprefix(ours)
    if backend and backend not in key_bits.NAMES and backend not in ("Other", "TLSSnapshot"):
        return None
    bit = key_bits.NAMES[ours]
    served = registry.part(bit) or registry.fallbacks.get(bit)
    return Registration(served, f"{file_of(ours)}, in place of {STANDS_FOR[ours]}")


def file_of(key: str) -> str:
    file = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
    return f"registered at {os.path.join(ENGINE, 'keys', file)}.py:1"


def computed(stacks: Stacks, key: str) -> Found | None:
    """What serves a key in the end, and by which rule; None if nothing does."""

    def has(*names: str) -> bool:
        return any(name in stacks for name in names)

    if key in stacks:
        return stacks[key][0], "kernel"
    undefined = key == key_names.UNDEFINED
    for alias in (key_names.EXPLICIT_NON_FUNCTIONAL, key_names.EXPLICIT):
        if has(alias) and (undefined or key in key_names.in_alias(alias)):
            return stacks[alias][0], "default backend kernel"
    is_served = has(*key_names.backends_under(key), key_names.EXPLICIT)
    nested, implicit = key_names.IMPLICIT_NESTED, key_names.IMPLICIT
    if has(nested) and key in key_names.in_alias(nested) and not is_served:
        return stacks[nested][0], "nested kernel"
    if has(implicit) and (undefined or key in key_names.in_alias(implicit)):
        if key == "AutogradOther" and has(*key_names.autogradother_backends()):
            return AMBIGUOUS, "ambiguous autogradother"
        if not is_served:
            return stacks[implicit][0], "math kernel"
    for alias, rule in (
        (key_names.AUTOGRAD, "autograd kernel"),
        (key_names.BATCHED_DECOMPOSITION, "batched kernel"),
    ):
        if has(alias) and key in key_names.in_alias(alias):
            return stacks[alias][0], rule
    fallback = fallback_for(key)
    return None if fallback is None else (fallback, "backend fallback")


def kernel_of(op: Operator, registration: Registration) -> Any:
    """The kernel of a registration, which takes every argument of the schema in order."""
    entry = registrations.entries.get(op.full_name)
    of_program = entry is not None and any(registration in s for s in entry.kernels.values())
    return registrations.kernel_for(op, registration) if of_program else registration.function


def table_text(name: str) -> str:
    """A line for each key that is served: the kernel, and by which rule."""
    if not is_known(name):
        return ""
    stacks = stacks_of(name)
    lines = []
    for key in key_names.raw_sets():
        found = computed(stacks, key)
        if found is not None:
            lines.append(f"{key}: {shown(found[0])} [{found[1]}]\n")
    return "".join(lines)


def shown(registration: Registration) -> str:
    is_fallthrough = isinstance(registration.function, registry.Fallthrough)
    starts = registration.debug.startswith("fallthrough")
    return (
        f"fallthrough {registration.debug}" if is_fallthrough and not starts else registration.debug
    )


def state_text(name: str) -> str:
    """What is registered for an operator, whatever it comes to."""
    if not is_known(name):
        return ""
    name = registry.full_name(name)
    entry, op = registrations.entries.get(name), operators.find(name)
    lines = [f"name: {name}", f"schema: {'(none)' if op is None else qualified(op)}"]
    if op is not None:
        of_program = entry is not None and entry.op is not None
        lines.append(f"debug: {entry.debug if of_program and entry else PLACE_OF_SCHEMAS}")
        alias = entry.alias_analysis if of_program and entry else "FROM_SCHEMA"
        lines.append(f"alias analysis kind: {alias}")
    stacks = stacks_of(name)
    for key in key_names.numbers():
        label = f"{key}[alias]" if key in key_names.ALIASES else key
        for place, registration in enumerate(stacks.get(key, ())):
            inactive = " (inactive)" if place else ""
            signature = registration.signature
            ways = "boxed unboxed" if signature else "boxed"
            lines.append(
                f"{label}{inactive}: {shown(registration)} :: {signature or '(none)'} [ {ways} ]"
            )
    return "\n".join(lines) + "\n"


def qualified(op: Operator) -> str:
    """The schema with its namespace, which built-in ones leave out."""
    text = str(op.schema)
    return text if op.schema.namespace else f"{op.namespace}::{text}"


def is_known(name: str) -> bool:
    name = registry.full_name(name)
    return operators.find(name) is not None or name in registrations.entries


def check(name: str) -> None:
    """Raise if an operator is not served by what was registered last."""
    name = registry.full_name(name)
    entry, op = registrations.entries.get(name), operators.find(name)
    if entry is None:
        return
    if op is None:
        wrong = [key for key, stack in entry.kernels.items() if not stack]
    else:
        here = [k for k in entry.kernels if registry.is_here(k)]
        wrong = [key for key in here if op.registered(key) is None]
    if wrong or (entry.op is not None and entry.op is not op):
        raise RuntimeError(f"{name} is not served as it was registered: {', '.join(wrong)}")


def dangling() -> list[str]:
    """What is registered for operators that nobody has defined."""
    return [state_text(name) for name in registrations.entries if operators.find(name) is None]


def names_where(holds: Callable[[str], bool]) -> list[str]:
    """The operators, built-in ones and others, of which something holds."""
    names = {*operators.index(), *registry.operators}
    return sorted(name for name in names if holds(name))
