"""What is registered: operators by name, the parts and fallbacks of keys.

Families of operators and files of keys are imported when first needed, so that importing the
package compiles nothing and reads no kernel.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from rushlight.engine.core import keys as key_bits
from rushlight.engine.native.forks import hold_over_fork
from rushlight.engine.native.garbage import import_module

if TYPE_CHECKING:
    from rushlight.engine.dispatch.operator import Operator
    from rushlight.engine.dispatch.specialise import Part


class Fallthrough:
    """Registered for a key to say that it takes no part."""

    def __repr__(self) -> str:
        return "fallthrough"


FALLTHROUGH = Fallthrough()

operators: dict[str, Operator] = {}
fallbacks: dict[int, Callable[..., Any] | Fallthrough] = {}
parts: dict[int, Part] = {}
# Backends whose part also runs kernels that are registered for all backends.
running_explicit = 0
loaded_keys: set[int] = set()
loaded_families: set[str] = set()
_loading = threading.RLock()
_being_loaded: set[Any] = set()


def full_name(name: str) -> str:
    """`add.Tensor` -> `aten::add.Tensor`; `add.default` and `add` are the same."""
    name = name if "::" in name else f"aten::{name}"
    return name.removesuffix(".default")


# What to do after a registration, or its removal, that calls made before may depend on.
when_changed: list[Callable[[], None]] = []


def changed() -> None:
    for forget in when_changed:
        forget()


def invalidate() -> None:
    """Forget every specialised function, after a change that may concern all of them."""
    for op in operators.values():
        op.table.clear()
        op._exact.clear()


def register_fallback(key: str, function: Callable[..., Any] | Fallthrough) -> None:
    """`function(op, *args)` serves every operator without a kernel for `key`."""
    fallbacks[bit_of(key)] = function
    invalidate()


def register_part(key: str, part: Part, runs_explicit: bool = False) -> None:
    """`part` writes what `key` adds to an operator (see `specialise`).

    With ``runs_explicit`` it also takes the place of kernels that are registered for all backends.
    """
    global running_explicit
    parts[bit_of(key)] = part
    if runs_explicit:
        running_explicit |= bit_of(key)
    invalidate()


def bit_of(key: str) -> int:
    """The bit of a key. PyTorch's keys for one functionality on one backend mean ours for all."""
    bit = key_bits.NAMES.get(key)
    if bit is None:
        match = re.fullmatch(f"({'|'.join(PER_BACKEND)})[A-Z][A-Za-z0-9]*", key)
        if match is None and key not in RENAMED:
            raise RuntimeError(f"could not parse dispatch key: {key}")
        bit = key_bits.NAMES[RENAMED[key] if match is None else match[1]]
    return bit


def is_here(key: str) -> bool:
    """Whether any data or any feature here has a key of PyTorch's; it has more backends."""
    if key in COMPOSITES:
        return True
    try:
        bit_of(key)
    except RuntimeError:
        return False
    return True


def backend_of(key: str) -> int:
    """The backend that a key of PyTorch is for, where kernels for one backend are kept apart."""
    if key.startswith("Autograd"):
        return key_bits.NAMES.get(key.removeprefix("Autograd"), 0) & key_bits.BACKENDS
    return 0


COMPOSITES = (
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
)
PER_BACKEND = ("Autograd", "Autocast", "Quantized", "SparseCsr", "Sparse", "NestedTensor")
RENAMED = {"FuncTorchBatched": "Batched"}


def name_of(bit: int) -> str:
    return key_bits.names(bit)[0]


def descending(keys: int) -> Iterator[int]:
    """The bits of `keys`, highest priority first."""
    while keys:
        bit = key_bits.highest(keys)
        yield bit
        keys ^= bit


def part(bit: int) -> Part | None:
    """The part of a key; its file under `keys/` is imported the first time."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name_of(bit)).lower()
    load_once(bit, loaded_keys, f"rushlight.engine.keys.{name}")
    return parts.get(bit)


def load_family(family: str) -> None:
    """Import the kernels of a family, once."""
    if family:
        load_once(family, loaded_families, f"rushlight.engine.ops.{family}.kernels")


# Packet -> registrations for its overloads, put off until one of them is asked for.
put_off: dict[str, list[Callable[[], None]]] = {}


def when_needed(packets: Iterable[str], step: Callable[[], object]) -> None:
    """Let ``step`` register kernels when an overload of one of the packets is first asked for."""
    done: list[bool] = []

    def once() -> None:
        if not done:
            done.append(True)
            step()

    for packet in packets:
        mention(packet)
        put_off.setdefault(packet, []).append(once)


# In the order in which they come; a dictionary keeps it.
_heard: dict[str, None] | None = None


@contextmanager
def listening() -> Iterator[dict[str, None]]:
    """Collect the packets whose kernels are registered meanwhile; what is put off is never done."""
    global put_off, _heard
    with _loading:
        kept, put_off = put_off, {}
        heard: dict[str, None] = {}
        _heard = heard
        try:
            yield heard
        finally:
            put_off, _heard = kept, None


def mention(packet: str) -> None:
    """Say that kernels of a packet are registered, for who is `listening`."""
    if _heard is not None:
        _heard[packet] = None


def load_when_needed(package: str, packets_of: Mapping[str, Iterable[str]]) -> None:
    """Import each file of a package when a packet whose kernels it has is asked for."""
    for file, packets in packets_of.items():
        names = [full_name(packet) for packet in packets]
        when_needed(names, partial(import_module, f"{package}.{file}"))


_being_settled: set[str] = set()


def settle(packet: str) -> None:
    """Make the registrations for a packet that were put off, in order. Other threads wait for them."""
    with _loading:
        # The steps themselves ask for overloads of the packet.
        if packet in _being_settled:
            return
        _being_settled.add(packet)
        try:
            for step in put_off.get(packet, []):
                step()
            put_off.pop(packet, None)
        finally:
            _being_settled.discard(packet)


def load_once(what: Any, loaded: set[Any], module: str) -> None:
    """Import what a key or a family registers. Other threads wait until all of it is there."""
    if what in loaded:
        return
    with _loading:
        # The module's own imports may come back here in the same thread.
        if what in loaded or what in _being_loaded:
            return
        _being_loaded.add(what)
        try:
            import_if_there(module)
            loaded.add(what)
        finally:
            _being_loaded.discard(what)


def import_if_there(module: str) -> None:
    package = module.rpartition(".")[0]
    if importlib.util.find_spec(package) and importlib.util.find_spec(module):
        import_module(module)


# A child must not inherit an import that a thread of its parent has begun.
hold_over_fork(_loading)
