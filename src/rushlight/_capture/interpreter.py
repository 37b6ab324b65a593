"""The interpreter of bytecode: does instructions as Python does, over frames that are data.

What an instruction means for values is in a few methods (`call`, `attribute`, `truth` …), which `values` and `calling` override.
"""

from __future__ import annotations

import builtins
import contextlib
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from rushlight._capture import polyfills
from rushlight._capture.breaks import Break, Spoilt, Uncapturable
from rushlight._capture.frames import KNOWN, NULL, Code, Frame, Instruction, Steps, Unread

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift, "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul,
    "/=": operator.itruediv, "//=": operator.ifloordiv, "%=": operator.imod, "**=": operator.ipow,
    "@=": operator.imatmul, "&=": operator.iand, "|=": operator.ior, "^=": operator.ixor,
    "<<=": operator.ilshift, ">>=": operator.irshift,
}  # fmt: skip
COMPARE = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
SIGNS_OF_BINARY = (
    "+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^",
    "+=", "&=", "//=", "<<=", "@=", "*=", "%=", "|=", "**=", ">>=", "-=", "/=", "^=",
)  # fmt: skip

# Functions that, without an argument, look at the variables of who calls them.
ASK_FOR_VARIABLES: dict[Any, Any] = {locals: dict, vars: dict, dir: sorted}
# What Python says of classes for match statements.
_IS_SEQUENCE, _IS_MAPPING, _MATCHES_ITSELF = 1 << 5, 1 << 6, 1 << 22


# Instructions that move values, and can neither fail nor call anything.
MOVES = frozenset(
    {
        "NOP",
        "RESUME",
        "LOAD_CONST",
        "POP_TOP",
        "PUSH_NULL",
        "COPY",
        "SWAP",
        "KW_NAMES",
        "STORE_FAST",
    }
)


class Generator:
    """A generator whose body is interpreted.

    Args:
        frame: the call of its function, in the middle
        closes: whether its body is ended when nobody has it any more, as Python does
    """

    def __init__(self, frame: Frame, closes: bool = False) -> None:
        self.frame, self.is_done, self.closes = frame, False, closes

    def __del__(self) -> None:
        if self.closes and not self.is_done:
            self.close()

    def __iter__(self) -> Generator:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, value: Any) -> Any:
        """The next item; a ``yield`` gives the value."""
        return self._run(lambda interpreter: interpreter.go_on(self, None, value))

    def throw(self, error: Any, value: Any = None, trace: Any = None) -> Any:
        """The next item, after an error where the body waits."""
        made = error
        if isinstance(error, type):
            made = value if isinstance(value, error) else error()
        return self._run(lambda interpreter: interpreter.throw_into(self, None, made))

    def close(self) -> None:
        """End the body where it waits."""
        if self.is_done or not self.has_begun:
            self.is_done = True
            return
        try:
            self.throw(GeneratorExit)
        except (StopIteration, GeneratorExit):
            return
        raise RuntimeError("generator ignored GeneratorExit")

    @property
    def has_begun(self) -> bool:
        """Whether something of the body has been done."""
        return self.frame.code.instructions[self.frame.place - 1].name != "RETURN_GENERATOR"

    def _run(self, begin: Callable[[Interpreter], None]) -> Any:
        interpreter = Interpreter([])
        raised: Any = None
        try:
            begin(interpreter)
            while interpreter.frames:
                interpreter.step()
        except Raised as found:
            raised = found
        if raised is not None:
            interpreter.forget()
            try:
                raise raised.error
            finally:
                del raised
        if interpreter.item is not NULL:
            return interpreter.item
        raise StopIteration(None if interpreter.result is NULL else interpreter.result)


# What a frame does for the one that waits for it. Those that give items have a place to go on at where there are
# no more, or ``next``'s value for that. An attribute that is not found is asked for by another function. Of
# some nobody wants the result.
Then = tuple[str, Any]
ITEMS = ("for", "send", "next")
ATTRIBUTE, DONE = "attribute", "done"


