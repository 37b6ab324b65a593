"""`compile` and the marks that programs leave for it.

`_capture` says how functions become graphs. Where a version of Python has bytecode that is not known, what is to
be compiled runs as it is, and the first use says so.
"""

from __future__ import annotations

import contextlib
import os
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
    """A function or module that runs as graphs of operators.

    The first call of a kind captures it; later calls run the graphs where their guards hold. What cannot be
    in a graph is done as Python does it, between two graphs.

    Args:
        model: a function or a module; without one, a decorator
        fullgraph: raise if there is more than one graph
        dynamic: whether sizes may vary
        backend: makes a function of a graph and its example inputs, or the name of such a function
        mode: a choice of options by name; not together with ``options``
        options: for the back end
        disable: give back what was given
    """
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    from rushlight._dynamo import eval_frame

    if model is None:
        return lambda target: compile(
            target, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode,
            options=options, disable=disable, **others,
        )  # fmt: skip
    if backend == "inductor":
        from rushlight._inductor import settings_for

        mode, options = None, settings_for(mode, options, dynamic)
    if disable or os.environ.get("TORCHDYNAMO_DISABLE", "0") == "1":
        return model
    if not eval_frame.is_dynamo_supported():
        say_once("torch.compile")
        return model
    return eval_frame.compiled(
        model, backend=backend, fullgraph=fullgraph, dynamic=dynamic, mode=mode, options=options
    )


def _same(fn: Any = None, *args: Any, **kwargs: Any) -> Any:
    return (lambda function: function) if fn is None else fn


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Keep a function out of graphs: a function that calls it, or a decorator."""
    if fn is None:
        return lambda function: disable(function, recursive, reason=reason)
    if not callable(fn) or isinstance(fn, type) or hasattr(fn, "parameters"):
        return fn
    import functools

    @functools.wraps(fn)
    def outside(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    outside._torchdynamo_disable = True  # type: ignore[attr-defined]
    outside._torchdynamo_orig_callable = fn  # type: ignore[attr-defined]
    return outside


def allow_in_graph(fn: Any) -> Any:
    """Let a function be one node of a graph: the function itself, or the list of functions."""
    from rushlight._capture.status import in_graph, outside

    for one in fn if isinstance(fn, (list, tuple)) else [fn]:
        in_graph[id(one)] = one
        outside.pop(id(one), None)
    return fn


def assume_constant_result(fn: Any) -> Any:
    """Let a compiler take a function's result for constant: it is called once, while a graph is made.

    Args:
        fn: the function, which is given back
    """
    fn._dynamo_marked_constant = True
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
    """Forget all graphs."""
    from rushlight._dynamo import eval_frame

    eval_frame.reset()


def cudagraph_mark_step_begin() -> None:
    """Tell where a step begins: nobody needs to know."""


def is_compiling() -> bool:
    """Whether the code that asks is being captured."""
    from rushlight._capture.status import status

    return status.is_capturing or status.is_exporting


def is_dynamo_compiling() -> bool:
    """Whether the code that asks is being captured, and not exported."""
    from rushlight._capture.status import status

    return status.is_capturing


def is_exporting() -> bool:
    """Whether the code that asks is being exported."""
    from rushlight._capture.status import status

    return status.is_exporting


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names of the back ends."""
    from rushlight._capture import backends

    return [name for name in backends.names() if name not in exclude_tags]


def set_stance(stance: str = "default", **options: Any) -> Any:
    """Choose how eagerly to compile: a block without effect."""
    return contextlib.nullcontext()
