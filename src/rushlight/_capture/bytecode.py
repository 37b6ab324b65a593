"""Bytecode of the supported versions of Python, as one set of instructions.

Versions name and cut instructions differently. `instructions` tells each code object in those that `interpreter` does,
which are mostly 3.11's: an instruction that joins two is two, one that splits off what another one does anyway is none.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable
from typing import Any

# The versions of Python whose bytecode is known.
VERSIONS = ((3, 11), (3, 12), (3, 13), (3, 14))
SUPPORTED = sys.implementation.name == "cpython" and sys.version_info[:2] in VERSIONS

# An instruction as the interpreter gets it: name, number, what it is about.
Told = tuple[str, int, Any]


class Instruction:
    """One instruction: what it is called, what it is about, and where it is in the bytecode and in the program."""

    __slots__ = ("arg", "line", "name", "offset", "value")

    def __init__(self, name: str, arg: int, value: Any, offset: int, line: int) -> None:
        self.name, self.arg, self.value, self.offset, self.line = name, arg, value, offset, line

    def __repr__(self) -> str:
        return f"{self.name}({self.value!r}) at line {self.line}"


# The same under another name. A jump is the same whether it goes forward or backward.
RENAMED = {
    "POP_JUMP_FORWARD_IF_TRUE": "POP_JUMP_IF_TRUE",
    "POP_JUMP_BACKWARD_IF_TRUE": "POP_JUMP_IF_TRUE",
    "POP_JUMP_FORWARD_IF_FALSE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_BACKWARD_IF_FALSE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_FORWARD_IF_NONE": "POP_JUMP_IF_NONE",
    "POP_JUMP_BACKWARD_IF_NONE": "POP_JUMP_IF_NONE",
    "POP_JUMP_FORWARD_IF_NOT_NONE": "POP_JUMP_IF_NOT_NONE",
    "POP_JUMP_BACKWARD_IF_NOT_NONE": "POP_JUMP_IF_NOT_NONE",
    "JUMP_FORWARD": "JUMP",
    "JUMP_BACKWARD": "JUMP",
    "JUMP_BACKWARD_NO_INTERRUPT": "JUMP",
    "LOAD_FAST_CHECK": "LOAD_FAST",
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "LOAD_SMALL_INT": "LOAD_CONST",
    "POP_ITER": "POP_TOP",
    "LOAD_CLASSDEREF": "LOAD_DEREF",
}
# What needs no doing here: a loop and a `yield from` take their iterator off the stack where they end, and jumps ask
# for truth themselves.
NOTHING = {
    "CACHE", "NOP", "NOT_TAKEN", "PRECALL", "COPY_FREE_VARS", "END_FOR", "END_SEND", "TO_BOOL",
}  # fmt: skip
# Functions within the interpreter that an instruction calls by number.
INTRINSICS = {
    "INTRINSIC_STOPITERATION_ERROR": "STOPITERATION_ERROR",
    "INTRINSIC_UNARY_POSITIVE": "UNARY_POSITIVE",
    "INTRINSIC_LIST_TO_TUPLE": "LIST_TO_TUPLE",
}


def _attribute(one: dis.Instruction) -> list[Told]:
    # Before 3.12 there is an instruction of its own for methods that are called.
    of_method = sys.version_info >= (3, 12) and (one.arg or 0) & 1
    return [("LOAD_METHOD" if of_method else "LOAD_ATTR", 0, one.argval)]


def _attribute_of_super(one: dis.Instruction) -> list[Told]:
    arg = one.arg or 0
    return [
        ("LOAD_SUPER", arg >> 1 & 1, None),
        ("LOAD_METHOD" if arg & 1 else "LOAD_ATTR", 0, one.argval),
    ]


def _common_constant(one: dis.Instruction) -> list[Told]:
    return [("LOAD_CONST", 0, dis._common_constants[one.arg or 0])]  # type: ignore[attr-defined]


def _sign(one: dis.Instruction) -> list[Told]:
    if one.argrepr == "[]":
        return [("BINARY_SUBSCR", 0, None)]
    return [("BINARY_OP", one.arg or 0, one.argval)]


def _intrinsic(one: dis.Instruction) -> list[Told]:
    name = dis._intrinsic_1_descs[one.arg or 0]  # type: ignore[attr-defined]
    return [(INTRINSICS.get(name, name), 0, None)]


def _pair(first: str, second: str) -> Callable[[dis.Instruction], list[Told]]:
    return lambda one: [(first, 0, one.argval[0]), (second, 0, one.argval[1])]


# What is told in another way than by its name.
RETOLD: dict[str, Callable[[dis.Instruction], list[Told]]] = {
    "LOAD_ATTR": _attribute,
    "LOAD_SUPER_ATTR": _attribute_of_super,
    "CALL_INTRINSIC_1": _intrinsic,
    "RETURN_CONST": lambda one: [("LOAD_CONST", 0, one.argval), ("RETURN_VALUE", 0, None)],
    "BINARY_SLICE": lambda one: [("BUILD_SLICE", 2, None), ("BINARY_SUBSCR", 0, None)],
    "STORE_SLICE": lambda one: [("BUILD_SLICE", 2, None), ("STORE_SUBSCR", 0, None)],
    "BINARY_OP": _sign,
    "LOAD_COMMON_CONSTANT": _common_constant,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _pair("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_LOAD_FAST": _pair("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": _pair("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": _pair("STORE_FAST", "STORE_FAST"),
    "CONVERT_VALUE": lambda one: [("FORMAT_VALUE", one.arg or 0, None)],
    "FORMAT_SIMPLE": lambda one: [("FORMAT_VALUE", 0, None)],
    "FORMAT_WITH_SPEC": lambda one: [("FORMAT_VALUE", 4, None)],
}


def told(code: types.CodeType, one: dis.Instruction) -> list[Told]:
    """An instruction in those that the interpreter does."""
    if one.opname in NOTHING:
        return [("NOP", 0, None)]
    if one.opname in RETOLD:
        return RETOLD[one.opname](one)
    arg = one.arg or 0
    value = code.co_consts[arg] if one.opname == "KW_NAMES" else one.argval
    return [(RENAMED.get(one.opname, one.opname), arg, value)]


# What takes the iterator of a loop off the stack that has ended, where that is an instruction of its own.
POP_ITERATOR = {(3, 13): "POP_TOP", (3, 14): "POP_ITER"}.get(sys.version_info[:2])
# The beginning of a block from 3.14 on. All of it is BEFORE_WITH, which leaves one object where this leaves two.
BLOCK = ("COPY", "LOAD_SPECIAL", "SWAP", "SWAP", "LOAD_SPECIAL", "CALL")
BEGIN_BLOCK: list[Told] = [("PUSH_NULL", 0, None), ("SWAP", 2, None), ("BEFORE_WITH", 0, None)]


def _joined(code: types.CodeType, ones: list[dis.Instruction]) -> list[list[Told]]:
    """What each instruction is told as, where several of a version are one."""
    made = [told(code, one) for one in ones]
    names = [one.opname for one in ones]
    function = 0
    for k, name in enumerate(names):
        if name == "MAKE_FUNCTION":
            function = k
        elif name == "SET_FUNCTION_ATTRIBUTE":
            # From 3.13 on, a function gets its parts one by one; they lie on the stack in the same order as before.
            ((_, arg, value),) = made[function]
            made[function] = [("MAKE_FUNCTION", arg | (ones[k].arg or 0), value)]
            made[k] = []
        elif name == POP_ITERATOR and names[k - 1] == "END_FOR":
            made[k] = []
        elif name == "CALL_FUNCTION_EX" and sys.version_info >= (3, 14):
            without = names[k - 1] == "PUSH_NULL"
            made[k] = [(name, int(not without), None)]
            if without:
                made[k - 1] = []
        elif tuple(names[k : k + len(BLOCK)]) == BLOCK:
            made[k : k + len(BLOCK)] = [BEGIN_BLOCK] + [[]] * (len(BLOCK) - 1)
    return made


def instructions(code: types.CodeType) -> list[Instruction]:
    """The instructions of a code object. Those that one of Python's became have its offset."""
    ones = [one for one in dis.get_instructions(code) if one.opname != "EXTENDED_ARG"]
    made: list[Instruction] = []
    line = code.co_firstlineno
    for one, parts in zip(ones, _joined(code, ones)):
        if one.positions is not None and one.positions.lineno is not None:
            line = one.positions.lineno
        for name, arg, value in parts or [("NOP", 0, None)]:
            made.append(Instruction(name, arg, value, one.offset, line))
    return made
