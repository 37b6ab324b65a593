"""What one Python name accepts: the overloads behind it, in the order in which they are tried.

The generated files have them as words: `add.Tensor|add.out` is an overload and the one that its `out=`
means (methods have none); `-` in front hides a form from messages; names in brackets are the arguments
of an old form of the call, all by position; a `+` says that numbers stand for tensors.
"""

from __future__ import annotations

from rushlight.engine.dispatch.operator import operator
from rushlight.engine.dispatch.resolver import Resolver
from rushlight.engine.dispatch.schema import Argument, Schema
from rushlight.engine.native.records import dataclass


@dataclass(frozen=True)
class Signature:
    """An overload with the `out=` overload that has the same arguments."""

    schema: Schema
    family: str
    out: Schema | None = None
    is_method: bool = False
    is_hidden: bool = False
    # Argument names of old forms of the call, in their order.
    old_forms: tuple[tuple[str, ...], ...] = ()

    @property
    def positional(self) -> list[Argument]:
        """The positional arguments in Python's order: a method's `self` comes first."""
        return sorted(
            self.schema.positional, key=lambda a: not (self.is_method and a.name == "self")
        )

    @property
    def arguments(self) -> list[Argument]:
        return [*self.positional, *self.schema.keyword_only]

    @property
    def word(self) -> str:
        """The overload as the generated files have it."""
        out = f"|{self.out.base_name}" if self.out else ""
        return f"{'-' if self.is_hidden else ''}{self.schema.base_name}{out}"

    @property
    def old_words(self) -> list[str]:
        out = "" if self.out else "|"
        return [f"-{self.word}{out}({','.join(names)})" for names in self.old_forms]


@dataclass(frozen=True)
class Binding:
    """One Python function or method."""

    name: str
    is_method: bool
    signatures: tuple[Signature, ...]
    takes_numbers: bool = False

    @property
    def text(self) -> str:
        """The overloads as the generated files have them, old ways of calling last."""
        words = ["+"] if self.takes_numbers else []
        words += [signature.word for signature in self.signatures]
        words += [word for signature in self.signatures for word in signature.old_words]
        return " ".join(words)


def read(resolver: Resolver) -> Binding:
    """The binding that a resolver is for; old forms are only for the resolver itself."""
    found = [_signature(word, resolver.is_method) for word in resolver.words if "(" not in word]
    return Binding(resolver.name, resolver.is_method, tuple(found))


def _signature(word: str, is_method: bool) -> Signature:
    base, _, out = word.removeprefix("-").partition("|")
    op = operator(base)
    out_schema = operator(out).schema if out and not is_method else None
    return Signature(op.schema, op.family, out_schema, is_method, word.startswith("-"))
