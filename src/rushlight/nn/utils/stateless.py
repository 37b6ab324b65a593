"""Modules called with other parameters than their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["_reparametrize_module", "functional_call"]

# Stands for what was not there.
_NOTHING = object()


def _place(module: Any, name: str) -> tuple[Any, str]:
    """The dictionary of a module in which a tensor is, and its key there."""
    *path, last = name.split(".")
    owner = module
    for step in path:
        if step not in owner._modules:
            raise AttributeError(f"{type(owner).__name__} has no attribute `{step}`")
        owner = owner._modules[step]
    for table in (owner._parameters, owner._buffers):
        if last in table:
            return table, last
    # A name that the module does not know becomes an attribute for the time of the call.
    return owner.__dict__, last


def _names(module: Any) -> dict[str, Any]:
    """Every parameter and buffer, tied ones under each of their names."""
    found = dict(module.named_parameters(remove_duplicate=False))
    found.update(module.named_buffers(remove_duplicate=False))
    return found


def _with_tied(module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What is given for one name, also for the names of tensors that are the same."""
    groups: dict[int, list[str]] = {}
    for name, tensor in _names(module).items():
        groups.setdefault(id(tensor), []).append(name)
    full = dict(given)
    for names in groups.values():
        known = [name for name in names if name in given]
        if len(names) < 2 or not known:
            continue
        if len({id(given[name]) for name in known}) != 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(known)}, which are tied. "
                "Consider using tie_weights=False"
            )
        full.update(dict.fromkeys(names, given[known[0]]))
    return full


def _check(module: Any, given: dict[str, Any], full: dict[str, Any]) -> None:
    own = _names(module)
    unexpected = [name for name in given if name not in own]
    missing = [name for name in own if name not in full]
    problems = []
    if unexpected:
        names = ", ".join(repr(name) for name in sorted(unexpected))
        problems.append(f"Unexpected key(s): {names}.")
    if missing:
        names = ", ".join(repr(name) for name in sorted(missing))
        problems.append(f"Missing key(s): {names}.")
    if problems:
        lines = "\n\t".join(problems)
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t{lines}")


@contextmanager
def replaced(
    module: Any, given: dict[str, Any], tie_weights: bool = True, strict: bool = False
) -> Iterator[None]:
    """Within the block, the module has other parameters and buffers."""
    full = _with_tied(module, given) if tie_weights else dict(given)
    if strict:
        _check(module, given, full)
    places = {name: _place(module, name) for name in full}
    own = {name: table.get(key, _NOTHING) for name, (table, key) in places.items()}
    try:
        for name, (table, key) in places.items():
            table[key] = full[name]
        yield
    finally:
        for name, (table, key) in places.items():
            if isinstance(given, dict) and name in given and table[key] is not full[name]:
                # What the call itself put there, such as a new running mean.
                given[name] = table[key]
            if own[name] is _NOTHING:
                del table[key]
            else:
                table[key] = own[name]


def _reparametrize_module(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Any:
    """A block in which the module has other parameters and buffers."""
    return replaced(module, parameters_and_buffers, tie_weights, strict)


def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The module's result with other parameters and buffers; the module itself stays as it is.

    Args:
        module: what to call
        parameters_and_buffers: tensors by name; names that are left out keep the module's own
        args: the call's arguments, a tuple or the only one
        kwargs: the call's named arguments
        tie_weights: let a tensor count for all names that the module has tied
        strict: all names must be given, and no others
    """
    given = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, parameters_and_buffers, tie_weights, strict):
        return module(*given, **(kwargs or {}))
