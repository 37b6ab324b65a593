"""From a list of a back end's operators to the Python that registers their kernels.

A package that adds a device lists in YAML which operators it has kernels for:

    backend: toy                # the device's name
    kernels: toy_device.kernels # the module with a function for each of them
    supported:
      - add.Tensor
      - mm
    autograd:                   # those that bring their own derivative
      - relu

and ``python -m rushlight.utils.backend_stubs toy.yaml --output toy_device/registered.py`` writes a module
that registers them when it is imported, or says which functions are missing or take other arguments than the
operators do. ``--stubs toy_device/kernels.py`` writes these functions to begin with, empty. The keys are those
of PyTorch's `torchgen.gen_backend_stubs`, whose C++ this stands for.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.dispatch.source import identifier
from rushlight.engine.native.records import dataclass

__all__ = ["Backend", "check", "main", "module_text", "parse", "stubs_text"]

_KEYS = {"backend", "kernels", "supported", "autograd"}


@dataclass(frozen=True)
class Backend:
    """What a back end's file says.

    Args:
        name: the device's name
        kernels: the module with the functions
        supported: names of operators with kernels
        autograd: names of those whose kernels see to gradients too
        source: the file
    """

    name: str
    kernels: str
    supported: tuple[str, ...]
    autograd: tuple[str, ...]
    source: str


def parse(text: str, source: str = "<text>") -> Backend:
    """Read a back end's YAML; every operator in it must exist.

    Args:
        text: the YAML
        source: where it is from, for error messages
    """
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "backend_stubs reads YAML by the package pyyaml: pip install pyyaml", name="yaml"
        ) from error
    found = yaml.safe_load(text)
    if not isinstance(found, dict):
        raise ValueError(f"{source}: expected keys {sorted(_KEYS)}, got {type(found).__name__}")
    if found.keys() - _KEYS:
        raise ValueError(
            f"{source} contains unexpected keys: {', '.join(sorted(found.keys() - _KEYS))}. "
            f"Only the following keys are supported: {', '.join(sorted(_KEYS))}"
        )
    for key in ("backend", "kernels"):
        if not isinstance(found.get(key), str):
            raise ValueError(f'{source}: You must provide a value for "{key}"')
    lists = {}
    for key in ("supported", "autograd"):
        names = found.get(key) or []
        if not isinstance(names, list):
            raise ValueError(
                f'{source}: expected "{key}" to be a list, but got: {names} (of type '
                f"{type(names).__name__})"
            )
        for name in names:
            if operators.find(str(name)) is None:
                raise ValueError(f"{source}: Found an invalid operator name: {name}")
        lists[key] = tuple(map(str, names))
    both = set(lists["supported"]) & set(lists["autograd"])
    if both:
        raise ValueError(
            f"{source}: operators are either supported or autograd, got both for {sorted(both)}"
        )
    return Backend(found["backend"], found["kernels"], **lists, source=source)


def function_name(operator: str) -> str:
    """The name of the function that is an operator's kernel: ``add.Tensor`` is ``add_Tensor``."""
    return identifier(operator.replace(".", "_"))


def parameters(op: Operator) -> list[str]:
    """What an operator's kernel takes, all by position."""
    return [identifier(argument.name) for argument in op.schema.arguments]


def check(kernels: Any, names: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """The kernels of operators, by their names.

    Args:
        kernels: the module that has them
        names: the operators
    """
    found, missing, wrong = {}, [], []
    for name in names:
        wanted = function_name(name)
        function = getattr(kernels, wanted, None)
        expected = f"{wanted}({', '.join(parameters(operators.operator(name)))})"
        if function is None:
            missing.append(expected)
            continue
        try:
            inspect.signature(function).bind(*parameters(operators.operator(name)))
        except TypeError:
            wrong.append(f"{expected}, not {wanted}{inspect.signature(function)}")
        found[name] = function
    if missing or wrong:
        lines = [f"  {text}" for text in (*missing, *wrong)]
        raise TypeError(
            f"{kernels.__name__} must define these functions, which its back end lists:\n"
            + "\n".join(lines)
        )
    return found


_MODULE = '''"""Registers the kernels of the device {name}.

Written by rushlight.utils.backend_stubs from {source}: change that, not this.
"""

import {kernels} as kernels
from rushlight.library import Library
from rushlight.utils import backend_stubs

SUPPORTED = {supported}
AUTOGRAD = {autograd}

libraries = []
for key, names in (("PrivateUse1", SUPPORTED), ("AutogradPrivateUse1", AUTOGRAD)):
    library = Library("aten", "IMPL", key)
    libraries.append(library)
    for name, function in backend_stubs.check(kernels, names).items():
        library.impl(name, function)
'''


def module_text(backend: Backend) -> str:
    """The module that registers a back end's kernels when it is imported."""
    return _MODULE.format(
        name=backend.name,
        source=backend.source,
        kernels=backend.kernels,
        supported=_listed(backend.supported),
        autograd=_listed(backend.autograd),
    )


def _listed(names: Sequence[str]) -> str:
    return "(" + "".join(f'\n    "{name}",' for name in names) + ("\n)" if names else ")")


def stubs_text(backend: Backend) -> str:
    """The module of kernels to begin with: each function raises."""
    parts = [f'"""Kernels of the device {backend.name}."""\n']
    for name in (*backend.supported, *backend.autograd):
        op = operators.operator(name)
        parts.append(
            f"\n\ndef {function_name(name)}({', '.join(parameters(op))}):\n"
            f'    """{op.schema}"""\n'
            f'    raise NotImplementedError("{name}")\n'
        )
    return "".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; see the module's text."""
    parser = argparse.ArgumentParser(prog="rushlight.utils.backend_stubs")
    parser.add_argument("yaml", type=Path, help="the back end's list of operators")
    parser.add_argument("--output", type=Path, help="the module that registers the kernels")
    parser.add_argument("--stubs", type=Path, help="a new module of kernels, to be filled in")
    given = parser.parse_args(arguments)
    backend = parse(given.yaml.read_text(encoding="utf-8"), given.yaml.name)
    if given.stubs is not None:
        if given.stubs.exists():
            parser.error(f"{given.stubs} is there already")
        given.stubs.write_text(stubs_text(backend), encoding="utf-8")
    if given.output is None:
        sys.stdout.write(module_text(backend))
    else:
        given.output.write_text(module_text(backend), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
