"""One Python function for an operator under one set of dispatch keys.

Keys are taken from the highest priority down. A key answers with the operator's own kernel for it,
with a *part* (source written around what the lower keys do), or with a boxed fallback; a key that
has none of these passes the call on. All of them end up in one function without dispatch inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from rushlight.engine.core import device as devices
from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.source import define, identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rushlight.engine.dispatch.operator import Operator

Rest = Callable[[], str]
# A part writes source and returns the name of its result, or a function to call with the arguments,
# or None to have no part in this operator. `part(op, keys, writer, rest)`; `rest()` writes the
# lower keys at this place and returns the name of their result.
Part = Callable[["Operator", int, "Writer", Rest], "str | Callable[..., Any] | None"]


class Writer:
    """The function being composed."""

    def __init__(self, op: Operator, keys: int) -> None:
        self.op = op
        self.keys = keys
        self.names: dict[str, Any] = {}
        self.lines: list[str] = []
        self.depth = 1
        # The function's own name too, or a kernel of that name would be hidden behind it.
        self.used: set[str] = {identifier(a.name) for a in op.schema.arguments}
        self.used.add(identifier(op.base_name))
        # Expressions for the arguments, in schema order. A part that replaces an argument for the
        # keys below it writes a fresh variable and puts its name here.
        self.arguments: list[str] = [identifier(a.name) for a in op.schema.arguments]

    def fresh(self, hint: str) -> str:
        """A variable name that nothing else in the function uses."""
        name, number = hint, 1
        while name in self.used:
            number += 1
            name = f"{hint}_{number}"
        self.used.add(name)
        return name

    def bind(self, hint: str, value: Any) -> str:
        """A name by which the function reaches `value`."""
        for name, other in self.names.items():
            if other is value:
                return name
        name = self.fresh(identifier(hint))
        self.names[name] = value
        return name

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines under `head`, which ends in a colon."""
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1

    def call(self, function: Callable[..., Any], hint: str, *before: str) -> str:
        """Call `function` with the current arguments; the name of the result."""
        name = self.bind(hint, function)
        result = self.fresh("result")
        self.line(f"{result} = {name}({', '.join([*before, *self.arguments])})")
        return result


def specialise(op: Operator, keys: int) -> Callable[..., Any]:
    """The function for `op` under `keys`. It is the kernel itself when nothing surrounds it."""
    writer = Writer(op, keys)
    names = ", ".join(writer.arguments)
    result = compose(op, keys, writer)
    if len(writer.lines) == 1 and len(writer.names) == 1:
        name, kernel = next(iter(writer.names.items()))
        if writer.lines[0].strip() == f"{result} = {name}({names})":
            return kernel
    label = "+".join(key_bits.names(keys)) or "no keys"
    head = f"# {op.schema}\n# keys: {label}\n"
    body = "\n".join([*writer.lines, f"    return {result}"])
    function_name = identifier(op.base_name)
    source = f"{head}def {function_name}({names}):\n{body}\n"
    return define(function_name, source, writer.names, f"{op.full_name} {label}")


def compose(op: Operator, keys: int, writer: Writer) -> str:
    """Write what `keys` do, from the highest down; the name of the result."""
    for bit in registry.descending(keys):
        found = op.kernel(bit, keys)
        if found is registry.FALLTHROUGH:
            continue
        if found is not None:
            if found is not op.composite and mixes_devices(keys):
                check_devices(op, found, writer)
            called = found
            if found is op.composite and keys & key_bits.PYTHON:
                called = composing(called)
            return writer.call(called, hint(found))
        lower = keys & (bit - 1)
        part = registry.part(bit)
        if part is not None:
            result = part(op, keys, writer, partial(compose, op, lower, writer))
            if isinstance(result, str):
                return result
            if result is not None:
                return writer.call(result, hint(result))
            continue
        fallback = registry.fallbacks.get(bit)
        if isinstance(fallback, registry.Fallthrough):
            continue
        if fallback is not None:
            return writer.call(fallback, f"{registry.name_of(bit)}_fallback", writer.bind("op", op))
        if bit & key_bits.BACKENDS:
            return writer.call(MissingKernel(op, bit), "missing")
    kernel = op.kernel(0, 0) or MissingKernel(op, 0)
    return writer.call(kernel, "kernel")


def mixes_devices(keys: int) -> bool:
    """Whether some tensors of a call are on one device and some on another."""
    return (keys & key_bits.BACKENDS).bit_count() > 1


def composing(composite: Callable[..., Any]) -> Callable[..., Any]:
    """A composite that says that it runs: a class that is asked may see tensors that it made for itself."""

    @wraps(composite)
    def run(*values: Any) -> Any:
        thread = state.thread
        thread.composing += 1
        try:
            return composite(*values)
        finally:
            thread.composing -= 1

    return run


def of_any_device(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Say that a kernel looks at no elements, or sees for itself which tensors have memory."""
    kernel.of_any_device = True  # type: ignore[attr-defined]
    return kernel


def check_devices(op: Operator, kernel: Callable[..., Any], writer: Writer) -> None:
    """Write a check before a kernel: nothing real comes of tensors without memory."""
    if getattr(kernel, "of_any_device", False):
        return
    written = [k for k, argument in enumerate(op.schema.arguments) if argument.is_write]
    check = writer.bind("check_memory", check_memory)
    writer.line(f"{check}({written}, {', '.join(writer.arguments)})")


def check_memory(written: list[int], *arguments: Any) -> None:
    """Raise if a tensor is to be written, or a result made like the first, from one without memory."""
    parts = [x if isinstance(x, (list, tuple)) else (x,) for x in arguments]
    tensors = [x for part in parts for x in part if isinstance(x, Tensor)]
    shaping = [x for k in written for x in parts[k] if isinstance(x, Tensor)]
    shaping += [x for x in tensors[:1] if x._size_]
    for target in shaping:
        for other in tensors:
            if target._keys_ & key_bits.CPU and not other._keys_ & key_bits.CPU:
                raise devices.differ(target._storage_.device, other._storage_.device)


def hint(function: Callable[..., Any]) -> str:
    name = re.sub(r"\W", "", getattr(function, "__name__", ""))
    return name if name.isidentifier() and name != "lambda" else "kernel"


class MissingKernel:
    """Raises what a call without a kernel raises."""

    def __init__(self, op: Operator, bit: int) -> None:
        self.op = op
        self.backend = registry.name_of(bit) if bit else "(none)"

    def __call__(self, *args: Any) -> Any:
        dtypes = [str(a._dtype_) for a in args if hasattr(a, "_dtype_")]
        of = f" (dtypes: {', '.join(dtypes)})" if dtypes else ""
        known = ", ".join(sorted(self.op.kernel_names())) or "none"
        raise NotImplementedError(
            f"Could not run '{self.op.full_name}' with arguments from the '{self.backend}' "
            f"backend{of}. Kernels are registered for: {known}."
        )
