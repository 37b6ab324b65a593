"""`compile` and the marks that programs leave for a compiler.

There is no compiler of whole programs yet: what is to be compiled runs as it is, and the first use
says so. Every operator is compiled anyway.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
]

_said: set[str] = set()


def say_once(name: str) -> None:
    """Tell that a function does less than its name promises, the first time."""
    if name not in _said:
        _said.add(name)
        warnings.warn(
            f"rushlight runs what {name} is given as it is; nothing is traced or compiled as a whole.",
            UserWarning,
            stacklevel=3,
        )


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    **others: Any,
) -> Any:
    """What it is given; as a decorator with arguments, a function that gives back what it gets.

    Args:
        model: a function or a module
        fullgraph: accepted, without effect like all that follow
        dynamic: accepted
        backend: accepted
        mode: accepted; not together with ``options``
        options: accepted
        disable: the same, without saying so
    """
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if not disable:
        say_once("torch.compile")
    return (lambda function: function) if model is None else model


def _same(fn: Any = None, *args: Any, **kwargs: Any) -> Any:
    return (lambda function: function) if fn is None else fn


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Keep a function out of compilation: the function itself, or a decorator."""
    return _same(fn)


def allow_in_graph(fn: Any) -> Any:
    """Let a compiler take a function as one step: the function itself, or the list of functions."""
    return fn


def assume_constant_result(fn: Any) -> Any:
    """Let a compiler take a function's result for constant: the function itself."""
    return fn


def nested_compile_region(fn: Any = None, **options: Any) -> Any:
    """Mark a region that is compiled once: the function itself, or a decorator."""
    return _same(fn)


def wrap_numpy(fn: Any) -> Any:
    """A function of arrays as one of tensors."""
    import functools

    import rushlight

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        given = [a.numpy() if rushlight.is_tensor(a) else a for a in args]
        named = {k: v.numpy() if rushlight.is_tensor(v) else v for k, v in kwargs.items()}
        from rushlight.utils import _pytree

        def back(value: Any) -> Any:
            return rushlight.as_tensor(value) if hasattr(value, "__array__") else value

        return _pytree.tree_map(back, fn(*given, **named))

    return wrapped


def substitute_in_graph(original_fn: Any, **options: Any) -> Callable[[Any], Any]:
    """Mark a replacement that a compiler may take: a decorator that changes nothing."""
    return lambda fn: fn


def reset() -> None:
    """Forget what was compiled: nothing was."""


def cudagraph_mark_step_begin() -> None:
    """Tell where a step begins: nobody needs to know."""


def is_compiling() -> bool:
    """Whether a compiler is reading this function."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The compilers there are: none."""
    return []


def set_stance(stance: str = "default", **options: Any) -> Any:
    """Choose how eagerly to compile: a block without effect."""
    return contextlib.nullcontext()
