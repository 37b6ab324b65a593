"""Who answers calls instead of tensors: the `__torch_function__` protocol and its tables.

The tables (what can be overridden, under which signature) come from the operator schemas and from
the functions written in Python that ask.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any, Self

import rushlight
from rushlight._tensor_members import metadata_overrides as _metadata_overrides
from rushlight.engine.bindings import public
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import overrides_hook
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.engine.dispatch.resolver import MISSING, Resolver
from rushlight.engine.dispatch.source import identifier

__all__ = [
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


# -- asking --


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments, or a mode, wants to answer."""
    return has_torch_function_variadic(*relevant_args)


def has_torch_function_variadic(*args: Any) -> bool:
    """`has_torch_function` with the arguments one by one."""
    local = overrides_hook.local
    if local.disabled or not args:
        return False
    if local.modes:
        return True
    return not local.subclasses_disabled and any(map(overrides_hook.overrides, args))


def has_torch_function_unary(argument: Any) -> bool:
    """`has_torch_function` for one argument."""
    return has_torch_function_variadic(argument)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Let the mode and the arguments that override answer for ``public_api(*args, **kwargs)``."""
    return overrides_hook.call(public_api, _get_overloaded_args(relevant_args), args, kwargs)


def _get_overloaded_args(
    relevant_args: Iterable[Any], get_type_fn: Callable[[Any], type] | None = None
) -> list[Any]:
    """The arguments to ask, one of each type: subclasses before their bases."""
    if get_type_fn is not None:
        raise NotImplementedError("_get_overloaded_args: get_type_fn is not supported")
    return overrides_hook.overloaded(relevant_args)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[..., Any]:
    """A decorator that makes a function ask; ``dispatcher`` picks the arguments that count."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def asking(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(asking, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return asking

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a tensor or takes part in the protocol."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


# -- modes --


class TorchFunctionMode:
    """Answers every call within its ``with`` block. Override `__torch_function__`.

    While it answers, it is switched off; calls it makes go to the modes around it.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Self:
        overrides_hook.push_mode(self)
        return self

    def __exit__(self, *exception: object) -> None:
        overrides_hook.pop_mode()


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that passes every call on."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_function_mode() -> Any:
    modes = overrides_hook.local.modes
    return modes[-1] if modes else None


def _get_current_function_mode_stack() -> list[Any]:
    return list(overrides_hook.local.modes)


def _len_torch_function_stack() -> int:
    return len(overrides_hook.local.modes)


def _is_torch_function_mode_enabled() -> bool:
    return bool(overrides_hook.local.modes) and not overrides_hook.local.disabled


def _push_mode(mode: Any) -> None:
    overrides_hook.push_mode(mode)


def _pop_mode() -> Any:
    return overrides_hook.pop_mode()


@contextlib.contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    """Within the block the innermost mode is off."""
    mode = overrides_hook.pop_mode()
    try:
        yield mode
    finally:
        overrides_hook.push_mode(mode)


class DisableTorchFunctionSubclass:
    """Within the block subclasses are tensors like any other; modes still answer."""

    def __enter__(self) -> None:
        overrides_hook.local.subclasses_disabled += 1

    def __exit__(self, *exception: object) -> None:
        overrides_hook.local.subclasses_disabled -= 1


class DisableTorchFunction:
    """Within the block neither subclasses nor modes answer."""

    def __enter__(self) -> None:
        overrides_hook.local.disabled += 1

    def __exit__(self, *exception: object) -> None:
        overrides_hook.local.disabled -= 1


class _EnableTorchFunction:
    """Within the block both answer again."""

    def __enter__(self) -> None:
        local = overrides_hook.local
        self._before = (local.disabled, local.subclasses_disabled)
        local.disabled = local.subclasses_disabled = 0

    def __exit__(self, *exception: object) -> None:
        overrides_hook.local.disabled, overrides_hook.local.subclasses_disabled = self._before


def _is_torch_function_enabled() -> bool:
    """Whether both answer: subclasses and modes."""
    return not (overrides_hook.local.disabled or overrides_hook.local.subclasses_disabled)


# -- tables --


def _namespaces() -> list[tuple[str, Any]]:
    """Where overridable functions are, with the names that they have there."""
    return [
        ("torch", rushlight),
        ("torch.functional", rushlight.functional),
        ("torch.nn.functional", rushlight.nn.functional),
        ("torch.nn.init", rushlight.nn.init),
        ("torch.Tensor", Tensor),
        ("torch.linalg", rushlight.linalg),
        ("torch.fft", rushlight.fft),
        ("torch.special", rushlight.special),
    ]


@functools.cache
def _resolvers() -> dict[Any, Resolver]:
    """The public form of every generated function and method, with its signatures."""
    return {resolver.public: resolver for resolver in public.resolvers}


def _takes_tensors(resolver: Resolver) -> bool:
    return resolver.is_method or any(
        "Tensor" in parameter.type_name
        for form in resolver.forms
        for parameter in form.parameters
        if parameter.name != "out"
    )


# Constructors take tensors as data, so only modes answer for them.
_ONLY_MODES = ("as_tensor", "asarray", "tensor")


def _asks(member: Any) -> bool:
    """Whether a function written in Python asks overrides."""
    function = getattr(member, "__func__", member)
    slow = getattr(getattr(function, "__self__", None), "_slow", function)
    return getattr(slow, "asks_overrides", False)


def is_overridable_in(place: Any, name: str, member: Any) -> bool:
    """Whether `__torch_function__` can answer for a member of a namespace."""
    if place is Tensor and name in _metadata_overrides.members():
        return True
    if name in _ONLY_MODES:
        return False
    resolver = _resolvers().get(member)
    return _takes_tensors(resolver) if resolver is not None else _asks(member)


def _members(place: Any) -> Iterator[tuple[str, Any]]:
    """The public callables and properties of a namespace."""
    members = dict(vars(place))
    if place is Tensor:
        # While there are modes, some of them are others.
        members |= {name: plain for name, (plain, _) in _metadata_overrides.members().items()}
    for name, value in sorted(members.items()):
        hidden = name.startswith("_") and not (place is Tensor and name.startswith("__"))
        is_class = isinstance(value, (type, ModuleType))
        if not hidden and not is_class and (callable(value) or isinstance(value, property)):
            yield name, value


@functools.cache
def _tables() -> tuple[dict[Any, list[Any]], set[Any], dict[Any, str]]:
    """What is overridable by namespace, what is not, and the names of both."""
    overridable: dict[Any, list[Any]] = {}
    ignored: set[Any] = set()
    names: dict[Any, str] = {}
    seen: set[int] = set()
    for prefix, place in _namespaces():
        for name, value in _members(place):
            if isinstance(value, property):
                shown = value.__get__
                asks = name in _metadata_overrides.members() or _asks(value.fget)
                full = f"{prefix}.{name}.__get__"
            else:
                shown = value.__get__(None, place) if place is Tensor else value
                asks = is_overridable_in(place, name, shown)
                full = f"{prefix}.{name}"
            names.setdefault(shown, full)
            if not asks:
                ignored.add(shown)
            elif id(value) not in seen:
                seen.add(id(value))
                overridable.setdefault(place, []).append(shown)
    for name, (_, asking) in _metadata_overrides.members().items():
        is_property = isinstance(asking, property)
        names[asking.__get__ if is_property else asking] = (
            f"torch.Tensor.{name}.__get__" if is_property else f"torch.Tensor.{name}"
        )
    return overridable, ignored, names


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that `__torch_function__` can answer for, by namespace."""
    return {place: list(functions) for place, functions in _tables()[0].items()}


