"""Modules of functions over words, and how they are compiled and linked."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from rushlight.engine.native import machine
from rushlight.engine.native.fingerprint import Meanings, code_in, fingerprint, meanings
from rushlight.engine.native.garbage import uncollected
from rushlight.engine.native.lowlevel.shared import Words
from rushlight.engine.native.lowlevel.text import Text, here, is_written, writing
from rushlight.engine.native.lowlevel.values import Value, let, lifted
from rushlight.engine.native.records import dataclass

LLVM_TYPE = {"int": "i64", "float": "double", "i32": "i32", "None": "void", "float32": "float"}
# Functions of less text become part of those that call them.
_INLINED = 52


@dataclass(frozen=True)
class Extern:
    """A C function found in the process: its name and its types (``int`` is a 64-bit word)."""

    name: str
    result: str
    parameters: tuple[str, ...]
    variadic: bool = False

    def declaration(self) -> str:
        types = [LLVM_TYPE[p] for p in self.parameters] + (["..."] if self.variadic else [])
        return f"declare {LLVM_TYPE[self.result]} @{self.name}({', '.join(types)})"

    def __call__(self, *words: Any) -> Any:
        if not is_written():
            raise TypeError(f"{self.name} runs only as part of compiled code")
        types = [*self.parameters]
        signature = LLVM_TYPE[self.result]
        defined = here().helpers.get(Extern)
        if defined is not None:
            # A processor without a C library: whoever writes the text says what stands for it.
            return _called(defined(self), self.result, signature, types, words)
        here().declare(self.name, self.declaration())
        if self.variadic:
            signature += f" ({', '.join(LLVM_TYPE[p] for p in types)}, ...)"
            types += ["int"] * (len(words) - len(types))
        return _called(self.name, self.result, signature, types, words)

    def as_value(self) -> Value:
        here().declare(self.name, self.declaration())
        return Value("i64", f"ptrtoint (ptr @{self.name} to i64)")


@dataclass(frozen=True, eq=False)
class Function:
    """A function of a module: its Python source and its types."""

    name: str
    source: Callable[..., Any]
    parameters: tuple[tuple[str, str], ...]
    result: str

    def __call__(self, *words: Any) -> Any:
        if not is_written():
            raise TypeError(f"{self.name} runs only as part of compiled code")
        types = [kind for _, kind in self.parameters]
        return _called(_symbol_of(self), self.result, LLVM_TYPE[self.result], types, words)

    def as_value(self) -> Value:
        return Value("i64", f"ptrtoint (ptr @{_symbol_of(self)} to i64)")


def _symbol_of(function: Function) -> str:
    """What a function of the module that is being written is called in its text."""
    symbol = here().helpers.get(Module)
    if symbol is None:
        raise TypeError(f"{function.name} is called by functions of modules only")
    return symbol(function)  # type: ignore[no-any-return]


def _called(
    symbol: str, result: str, signature: str, types: list[str], words: tuple[Any, ...]
) -> Any:
    """Write a call. Numbers of 32 bits are words or doubles on this side."""
    if len(types) != len(words):
        raise TypeError(f"{symbol} takes {len(types)} arguments, got {len(words)}")
    values = ", ".join(_argument(kind, word) for kind, word in zip(types, words))
    text = f"call {signature} @{symbol}({values})"
    if result == "None":
        here().do(text)
        return None
    value = let(LLVM_TYPE[result], text)
    if result == "i32":
        return let("i64", f"sext i32 {value.name} to i64")
    if result == "float32":
        return let("double", f"fpext float {value.name} to double")
    return value


def _argument(kind: str, word: Any) -> str:
    if kind == "i32":
        return repr(let("i32", f"trunc i64 {lifted(word, 'i64').name} to i32"))
    if kind == "float32":
        return repr(let("float", f"fptrunc double {lifted(word, 'double').name} to float"))
    return repr(lifted(word, LLVM_TYPE[kind]))


@dataclass
class Module:
    """Functions that are translated, compiled and linked when Python asks for one.

    All entries are one object, made when the first of them is needed. Any other function becomes an
    object of its own, together with what it calls: who needs one of many waits for that one only.
    Those whose loops over numbers should become vectors are optimised fully.
    """

    name: str
    functions: dict[str, Function] = field(default_factory=dict)
    entries: list[Function] = field(default_factory=list)
    optimise: int = machine.FULLY
    _addresses: dict[str, int] = field(default_factory=dict)

    def function(self, source: Callable[..., Any]) -> Function:
        """Add a function; its annotations are ``int`` (the default), ``float`` or ``None``."""
        code, annotations = source.__code__, source.__annotations__  # type: ignore[attr-defined]

        def type_name(of: str) -> str:
            annotation = annotations.get(of, "int")
            return getattr(annotation, "__name__", str(annotation))

        made = Function(
            source.__name__,
            source,
            tuple((name, type_name(name)) for name in code.co_varnames[: code.co_argcount]),
            type_name("return"),
        )
        if made.name in self.functions:
            raise ValueError(f"{self.name} has a function named {made.name} already")
        self.functions[made.name] = made
        return made

    def entry(self, source: Callable[..., Any]) -> Function:
        """Add a function that nearly every program asks for."""
        made = self.function(source)
        self.entries.append(made)
        return made

    def address(self, function: Function) -> int:
        """Where the compiled function is; compiles it on first use."""
        if function.name not in self._addresses:
            self._load(self.part(function))
        return self._addresses[function.name]

    def has_compiled(self, function: Function) -> bool:
        """Whether the function has an address, so that nothing has to be compiled for it."""
        return function.name in self._addresses

    def part(self, function: Function) -> Part:
        """The object that has a function: that of the entries which are not loaded yet, or its own."""
        if function not in self.entries:
            return Part(self, [function])
        return Part(self, [entry for entry in self.entries if entry.name not in self._addresses])

    def _load(self, part: Part) -> None:
        exported = tuple(self.symbol(function) for function in part.roots)
        groups = tuple(self.symbol(i) for i in range(len(part.words)))
        found = machine.library(part.ir, exported + groups, self.optimise, identity=part.identity())
        for symbol, group in zip(groups, part.words):
            ctypes.c_int64.from_address(found[symbol]).value = ctypes.addressof(group._buffer)
        self._addresses.update(zip((f.name for f in part.roots), map(found.__getitem__, exported)))

    def symbol(self, thing: Function | int) -> str:
        """What a function, or the pointer to a group of words, is called in texts."""
        return f"{self.name}__{thing.name if isinstance(thing, Function) else f'words{thing}'}"


class Part:
    """Some functions of a module that Python asks for, with all that they call."""

    def __init__(self, module: Module, roots: list[Function]) -> None:
        self.module = module
        self.roots = roots
        self.meant: dict[Function, Meanings] = {}
        waiting = list(roots)
        while waiting:
            function = waiting.pop()
            if function not in self.meant:
                self.meant[function] = meanings(function.source)
                waiting += [v for _, v in self.meant[function] if isinstance(v, Function)]
        # Groups of words that the functions may use, which they reach through pointers.
        found = {
            id(v): v for means in self.meant.values() for _, v in means if isinstance(v, Words)
        }
        self.words = list(found.values())

    def identity(self) -> str:
        """What the text follows from: see `fingerprint`."""
        sources = [
            (f.source, means, (f.name, f.parameters, f.result, f in self.roots))
            for f, means in self.meant.items()
        ]
        groups = [id(group) for group in self.words]

        def describe(value: Any) -> str | None:
            if isinstance(value, (int, float)):
                return repr(value)
            if isinstance(value, Words):
                return f"words {groups.index(id(value))} {[*value._index]}"
            if isinstance(value, Function):
                return f"{value.name}{value.parameters}{value.result}"
            return repr(value) if isinstance(value, Extern) else None

        told = fingerprint(sources, describe, code_in(os.path.dirname(__file__)))
        return f"{self.module.name}|{platform.machine()}|{told}"

    def ir(self) -> str:
        """The LLVM text. Only what Python asks for has a name outside."""
        whole = Text()
        bodies: dict[Function, str] = {}
        waiting = list(self.roots)

        def symbol(function: Function) -> str:
            waiting.append(function)
            return self.module.symbol(function)

        whole.helpers[Module] = symbol
        for i, group in enumerate(self.words):
            whole.helpers[id(group)] = f"@{self.module.symbol(i)}"
        with uncollected():
            while waiting:
                function = waiting.pop()
                if function not in bodies:
                    bodies[function] = self._translated(function, whole)
        globals = [f"@{self.module.symbol(i)} = global ptr null" for i in range(len(self.words))]
        return "\n".join([*whole.declarations(), *globals, *bodies.values()])

    def _translated(self, function: Function, whole: Text) -> str:
        result = LLVM_TYPE[function.result]
        text = body_of(function, whole)
        inlined = " alwaysinline" if _weight(text) < _INLINED else ""
        kept = "" if function in self.roots else "internal "
        symbol = self.module.symbol(function)
        return text.function(f"define {kept}{result} @{symbol}({_given(function)}){inlined}")


def _values(function: Function) -> list[Value]:
    return [Value(LLVM_TYPE[kind], f"%p.{name}") for name, kind in function.parameters]


def _given(function: Function) -> str:
    """A function's parameters, as the line that begins it has them."""
    return ", ".join(map(repr, _values(function)))


