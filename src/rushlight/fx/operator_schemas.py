"""Signatures of functions, from the operators' schemas, and arguments brought into their order."""

from __future__ import annotations

import inspect
import numbers
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.engine.dispatch.schema import Argument, Schema, Type
from rushlight.fx._names import qualified_name

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "create_type_hint",
    "get_signature_for_torch_op",
    "normalize_function",
    "normalize_module",
    "type_matches",
]


class ArgsKwargsPair(NamedTuple):
    """Arguments of a call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


# -- signatures --

_TYPES: dict[str, Any] = {
    "Tensor": rushlight.Tensor,
    "Scalar": numbers.Number,
    "number": numbers.Number,
    "int": int,
    "SymInt": int,
    "float": float,
    "SymFloat": float,
    "bool": bool,
    "SymBool": bool,
    "complex": complex,
    "str": str,
    "Device": rushlight.device,
    # Element types, layouts and formats are numbers to the operators.
    "ScalarType": int,
    "Layout": int,
    "MemoryFormat": int,
    "QScheme": int,
    "Generator": rushlight.Generator,
    "Dimname": str,
    "Storage": rushlight.UntypedStorage,
    "Any": Any,
    "t": Any,
}


def _type_of(kind: Type) -> Any:
    """A schema's type as one of Python."""
    if kind.kind == "optional":
        return typing.Optional[_type_of(kind.inner[0])]  # noqa: UP045
    if kind.kind == "list":
        return typing.List[_type_of(kind.inner[0])]  # type: ignore[misc] # noqa: UP006
    if kind.kind == "base":
        return _TYPES.get(kind.name, Any)
    return Any


def _default_of(argument: Argument) -> Any:
    if not argument.has_default:
        return inspect.Parameter.empty
    default, kind = argument.default, argument.type.required
    if kind.kind == "list" and kind.size is not None and isinstance(default, (int, float)):
        # One number stands for all.
        return [default] * kind.size
    return default


def _signature_of(schema: Schema) -> inspect.Signature:
    parameters = [
        inspect.Parameter(
            "input" if argument.name == "self" else argument.name,
            inspect.Parameter.KEYWORD_ONLY
            if argument.keyword_only
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=_default_of(argument),
            annotation=_type_of(argument.type),
        )
        for argument in schema.arguments
    ]
    returned = [_type_of(one.type) for one in schema.returns]
    annotation: Any = None
    if len(returned) == 1:
        annotation = returned[0]
    elif returned:
        annotation = tuple(returned)
    return inspect.Signature(parameters, return_annotation=annotation)


def _schemas_of(op: Any) -> list[Schema] | None:
    """The schemas of what a function calls; None if it is no operator."""
    if isinstance(op, Operator):
        return [op.schema]
    if not isinstance(op, OperatorPacket):
        packet = _packet_of(op)
        if packet is None:
            return None
        op = packet
    found = [getattr(op, name).schema for name in op.overloads()]
    # Those that write their results come last.
    return sorted(found, key=lambda schema: bool(schema.out_arguments))


def _packet_of(function: Any) -> OperatorPacket | None:
    if not isinstance(function, (types.BuiltinFunctionType, types.FunctionType, types.MethodType)):
        return None
    try:
        path = qualified_name(function)
    except (AttributeError, RuntimeError):
        return None
    place, _, name = path.rpartition(".")
    if place not in _BOUND:
        return None
    packet = getattr(rushlight.ops.aten, name, None)
    return packet if isinstance(packet, OperatorPacket) and packet.overloads() else None


_BOUND = frozenset(
    (
        "torch", "torch.functional", "torch.Tensor", "torch._C._nn", "torch._C._linalg",
        "torch._C._fft", "torch._C._special",
    )
)  # fmt: skip


def get_signature_for_torch_op(op: Any, return_schemas: bool = False) -> Any:
    """The signatures of the operator behind a function; None if there is none.

    Args:
        op: the function
        return_schemas: whether to give the schemas too
    """
    if isinstance(op, Operator):
        schemas: list[Schema] | None = [op.schema]
    else:
        schemas = _schemas_of(op)
    if schemas is None:
        return (None, None) if return_schemas else None
    signatures = [_signature_of(schema) for schema in schemas]
    return (signatures, schemas) if return_schemas else signatures


