"""Back ends: what makes a graph a function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._C import _set_grad_enabled
from rushlight.engine.dispatch.call_cache import graph_function
from rushlight.engine.native.garbage import importing

# What a backward pass says whose values a program has changed.
CHANGED = "has been modified by an inplace operation"

_registered: dict[str, Callable[..., Any]] = {}


def register_backend(
    compiler_fn: Callable[..., Any] | None = None, name: str | None = None, tags: Any = ()
) -> Any:
    """Let a back end be found by its name: a decorator as well."""
    if compiler_fn is None:
        return lambda function: register_backend(function, name, tags)
    _registered[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


def names() -> list[str]:
    return sorted(_registered)


def lookup(backend: Any) -> Callable[..., Any]:
    """A back end by its name; a function is one itself."""
    if callable(backend):
        return backend  # type: ignore[no-any-return]
    found = _registered.get(backend)
    if found is None:
        from rushlight._dynamo.exc import InvalidBackend

        raise InvalidBackend(name=backend)
    return found


Compile = Callable[..., Callable[..., Any]]


def with_gradients(compile: Compile) -> Compile:
    """A back end that decides when it compiles whether there are gradients, for graphs that begin without them.

    A graph may begin within a block without gradients and end outside of it.
    """

    @functools.wraps(compile)
    def backend(module: Any, examples: Any, **options: Any) -> Callable[..., Any]:
        if rushlight.is_grad_enabled() or not _switches_on(module):
            return compile(module, examples, **options)
        with module.graph.inserting_before(next(iter(module.graph.nodes))):
            module.graph.call_function(_set_grad_enabled, (False,))
        module.recompile()
        with rushlight.enable_grad():
            made = compile(module, examples, **options)

        def run(*args: Any) -> Any:
            with rushlight.enable_grad():
                return made(*args)

        return run

    return backend


def _switches_on(module: Any) -> bool:
    """Whether gradients are recorded from somewhere within a graph on."""
    return any(n.target is _set_grad_enabled and n.args[0] for n in module.graph.nodes)


@register_backend
def eager(module: Any, examples: Any, **options: Any) -> Callable[..., Any]:
    """The graph's operators, one after the other."""
    return module.forward  # type: ignore[no-any-return]


@register_backend
@with_gradients
def inductor(module: Any, examples: Any, **options: Any) -> Callable[..., Any]:
    """The graph and its gradients as few loops, one remembered call each."""
    with importing():
        from rushlight._inductor.compile_fx import compile_fx

    try:
        return compile_fx(module, examples, config_patches=options.get("options"))
    except RuntimeError as error:
        if CHANGED not in str(error):
            raise
        # Its gradients cannot be had, but who knows whether anybody wants them: it runs as it is.
        return graph_function("graph", module.forward)  # type: ignore[no-any-return]


@register_backend
@with_gradients
def aot_eager(module: Any, examples: Any, **options: Any) -> Callable[..., Any]:
    """The joint graph of forward and backward, its operators one after the other."""
    from rushlight._functorch.aot_autograd import aot_module_simplified
    from rushlight._functorch.compilers import nop

    return aot_module_simplified(module, examples, fw_compiler=nop)  # type: ignore[no-any-return]


register_backend(aot_eager, "aot_eager_decomp_partition")
