"""Calling modules as functions of their parameters."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import rushlight as torch

__all__ = ["functional_call", "stack_module_state"]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other tensors in the place of its parameters and buffers.

    Args:
        module: the module
        parameter_and_buffer_dicts: tensors by the names of parameters and buffers; or several such
            dictionaries without a name in common
        args: what the module gets; a tuple, or one argument
        kwargs: what it gets by name
        tie_weights: whether a tensor given for one name of a shared parameter counts for all
        strict: whether all names must be given, and no other
    """
    given = _joined(parameter_and_buffer_dicts)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


def _joined(dicts: Any) -> dict[str, Any]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for d in dicts for name in d]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(
            f"{sorted(repeated)} appeared in multiple dictionaries; behavior of functional call is "
            "ambiguous"
        )
    return {name: value for d in dicts for name, value in d.items()}


def _names_by_tensor(module: Any) -> dict[int, list[str]]:
    """All names of each parameter and buffer."""
    found: dict[int, list[str]] = {}
    members = (
        *module.named_parameters(remove_duplicate=False),
        *module.named_buffers(remove_duplicate=False),
    )
    for name, value in members:
        found.setdefault(id(value), []).append(name)
    return found


def _tied(module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The tensors given, under every name of what they replace."""
    made = dict(given)
    for names in _names_by_tensor(module).values():
        values = {id(given[name]) for name in names if name in given}
        if len(values) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. "
                "Consider using tie_weights=False"
            )
        for name in names:
            if values:
                made[name] = next(given[other] for other in names if other in given)
    return made


@contextlib.contextmanager
def _replaced(module: Any, given: dict[str, Any], tie: bool, strict: bool) -> Iterator[None]:
    """Within the block the module has other tensors."""
    known = {name for names in _names_by_tensor(module).values() for name in names}
    values = _tied(module, given) if tie else dict(given)
    unexpected, missing = sorted(set(given) - known), sorted(known - set(values))
    if strict and (unexpected or missing):
        problems = [f"Unexpected key(s): {', '.join(unexpected)}."] if unexpected else []
        problems += [f"Missing key(s): {', '.join(missing)}."] if missing else []
        raise RuntimeError(
            f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(problems)
        )
    before: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for name, value in values.items():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path)
            place = next((d for d in (owner._parameters, owner._buffers) if last in d), None)
            if place is None:
                raise KeyError(f"{type(module).__name__} has no parameter or buffer {name}")
            before.append((place, last, place[last]))
            place[last] = value
        yield
    finally:
        for place, last, value in reversed(before):
            place[last] = value


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of modules of one kind, each stacked under its name."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(columns: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, first in columns[0].items():
            wants = first.requires_grad
            made[name] = torch.stack([c[name] for c in columns]).detach().requires_grad_(wants)
        return made

    return (
        stacked([dict(m.named_parameters()) for m in models]),
        stacked([dict(m.named_buffers()) for m in models]),
    )