def check_for_mutable_operation(
    target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raise an error if a call certainly writes to an argument."""
    signatures, schemas = get_signature_for_torch_op(target, return_schemas=True)
    if not signatures or not schemas:
        return
    matched = []
    for signature, schema in zip(signatures, schemas):
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            continue
        matched.append(schema)
    if len(matched) == 1 and any(argument.is_write for argument in matched[0].arguments):
        name, rest = str(matched[0]).split("(", 1)
        full = name if "::" in name else f"aten::{name}"
        raise RuntimeError(
            f"Tried to trace mutable operation {full}({rest}. FX only supports functional code, so "
            f"operations that mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


# -- types --


def create_type_hint(x: Any) -> Any:
    """The type of a list or tuple of types."""
    if not isinstance(x, (list, tuple)):
        return x

    def made(inner: Any) -> Any:
        return list[inner] if isinstance(x, list) else tuple[inner, ...]  # type: ignore[valid-type]

    if not x:
        return made(Any)
    first = x[0]
    if all(isinstance(item, type) for item in x):
        if all(issubclass(item, first) for item in x):
            return made(first)
        if all(issubclass(first, item) for item in x):
            return made(x[-1])
    warnings.warn(
        "We were not able to successfully create type hint from the type\n" + str(x), stacklevel=2
    )
    return x


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Whether an argument of a type can be given for a parameter of another."""
    origin = getattr(signature_type, "__origin__", signature_type)
    if signature_type is argument_type:
        return True
    if origin is typing.Union and signature_type != argument_type:
        return any(type_matches(kind, argument_type) for kind in signature_type.__args__)
    if origin is list:
        inner = signature_type.__args__[0]
        if inner is argument_type:
            # One number can be given for several.
            return True
        given = getattr(argument_type, "__origin__", None)
        items = getattr(argument_type, "__args__", ())
        if given is list:
            return bool(items) and _is_subclass(items[0], inner)  # type: ignore[misc]
        if given is tuple:
            return all(item is ... or type_matches(inner, item) for item in items)
        return False
    if signature_type is int and argument_type is rushlight.dtype:
        return True
    if signature_type is numbers.Number and argument_type in (int, float):
        return True
    return _is_subclass(argument_type, signature_type)


def _is_subclass(kind: Any, base: Any) -> bool:
    return inspect.isclass(kind) and inspect.isclass(base) and issubclass(kind, base)


# -- arguments --


def normalize_function(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    arg_types: tuple[Any, ...] | None = None,
    kwarg_types: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """The arguments of a call with all defaults, by the function's parameters; None if unknown.

    Args:
        target: the function
        args: the arguments
        kwargs: the keyword arguments
        arg_types: the types of the arguments, if several signatures fit
        kwarg_types: those of the keyword arguments
        normalize_to_only_use_kwargs: whether all come by keyword
    """
    kwargs = {} if kwargs is None else kwargs
    path = _path_of(target)
    if (
        path.startswith(("torch.nn.functional.", "torch.functional."))
        and _packet_of(target) is None
    ):
        return _python_arguments(target, args, kwargs, normalize_to_only_use_kwargs)
    signatures = get_signature_for_torch_op(target)
    if not signatures:
        return None
    matched = [one for one in signatures if _binds(one, args, kwargs)]
    if not matched:
        return None
    if len(matched) == 1:
        return _args_kwargs_to_normalized_args_kwargs(
            matched[0], args, kwargs, normalize_to_only_use_kwargs
        )
    if arg_types is None and kwarg_types is None:
        listed = "\n".join(map(str, matched))
        raise RuntimeError(
            f"Tried to normalize arguments to {_typename(target)} but the schema match was "
            f"ambiguous! Please provide argument types to the normalize_arguments() call. "
            f"Available schemas:\n{listed}"
        )
    for signature in matched:
        bound = signature.bind(*(arg_types or ()), **(kwarg_types or {}))
        if all(
            type_matches(signature.parameters[name].annotation, kind)
            for name, kind in bound.arguments.items()
        ):
            return _args_kwargs_to_normalized_args_kwargs(
                signature, args, kwargs, normalize_to_only_use_kwargs
            )
    return None


def _path_of(target: Any) -> str:
    try:
        return qualified_name(target)
    except (AttributeError, RuntimeError, OSError):
        return ""


def _typename(target: Any) -> str:
    return _path_of(target)


def _binds(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _python_arguments(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], only_kwargs: bool
) -> ArgsKwargsPair | None:
    """The arguments of a function that PyTorch writes in Python."""
    from rushlight import overrides

    if overrides.is_overridable(target):
        signature = overrides.signature_of(target)
    else:
        signature = inspect.signature(target)
    try:
        return _args_kwargs_to_normalized_args_kwargs(signature, args, kwargs, only_kwargs)
    except TypeError:
        return None


def normalize_module(
    root: Any,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """The arguments of a call of a module with all defaults; None if it is not one of PyTorch's.

    Args:
        root: the module that it is in
        target: its path
        args: the arguments
        kwargs: the keyword arguments
        normalize_to_only_use_kwargs: whether all come by keyword
    """
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from error
    if getattr(rushlight.nn, module.__class__.__name__, None) != module.__class__:
        return None
    return _args_kwargs_to_normalized_args_kwargs(
        inspect.signature(module.forward), args, kwargs or {}, normalize_to_only_use_kwargs
    )


def _args_kwargs_to_normalized_args_kwargs(
    sig: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    normalize_to_only_use_kwargs: bool,
) -> ArgsKwargsPair | None:
    """The arguments by a signature: as many by position as were given so."""
    known = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if any(parameter.kind not in known for parameter in sig.parameters.values()):
        return None
    bound = sig.bind(*args, **kwargs)
    bound.apply_defaults()
    by_position: list[Any] = []
    by_name: dict[str, Any] = {}
    for index, (name, value) in enumerate(bound.arguments.items()):
        if not normalize_to_only_use_kwargs and index < len(args):
            by_position.append(value)
        else:
            by_name[name] = value
    return ArgsKwargsPair(tuple(by_position), by_name)
