"""`export`: from a module with example arguments to an `ExportedProgram`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from rushlight._capture import status, whole
from rushlight._dynamo import functional_export
from rushlight._dynamo.exc import UserError, UserErrorType
from rushlight._guards import detect_fake_mode
from rushlight._subclasses.fake_tensor import FakeTensorMode
from rushlight.export._assertions import AssertingShapes
from rushlight.export._sizes import ArgumentSizes
from rushlight.export._tracing import Traced, trace_module
from rushlight.export.dynamic_shapes import (
    AdditionalInputs,
    ShapesCollection,
    _check_dynamic_shapes,
    _combine_args,
    matched,
    told_of_arguments,
)
from rushlight.export.exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv
from rushlight.nn import Module
from rushlight.utils import _pytree as pytree

__all__ = ["_export", "_export_for_training"]


def _places(
    call: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[list[Any], list[int]]:
    """The paths of arguments by name, and for each leaf of `(args, kwargs)` its place among them."""
    leaves, spec = pytree.tree_flatten((args, dict(kwargs)))
    numbered = pytree.tree_unflatten([_Place(k) for k in range(len(leaves))], spec)
    combined = _combine_args(call, *numbered)
    paths: list[Any] = [None] * len(leaves)
    order: list[int] = [0] * len(leaves)
    for place, (path, number, _) in enumerate(matched(combined, None)):
        paths[number.number], order[number.number] = path, place
    return paths, order


class _Place:
    """Stands for an argument, to find where it comes to be."""

    def __init__(self, number: int) -> None:
        self.number = number


def _name_of(path: Sequence[Any], starred: str | None) -> str:
    """What a leaf is called: the words of its path."""
    words = [str(getattr(k, "key", getattr(k, "idx", getattr(k, "name", "")))) for k in path]
    if starred is not None and len(words) > 1 and words[0] == starred:
        words = words[1:]
    return "_".join(words)


def _starred_keywords(call: Any) -> str | None:
    for name, one in inspect.signature(call).parameters.items():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            return name
    return None


def _export(
    mod: Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    *,
    strict: bool = False,
    preserve_module_call_signature: Sequence[str] = (),
    pre_dispatch: bool = True,
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    env: ShapeEnv | None = None,
) -> ExportedProgram:
    """The program of a module: operators as the module calls them, writes included."""
    if not isinstance(args, tuple):
        raise UserError(
            UserErrorType.INVALID_INPUT,
            f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}",
        )
    kwargs = dict(kwargs or {})
    original = dynamic_shapes
    if isinstance(dynamic_shapes, (AdditionalInputs, ShapesCollection)):
        dynamic_shapes = dynamic_shapes.dynamic_shapes(mod, args, kwargs)
    combined = _combine_args(mod, args, kwargs)
    _check_dynamic_shapes(combined, dynamic_shapes)
    if env is None:
        env = AssertingShapes(
            prefer_deferred_runtime_asserts_over_guards=prefer_deferred_runtime_asserts_over_guards
        )
    mode = detect_fake_mode((args, kwargs)) or FakeTensorMode(
        shape_env=env, static_shapes=True, allow_non_fake_inputs=True, export=True
    )
    if mode.shape_env is not None:
        env = mode.shape_env
    sizes = ArgumentSizes(env)
    paths, order = _places(mod.forward, args, kwargs)
    leaves, in_spec = pytree.tree_flatten((args, kwargs))
    told = told_of_arguments(combined, dynamic_shapes)
    by_leaf = {k: told[place] for k, place in enumerate(order) if place in told}
    fakes = sizes.fake(mode, list(zip(paths, functional_export.each_alone(leaves))), by_leaf)
    fake_args, fake_kwargs = pytree.tree_unflatten(fakes, in_spec)
    starred = _starred_keywords(mod.forward)
    names = [_name_of(path, starred) for path in paths]
    if strict:
        whole.refused(mod, args, kwargs)
    with status.exporting():
        traced = trace_module(
            mod, fake_args, fake_kwargs, names, mode, preserve_module_call_signature
        )
    sizes.check()
    program = _program(mod, traced, sizes, args, kwargs)
    if isinstance(original, AdditionalInputs):
        original.verify(program)
    return program


def _program(
    mod: Module, traced: Traced, sizes: ArgumentSizes, args: Any, kwargs: Any
) -> ExportedProgram:
    names = _forward_names(mod, args, kwargs)
    root = ModuleCallSignature([], [], traced.in_spec, traced.out_spec, names)
    entries = [ModuleCallEntry("", root)]
    for path, _ in mod.named_modules(remove_duplicate=False):
        if path:
            entries.append(ModuleCallEntry(path, _kept(traced.calls.get(path))))
        entries += [
            ModuleCallEntry(name, _kept(kept))
            for name, kept in traced.calls.items()
            if path and name.startswith(f"{path}@")
        ]
    program = ExportedProgram(
        root=traced.module,
        graph=traced.module.graph,
        graph_signature=traced.signature,
        state_dict=_state_of(mod),
        range_constraints=sizes.range_constraints(),
        module_call_graph=entries,
        example_inputs=(args, kwargs),
        constants=traced.constants,
    )
    program._guards_code = sizes.guards_code()
    return program


def _state_of(mod: Module) -> dict[str, Any]:
    """Parameters, then buffers that are in the state dictionary."""
    kept = mod.state_dict(keep_vars=True)
    parameters = dict(mod.named_parameters(remove_duplicate=False))
    return {**{n: kept[n] for n in parameters if n in kept}, **kept}


def _forward_names(mod: Module, args: Any, kwargs: Any) -> list[str]:
    """The names of a module's arguments, as a call gives them."""
    names: list[str] = []
    for name, one in inspect.signature(mod.forward).bind_partial(*args).arguments.items():
        kind = inspect.signature(mod.forward).parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            names += [f"{name}_{k}" for k in range(len(one))]
        else:
            names.append(name)
    return [*names, *kwargs]


def _kept(call: dict[str, Any] | None) -> ModuleCallSignature | None:
    """How a module within is called, from what was noted of its call."""
    if call is None:
        return None
    return ModuleCallSignature(
        call["inputs"], call["outputs"], call["in_spec"], call["out_spec"], None
    )


_export_for_training = _export