def get_ignored_functions() -> set[Callable[..., Any]]:
    """Public functions that `__torch_function__` never hears of."""
    return set(_tables()[1])


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Functions whose results the default `__torch_function__` leaves as they are."""
    members: Any = Tensor
    return {members._base.__get__, members.grad.__get__, members._grad.__get__}


def resolve_name(f: Any) -> str | None:
    """The name by which programs know a function; None for one that is not ours."""
    if isinstance(f, (Operator, OperatorPacket)):
        return str(f)
    return _tables()[2].get(f)


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is a method of tensors or reads one of their properties."""
    if getattr(func, "__name__", None) in ("__get__", "__set__", "__delete__"):
        return True
    return (resolve_name(func) or "").startswith("torch.Tensor.")


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each overridable function one with the same signature that returns -1."""
    found: dict[Any, Any] = {}
    for functions in _tables()[0].values():
        for function in functions:
            found[function] = _twin(function)
    return found


def _twin(function: Any) -> Callable[..., Any]:
    resolver = _resolvers().get(function)
    parameters = _schema_parameters(resolver) if resolver else _python_parameters(function)
    return _constant_function(parameters)


def is_overridable(function: Any) -> bool:
    """Whether `__torch_function__` can answer for a function."""
    return any(function in functions for functions in _tables()[0].values())


def signature_of(function: Any) -> inspect.Signature:
    """The parameters of an overridable function."""
    return inspect.signature(_twin(function))


Described = tuple[str, Any, Any]
_EMPTY = inspect.Parameter.empty
_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def _schema_parameters(resolver: Resolver) -> list[Described]:
    form = next(form for form in resolver.forms if not form.hidden)
    described: list[Described] = [("self", _POSITIONAL, _EMPTY)] if resolver.is_method else []
    for parameter in form.parameters:
        default = _EMPTY if parameter.default is MISSING else parameter.default
        described.append(
            (parameter.name, _KEYWORD if parameter.keyword_only else _POSITIONAL, default)
        )
    return described


def _python_parameters(function: Any) -> list[Described]:
    if getattr(function, "__name__", "") == "__get__":
        return [("self", _POSITIONAL, _EMPTY)]
    function = getattr(function, "__func__", function)
    function = getattr(getattr(function, "__self__", None), "_slow", function)
    parameters = inspect.signature(function).parameters.values()
    return [(p.name, p.kind, p.default) for p in parameters]


def _constant_function(parameters: list[Described]) -> Callable[..., Any]:
    """A lambda with these parameters."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    defaults: dict[str, Any] = {}
    parts: list[str] = []
    for index, (name, kind, default) in enumerate(parameters):
        if kind is _KEYWORD and not any(part.startswith("*") for part in parts):
            parts.append("*")
        text = stars.get(kind, "") + identifier(name)
        if default is not _EMPTY:
            defaults[f"default_{index}"] = default
            text += f"=default_{index}"
        parts.append(text)
    made: Callable[..., Any] = eval(f"lambda {', '.join(parts)}: -1", defaults)
    return made


@contextlib.contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Within `__torch_dispatch__`, make calls as programs make them: recorded, and seen by modes."""
    before, state.thread.excluded = state.thread.excluded, 0
    state.activate(1)
    try:
        yield
    finally:
        state.thread.excluded = before
        state.activate(-1)
