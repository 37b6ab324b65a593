"""Operators: one object for each overload, and packets that hold the overloads of one name."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, ClassVar

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core import state
from rushlight.engine.dispatch import constants, registry
from rushlight.engine.dispatch.calls import call_source
from rushlight.engine.dispatch.schema import Schema, parse
from rushlight.engine.dispatch.source import define, identifier
from rushlight.engine.dispatch.specialise import specialise

IMPLICIT = "CompositeImplicitAutograd"
EXPLICIT = "CompositeExplicitAutograd"
WATCHED = key_bits.PYTHON | key_bits.PYTHON_MODE
# Keys that get composites as they are.
WHOLE = (
    key_bits.AUTOCAST | key_bits.TRANSFORMS | key_bits.BATCHED | key_bits.WRAPPED | key_bits.NESTED
)
# A tensor carries the key only if a gradient is wanted; inference mode takes it from all.
ABOVE_AUTOGRAD = key_bits.AUTOGRAD | key_bits.INFERENCE
EXPLICITS = (EXPLICIT, "CompositeExplicitAutogradNonFunctional")


class Table(dict[int, Callable[..., Any]]):
    """Key set -> specialised function, made at the first call under that key set."""

    __slots__ = ("op",)

    def __init__(self, op: Operator) -> None:
        self.op = op

    def __missing__(self, keys: int) -> Callable[..., Any]:
        op = self.op
        function = op.exactly(keys)
        if not keys & ABOVE_AUTOGRAD and op.own(key_bits.AUTOGRAD, keys) is not None:
            function = with_own_autograd(op, keys, function)
        self[keys] = function
        return function


class Operator:
    """One overload. Built-in operators and those of users are this same class."""

    # What makes it in another process, if that does not know it by its name.
    restored_by: tuple[Callable[..., Any], tuple[Any, ...]] | None = None

    def __init__(
        self,
        schema: str,
        family: str = "",
        declared_tags: tuple[Any, ...] = (),
        autocast: str = "",
        sees_lazy_values: bool = False,
        is_pointwise: bool = False,
        alias: str = "",
    ) -> None:
        name = schema[: schema.index("(")].strip()
        self.full_name = registry.full_name(name)
        self.namespace, _, self.base_name = self.full_name.partition("::")
        self.packet_name, _, self.overload = self.base_name.partition(".")
        self.schema_text = schema
        self.family = family
        self.declared_tags = declared_tags
        # To which type autocast brings tensors, and whether conjugate views come as they are; what
        # the fields of an entry mean is told in `codegen/README.md`.
        self.autocast = autocast
        self.sees_lazy_values = sees_lazy_values
        # Whether each element of a result depends on those at its place; kernels say so, too.
        self.is_pointwise = is_pointwise
        # The overload that this is another name of.
        self.alias = alias
        self._kernels: dict[int, Any] = {}
        # Kernels for a functionality on one backend only.
        self._finer: dict[tuple[int, int], Any] = {}
        self._composite: Callable[..., Any] | None = None
        self._explicit: Callable[..., Any] | None = None
        self._packet = f"{self.namespace}::{self.packet_name}"
        # What the operator returns for tensors without elements, and how its gradient is found
        # (backward, setup_context), where a program says so.
        self.fake: Callable[..., Any] | None = None
        # What classes and modes make of the operator, where a program says so for them.
        self.dispatch_rules: dict[type, Callable[..., Any]] = {}
        self.autograd_rule: Callable[[Operator, Any], Any] | None = None
        # What it does with a batch, where a program says so: `(info, in_dims, *args, **kwargs)`.
        self.vmap_rule: Callable[..., Any] | None = None
        self.table = Table(self)
        self._exact: dict[int, Callable[..., Any]] = {}
        self._parsed: Schema | None = None
        self._call: Callable[..., Any] | None = None

    @property
    def schema(self) -> Schema:
        if self._parsed is None:
            self._parsed = parse(self.schema_text)
        return self._parsed

    def settle(self) -> None:
        """Make the registrations that were put off until the operator is asked for."""
        if self._packet in registry.put_off:
            registry.settle(self._packet)

    @property
    def kernels(self) -> dict[int, Any]:
        """What serves each key, by its bit."""
        self.settle()
        return self._kernels

    @property
    def composite(self) -> Callable[..., Any] | None:
        """What serves all keys, in terms of other operators."""
        self.settle()
        if self._composite is None and self.alias:
            self._composite = operator(self.alias).call
        return self._composite

    @property
    def explicit(self) -> Callable[..., Any] | None:
        """What serves all backends."""
        self.settle()
        return self._explicit

    @property
    def is_elementwise(self) -> bool:
        """Whether it computes element by element, which its kernel says when it is registered."""
        registry.load_family(self.family)
        self.settle()
        return self.is_pointwise or (bool(self.alias) and operator(self.alias).is_elementwise)

    @property
    def call(self) -> Callable[..., Any]:
        """The call function: every argument of the schema, already of the right type."""
        if self._call is None:
            self._call = make_call(self)
        return self._call

    # How Python's arguments become those of the schema: `schema_call` says it.
    from_python: ClassVar[Callable[..., Any]]
    # What programs ask for besides: `operator_members` says it.
    redispatch: ClassVar[Callable[..., Any]]
    tags: Any
    _schema: Any

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._public(*args, **kwargs)

    @functools.cached_property
    def _public(self) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            return self.from_python(self, args, kwargs)

        return _remembered(self, run, lambda: [(self, list(self.schema.positional))])

    @functools.cached_property
    def remembered_call(self) -> Callable[..., Any]:
        """The call function, repeated from memory where that knows the call."""
        return _remembered(self, self.call, lambda: [(self, list(self.schema.arguments))])

    def exactly(self, keys: int) -> Callable[..., Any]:
        """What serves a set of keys, whatever the thread has switched on or off."""
        found = self._exact.get(keys)
        if found is None:
            registry.load_family(self.family)
            found = self._exact[keys] = specialise(self, keys)
        return found

    def register(self, key: str, function: Any) -> None:
        """Serve `key` with `function`, which takes all arguments of the schema positionally.

        None takes the registration away.
        """
        self.settle()
        if key == IMPLICIT:
            self._composite = function
        elif key in EXPLICITS:
            self._explicit = function
        else:
            kernels, place = self._place(key)
            if function is None:
                kernels.pop(place, None)
            else:
                kernels[place] = function
        self.forget()

    def _place(self, key: str) -> tuple[dict[Any, Any], Any]:
        """Where the kernel for a key is kept."""
        bit, backend = registry.bit_of(key), registry.backend_of(key)
        return (self._finer, (bit, backend)) if backend else (self.kernels, bit)

    def forget(self) -> None:
        """Drop what was made of the registrations so far. What was never called is in no other call."""
        self._exact.clear()
        if self.table:
            self.table.clear()
            registry.changed()

    def registered(self, key: str) -> Any:
        """What `register` was given for `key`, or None."""
        registry.load_family(self.family)
        if key == IMPLICIT:
            return self.composite
        if key in EXPLICITS:
            return self.explicit
        kernels, place = self._place(key)
        return kernels.get(place)

    def own(self, bit: int, keys: int) -> Any:
        """What was registered for a key itself: for the backend of a call, or else for all of them."""
        if self._finer:
            found = self._finer.get((bit, key_bits.highest(keys & key_bits.BACKENDS)))
            if found is not None:
                return found
        return self.kernels.get(bit)

    def kernel(self, bit: int, keys: int) -> Any:
        """What was registered to serve `bit` in a call under `keys`, or None.

        A composite serves every key, unless the backend has a kernel of its own: then the keys
        above act on the operator as a whole. Autocast and transformations always do: they know
        composites by name. Who watches calls, a mode or a class, sees what an operator is made of.
        """
        own = self.own(bit, keys)
        if own is not None or bit & WHOLE:
            return own
        watched = bool(keys & WATCHED)
        if self.composite is not None and (watched or not self.has_backend_kernel(keys)):
            return self.composite
        if self.explicit is not None and (bit & key_bits.BACKENDS or not bit):
            is_run_by_part = bit & registry.running_explicit and not self.schema.is_view
            return None if is_run_by_part or self._falls_back(bit) else self.explicit
        return None

    def _falls_back(self, bit: int) -> bool:
        """Whether a program serves what has no kernel for a backend of its own.

        Our kernels for all backends fill tensors of the host only, but for those of views.
        """
        fallback = registry.fallbacks.get(bit)
        if not isinstance(fallback, FunctionType) or self.namespace != "aten":
            return False
        if "inplace_view" in self.declared_tags:
            return False
        return not self.schema.is_view or hasattr(fallback, "sees_views")

    def has_backend_kernel(self, keys: int) -> bool:
        """Whether there is a kernel for the data itself: its layout, or else where it is."""
        stores = keys & key_bits.STORES
        if stores:
            return key_bits.highest(stores) in self.kernels
        backend = keys & key_bits.BACKENDS
        if not backend:
            return False
        bit = 1 << (backend.bit_length() - 1)
        # A device that plans loops runs a kernel of the CPU that is made of such.
        is_planned = bit & registry.running_explicit and plans_loops(self.kernels.get(key_bits.CPU))
        return bit in self.kernels or bool(is_planned)

    def kernel_names(self) -> list[str]:
        names = [registry.name_of(bit) for bit in self.kernels]
        names += [IMPLICIT] if self.composite is not None else []
        return names + ([EXPLICIT] if self.explicit is not None else [])

    @property
    def packet(self) -> OperatorPacket:
        return packet(f"{self.namespace}::{self.packet_name}")

    # Names that programs written for PyTorch use.

    def name(self) -> str:
        return self.full_name

    @property
    def overloadpacket(self) -> OperatorPacket:
        return self.packet

    @property
    def _overloadname(self) -> str:
        return self.overload or "default"

    @property
    def __name__(self) -> str:
        return f"{self.packet_name}.{self._overloadname}"

    @property
    def _opname(self) -> str:
        return self.packet_name

    @property
    def is_view(self) -> bool:
        return self.schema.is_view

    def __str__(self) -> str:
        return f"{self.namespace}.{self.packet_name}.{self._overloadname}"

    def __repr__(self) -> str:
        name = f"{self.namespace}.{self.packet_name}"
        return f"<OpOverload(op='{name}', overload='{self._overloadname}')>"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.restored_by or (operator, (self.full_name,))


def _remembered(
    named: Operator | OperatorPacket, run: Callable[..., Any], overloads: Callable[[], Any]
) -> Callable[..., Any]:
    """What makes calls of an operator by its name in `ops`, or repeats them.

    Calls of those that a program has defined are not remembered: their Python may do anything.

    Args:
        named: what is called
        run: makes a call in Python
        overloads: gives those that may be meant, each with its positional arguments
    """
    if named.namespace not in ("aten", "rushlight"):
        return run
    from rushlight.engine.dispatch import free_arguments
    from rushlight.engine.dispatch.call_cache import public_function

    return public_function(  # type: ignore[no-any-return]
        named.full_name,
        run,
        lambda: free_arguments.free_numbers(overloads()),
        0,
        lambda: free_arguments.sizes(overloads()),
    )


class OperatorPacket:
    """All overloads of one name: `ops.aten.add`."""

    def __init__(self, namespace: str, name: str) -> None:
        self.namespace = namespace
        self.packet_name = name
        self.full_name = f"{namespace}::{name}"
        self.__name__ = name

    def overloads(self) -> list[str]:
        return [op.overload or "default" for op in self]

    def __iter__(self) -> Iterator[Operator]:
        names = overload_names().get(self.full_name, []) + added.get(self.full_name, [])
        return (operator(name) for name in names)

    def __getattr__(self, overload: str) -> Operator:
        if overload.startswith("__"):
            raise AttributeError(overload)
        name = registry.full_name(f"{self.full_name}.{overload}")
        found = find(name)
        if found is None:
            raise AttributeError(
                f"The underlying op of '{self.namespace}.{self.packet_name}' has no overload name "
                f"'{overload}'"
            )
        setattr(self, overload, found)
        return found

    # How Python's arguments become those of the schema: `schema_call` says it.
    from_python: ClassVar[Callable[..., Any]]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._public(*args, **kwargs)

    @functools.cached_property
    def _public(self) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            return self.from_python(self, args, kwargs)

        return _remembered(self, run, lambda: [(op, list(op.schema.positional)) for op in self])

    def __str__(self) -> str:
        return f"{self.namespace}.{self.packet_name}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self.namespace}.{self.packet_name}')>"


packets: dict[str, OperatorPacket] = {}


def overloads(name: str) -> list[Operator]:
    """The overloads of a packet; none if there is no such packet."""
    return list(OperatorPacket(*registry.full_name(name).split("::")))


def packet(name: str) -> OperatorPacket:
    """The packet of `add` or `aten::add`; RuntimeError if it has no overload."""
    name = registry.full_name(name)
    found = packets.get(name)
    if found is None:
        made = OperatorPacket(*name.split("::"))
        if next(iter(made), None) is None:
            raise RuntimeError(f"No such operator {name}")
        found = packets.setdefault(name, made)
    return found


def add(op: Operator) -> Operator:
    """Make a new operator known. Built-in ones are made from the index when first asked for."""
    if op.full_name in registry.operators or op.full_name in index():
        raise RuntimeError(f"Tried to register an operator ({op.schema_text}) twice")
    registry.operators[op.full_name] = op
    added.setdefault(f"{op.namespace}::{op.packet_name}", []).append(op.full_name)
    return op


def remove(op: Operator) -> None:
    """Forget an operator that `add` made known."""
    del registry.operators[op.full_name]
    added[f"{op.namespace}::{op.packet_name}"].remove(op.full_name)
    packets.pop(f"{op.namespace}::{op.packet_name}", None)


added: dict[str, list[str]] = {}


@functools.cache
def index() -> dict[str, tuple[Any, ...]]:
    """The built-in operators: full name -> what an `Operator` is made from."""
    module = importlib.import_module("rushlight.engine.generated.operators")
    return {registry.full_name(name): facts for name, facts in module.OPERATORS.items()}


@functools.cache
def overload_names() -> dict[str, list[str]]:
    """Packet -> full names of its built-in overloads, in the order of declaration."""
    found: dict[str, list[str]] = {}
    for name in index():
        found.setdefault(name.partition(".")[0], []).append(name)
    return found


def find(name: str) -> Operator | None:
    name = registry.full_name(name)
    found = registry.operators.get(name)
    if found is None and name in index():
        found = registry.operators.setdefault(name, Operator(*index()[name]))
    return found


def plans_loops(kernel: Any) -> bool:
    """Whether all that a kernel does are loops, which a device can run, too."""
    return bool(getattr(getattr(kernel, "__self__", kernel), "notes_device_steps", False))


def operator(name: str) -> Operator:
    """The overload called `add.Tensor` or `aten::add.Tensor`."""
    found = find(name)
    if found is None:
        raise RuntimeError(f"Could not find schema for {registry.full_name(name)}")
    return found


def register_kernel(name: str, key: str, function: Any) -> None:
    """Serve `key` of the overload `name` with `function` (or `registry.FALLTHROUGH`)."""
    registry.mention(registry.full_name(name).partition(".")[0])
    operator(name).register(key, function)


def when_needed(name: str, step: Callable[[], None]) -> None:
    """Let ``step`` register the kernels of an overload and of its variants when one is asked for."""
    stem = registry.full_name(name).partition(".")[0]
    registry.when_needed((stem, f"{stem}_"), step)


def with_own_autograd(op: Operator, keys: int, below: Callable[..., Any]) -> Callable[..., Any]:
    """What a call does whose tensors want no gradients, of an operator with a kernel for Autograd."""
    above = op.exactly(keys | key_bits.AUTOGRAD)
    thread = state.thread

    def run(*args: Any) -> Any:
        return (below if thread.excluded & key_bits.AUTOGRAD else above)(*args)

    return run


def make_call(op: Operator) -> Callable[..., Any]:
    """The call function of an operator."""
    name = identifier(op.base_name)
    names = {
        "state": state,
        "constants": constants,
        "factory_keys": factory_keys,
        "table": op.table,
    }
    return define(name, call_source(op.schema, name, "table"), names, f"{op.full_name} call")


def factory_keys(device: Any) -> int:
    """The keys of a call without tensors: those of the device it asks for."""
    where = state.default_device() if device is None else device
    # A mode may make tensors on devices that are not there.
    return where.key_if_absent if state.thread.modes else where.key  # type: ignore[no-any-return]
