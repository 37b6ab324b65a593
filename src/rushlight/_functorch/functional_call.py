"""Modules called with other tensors than their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import rushlight
from rushlight.nn.utils import stateless

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
    """The module's result with other parameters and buffers; the module itself stays as it is.

    Args:
        module: what to call
        parameter_and_buffer_dicts: tensors by name, or several such dictionaries without common
            names
        args: the call's arguments, a tuple or the only one
        kwargs: the call's named arguments
        tie_weights: let a tensor count for all names that the module has tied
        strict: all names must be given, and no others
    """
    given = parameter_and_buffer_dicts
    if not isinstance(given, Mapping):
        if not isinstance(given, Sequence) or not all(isinstance(d, Mapping) for d in given):
            raise ValueError(
                "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but "
                f"got {type(given)}"
            )
        names = [name for part in given for name in part]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")  # fmt: skip
        given = {name: tensor for part in given for name, tensor in part.items()}
    return stateless.functional_call(
        module, given, args, kwargs, tie_weights=tie_weights, strict=strict
    )


def _stacked(tensors: list[Any]) -> Any:
    wants = tensors[0].requires_grad
    if any(tensor.requires_grad != wants for tensor in tensors):
        raise RuntimeError("Expected tensors from each model to have the same .requires_grad")
    if all(tensor.is_leaf for tensor in tensors):
        return rushlight.stack(tensors).detach().requires_grad_(wants)
    return rushlight.stack(tensors)


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of several models of one kind, stacked name by name."""
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or not any(m.training for m in models)):
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def gather(tables: list[dict[str, Any]]) -> dict[str, Any]:
        return {name: _stacked([table[name] for table in tables]) for name in tables[0]}

    parameters = gather([dict(m.named_parameters()) for m in models])
    return parameters, gather([dict(m.named_buffers()) for m in models])
