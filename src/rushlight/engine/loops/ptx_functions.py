"""Functions of the kernel language on a GPU: each thread calls one for its own indices.

A function there is what it is on the host. What it calls becomes part of it, and in the place of the C library's
functions of floats stand the expressions that loops use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.engine.loops import expr, maths
from rushlight.engine.loops.expr import arg
from rushlight.engine.loops.llvm_text import Program
from rushlight.engine.loops.printed import computed
from rushlight.engine.loops.ptx_text import GPU
from rushlight.engine.loops.ptx_walk import Walk
from rushlight.engine.native.lowlevel import (
    Extern,
    Function,
    Pointer,
    Text,
    Value,
    address_of,
    include,
)
from rushlight.engine.native.lowlevel.text import here, writing

# What stands for functions of the C library: of their types in LLVM and in expressions, and the expression.
_KINDS = {"float": ("double", "f64"), "float32": ("float", "f32")}
_IN_MATHS = ("acos", "cos", "exp", "expm1", "lgamma", "log", "log1p", "pow", "sin", "tan")
_IN_EXPRESSIONS = ("ceil", "floor", "fma", "sqrt", "trunc")
_OTHERS: dict[str, Callable[..., Any]] = {"fabs": abs}


def _body(name: str) -> Callable[..., Any]:
    """What stands for a function of the C library, in its double or its single form."""
    plain = name[:-1] if name in ("expf", "logf") else name
    if plain in _IN_MATHS:
        return getattr(maths, plain)  # type: ignore[no-any-return]
    if plain in _IN_EXPRESSIONS:
        return getattr(expr, plain)  # type: ignore[no-any-return]
    if plain not in _OTHERS:
        raise TypeError(f"{name} is not there on a GPU")
    return _OTHERS[plain]


def defined(function: Extern) -> str:
    """The symbol of what stands for a function of the C library, which becomes part of the text."""
    text = here()
    symbol = f"own_{function.name}"
    if symbol not in text.helpers:
        body = _body(function.name)
        llvm, kind = _KINDS[function.result]
        count = len(function.parameters)
        values = [Value(llvm, f"%p{k}") for k in range(count)]
        inner = Text(text)
        with writing(inner):
            program = Program([body(*(arg(k, kind) for k in range(count)))], GPU)
            (result,) = computed(program, 1, values)
        head = f"define internal {llvm} @{symbol}({', '.join(map(repr, values))}) alwaysinline"
        text.define(symbol, inner.function(head, f"ret {result!r}"))
        text.helpers[symbol] = True
    return symbol


class FunctionWalk(Walk):
    """A function with the host's calling convention, which each thread calls for its own indices.

    Args:
        function: what is called
        stands_for: functions that others are called in the place of
        others: see `Walk`
    """

    def __init__(
        self, function: Function, memories: Sequence[str], dims: int, inner: int, body_dims: int,
        tables: Mapping[int, int], stands_for: Mapping[Function, Function] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(self.called, memories, dims, inner, body_dims, tables)
        self.function = function
        self.stands_for = stands_for or {}

    def called(self, data: Pointer, sizes: Pointer, strides: Pointer) -> None:
        self.function(address_of(data), address_of(sizes), address_of(strides))

    def write(self, text: Text) -> None:
        finish = include(text, self.stands_for, defined)
        self.run()
        finish()