def body_of(function: Function, whole: Text) -> Text:
    """What a function does, as a text of the module ``whole``."""
    from rushlight.engine.native.lowlevel import control, functions
    from rushlight.engine.native.lowlevel.rewriting import rewritten

    result = LLVM_TYPE[function.result]
    text = Text(whole)
    end = control.Apart("" if result == "void" else result)
    text.returns.append(end)

    def write() -> None:
        rewritten(function.source)(*_values(function))
        end.leave(None)

    with writing(text):
        functions.refused(function.source, write)
    return text


def include(
    whole: Text, stands_for: Mapping[Function, Function], outside: Callable[[Extern], str]
) -> Callable[[], None]:
    """Let what is written into a text call functions of modules, which become part of it.

    Args:
        whole: the text
        stands_for: functions that others are called in the place of
        outside: gives the symbol of what stands for a function of C

    Gives:
        what writes the functions that were called; each becomes part of those that call it
    """
    names: dict[Function, str] = {}
    waiting: list[Function] = []

    def symbol(function: Function) -> str:
        function = stands_for.get(function, function)
        if function not in names:
            names[function] = f"{function.name}__{len(names)}"
            waiting.append(function)
        return names[function]

    whole.helpers[Module], whole.helpers[Extern] = symbol, outside

    def write() -> None:
        while waiting:
            function = waiting.pop()
            head = f"define internal {LLVM_TYPE[function.result]} @{names[function]}"
            text = body_of(function, whole).function(f"{head}({_given(function)}) alwaysinline")
            whole.define(names[function], text)

    return write


def _weight(text: Text) -> int:
    """How many lines a text has. A phi node counts twice, for it is a move on each of two ways."""
    return len(text.lines) + sum(" = phi " in line for line in text.lines)


def extern(name: str, result: str, *parameters: str, variadic: bool = False) -> Extern:
    """Declare a C function of the process, such as one of libc's or Python's."""
    return Extern(name, result, parameters, variadic)