class Raised(Exception):
    """A program's exception, on its way through the frames that are interpreted.

    Args:
        error: the exception
        trail: the codes of these frames and the numbers of their instructions, the innermost last
    """

    def __init__(self, error: BaseException, trail: Sequence[tuple[Code, int]]) -> None:
        super().__init__(error)
        self.error, self.trail = error, trail


def _of_body(error: StopIteration) -> RuntimeError:
    """What a generator raises whose body raises StopIteration."""
    made = RuntimeError("generator raised StopIteration")
    made.__cause__ = made.__context__ = error
    return made


def done(function: Any, args: Any, kwargs: Any) -> Any:
    """What a function of the program, or one that it calls, gives: errors from in here are the program's."""
    return function(*args, **kwargs)


class Interpreter:
    """Runs frames, the innermost last. This one does to values what Python does.

    Args:
        frames: the calls that are being interpreted
    """

    # Whether what is done has been done.
    is_real = True

    def __init__(self, frames: list[Frame]) -> None:
        self.frames = frames
        self.result: Any = NULL
        # What a generator has just given.
        self.item: Any = NULL
        # The exception that is on its way, and where it has been.
        self._unhandled: tuple[Any, list[tuple[Code, int]]] = None, []

    def forget(self) -> None:
        """Hold no exception any more."""
        self._unhandled = None, []

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def is_done(self) -> bool:
        return not self.frames

    def only_moves(self) -> bool:
        """Whether the next instruction moves a value between stack and variables, and does nothing else."""
        frame = self.frame
        instruction = frame.next
        if instruction.name == "LOAD_FAST":
            return instruction.value in frame.locals
        return instruction.name in MOVES

    def step(self) -> None:
        """Do the next instruction."""
        frame = self.frame
        instruction, place = frame.next, frame.place
        frame.place += 1
        handler = getattr(self, f"do_{instruction.name}", None)
        if handler is None:
            raise Break(f"the instruction {instruction.name}")
        try:
            handler(frame, instruction)
        except (Break, Raised, Spoilt, Uncapturable):
            raise
        except BaseException as error:
            # Also an interruption: the program may have something to clean up.
            self.handle(error, frame, place)

    # -- generators --

    def go_on(self, generator: Generator, then: Then | None, sent: Any = None) -> None:
        """Let a generator's body run: the next item is pushed here."""
        if generator.is_done:
            return self.exhausted(then, None)
        frame = generator.frame
        if any(frame is one for one in self.frames):
            raise ValueError("generator already executing")
        if sent is not None and not generator.has_begun:
            raise TypeError("can't send non-None value to a just-started generator")
        frame.stack.append(sent)
        frame.then, frame.generator = then, generator
        self.frames.append(frame)
        return None

    def throw_into(self, generator: Generator, then: Then | None, error: BaseException) -> None:
        """Let an error be raised where a generator's body waits."""
        if generator.is_done:
            raise error
        frame = generator.frame
        frame.then, frame.generator = then, generator
        self.frames.append(frame)
        following = frame.code.instructions[frame.place]
        inner = self.value(frame.stack[-1]) if frame.stack else None
        if following.name == "RESUME" and following.arg & 3 == 2 and type(inner) is Generator:
            # It waits for another one, which gets the error.
            frame.place -= 1
            send = frame.code.instructions[frame.place - 1]
            return self.throw_into(inner, ("send", send.value), error)
        return self.handle(error, frame, frame.place - 1)

    def exhausted(self, then: Then | None, result: Any) -> None:
        """Whoever waits for an item is told that there is none."""
        if then is None:
            self.result = result
            return
        kind, value = then
        frame = self.frame
        if kind == "next":
            if value is NULL:
                self.handle(StopIteration(result), frame, frame.place - 1)
            else:
                frame.stack.append(value)
            return
        frame.stack.pop()
        if kind == "send":
            frame.stack.append(result)
        frame.jump(value)

    def handle(self, error: BaseException, frame: Frame, place: int) -> None:
        """Go on where an exception is handled; `Raised` where it is not."""
        if self._unhandled[0] is not error:
            self._unhandled = error, []
            handled = self.handled()
            if handled is not None and handled is not error and error.__context__ is None:
                error.__context__ = handled
        trail = self._unhandled[1]
        while True:
            trail.append((frame.code, place))
            handler = frame.code.handler(place)
            if handler is not None:
                del frame.stack[handler.depth :]
                if handler.keeps_place:
                    frame.stack.append(place)
                frame.stack.append(error)
                frame.place = handler.target
                return None
            ended = self.frames.pop()
            then, ended.then = ended.then, None
            if ended.generator is not None:
                ended.generator.is_done, ended.generator = True, None
                if isinstance(error, StopIteration):
                    error = _of_body(error)
            elif then is not None and isinstance(error, StopIteration) and then[0] in ITEMS:
                return self.exhausted(then, error.value)
            elif then is not None and isinstance(error, AttributeError) and then[0] == ATTRIBUTE:
                getter, *args = then[1]
                return self.call(getter, args, {})
            if not self.frames:
                raise Raised(error, trail[::-1])
            frame = self.frame
            place = frame.place - 1

    # -- values --

    def push(self, value: Any) -> None:
        self.frame.stack.append(value)

    def pop(self, frame: Frame) -> Any:
        return self.value(frame.stack.pop())

    def pops(self, frame: Frame, count: int) -> list[Any]:
        if not count:
            return []
        found = frame.stack[-count:]
        del frame.stack[-count:]
        return [self.value(x) for x in found]

    def arguments(self, frame: Frame, count: int) -> list[Any]:
        """What a call is given, as far as that has to be looked at by now."""
        return self.pops(frame, count)

    @staticmethod
    def kind_of(value: Any) -> type:
        """The class of an object."""
        return type(value)

    def value(self, item: Any) -> Any:
        """What a place of a frame holds."""
        return item.value if isinstance(item, Unread) else item

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Call a function: its result is pushed, now or when a frame of its own has ended."""
        if function is super and not args:
            # It looks at the frame of who calls it.
            return self.push(self.bases(self.frame))
        if self.is_answered(function, args):
            return None
        self.push(function(*args, **kwargs))

    def is_answered(self, function: Any, args: list[Any]) -> bool:
        """Whether a function looked at the variables of who called it, which is this interpreter."""
        # Other callables may have no hash.
        if args or not isinstance(function, types.BuiltinFunctionType):
            return False
        asks = ASK_FOR_VARIABLES.get(function)
        if asks is None:
            return False
        self.push(asks(self.variables(self.frame)))
        return True

    def variables(self, frame: Frame) -> dict[str, Any]:
        """The variables of a function that have values."""
        found = {name: self.value(item) for name, item in frame.locals.items()}
        for name in frame.cells:
            with contextlib.suppress(ValueError):
                found[name] = self.cell(frame, name)
        return found

    def bases(self, frame: Frame) -> Any:
        """What ``super()`` is in a method."""
        first = frame.code.code.co_varnames[0]
        owner = frame.locals[first] if first in frame.locals else frame.cells[first].cell_contents
        return super(self.cell(frame, "__class__"), self.value(owner))

    def attribute(self, owner: Any, name: str) -> None:
        """Push an attribute."""
        self.push(getattr(owner, name))

    def set_attribute(self, owner: Any, name: str, value: Any) -> None:
        setattr(owner, name, value)

    def delete_attribute(self, owner: Any, name: str) -> None:
        delattr(owner, name)

    def set_global(self, frame: Frame, name: str, value: Any) -> None:
        frame.globals[name] = value

    def global_of(self, frame: Frame, name: str) -> Any:
        if name in frame.globals:
            return frame.globals[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name '{name}' is not defined")

    def truth(self, value: Any) -> bool:
        return bool(value)

    def operate(self, function: Callable[..., Any], *values: Any) -> None:
        """Push what a sign gives."""
        self.push(function(*values))

    def do_alone(self, do: Callable[..., Any], *args: Any) -> None:
        """Do something whose result nobody wants, whether it is there at once or a frame will give it."""
        depth = len(self.frames)
        do(*args)
        if len(self.frames) > depth:
            self.frame.then = DONE, None
        else:
            self.frame.stack.pop()

    def changed(self, value: Any) -> None:
        """Something is about to be written into an object."""

    def iterator(self, value: Any) -> None:
        """Push an iterator over something."""
        if type(value) is list:
            # What is appended meanwhile comes, too.
            self.push(Steps(value))
        elif isinstance(value, (list, tuple, range, str, dict, set, frozenset)):
            self.push(Steps(list(value)))
        else:
            self.call(iter, [value], {})

    def cell(self, frame: Frame, name: str) -> Any:
        """What a variable holds that functions share."""
        return frame.cells[name].cell_contents

    def set_cell(self, frame: Frame, name: str, value: Any) -> None:
        frame.cells[name].cell_contents = value

    # -- loading and storing --

    def do_NOP(self, frame: Frame, i: Instruction) -> None:
        pass

    do_RESUME = do_NOP

    def do_LOAD_CONST(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(i.value)

    def do_LOAD_FAST(self, frame: Frame, i: Instruction) -> None:
        if i.value in frame.locals:
            frame.stack.append(frame.locals[i.value])
        elif i.value in frame.cells:
            # For a function that shares it.
            frame.stack.append(frame.cells[i.value])
        else:
            raise UnboundLocalError(
                f"cannot access local variable '{i.value}' where it is not associated with a value"
            )

    def do_STORE_FAST(self, frame: Frame, i: Instruction) -> None:
        value = frame.stack.pop()
        if value is NULL:
            # A comprehension has ended whose variable had no value before it.
            frame.locals.pop(i.value, None)
            frame.cells.pop(i.value, None)
        elif type(value) is types.CellType and i.value in frame.code.shared:
            frame.cells[i.value] = value
        else:
            frame.locals[i.value] = value

    def do_LOAD_FAST_AND_CLEAR(self, frame: Frame, i: Instruction) -> None:
        # A comprehension begins that is part of this function: what its variable was is put aside.
        before = frame.cells.pop(i.value, NULL)
        frame.stack.append(frame.locals.pop(i.value, before))

    def do_DELETE_FAST(self, frame: Frame, i: Instruction) -> None:
        frame.locals.pop(i.value, None)

    def do_LOAD_GLOBAL(self, frame: Frame, i: Instruction) -> None:
        if i.arg & 1:
            frame.stack.append(NULL)
        frame.stack.append(self.global_of(frame, i.value))

    def do_LOAD_NAME(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(self.global_of(frame, i.value))

    def do_MAKE_CELL(self, frame: Frame, i: Instruction) -> None:
        made = types.CellType()
        if i.value in frame.locals:
            made.cell_contents = frame.locals.pop(i.value)
        frame.cells[i.value] = made

    def do_LOAD_CLOSURE(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(frame.cells[i.value])

    def do_LOAD_DEREF(self, frame: Frame, i: Instruction) -> None:
        try:
            frame.stack.append(self.cell(frame, i.value))
        except ValueError:
            raise self._unbound(frame, i.value) from None

    @staticmethod
    def _unbound(frame: Frame, name: str) -> NameError:
        """What is raised where a variable has no value."""
        if name in frame.code.code.co_freevars:
            return NameError(
                f"cannot access free variable '{name}' where it is not associated with a value "
                "in enclosing scope"
            )
        return UnboundLocalError(
            f"cannot access local variable '{name}' where it is not associated with a value"
        )

    def do_STORE_DEREF(self, frame: Frame, i: Instruction) -> None:
        self.set_cell(frame, i.value, self.pop(frame))

    def do_LOAD_BUILD_CLASS(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(builtins.__build_class__)

    # -- match statements --

    def _match_flag(self, frame: Frame, flag: int) -> None:
        kind = self.kind_of(self.value(frame.stack[-1]))
        frame.stack.append(bool(kind.__flags__ & flag))

    def do_MATCH_SEQUENCE(self, frame: Frame, i: Instruction) -> None:
        self._match_flag(frame, _IS_SEQUENCE)

    def do_MATCH_MAPPING(self, frame: Frame, i: Instruction) -> None:
        self._match_flag(frame, _IS_MAPPING)

    def do_GET_LEN(self, frame: Frame, i: Instruction) -> None:
        self.call(len, [self.value(frame.stack[-1])], {})

    def do_MATCH_KEYS(self, frame: Frame, i: Instruction) -> None:
        subject, keys = map(self.value, frame.stack[-2:])
        self.call(polyfills.matched_keys, [subject, keys], {})

    def do_MATCH_CLASS(self, frame: Frame, i: Instruction) -> None:
        subject, kind, names = self.pops(frame, 3)
        if not isinstance(kind, type):
            raise TypeError("called match pattern must be a class")
        is_itself = bool(kind.__flags__ & _MATCHES_ITSELF)
        self.call(polyfills.matched_attributes, [subject, kind, i.arg, names, is_itself], {})

    def do_LOAD_ATTR(self, frame: Frame, i: Instruction) -> None:
        self.attribute(self.pop(frame), i.value)

    def do_LOAD_METHOD(self, frame: Frame, i: Instruction) -> None:
        owner = self.pop(frame)
        frame.stack.append(NULL)
        self.attribute(owner, i.value)

    def do_LOAD_SUPER(self, frame: Frame, i: Instruction) -> None:
        function, *given = self.pops(frame, 3)
        self.call(function, given if i.arg else [], {})

    def do_STORE_ATTR(self, frame: Frame, i: Instruction) -> None:
        owner = self.pop(frame)
        self.set_attribute(owner, i.value, self.pop(frame))

    def do_DELETE_ATTR(self, frame: Frame, i: Instruction) -> None:
        owner = self.pop(frame)
        self.delete_attribute(owner, i.value)

    def do_STORE_GLOBAL(self, frame: Frame, i: Instruction) -> None:
        self.set_global(frame, i.value, self.pop(frame))

    def do_LOAD_ASSERTION_ERROR(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(AssertionError)

    def do_IMPORT_NAME(self, frame: Frame, i: Instruction) -> None:
        level, names = self.pops(frame, 2)
        frame.stack.append(__import__(i.value, frame.globals, None, names, level))

    def do_IMPORT_FROM(self, frame: Frame, i: Instruction) -> None:
        module = self.value(frame.stack[-1])
        found = getattr(module, i.value, None)
        frame.stack.append(sys.modules[f"{module.__name__}.{i.value}"] if found is None else found)

    # -- the stack --

    def do_POP_TOP(self, frame: Frame, i: Instruction) -> None:
        frame.stack.pop()

    def do_PUSH_NULL(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(NULL)

    def do_COPY(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(frame.stack[-i.arg])

    def do_SWAP(self, frame: Frame, i: Instruction) -> None:
        stack = frame.stack
        stack[-1], stack[-i.arg] = stack[-i.arg], stack[-1]

    # -- signs --

    def do_BINARY_OP(self, frame: Frame, i: Instruction) -> None:
        a, b = self.pops(frame, 2)
        sign = SIGNS_OF_BINARY[i.arg]
        if sign.endswith("="):
            self.changed(a)
        self.operate(BINARY[sign], a, b)

    def do_COMPARE_OP(self, frame: Frame, i: Instruction) -> None:
        a, b = self.pops(frame, 2)
        self.operate(COMPARE[i.value], a, b)

    def do_IS_OP(self, frame: Frame, i: Instruction) -> None:
        a, b = self.pops(frame, 2)
        frame.stack.append((a is b) != bool(i.arg))

    def do_CONTAINS_OP(self, frame: Frame, i: Instruction) -> None:
        a, b = self.pops(frame, 2)
        frame.stack.append(self.truth(a in b) != bool(i.arg))

    def do_UNARY_NEGATIVE(self, frame: Frame, i: Instruction) -> None:
        self.operate(operator.neg, self.pop(frame))

    def do_UNARY_POSITIVE(self, frame: Frame, i: Instruction) -> None:
        self.operate(operator.pos, self.pop(frame))

    def do_UNARY_INVERT(self, frame: Frame, i: Instruction) -> None:
        self.operate(operator.invert, self.pop(frame))

    def do_UNARY_NOT(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(not self.truth(self.pop(frame)))

    def do_BINARY_SUBSCR(self, frame: Frame, i: Instruction) -> None:
        self.operate(operator.getitem, *self.pops(frame, 2))

    def do_STORE_SUBSCR(self, frame: Frame, i: Instruction) -> None:
        value, owner, key = self.pops(frame, 3)
        self.changed(owner)
        self.do_alone(self.operate, operator.setitem, owner, key, value)

    def do_DELETE_SUBSCR(self, frame: Frame, i: Instruction) -> None:
        owner, key = self.pops(frame, 2)
        self.changed(owner)
        self.do_alone(self.operate, operator.delitem, owner, key)

    # -- containers --

    def do_BUILD_TUPLE(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(tuple(self.pops(frame, i.arg)))

    def do_BUILD_LIST(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(self.pops(frame, i.arg))

    def do_BUILD_SET(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(set(self.pops(frame, i.arg)))

    def do_BUILD_MAP(self, frame: Frame, i: Instruction) -> None:
        items = self.pops(frame, 2 * i.arg)
        frame.stack.append(dict(zip(items[::2], items[1::2])))

    def do_BUILD_CONST_KEY_MAP(self, frame: Frame, i: Instruction) -> None:
        keys = self.pop(frame)
        frame.stack.append(dict(zip(keys, self.pops(frame, i.arg))))

    def do_BUILD_SLICE(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(slice(*self.pops(frame, i.arg)))

    def do_BUILD_STRING(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append("".join(self.pops(frame, i.arg)))

    def do_FORMAT_VALUE(self, frame: Frame, i: Instruction) -> None:
        spec = self.pop(frame) if i.arg & 4 else ""
        value = self.pop(frame)
        change = (lambda x: x, str, repr, ascii)[i.arg & 3]
        self.call(lambda: format(change(value), spec), [], {})

    def _into(self, frame: Frame, i: Instruction) -> Any:
        """The container that a display or a comprehension fills."""
        found = self.value(frame.stack[-i.arg])
        self.changed(found)
        return found

    def do_LIST_EXTEND(self, frame: Frame, i: Instruction) -> None:
        items = self.items(self.pop(frame), i.arg)
        self._into(frame, i).extend(items)

    def do_SET_UPDATE(self, frame: Frame, i: Instruction) -> None:
        items = self.pop(frame)
        self._into(frame, i).update(items)

    def do_LIST_APPEND(self, frame: Frame, i: Instruction) -> None:
        value = self.pop(frame)
        self._into(frame, i).append(value)

    def do_SET_ADD(self, frame: Frame, i: Instruction) -> None:
        value = self.pop(frame)
        self._into(frame, i).add(value)

    def do_MAP_ADD(self, frame: Frame, i: Instruction) -> None:
        key, value = self.pops(frame, 2)
        self._into(frame, i)[key] = value

    def do_DICT_UPDATE(self, frame: Frame, i: Instruction) -> None:
        items = self.pop(frame)
        self._into(frame, i).update(items)

    def do_DICT_MERGE(self, frame: Frame, i: Instruction) -> None:
        items = self.pop(frame)
        into = self._into(frame, i)
        for key in items:
            if key in into:
                raise TypeError(f"got multiple values for keyword argument {key!r}")
        into.update(items)

    def do_LIST_TO_TUPLE(self, frame: Frame, i: Instruction) -> None:
        frame.stack.append(tuple(self.pop(frame)))

    def items(self, value: Any, count: int) -> Any:
        """The items of something that is taken apart."""
        return value

    def do_UNPACK_SEQUENCE(self, frame: Frame, i: Instruction) -> None:
        items = list(self.items(self.pop(frame), i.arg))
        if len(items) != i.arg:
            few = len(items) < i.arg
            raise ValueError(
                f"not enough values to unpack (expected {i.arg}, got {len(items)})"
                if few
                else f"too many values to unpack (expected {i.arg})"
            )
        frame.stack.extend(reversed(items))

    def do_UNPACK_EX(self, frame: Frame, i: Instruction) -> None:
        before, after = i.arg & 0xFF, i.arg >> 8
        items = list(self.items(self.pop(frame), before + after))
        if len(items) < before + after:
            raise ValueError(
                f"not enough values to unpack (expected at least {before + after}, got {len(items)})"
            )
        end = len(items) - after
        frame.stack.extend(reversed([*items[:before], items[before:end], *items[end:]]))

    # -- ways --

    def do_JUMP(self, frame: Frame, i: Instruction) -> None:
        frame.jump(i.value)

    def _jump_if(self, frame: Frame, i: Instruction, wanted: bool) -> None:
        if self.truth(self.pop(frame)) is wanted:
            frame.jump(i.value)

    def do_POP_JUMP_IF_TRUE(self, frame: Frame, i: Instruction) -> None:
        self._jump_if(frame, i, True)

    def do_POP_JUMP_IF_FALSE(self, frame: Frame, i: Instruction) -> None:
        self._jump_if(frame, i, False)

    def do_POP_JUMP_IF_NONE(self, frame: Frame, i: Instruction) -> None:
        if self.pop(frame) is None:
            frame.jump(i.value)

    def do_POP_JUMP_IF_NOT_NONE(self, frame: Frame, i: Instruction) -> None:
        if self.pop(frame) is not None:
            frame.jump(i.value)

    def do_JUMP_IF_TRUE_OR_POP(self, frame: Frame, i: Instruction) -> None:
        if self.truth(self.value(frame.stack[-1])):
            frame.jump(i.value)
        else:
            frame.stack.pop()

    def do_JUMP_IF_FALSE_OR_POP(self, frame: Frame, i: Instruction) -> None:
        if not self.truth(self.value(frame.stack[-1])):
            frame.jump(i.value)
        else:
            frame.stack.pop()

    def do_GET_ITER(self, frame: Frame, i: Instruction) -> None:
        self.iterator(self.pop(frame))

    def do_FOR_ITER(self, frame: Frame, i: Instruction) -> None:
        iterator = self.value(frame.stack[-1])
        if type(iterator) is Generator:
            return self.go_on(iterator, ("for", i.value))
        try:
            frame.stack.append(self.next(iterator))
        except StopIteration:
            frame.stack.pop()
            frame.jump(i.value)

    def next(self, iterator: Any) -> Any:
        """The next item of an iterator that is no generator."""
        return next(iterator)

    # -- calls --

    def do_KW_NAMES(self, frame: Frame, i: Instruction) -> None:
        frame.names = i.value

    def do_CALL(self, frame: Frame, i: Instruction) -> None:
        given = self.arguments(frame, i.arg)
        first, second = self.pops(frame, 2)
        # A function with NULL before or behind it, or one before its first argument.
        function = second if first is NULL else first
        if first is not NULL and second is not NULL:
            given = [second, *given]
        names, frame.names = frame.names, ()
        kwargs = dict(zip(names, given[len(given) - len(names) :]))
        self.call(function, given[: len(given) - len(names)], kwargs)

    def do_CALL_KW(self, frame: Frame, i: Instruction) -> None:
        frame.names = self.pop(frame)
        self.do_CALL(frame, i)

    def do_CALL_FUNCTION_EX(self, frame: Frame, i: Instruction) -> None:
        kwargs = dict(self.pop(frame)) if i.arg & 1 else {}
        args = self.positional(frame.stack.pop())
        first, second = self.pops(frame, 2)
        self.call(second if first is NULL else first, args, kwargs)

    def positional(self, given: Any) -> list[Any]:
        """The arguments of a call that come as a sequence."""
        return list(self.items(self.value(given), -1))

    def do_RETURN_VALUE(self, frame: Frame, i: Instruction) -> None:
        value = frame.stack.pop()
        self.frames.pop()
        then, frame.then = frame.then, None
        if frame.generator is not None:
            frame.generator.is_done, frame.generator = True, None
            return self.exhausted(then, self.value(value))
        if then is not None and then[0] == DONE:
            return
        self._give(value if frame.gives is NULL else frame.gives)

    def _give(self, value: Any) -> None:
        """The result of a frame that has ended."""
        if self.frames:
            self.push(value)
        else:
            self.result = value

    def do_RETURN_GENERATOR(self, frame: Frame, i: Instruction) -> None:
        self.frames.pop()
        self._give(Generator(frame, self.is_real))

    def do_YIELD_VALUE(self, frame: Frame, i: Instruction) -> None:
        item = self.pop(frame)
        self.frames.pop()
        frame.then = frame.generator = None
        if self.frames:
            self.push(item)
        else:
            self.item = item

    def do_GET_YIELD_FROM_ITER(self, frame: Frame, i: Instruction) -> None:
        self.iterator(self.pop(frame))

    def do_SEND(self, frame: Frame, i: Instruction) -> None:
        sent = self.pop(frame)
        iterator = self.value(frame.stack[-1])
        if type(iterator) is Generator:
            return self.go_on(iterator, ("send", i.value), sent)
        try:
            frame.stack.append(self.next(iterator) if sent is None else iterator.send(sent))
        except StopIteration as end:
            frame.stack.pop()
            frame.stack.append(end.value)
            frame.jump(i.value)

    def do_MAKE_FUNCTION(self, frame: Frame, i: Instruction) -> None:
        code = self.pop(frame)
        closure = self.pop(frame) if i.arg & 8 else None
        notes = self.pop(frame) if i.arg & (4 | 16) else None
        keyword_defaults = self.pop(frame) if i.arg & 2 else None
        defaults = self.pop(frame) if i.arg & 1 else None
        made = types.FunctionType(code, frame.globals, None, defaults, closure)
        made.__kwdefaults__ = keyword_defaults
        if i.arg & 16:
            # A function that gives them, from 3.14 on.
            made.__annotate__ = notes  # type: ignore[attr-defined]
        elif notes:
            made.__annotations__ = dict(zip(notes[::2], notes[1::2]))
        frame.stack.append(made)

    # -- exceptions and blocks --

    def do_RAISE_VARARGS(self, frame: Frame, i: Instruction) -> None:
        cause = self.pop(frame) if i.arg == 2 else None
        if i.arg == 0:
            handled = self.handled()
            raise RuntimeError("No active exception to reraise") if handled is None else handled
        error = self.pop(frame)
        error = error() if isinstance(error, type) else error
        if i.arg == 2:
            error.__cause__ = cause() if isinstance(cause, type) else cause
        raise error

    def do_PUSH_EXC_INFO(self, frame: Frame, i: Instruction) -> None:
        error = frame.stack.pop()
        # The exception that was being handled before.
        frame.stack += [frame.error, error]
        frame.error = error

    def do_POP_EXCEPT(self, frame: Frame, i: Instruction) -> None:
        frame.error = frame.stack.pop()

    def handled(self) -> Any:
        """The exception that is being handled."""
        for frame in reversed(self.frames):
            if frame.error is not None:
                return self.value(frame.error)
        return None

    def do_STOPITERATION_ERROR(self, frame: Frame, i: Instruction) -> None:
        error = self.value(frame.stack[-1])
        if isinstance(error, StopIteration):
            frame.stack[-1] = _of_body(error)

    def do_CLEANUP_THROW(self, frame: Frame, i: Instruction) -> None:
        # The iterator of a `yield from` has raised what was thrown into it, or has ended by that.
        error = self.pop(frame)
        if not isinstance(error, StopIteration):
            return self.handle(error, frame, frame.place - 1)
        del frame.stack[-2:]
        frame.stack.append(error.value)

    def do_CHECK_EXC_MATCH(self, frame: Frame, i: Instruction) -> None:
        kind = self.pop(frame)
        frame.stack.append(isinstance(self.value(frame.stack[-1]), kind))

    def do_RERAISE(self, frame: Frame, i: Instruction) -> None:
        error = self.pop(frame)
        self.handle(error, frame, frame.place - 1)

    def do_BEFORE_WITH(self, frame: Frame, i: Instruction) -> None:
        manager = self.pop(frame)
        frame.stack.append(type(manager).__exit__.__get__(manager))
        self.call(type(manager).__enter__, [manager], {})

    def do_WITH_EXCEPT_START(self, frame: Frame, i: Instruction) -> None:
        error = self.value(frame.stack[-1])
        leave = self.value(frame.stack[-4])
        self.call(leave, [type(error), error, error.__traceback__], {})


KNOWN |= {name.removeprefix("do_") for name in dir(Interpreter) if name.startswith("do_")}
