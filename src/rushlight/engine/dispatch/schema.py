"""The operator schema language: `name.overload(arguments) -> returns`, as frozen records.

Every record prints back to the text that it was parsed from, so a parser mistake shows at once and
error messages quote what the author wrote.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import Any, NoReturn

from rushlight.engine.native.records import dataclass

TOKEN = re.compile(
    r"\s*(?:(?P<arrow>->)|(?P<dots>\.\.\.)|(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<number>[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?j?|\.\d+|\d+(?:e[-+]?\d+)?j?)|[-+](?:inf|nan)\b)"
    r"|(?P<word>[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*)|(?P<mark>::|[()\[\]?!|*,=.]))"
)

# Types that take parameters in round brackets, where other types take an alias annotation.
GENERIC = frozenset({"Dict", "Future", "RRef", "Await", "Tuple", "List", "Union", "Optional"})


class SchemaError(RuntimeError):
    """The text is not a schema; the message shows where."""


class Constant(str):
    """A default value written as a name, such as `Mean`, `long` or `contiguous_format`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """`(a)`, `(a!)`, `(a|b)`, `(a -> *)`, `(a! -> a|b)`: what a value shares or writes."""

    before: tuple[str, ...]
    is_write: bool = False
    after: tuple[str, ...] | None = None

    def __str__(self) -> str:
        text = "|".join(self.before) + ("!" if self.is_write else "")
        return f"({text})" if self.after is None else f"({text} -> {'|'.join(self.after)})"


