"""A small language for the run-time system: Python's syntax, machine words for values.

The allocator, the thread pool, the launcher and the entries under hot operators must be machine
code, but they should read like the rest of the project. A function decorated with
`Module.function` is never executed by Python: its source is translated to LLVM IR, where every
variable is a 64-bit integer (an address, a count, a Python object) or a double. Names that are not
local variables are looked up in Python once, at translation: integers become constants, `Words`
become memory shared with Python, other functions of the module become calls.

Supported: assignment, ``if``, ``while``, ``for … in range``, ``break``, ``continue``, ``return``,
integer and float arithmetic, comparisons, ``and``/``or``/``not``, conditional expressions, calls.
``//`` and ``%`` truncate like the machine's division; ``>>`` is arithmetic.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import linecache
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from rushlight.engine.native import machine
from rushlight.engine.native.fingerprint import Meanings, fingerprint, meanings

LLVM_TYPE = {"int": "i64", "float": "double", "i32": "i32", "None": "void", "float32": "float"}


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
        raise TypeError(f"{self.name} runs only as part of compiled code")


def lasting(words: int) -> Any:
    """Memory that stays until the very end: compiled code may run when modules are gone."""
    buffer = (ctypes.c_int64 * words)()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(buffer))
    return buffer


class Words:
    """Named 64-bit words in memory that both Python and the translated code read and write."""

    _buffer: Any
    _index: Any

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "_buffer", lasting(max(len(names), 1)))
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})

    def address_of(self, name: str) -> int:
        return ctypes.addressof(self._buffer) + 8 * self._index[name]

    def places(self, *names: str) -> tuple[Any, ...]:
        """The memory, and the positions of words in it, for Python that is in a hurry."""
        return (self._buffer, *(self._index[name] for name in names))

    def __getattr__(self, name: str) -> int:
        try:
            return int(self._buffer[self._index[name]])
        except KeyError:
            raise AttributeError(f"no word called {name}") from None

    def __setattr__(self, name: str, value: int) -> None:
        self._buffer[self._index[name]] = value


@dataclass(frozen=True, eq=False)
class Function:
    """A function of a module: its Python source and its types."""

    name: str
    source: Callable[..., Any]
    parameters: tuple[tuple[str, str], ...]
    result: str

    def __call__(self, *words: Any) -> Any:
        raise TypeError(f"{self.name} runs only as part of compiled code")


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
        code, annotations = source.__code__, source.__annotations__

        def type_name(of: str) -> str:
            annotation = annotations.get(of, "int")
            return getattr(annotation, "__name__", str(annotation))

        made = Function(
            source.__name__,
            source,
            tuple((name, type_name(name)) for name in code.co_varnames[: code.co_argcount]),
            type_name("return"),
        )
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

        return f"{self.module.name}|{_is_x86()}|{fingerprint(sources, describe, __file__)}"

    def ir(self) -> str:
        """The LLVM text. Only what Python asks for has a name outside."""
        externs: dict[str, Extern] = {}
        bodies: dict[Function, str] = {}
        waiting = list(self.roots)
        while waiting:
            function = waiting.pop()
            if function not in bodies:
                translator = _Translator(self.module, function, self.words, externs)
                bodies[function] = translator.translate(function in self.roots)
                waiting += translator.functions
        header = [e.declaration() for e in externs.values()]
        header.append("declare void @llvm.x86.sse2.pause()" if _is_x86() else "")
        header.append("declare i64 @llvm.ctlz.i64(i64, i1)")
        groups = range(len(self.words))
        header += [f"@{self.module.symbol(i)} = global ptr null" for i in groups]
        return "\n".join([*header, *bodies.values()])


def _is_x86() -> bool:
    import platform

    return platform.machine().lower() in ("x86_64", "amd64")


# Functions of fewer lines of LLVM text become part of those that call them.
_INLINED = 75

_ARITHMETIC = {
    ast.Add: ("add", "fadd"), ast.Sub: ("sub", "fsub"), ast.Mult: ("mul", "fmul"),
    ast.FloorDiv: ("sdiv", None), ast.Mod: ("srem", None), ast.Div: (None, "fdiv"),
    ast.BitAnd: ("and", None), ast.BitOr: ("or", None), ast.BitXor: ("xor", None),
    ast.LShift: ("shl", None), ast.RShift: ("ashr", None),
}  # fmt: skip
_COMPARE = {
    ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"), ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"), ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge"),
}  # fmt: skip

# Memory access: the LLVM type in memory, and how a word is made from it.
_LOADS = {
    "load": ("i64", ""), "load32": ("i32", "sext"), "load8": ("i8", "zext"),
    "load_float": ("double", ""), "load_float32": ("float", "fpext"),
}  # fmt: skip
_STORES = {
    "store": ("i64", ""), "store32": ("i32", "trunc"), "store8": ("i8", "trunc"),
    "store_float": ("double", ""), "store_float32": ("float", "fptrunc"),
}  # fmt: skip


class _Translator:
    """Writes one function as LLVM text. Variables live in allocas; the optimiser lifts them."""

    def __init__(
        self, module: Module, function: Function, words: list[Words], externs: dict[str, Extern]
    ) -> None:
        self.module = module
        self.function = function
        self.words = words
        self.externs = externs
        self.names = {
            **function.source.__globals__,
            **inspect.getclosurevars(function.source).nonlocals,
        }
        self.slots: dict[str, str] = {}
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.counter = 0
        self.loops: list[tuple[str, str]] = []
        self.open = True
        # What it calls, or whose address it takes.
        self.functions: list[Function] = []

    def translate(self, is_root: bool) -> str:
        definition = _definition_of(self.function.source)
        parameters = []
        for name, kind in self.function.parameters:
            parameters.append(f"{LLVM_TYPE[kind]} %p.{name}")
            self.declare(name, kind)
            self.entry.append(f"store {LLVM_TYPE[kind]} %p.{name}, ptr %v.{name}")
        self.block(definition.body)
        if self.open:
            self.leave(None, definition)
        inlined = " alwaysinline" if len(self.lines) < _INLINED else ""
        head = (
            f"define {'' if is_root else 'internal '}{LLVM_TYPE[self.function.result]} "
            f"{self.name_of(self.function)}({', '.join(parameters)}){inlined} {{"
        )
        return "\n".join(
            [head, "entry:", *self.entry, "br label %start", "start:", *self.lines, "}"]
        )

    # -- small verbs --
    def name_of(self, function: Function) -> str:
        self.functions.append(function)
        return f"@{self.module.symbol(function)}"

    def fail(self, node: ast.AST, why: str) -> NoReturn:
        first = inspect.unwrap(self.function.source).__code__.co_firstlineno
        line = first + getattr(node, "lineno", 1) - 1
        raise SyntaxError(f"{self.function.name}, line {line}: {why}: {ast.unparse(node)}")

    def fresh(self) -> str:
        self.counter += 1
        return f"%t{self.counter}"

    def label(self) -> str:
        self.counter += 1
        return f"L{self.counter}"

    def emit(self, text: str) -> None:
        if self.open:
            self.lines.append(text)

    def assign(self, text: str) -> str:
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return name

    def jump(self, label: str) -> None:
        self.emit(f"br label %{label}")
        self.open = False

    def start(self, label: str) -> None:
        self.open = True
        self.lines.append(f"{label}:")

    def declare(self, name: str, kind: str) -> None:
        if name not in self.slots:
            self.slots[name] = kind
            self.entry.append(f"%v.{name} = alloca {LLVM_TYPE[kind]}")

    def pointer(self, value: str) -> str:
        return self.assign(f"inttoptr i64 {value} to ptr")

    def place(self, node: ast.expr) -> str:
        """An address to load or store at; the optimiser can compare places that share a base."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            base = self.pointer(self.value(node.left)[1])
            return self.assign(f"getelementptr i8, ptr {base}, i64 {self.value(node.right)[1]}")
        return self.pointer(self.value(node)[1])

    # -- statements --
    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self.open:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target]):
                self.store(target, *self.value(node.value))
            case ast.AugAssign():
                combined = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
                self.store(node.target, *self.value(combined))
            case ast.If():
                self.branch(node)
            case ast.While():
                self.loop(node.test, node.body, None)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"))):
                self.counted(name, node)
            case ast.Return():
                self.leave(node.value, node)
            case ast.Break():
                self.jump(self.loops[-1][1])
            case ast.Continue():
                self.jump(self.loops[-1][0])
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                pass
            case ast.Expr():
                self.value(node.value)
            case _:
                self.fail(node, "not part of the language")

    def store(self, target: ast.expr, kind: str, value: str) -> None:
        match target:
            case ast.Name(id=name):
                self.declare(name, kind)
                if self.slots[name] != kind:
                    self.fail(target, f"holds {self.slots[name]}, not {kind}")
                self.emit(f"store {LLVM_TYPE[kind]} {value}, ptr %v.{name}")
            case ast.Attribute():
                self.emit(f"store i64 {value}, ptr {self.word(target)}")
            case _:
                self.fail(target, "cannot be assigned")

    def branch(self, node: ast.If) -> None:
        then, other, end = self.label(), self.label(), self.label()
        self.condition(node.test, then, other)
        self.start(then)
        self.block(node.body)
        falls = self.open
        self.jump(end)
        self.start(other)
        self.block(node.orelse)
        falls = falls or self.open
        self.jump(end)
        if falls:
            self.start(end)

    def loop(self, test: ast.expr, body: list[ast.stmt], step: Callable[[], None] | None) -> None:
        head, inside, next_, end = self.label(), self.label(), self.label(), self.label()
        self.jump(head)
        self.start(head)
        self.condition(test, inside, end)
        self.start(inside)
        self.loops.append((next_, end))
        self.block(body)
        self.loops.pop()
        self.jump(next_)
        self.start(next_)
        if step:
            step()
        self.jump(head)
        self.start(end)

    def counted(self, name: str, node: ast.For) -> None:
        assert isinstance(node.iter, ast.Call)
        bounds = node.iter.args
        first = bounds[0] if len(bounds) > 1 else ast.Constant(0)
        last = bounds[1] if len(bounds) > 1 else bounds[0]
        stride = bounds[2] if len(bounds) > 2 else ast.Constant(1)
        self.store(ast.Name(name), *self.value(first))
        limit = f"{name}.limit{self.counter}"
        self.store(ast.Name(limit), *self.value(last))
        test = ast.Compare(ast.Name(name), [ast.Lt()], [ast.Name(limit)])

        def step() -> None:
            self.store(ast.Name(name), *self.value(ast.BinOp(ast.Name(name), ast.Add(), stride)))

        self.loop(test, node.body, step)

    def leave(self, value: ast.expr | None, node: ast.AST) -> None:
        if self.function.result == "None":
            self.emit("ret void")
        elif value is None:
            self.fail(node, "a value must be returned")
        else:
            kind, result = self.value(value)
            if kind != self.function.result:
                self.fail(node, f"returns {kind}, declared {self.function.result}")
            self.emit(f"ret {LLVM_TYPE[kind]} {result}")
        self.open = False

    # -- conditions --
    def condition(self, node: ast.expr, yes: str, no: str) -> None:
        """Jump to ``yes`` or ``no``; ``and`` and ``or`` stop early."""
        match node:
            case ast.BoolOp(op=op, values=values):
                for value in values[:-1]:
                    onward = self.label()
                    if isinstance(op, ast.And):
                        self.condition(value, onward, no)
                    else:
                        self.condition(value, yes, onward)
                    self.start(onward)
                self.condition(values[-1], yes, no)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.condition(operand, no, yes)
            case _:
                self.emit(f"br i1 {self.truth(node)}, label %{yes}, label %{no}")
                self.open = False

    def truth(self, node: ast.expr) -> str:
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        kind, value = self.value(node)
        if kind != "int":
            self.fail(node, "a condition must be an integer")
        return self.assign(f"icmp ne i64 {value}, 0")

    def comparison(self, node: ast.Compare) -> str:
        if len(node.ops) != 1:
            self.fail(node, "chained comparison")
        kind, a = self.value(node.left)
        other, b = self.value(node.comparators[0])
        if kind != other:
            self.fail(node, f"compares {kind} with {other}")
        names = _COMPARE[type(node.ops[0])]
        if kind == "int":
            return self.assign(f"icmp {names[0]} i64 {a}, {b}")
        return self.assign(f"fcmp {names[1]} double {a}, {b}")

    # -- values: (kind, text) --
    def value(self, node: ast.expr) -> tuple[str, str]:
        match node:
            case ast.Constant(value=bool(number) | int(number)):
                return "int", str(int(number))
            case ast.Constant(value=float(real)):
                return "float", _float_text(real)
            case ast.Name(id=name) if name in self.slots:
                kind = self.slots[name]
                return kind, self.assign(f"load {LLVM_TYPE[kind]}, ptr %v.{name}")
            case ast.Name() | ast.Attribute():
                return self.outside(node)
            case ast.BinOp():
                return self.arithmetic(node)
            case ast.UnaryOp(op=ast.USub()):
                kind, value = self.value(node.operand)
                text = f"sub i64 0, {value}" if kind == "int" else f"fneg double {value}"
                return kind, self.assign(text)
            case ast.UnaryOp(op=ast.Invert()):
                return "int", self.assign(f"xor i64 {self.value(node.operand)[1]}, -1")
            case ast.Compare():
                return "int", self.assign(f"zext i1 {self.comparison(node)} to i64")
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self.choose(node, ast.Constant(1), ast.Constant(0))
            case ast.IfExp():
                return self.choose(node.test, node.body, node.orelse)
            case ast.Call():
                return self.call(node)
            case _:
                self.fail(node, "not part of the language")

    def choose(self, test: ast.expr, a: ast.expr, b: ast.expr) -> tuple[str, str]:
        yes, no, end = self.label(), self.label(), self.label()
        slot = ast.Name(f"choice{self.counter}")
        self.condition(test, yes, no)
        for label, branch in ((yes, a), (no, b)):
            self.start(label)
            self.store(slot, *self.value(branch))
            self.jump(end)
        self.start(end)
        return self.value(slot)

    def arithmetic(self, node: ast.BinOp) -> tuple[str, str]:
        kind, a = self.value(node.left)
        other, b = self.value(node.right)
        name = _ARITHMETIC[type(node.op)][kind == "float"]
        if kind != other or name is None:
            self.fail(node, f"no such operation on {kind} and {other}")
        return kind, self.assign(f"{name} {LLVM_TYPE[kind]} {a}, {b}")

    def outside(self, node: ast.expr) -> tuple[str, str]:
        """A name from Python: a constant, a shared word or a function's address."""
        if isinstance(node, ast.Attribute) and isinstance(self.lookup(node.value), Words):
            return "int", self.assign(f"load i64, ptr {self.word(node)}")
        found = self.lookup(node)
        if isinstance(found, Function):
            return "int", f"ptrtoint (ptr {self.name_of(found)} to i64)"
        if isinstance(found, Extern):
            self.externs[found.name] = found
            return "int", f"ptrtoint (ptr @{found.name} to i64)"
        if isinstance(found, int):
            return "int", str(int(found))
        if isinstance(found, float):
            return "float", _float_text(found)
        self.fail(node, f"a {type(found).__name__} has no meaning here")

    def lookup(self, node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.Attribute(value=base, attr=name):
                return getattr(self.lookup(base), name)
            case _:
                self.fail(node, "unknown name")

    def word(self, node: ast.Attribute) -> str:
        group = self.lookup(node.value)
        if not isinstance(group, Words):
            self.fail(node, "not a shared word")
        index = next(i for i, known in enumerate(self.words) if known is group)
        base = self.assign(f"load ptr, ptr @{self.module.symbol(index)}")
        return self.assign(f"getelementptr i64, ptr {base}, i64 {group._index[node.attr]}")

    # -- calls --
    def call(self, node: ast.Call) -> tuple[str, str]:
        if isinstance(node.func, ast.Name) and node.func.id not in self.slots:
            name = node.func.id
            if name in _LOADS:
                return self.load(name, node)
            if name in _STORES:
                return self.store_to_memory(name, node)
            intrinsic = getattr(self, f"intrinsic_{name}", None)
            if intrinsic is not None:
                return intrinsic(node)
        target = self.lookup(node.func)
        arguments = [self.value(a) for a in node.args]
        if isinstance(target, Function):
            types = [kind for _, kind in target.parameters]
            symbol, result = self.name_of(target), target.result
        elif isinstance(target, Extern):
            self.externs[target.name] = target
            types = list(target.parameters)
            types += ["int"] * (len(arguments) - len(types)) if target.variadic else []
            symbol, result = f"@{target.name}", target.result
        else:
            self.fail(node, "cannot be called")
        if len(types) != len(arguments):
            self.fail(node, f"takes {len(types)} arguments, got {len(arguments)}")
        return self.emit_call(symbol, result, types, arguments, target)

    def emit_call(
        self,
        symbol: str,
        result: str,
        types: list[str],
        arguments: list[tuple[str, str]],
        target: Any,
    ) -> tuple[str, str]:
        texts = []
        for want, (_, value) in zip(types, arguments, strict=True):
            if want == "i32":
                value = self.assign(f"trunc i64 {value} to i32")
            elif want == "float32":
                value = self.assign(f"fptrunc double {value} to float")
            texts.append(f"{LLVM_TYPE[want]} {value}")
        signature = LLVM_TYPE[result]
        if isinstance(target, Extern) and target.variadic:
            fixed = ", ".join(LLVM_TYPE[p] for p in target.parameters)
            signature += f" ({fixed}, ...)"
        text = f"call {signature} {symbol}({', '.join(texts)})"
        if result == "None":
            self.emit(text)
            return "None", ""
        value = self.assign(text)
        if result == "i32":
            return "int", self.assign(f"sext i32 {value} to i64")
        if result == "float32":
            return "float", self.assign(f"fpext float {value} to double")
        return result, value

    def load(self, name: str, node: ast.Call) -> tuple[str, str]:
        memory, widen = _LOADS[name]
        pointer = self.place(node.args[0])
        value = self.assign(f"load {memory}, ptr {pointer}, align 1")
        kind = "float" if memory in ("double", "float") else "int"
        if widen:
            value = self.assign(f"{widen} {memory} {value} to {LLVM_TYPE[kind]}")
        return kind, value

    def store_to_memory(self, name: str, node: ast.Call) -> tuple[str, str]:
        memory, narrow = _STORES[name]
        pointer = self.place(node.args[0])
        kind, value = self.value(node.args[1])
        if narrow:
            value = self.assign(f"{narrow} {LLVM_TYPE[kind]} {value} to {memory}")
        self.emit(f"store {memory} {value}, ptr {pointer}, align 1")
        return "None", ""

    def intrinsic_invoke(self, node: ast.Call) -> tuple[str, str]:
        """``invoke(address, *words)``: call a C function through a pointer; it returns a word."""
        target = self.pointer(self.value(node.args[0])[1])
        arguments = ", ".join(f"{LLVM_TYPE[k]} {v}" for k, v in map(self.value, node.args[1:]))
        return "int", self.assign(f"call i64 {target}({arguments})")

    def intrinsic_stack(self, node: ast.Call) -> tuple[str, str]:
        """``stack(n)``: the address of n words on the stack, for the function's whole run."""
        self.counter += 1
        count = self.constant(node.args[0])
        self.entry.append(f"%stack{self.counter} = alloca [{count} x i64], align 16")
        return "int", self.assign(f"ptrtoint ptr %stack{self.counter} to i64")

    def intrinsic_atomic_load(self, node: ast.Call) -> tuple[str, str]:
        pointer = self.pointer(self.value(node.args[0])[1])
        return "int", self.assign(f"load atomic i64, ptr {pointer} seq_cst, align 8")

    def intrinsic_atomic_store(self, node: ast.Call) -> tuple[str, str]:
        pointer = self.pointer(self.value(node.args[0])[1])
        value = self.value(node.args[1])[1]
        self.emit(f"store atomic i64 {value}, ptr {pointer} seq_cst, align 8")
        return "None", ""

    def intrinsic_atomic_add(self, node: ast.Call) -> tuple[str, str]:
        pointer = self.pointer(self.value(node.args[0])[1])
        value = self.value(node.args[1])[1]
        return "int", self.assign(f"atomicrmw add ptr {pointer}, i64 {value} seq_cst")

    def intrinsic_swap_if(self, node: ast.Call) -> tuple[str, str]:
        """``swap_if(p, old, new)``: store ``new`` if ``*p`` is ``old``, atomically; 1 if it was."""
        pointer = self.pointer(self.value(node.args[0])[1])
        old, new = self.value(node.args[1])[1], self.value(node.args[2])[1]
        pair = self.assign(f"cmpxchg ptr {pointer}, i64 {old}, i64 {new} seq_cst seq_cst")
        done = self.assign(f"extractvalue {{ i64, i1 }} {pair}, 1")
        return "int", self.assign(f"zext i1 {done} to i64")

    def intrinsic_to_float(self, node: ast.Call) -> tuple[str, str]:
        return "float", self.assign(f"sitofp i64 {self.value(node.args[0])[1]} to double")

    def intrinsic_leading_zeros(self, node: ast.Call) -> tuple[str, str]:
        value = self.value(node.args[0])[1]
        return "int", self.assign(f"call i64 @llvm.ctlz.i64(i64 {value}, i1 false)")

    def intrinsic_pause(self, node: ast.Call) -> tuple[str, str]:
        """Tell the core that this is a spin loop."""
        self.emit(
            "call void @llvm.x86.sse2.pause()"
            if _is_x86()
            else 'call void asm sideeffect "yield", ""()'
        )
        return "None", ""

    def constant(self, node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(value)):
                return value
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.constant(left) + self.constant(right)
        return self.lookup(node)


def _definition_of(source: Callable[..., Any]) -> ast.FunctionDef:
    """What was written for a function. Its lines are parsed alone, for files say much else."""
    code = inspect.unwrap(source).__code__
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    margin = _margin(lines[0])
    head = next(i for i, line in enumerate(lines) if line[margin:].startswith("def "))
    behind = (i for i in range(head + 1, len(lines)) if _begins_anew(lines[i], margin))
    own = lines[: next(behind, len(lines))]
    # Comments may stand further to the left.
    text = "".join(line[margin:] if _margin(line) >= margin else "\n" for line in own)
    (definition,) = ast.parse(text).body
    assert isinstance(definition, ast.FunctionDef)
    return definition


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _begins_anew(line: str, margin: int) -> bool:
    """Whether a line is behind a function with this margin: it is no deeper, and closes no bracket."""
    first = line.lstrip()[:1]
    if not first or first == "#":
        return False
    return _margin(line) < margin or (_margin(line) == margin and first not in ")]}")


def _float_text(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def extern(name: str, result: str, *parameters: str, variadic: bool = False) -> Extern:
    """Declare a C function of the process, such as one of libc's or Python's."""
    return Extern(name, result, parameters, variadic)


# The vocabulary of memory access, for readers and type checkers: these run only as machine code.
def load(address: int) -> int: ...  # type: ignore[empty-body]
def load32(address: int) -> int: ...  # type: ignore[empty-body]
def load8(address: int) -> int: ...  # type: ignore[empty-body]
def load_float(address: int) -> float: ...  # type: ignore[empty-body]
def load_float32(address: int) -> float: ...  # type: ignore[empty-body]
def store(address: int, value: int) -> None: ...
def store32(address: int, value: int) -> None: ...
def store8(address: int, value: int) -> None: ...
def store_float(address: int, value: float) -> None: ...
def store_float32(address: int, value: float) -> None: ...
def atomic_load(address: int) -> int: ...  # type: ignore[empty-body]
def atomic_store(address: int, value: int) -> None: ...
def atomic_add(address: int, value: int) -> int: ...  # type: ignore[empty-body]
def swap_if(address: int, old: int, new: int) -> int: ...  # type: ignore[empty-body]
def invoke(function: int, *words: Any) -> int: ...  # type: ignore[empty-body]
def stack(words: int) -> int: ...  # type: ignore[empty-body]
def to_float(value: int) -> float: ...  # type: ignore[empty-body]
def leading_zeros(value: int) -> int: ...  # type: ignore[empty-body]
def pause() -> None: ...
