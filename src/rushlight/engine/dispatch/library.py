"""Operators and kernels that programs add: the same classes as the built-in ones."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Self

from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.boxing import box, unboxed
from rushlight.engine.dispatch.operator import EXPLICIT, IMPLICIT, Operator
from rushlight.engine.dispatch.registry import FALLTHROUGH, Fallthrough

RESERVED = ("prim",)
defined_namespaces: set[str] = set()
# (operator, key) that a library serves: a second one is refused unless it asks to override.
served: set[tuple[str, str]] = set()


def fallthrough_kernel(*args: Any, **kwargs: Any) -> Any:
    """Pass it to `impl` or `fallback` to let a key take no part."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


# What operators that are not defined yet return for tensors without elements, by their names.
waiting_fakes: dict[str, Callable[..., Any]] = {}


class Library:
    """Registrations in one namespace, undone when the library is destroyed.

    `kind` is "DEF" (the one library that owns the namespace), "FRAGMENT" (adds operators to it) or
    "IMPL" (only adds kernels).
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: ", kind)
        if ns in RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        if kind == "DEF":
            if ns in defined_namespaces:
                raise RuntimeError(
                    f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; "
                    "please put all of your definitions in a single TORCH_LIBRARY block."
                )
            defined_namespaces.add(ns)
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self.undo: list[Callable[[], Any]] = []
        self._finish = weakref.finalize(self, undo_all, self.undo, ns if kind == "DEF" else None)
        self._finish.atexit = False

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Add the operator that `schema` describes; its name with the overload."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        if self.kind == "IMPL":
            raise RuntimeError("define(): an IMPL library cannot define operators")
        tags = tuple(tags) if isinstance(tags, (list, tuple, set)) else (tags,)
        op = Operator(f"{self.ns}::{schema.strip()}", tags=tags)
        # Parsing now, not at the first call, reports mistakes where they were made.
        name = op.schema.base_name
        operators.add(op)
        self.undo.append(lambda: operators.remove(op))
        fake = waiting_fakes.pop(op.full_name, None)
        if fake is not None:
            self.register_fake(op, fake)
        return name

    def impl(
        self,
        op_name: str | Operator,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Serve `dispatch_key` (all keys, if there is none) of an operator with `fn`."""
        if not callable(fn):
            raise TypeError(
                f"Input function is required to be a callable but found type {type(fn)}"
            )
        key = dispatch_key or self.dispatch_key or IMPLICIT
        op = op_name if isinstance(op_name, Operator) else self.operator(op_name)
        token = (op.full_name, key)
        if token in served and not allow_override:
            raise RuntimeError(
                "This is not allowed since there's already a kernel registered from python "
                f"overriding {op.base_name}'s behavior for {key} dispatch key and {self.ns} "
                "namespace."
            )
        previous = op.registered(key)
        kernel: Any = FALLTHROUGH if fn is fallthrough_kernel else unboxed(op.schema, fn)
        if with_keyset:
            kernel = with_keys(op, fn)
        op.register(key, kernel)
        served.add(token)
        self.undo.append(partial(restore_kernel, op, key, previous))

    def fallback(
        self, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False
    ) -> None:
        """Serve `dispatch_key` of every operator that has no kernel for it."""
        key = dispatch_key or self.dispatch_key
        if self.ns != "_":
            raise RuntimeError(f"Fallback should be registered using `_` namespace, not {self.ns}")
        if not key:
            raise RuntimeError("fallback(): a dispatch key is needed")
        bit = registry.bit_of(key)
        registry.part(bit)
        previous = registry.fallbacks.get(bit)

        def boxed(op: Operator, *values: Any) -> Any:
            args, kwargs = box(op.schema, values)
            if with_keyset:
                return fn(bit, op, *args, **kwargs)
            return fn(op, *args, **kwargs)

        function: Any = FALLTHROUGH if fn is fallthrough_kernel else boxed
        registry.register_fallback(key, function)
        registry.changed()
        self.undo.append(lambda: restore_fallback(key, bit, previous))

    def _register_fake(
        self, op_name: str, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> None:
        self.register_fake(self.operator(op_name), fn)

    def register_fake(self, op: Operator, fn: Callable[..., Any]) -> None:
        """Say what an operator returns for tensors without elements."""
        previous, previous_kernel = op.fake, op.registered("Meta")
        op.fake = fn
        if previous_kernel is None and op.composite is None:
            op.register("Meta", unboxed(op.schema, fn))
        self.undo.append(partial(restore_fake, op, previous, previous_kernel))

    def operator(self, name: str) -> Operator:
        """An operator of this library's namespace, by name with overload."""
        namespace, separator, rest = name.partition("::")
        if separator and namespace != self.ns:
            raise RuntimeError(f"{name} is not in the namespace {self.ns} of this library")
        return operators.operator(f"{self.ns}::{rest if separator else name}")

    def _destroy(self) -> None:
        """Take all registrations back, as happens when nobody refers to the library any more."""
        self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._destroy()

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"


def undo_all(undo: list[Callable[[], Any]], namespace: str | None) -> None:
    for step in reversed(undo):
        step()
    undo.clear()
    if namespace is not None:
        defined_namespaces.discard(namespace)


def with_keys(op: Operator, fn: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that is also told the keys of the call's tensors."""
    from rushlight.engine.core import state
    from rushlight.engine.dispatch.boxing import tensors_in

    def kernel(*values: Any) -> Any:
        keys = 0
        for tensor in tensors_in(values):
            keys |= tensor._keys
        args, kwargs = box(op.schema, values)
        return fn(state.effective(keys), *args, **kwargs)

    return kernel


def restore_kernel(op: Operator, key: str, previous: Any) -> None:
    op.register(key, previous)
    served.discard((op.full_name, key))


def restore_fake(op: Operator, previous: Any, previous_kernel: Any) -> None:
    op.fake = previous
    op.register("Meta", previous_kernel)


def restore_fallback(key: str, bit: int, previous: Callable[..., Any] | Fallthrough | None) -> None:
    if previous is None:
        del registry.fallbacks[bit]
        registry.invalidate()
    else:
        registry.register_fallback(key, previous)
    registry.changed()


__all__ = ["EXPLICIT", "IMPLICIT", "Library", "fallthrough_kernel"]