@dataclass(frozen=True, slots=True)
class Type:
    """One type. `kind` is `base`, `optional`, `list`, `tuple` or `generic`."""

    kind: str
    name: str = ""
    inner: tuple[Type, ...] = ()
    size: int | None = None
    alias: Alias | None = None

    def __str__(self) -> str:
        alias = "" if self.alias is None else str(self.alias)
        if self.kind == "base":
            return self.name + alias
        if self.kind == "optional":
            return f"{self.inner[0]}?{alias}"
        if self.kind == "list":
            return f"{self.inner[0]}[{'' if self.size is None else self.size}]{alias}"
        return f"{self.name}({', '.join(map(str, self.inner))}){alias}"

    @property
    def is_optional(self) -> bool:
        return self.kind == "optional"

    @property
    def required(self) -> Type:
        """The type with a `?` taken off."""
        return self.inner[0] if self.kind == "optional" else self

    @property
    def leaf(self) -> str:
        """The name of the innermost type: `Tensor` for `Tensor?[]`."""
        node = self
        while node.inner:
            node = node.inner[0]
        return node.name

    @property
    def plain(self) -> str:
        """The text without alias annotations: what a checker compares."""
        return str(self.without_aliases)

    @property
    def without_aliases(self) -> Type:
        inner = tuple(node.without_aliases for node in self.inner)
        return Type(self.kind, self.name, inner, self.size)

    @property
    def aliases(self) -> tuple[Alias, ...]:
        own = () if self.alias is None else (self.alias,)
        return own + tuple(alias for node in self.inner for alias in node.aliases)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; `default_text` is None when it has no default."""

    name: str
    type: Type
    default: Any = None
    default_text: str | None = None
    keyword_only: bool = False

    def __str__(self) -> str:
        text = f"{self.type} {self.name}"
        return text if self.default_text is None else f"{text}={self.default_text}"

    @property
    def has_default(self) -> bool:
        return self.default_text is not None

    @property
    def is_write(self) -> bool:
        return any(alias.is_write for alias in self.type.aliases)

    @property
    def is_tensor_like(self) -> bool:
        return self.type.leaf == "Tensor"


@dataclass(frozen=True, slots=True)
class Return:
    """One returned value, named or not."""

    type: Type
    name: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.name}" if self.name else str(self.type)


@dataclass(frozen=True)
class Schema:
    """A whole schema. `namespace` is empty where the text had none."""

    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]
    namespace: str = ""
    is_vararg: bool = False
    is_varret: bool = False

    def __str__(self) -> str:
        parts: list[str] = []
        for index, argument in enumerate(self.arguments):
            starts = index == 0 or not self.arguments[index - 1].keyword_only
            if argument.keyword_only and starts:
                parts.append("*")
            parts.append(str(argument))
        if self.is_vararg:
            parts.append("...")
        returns = ", ".join(map(str, self.returns))
        if self.is_varret:
            returns = "..."
        elif len(self.returns) != 1 or returns.startswith("("):
            returns = f"({returns})"
        return f"{self.full_name}({', '.join(parts)}) -> {returns}"

    @cached_property
    def lists(self) -> tuple[int, ...]:
        """The places of positional arguments that are lists."""
        kinds = [argument.type.required.kind for argument in self.positional]
        return tuple(place for place, kind in enumerate(kinds) if kind == "list")

    @cached_property
    def required(self) -> int:
        """How many positional arguments come before the first that may be left out with all after it."""
        count = len(self.positional)
        while count and self.positional[count - 1].has_default:
            count -= 1
        return count

    @property
    def base_name(self) -> str:
        """`add.Tensor`: the name without the namespace."""
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def full_name(self) -> str:
        return f"{self.namespace}::{self.base_name}" if self.namespace else self.base_name

    @cached_property
    def positional(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if not a.keyword_only)

    @cached_property
    def keyword_only(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.keyword_only)

    @cached_property
    def out_arguments(self) -> tuple[Argument, ...]:
        """Keyword-only arguments that are written: where an `out=` variant puts its results."""
        return tuple(a for a in self.arguments if a.keyword_only and a.is_write)

    @cached_property
    def mutated(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.arguments if a.is_write)

    @cached_property
    def tensors(self) -> tuple[Argument, ...]:
        """Arguments that are or hold tensors: those that bring dispatch keys."""
        return tuple(a for a in self.arguments if a.is_tensor_like)

    @property
    def is_inplace(self) -> bool:
        return self.kind == "inplace"

    @cached_property
    def is_view(self) -> bool:
        """True if a result shares memory with an argument that is not written."""
        return any(a for r in self.returns for a in r.type.aliases if not a.is_write)

    @cached_property
    def kind(self) -> str:
        """`out`, `inplace`, `mutable` (writes an argument otherwise) or `functional`."""
        if self.out_arguments:
            return "out"
        if not self.mutated:
            return "functional"
        stem = self.name
        is_dunder = stem.startswith("__i") and stem.endswith("__")
        ends = is_dunder or (stem.endswith("_") and not stem.endswith("__"))
        return "inplace" if ends and self.mutated[0] is self.arguments[0] else "mutable"


def parse(text: str) -> Schema:
    """The schema in `text`, or `SchemaError` with the place where reading stopped."""
    return Parser(text).schema()


def parse_type(text: str) -> Type:
    parser = Parser(text)
    result = parser.type()
    if parser.kind != "end":
        parser.fail("expected the end of the type")
    return result


class Parser:
    """One pass over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.source = text
        self.position = 0
        self.own_sets = 0
        self.advance()

    def advance(self) -> str:
        """Move to the next token and return the one that was current."""
        previous = getattr(self, "token", "")
        while self.position < len(self.source) and self.source[self.position].isspace():
            self.position += 1
        self.start = self.position
        if self.position == len(self.source):
            self.kind, self.token = "end", ""
            return previous
        match = TOKEN.match(self.source, self.position)
        if match is None:
            self.token = self.source[self.position]
            self.fail("unexpected character")
        self.kind = match.lastgroup or ""
        self.token = match[self.kind]
        self.position = match.end()
        return previous

    def fail(self, what: str) -> NoReturn:
        mark = " " * self.start + "~" * max(1, len(self.token)) + " <--- HERE"
        raise SchemaError(f"{what}, found {self.token or 'the end'!r}:\n{self.source}\n{mark}")

    def accept(self, token: str) -> bool:
        if self.token == token and self.kind not in ("string", "end"):
            self.advance()
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            self.fail(f"expected {token!r}")

    def word(self, what: str) -> str:
        if self.kind != "word":
            self.fail(f"expected {what}")
        return self.advance()

    def schema(self) -> Schema:
        namespace, name = "", self.word("an operator name")
        if self.accept("::"):
            namespace, name = name, self.word("an operator name")
        name, _, overload = name.partition(".")
        self.expect("(")
        arguments, is_vararg = self.arguments()
        self.expect("->")
        is_varret = self.kind == "dots"
        returns = () if is_varret and self.advance() else self.returns()
        if self.kind != "end":
            self.fail("expected the end of the schema")
        return Schema(name, overload, arguments, returns, namespace, is_vararg, is_varret)

    def arguments(self) -> tuple[tuple[Argument, ...], bool]:
        found: list[Argument] = []
        keyword_only = False
        if self.accept(")"):
            return (), False
        while True:
            if self.kind == "dots":
                self.advance()
                self.expect(")")
                return tuple(found), True
            if self.accept("*"):
                if keyword_only:
                    self.fail("`*` may be written once")
                keyword_only = True
            else:
                found.append(self.argument(keyword_only))
                if any(found[-1].name == other.name for other in found[:-1]):
                    self.fail(f"the argument name {found[-1].name!r} is used twice")
            if self.accept(")"):
                return tuple(found), False
            self.expect(",")

    def argument(self, keyword_only: bool) -> Argument:
        of_type = self.type()
        name = self.word("an argument name")
        if not self.accept("="):
            return Argument(name, of_type, keyword_only=keyword_only)
        start = self.start
        value = self.value(of_type)
        text = self.source[start : self.start].strip()
        return Argument(name, of_type, value, text, keyword_only)

    def value(self, of_type: Type) -> Any:
        if self.accept("["):
            items: list[Any] = []
            while not self.accept("]"):
                items.append(self.value(of_type))
                if self.token != "]":
                    self.expect(",")
            return tuple(items)
        if self.accept("("):
            items = []
            while not self.accept(")"):
                items.append(self.value(of_type))
                if self.token != ")":
                    self.expect(",")
            return tuple(items)
        if self.kind == "string":
            return ast.literal_eval(self.advance())
        if self.kind == "number":
            return self.number(of_type.leaf)
        word = self.word("a default value")
        constants = {"None": None, "True": True, "False": False, "true": True, "false": False}
        if word in ("inf", "nan"):
            return float(word)
        return constants[word] if word in constants else Constant(word)

    def number(self, leaf: str) -> Any:
        token = self.advance()
        if token.endswith("j"):
            return complex(token)
        is_integer = re.fullmatch(r"[-+]?\d+", token) is not None
        if leaf in ("float", "complex"):
            return float(token)
        if leaf in ("int", "SymInt") and not is_integer:
            self.fail(f"the default {token} is not an integer")
        return int(token) if is_integer else float(token)

    def type(self) -> Type:
        if self.accept("("):
            inner = self.types(")")
            node = Type("tuple", "", inner)
        else:
            name = self.word("a type")
            if name in GENERIC and self.accept("("):
                node = Type("generic", name, self.types(")"))
            elif name in GENERIC and self.accept("["):
                node = Type("generic", name, self.types("]"))
            else:
                node = Type("base", name)
        return self.suffixes(node)

    def types(self, close: str) -> tuple[Type, ...]:
        inner: list[Type] = []
        while not self.accept(close):
            inner.append(self.type())
            if self.token != close:
                self.expect(",")
        return tuple(inner)

    def suffixes(self, node: Type) -> Type:
        while True:
            if self.accept("?"):
                node = Type("optional", "", (node,))
            elif self.accept("["):
                size = int(self.advance()) if self.kind == "number" else None
                self.expect("]")
                node = Type("list", "", (node,), size)
            elif self.token == "(" and node.alias is None:
                alias = self.alias()
                node = Type(node.kind, node.name, node.inner, node.size, alias)
            elif self.token == "!" and node.alias is None:
                # Written, and shared with nothing: an alias set of its own.
                self.advance()
                alias = Alias((f"${self.own_sets}",), True)
                self.own_sets += 1
                node = Type(node.kind, node.name, node.inner, node.size, alias)
            else:
                return node

    def alias(self) -> Alias:
        self.expect("(")
        before = self.alias_names()
        is_write = self.accept("!")
        after = self.alias_names() if self.accept("->") else None
        self.expect(")")
        return Alias(before, is_write, after)

    def alias_names(self) -> tuple[str, ...]:
        if self.accept("*"):
            return ("*",)
        if self.token == "!":
            return ()
        names = [self.word("the name of an alias set")]
        while self.accept("|"):
            names.append("*" if self.accept("*") else self.word("the name of an alias set"))
        return tuple(names)

    def returns(self) -> tuple[Return, ...]:
        if not self.accept("("):
            return (self.one_return(),)
        found: list[Return] = []
        while not self.accept(")"):
            found.append(self.one_return())
            if self.token != ")":
                self.expect(",")
        # One value in brackets is a tuple type when brackets follow, as in `(int, int)[]`.
        if self.token in ("?", "["):
            inner = tuple(item.type for item in found)
            return (Return(self.suffixes(Type("tuple", "", inner))),)
        return tuple(found)

    def one_return(self) -> Return:
        of_type = self.type()
        return Return(of_type, self.advance() if self.kind == "word" else "")


def is_tensor_list(argument: Argument) -> bool:
    """Whether an argument is a list of tensors."""
    return argument.type.required.kind == "list" and argument.is_tensor_like
