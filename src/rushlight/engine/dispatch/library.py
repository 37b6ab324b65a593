"""Operators and kernels that programs add: the same classes as the built-in ones."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Self

from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch import registrations, registry
from rushlight.engine.dispatch.boxing import box, unboxed
from rushlight.engine.dispatch.key_sets import DispatchKeySet
from rushlight.engine.dispatch.operator import EXPLICIT, IMPLICIT, Operator
from rushlight.engine.dispatch.registrations import Registration
from rushlight.engine.dispatch.registry import FALLTHROUGH

RESERVED = ("prim",)
defined_namespaces: set[str] = set()


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
        self.place = registrations.caller(1)
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
        op = self.define_as(schema, self.place, alias_analysis or "FROM_SCHEMA", tags)
        return op.base_name

    def define_as(
        self, schema: str, debug: str, alias_analysis: str, tags: tuple[Any, ...] = ()
    ) -> Operator:
        """Add an operator, saying where it comes from."""
        text = f"{self.ns}::{schema.strip()}"
        op, undo = registrations.define(text, tags, debug, alias_analysis)
        self.undo.append(undo)
        fake = waiting_fakes.pop(op.full_name, None)
        if fake is not None:
            self.register_fake(op, fake)
        return op

    def impl(
        self,
        op_name: str | Operator,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Serve `dispatch_key` (all keys, if there is none) of an operator with `fn`.

        The operator may be defined later. `with_keyset` passes the keys of the call in front.
        """
        if not callable(fn):
            raise TypeError(
                f"Input function is required to be a callable but found type {type(fn)}"
            )
        key = dispatch_key or self.dispatch_key or IMPLICIT
        name = op_name.full_name if isinstance(op_name, Operator) else self.qualified(op_name)
        known = registrations.entries.get(name)
        if not allow_override and known is not None and key in known.kernels:
            raise RuntimeError(
                "This is not allowed since there's already a kernel registered from python "
                f"overriding {name.partition('::')[2]}'s behavior for {key} dispatch key and "
                f"{self.ns} namespace."
            )
        function: Any = FALLTHROUGH if fn is fallthrough_kernel else fn
        made = Registration(function, self.place, takes_keys=with_keyset)
        self.undo.append(registrations.add(name, key, made))

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

        def boxed(op: Operator, *values: Any) -> Any:
            args, kwargs = box(op.schema, values)
            if with_keyset:
                return fn(DispatchKeySet.of_bits(bit), op, *args, **kwargs)
            return fn(op, *args, **kwargs)

        function: Any = FALLTHROUGH if fn is fallthrough_kernel else boxed
        made = Registration(function, self.place)
        self.undo.append(registrations.add_fallback(key, made, function))

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

    def _register_torch_dispatch_rule(
        self, op_name: str | Operator, torch_dispatch_class: type, fn: Callable[..., Any]
    ) -> None:
        """Ask `fn` what a class or a mode makes of an operator."""
        op = op_name if isinstance(op_name, Operator) else self.operator(op_name)
        rules, previous = op.dispatch_rules, op.dispatch_rules.get(torch_dispatch_class)
        rules[torch_dispatch_class] = fn

        def undo() -> None:
            if previous is None:
                rules.pop(torch_dispatch_class, None)
            else:
                rules[torch_dispatch_class] = previous

        self.undo.append(undo)

    def operator(self, name: str) -> Operator:
        """An operator of this library's namespace, by name with overload."""
        return operators.operator(self.qualified(name))

    def qualified(self, name: str) -> str:
        """A name of this library's namespace, with it."""
        namespace, separator, rest = name.partition("::")
        if separator and namespace != self.ns:
            raise RuntimeError(f"{name} is not in the namespace {self.ns} of this library")
        return registry.full_name(f"{self.ns}::{rest if separator else name}")

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


def restore_fake(op: Operator, previous: Any, previous_kernel: Any) -> None:
    op.fake = previous
    op.register("Meta", previous_kernel)


__all__ = ["EXPLICIT", "IMPLICIT", "Library", "fallthrough_kernel"]
