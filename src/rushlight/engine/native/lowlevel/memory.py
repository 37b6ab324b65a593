"""Words of the language for memory: numbers, vectors, parts of vectors, what lies apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.native.lowlevel.text import here
from rushlight.engine.native.lowlevel.values import (
    DOUBLE,
    FLOAT,
    POINTER,
    WORD,
    Value,
    bytes_of,
    is_number,
    lanes_of,
    let,
    lifted,
    moved,
    spelled,
)

Address = Any


def pointer(address: Address) -> Value:
    """The place at an address, which is a word or is a place already."""
    if type(address) is Value and address.kind == POINTER:
        return address
    value = lifted(address)
    return let(POINTER, f"inttoptr i64 {lifted(value, WORD).name} to ptr")


def place(base: Address, offset: Any) -> Value:
    """The place so many bytes behind an address."""
    return moved(pointer(base), offset)


def element(base: Value, index: Any, bytes: int) -> Value:
    """The place of an element among neighbours of so many bytes each."""
    if is_number(index, 0):
        return base
    index = lifted(index, WORD)
    return let(POINTER, f"getelementptr [{bytes} x i8], ptr {base.name}, i64 {index.name}")


def entry(table: Value, index: int, kind: str) -> Any:
    """A value of a table, by its place in it."""
    place = let(POINTER, f"getelementptr {kind}, ptr {table.name}, i64 {index}")
    return let(kind, f"load {kind}, ptr {place.name}")


def _addressed(word: Callable[..., Any]) -> Callable[..., Any]:
    """A word that takes an address; rewritten functions call ``at`` where it is a sum."""

    def at(base: Address, offset: Any, *rest: Any, **named: Any) -> Any:
        return word(place(base, offset), *rest, **named)

    word.at = at  # type: ignore[attr-defined]
    return word


def _aligned(place: Any, kind: str, align: int) -> int:
    """How a number lies: at any address that is a word, in whole steps where there is a pointer."""
    if align:
        return align
    return bytes_of(kind) if isinstance(place, Value) and place.kind == POINTER else 1


# -- numbers --


def load(address: Address, kind: str = WORD, align: int = 0) -> Any:
    """What lies at an address: a word, or a value of another kind."""
    at = pointer(address)
    return let(kind, f"load {kind}, ptr {at.name}, align {_aligned(address, kind, align)}")


def store(address: Address, value: Any, align: int = 0) -> None:
    value = lifted(value)
    if value.kind == "i1":
        value = lifted(value, WORD)
    at = pointer(address)
    here().do(f"store {value}, ptr {at.name}, align {_aligned(address, value.kind, align)}")


def load32(address: Address) -> Any:
    return let(WORD, f"sext i32 {load(pointer(address), 'i32', 1).name} to i64")


def load8(address: Address) -> Any:
    return let(WORD, f"zext i8 {load(pointer(address), 'i8', 1).name} to i64")


def load_float(address: Address) -> Any:
    return load(pointer(address), DOUBLE, 1)


def load_float32(address: Address) -> Any:
    return let(DOUBLE, f"fpext float {load(pointer(address), FLOAT, 1).name} to double")


def store32(address: Address, value: Any) -> None:
    at = pointer(address)
    store(at, let("i32", f"trunc i64 {lifted(value, WORD).name} to i32"), 1)


def store8(address: Address, value: Any) -> None:
    at = pointer(address)
    store(at, let("i8", f"trunc i64 {lifted(value, WORD).name} to i8"), 1)


def store_float(address: Address, value: Any) -> None:
    store(pointer(address), lifted(value, DOUBLE), 1)


def store_float32(address: Address, value: Any) -> None:
    at = pointer(address)
    store(at, let(FLOAT, f"fptrunc double {lifted(value, DOUBLE).name} to float"), 1)


def stream(place: Value, value: Value, align: int) -> None:
    """Store whole lines of memory around the caches."""
    here().do(f"store {value}, ptr {place.name}, align {align}, !nontemporal !0")


def fence() -> None:
    """What was stored around the caches is there for all threads."""
    here().do("fence seq_cst")


# -- parts of vectors --


def load_masked(place: Value, kind: str, mask: Value) -> Any:
    """The lanes of a vector that a mask has, zeros in the others."""
    name = f"llvm.masked.load.{spelled(kind)}.p0"
    aligned = ("i32 immarg", str(bytes_of(kind)))
    operands = [(POINTER, place.name), aligned, (mask.kind, mask.name), (kind, "zeroinitializer")]
    return Value(kind, here().call(kind, name, *operands))


def store_masked(place: Value, value: Value, mask: Value) -> None:
    """Change the lanes that a mask has."""
    kind = value.kind
    name = f"llvm.masked.store.{spelled(kind)}.p0"
    aligned = ("i32 immarg", str(bytes_of(kind)))
    here().call(
        "void", name, (kind, value.name), (POINTER, place.name), aligned, (mask.kind, mask.name)
    )


def store_together(place: Value, value: Value, mask: Value) -> None:
    """The lanes that a mask has, one behind the other; elements may lie at any address."""
    name = f"llvm.masked.compressstore.{spelled(value.kind)}"
    here().call(
        "void", name, (value.kind, value.name), (POINTER, f"align 1 {place.name}"),
        (mask.kind, mask.name),
    )  # fmt: skip


# -- what lies apart --


def gather(places: Value, scalar: str, mask: Value | None = None) -> Any:
    """The elements at a vector of places; zeros where a mask does not hold."""
    lanes = lanes_of(places.kind)
    kind = f"<{lanes} x {scalar}>"
    name = f"llvm.masked.gather.{spelled(kind)}.{spelled(places.kind)}"
    aligned = (places.kind, f"align {bytes_of(kind)} {places.name}")
    which = (f"<{lanes} x i1>", "splat (i1 true)" if mask is None else mask.name)
    rest = (kind, "poison" if mask is None else "zeroinitializer")
    return Value(kind, here().call(kind, name, aligned, which, rest))


def scatter(places: Value, value: Value, mask: Value) -> None:
    """Store the lanes that a mask has, each at a place of its own."""
    name = f"llvm.masked.scatter.{spelled(value.kind)}.{spelled(places.kind)}"
    aligned = ("i32 immarg", str(bytes_of(value.kind)))
    here().call(
        "void", name, (value.kind, value.name), (places.kind, places.name), aligned,
        (mask.kind, mask.name),
    )  # fmt: skip


# -- room, and what will be used --


def stack(words: int) -> Any:
    """The address of so many words on the stack, for the function's whole run."""
    return let(WORD, f"ptrtoint ptr {here().reserve(8 * words, 16)} to i64")


def room(bytes: int, align: int = 64) -> Any:
    """The place of so many bytes on the stack, for the function's whole run."""
    return Value(POINTER, here().reserve(bytes, align))


def prefetch(place: Value, writes: bool = False, level: int = 1) -> None:
    """Ask for memory that will be used in a while, into the cache of this level."""
    here().call(
        "void", "llvm.prefetch.p0", (POINTER, place.name), ("i32 immarg", str(int(writes))),
        ("i32 immarg", str(4 - level)), ("i32 immarg", "1"),
    )  # fmt: skip


for _word in (
    load, load32, load8, load_float, load_float32, store, store32, store8, store_float,
    store_float32,
):  # fmt: skip
    _addressed(_word)
