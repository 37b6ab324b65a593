"""Programs as graphs that stand by themselves: made ahead of time, written to files, run elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from rushlight.export._state_dict_utils import _restore_state_dict as _restore_state_dict
from rushlight.export.decomp_utils import CustomDecompTable
from rushlight.export.dynamic_shapes import (
    AdditionalInputs,
    Constraint,
    Dim,
    ShapesCollection,
    dims,
)
from rushlight.export.exported_program import (
    ExportedProgram,
    ModuleCallEntry,
    ModuleCallSignature,
    default_decompositions,
)
from rushlight.export.graph_signature import ExportBackwardSignature, ExportGraphSignature
from rushlight.export.unflatten import FlatArgsAdapter, UnflattenedModule, unflatten
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

__all__ = [
    "AdditionalInputs",
    "Constraint",
    "CustomDecompTable",
    "Dim",
    "ExportBackwardSignature",
    "ExportGraphSignature",
    "ExportedProgram",
    "FlatArgsAdapter",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "ShapesCollection",
    "UnflattenedModule",
    "default_decompositions",
    "dims",
    "draft_export",
    "export",
    "export_for_training",
    "load",
    "register_dataclass",
    "save",
    "unflatten",
]


def export(
    mod: Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """The program of a module: a graph of operators that is right for all sizes that are said to vary.

    Args:
        mod: the module
        args: example arguments
        kwargs: and those by name
        dynamic_shapes: which sizes of arguments vary, by the arguments' names or in their order
        strict: whether the program is captured from bytecode, and not by running it
        preserve_module_call_signature: the paths of modules whose calls `unflatten` gives back
        prefer_deferred_runtime_asserts_over_guards: let what cannot be said of sizes be checked when the
            program runs
    """
    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    from rushlight.export._trace import _export

    return _export(
        mod, args, kwargs, dynamic_shapes, strict=strict,
        preserve_module_call_signature=preserve_module_call_signature,
        prefer_deferred_runtime_asserts_over_guards=prefer_deferred_runtime_asserts_over_guards,
    )  # fmt: skip


def export_for_training(
    mod: Module, args: tuple[Any, ...], *rest: Any, **options: Any
) -> ExportedProgram:
    """An older name of `export`."""
    return export(mod, args, *rest, **options)


def draft_export(mod: Module, args: tuple[Any, ...], kwargs: Any = None, **options: Any) -> Any:
    """`export` that goes on where it can, with a report of what was in the way (`program._report`)."""
    from rushlight.export._draft_export import draft_export as draft

    return draft(mod, args, kwargs, **options)


def save(ep: ExportedProgram, f: Any, **options: Any) -> None:
    """Write a program to a file.

    Args:
        ep: the program
        f: a path or a file
        options: `extra_files`, further texts by name, and `pickle_protocol`
    """
    from rushlight.export import pt2_archive

    pt2_archive.save(ep, f, **options)


def load(f: Any, **options: Any) -> ExportedProgram:
    """Read a program that `save` of this library or of PyTorch has written.

    Args:
        f: a path or a file
        options: `extra_files`, a dictionary whose values are filled in
    """
    from rushlight.export import pt2_archive

    return pt2_archive.load(f, **options)


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Let objects of a dataclass be arguments and results of programs.

    Args:
        cls: the class
        serialized_type_name: what files call it
    """
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"Only dataclasses can be registered with this function: {cls}")
    pytree.register_dataclass(cls, serialized_type_name=serialized_type_name)
