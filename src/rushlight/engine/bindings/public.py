"""Makes public functions and methods out of what the generated files say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.engine.bindings.overloads import overloads_of
from rushlight.engine.bindings.values import UNREAD, check_owner, reflected
from rushlight.engine.dispatch import call_cache, free_arguments
from rushlight.engine.dispatch.resolver import Resolver
from rushlight.engine.dispatch.source import define

# To write and compile a function takes as long as to resolve so many calls. Most calls that come again
# are remembered long before, and reach neither.
PATIENCE = 32
patience = PATIENCE

# Those of all public functions and methods.
resolvers: list[Resolver] = []


def functions(found: Mapping[str, str], module: str) -> dict[str, Any]:
    """The public functions of these names in a module; for each name, the words of its overloads."""
    make = call_cache.public_function
    return {n: _public(Resolver(n, text, False), make, module, n) for n, text in found.items()}


def methods(
    found: Mapping[str, str], shared: Sequence[str], texts: Mapping[str, str]
) -> dict[str, Resolver]:
    """The resolvers of methods.

    Args:
        found: names, and the words of their overloads
        shared: the names of methods with the same overloads as the function of their name
        texts: the words of functions
    """
    known = {**found, **{name: texts[name] for name in shared}}
    return {name: Resolver(name, text, True) for name, text in known.items()}


def public_method(resolver: Resolver) -> Any:
    """What the class of tensors has for a method."""
    return _public(resolver, call_cache.public_method, "rushlight", f"Tensor.{resolver.name}")


def _public(resolver: Resolver, make: Callable[..., Any], module: str, path: str) -> Any:
    function = python_function(resolver)
    # Where no machine code is in front, it is the public function itself.
    function.__name__, function.__qualname__, function.__module__ = resolver.name, path, module
    made = make(
        resolver.name,
        function,
        lambda: free_arguments.free_numbers(overloads_of(resolver)),
        0,
        lambda: free_arguments.sizes(overloads_of(resolver)),
    )
    resolver.public = getattr(made, "__func__", made)
    resolvers.append(resolver)
    return made


def python_function(resolver: Resolver) -> Callable[..., Any]:
    """Makes calls of a binding in Python: by the resolver, and from when that pays by a text first."""
    calls = 0
    written: Callable[..., Any] | None = None
    resolve = _declining(resolver) if resolver.is_sign else resolver

    def function(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls, written
        if written is None:
            calls += 1
            if calls <= patience:
                return resolve(args, kwargs)
            written = write(resolver)
        result = written(*args, **kwargs) if kwargs else written(*args)
        return resolve(args, kwargs) if result is UNREAD else result

    resolver.function = function
    return function


def _declining(resolver: Resolver) -> Callable[[Any, Any], Any]:
    """What resolves the calls of a method behind a sign: the other operand may take what it does not."""

    def resolve(args: Any, kwargs: Any) -> Any:
        check_owner(resolver.name, *args[:1])
        return reflected(resolver, args, kwargs)

    return resolve


def write(resolver: Resolver) -> Callable[..., Any]:
    """The Python function of a binding, from its text."""
    # Programs that make few calls need no texts.
    from rushlight.engine import calls
    from rushlight.engine.bindings import signatures, text, values

    binding = signatures.read(resolver)
    names = {name: getattr(values, name) for name in values.__all__}
    for signature in binding.signatures:
        names[f"c_{signature.family}"] = getattr(calls, signature.family)
    kind = "method" if resolver.is_method else "function"
    source = text.binding_source(binding)
    return define(resolver.name, source, names, f"{resolver.name} {kind}")


@contextmanager
def written_at_once() -> Iterator[None]:
    """Within the block, functions that are called have texts, however few their calls are."""
    global patience
    patience = 0
    try:
        yield
    finally:
        patience = PATIENCE
