"""The overloads behind a public function."""

from __future__ import annotations

from rushlight.engine.dispatch.free_arguments import Overloads
from rushlight.engine.dispatch.operator import operator
from rushlight.engine.dispatch.resolver import Resolver


def overloads_of(resolver: Resolver) -> Overloads:
    """The overloads behind a public function."""
    for word in resolver.words:
        op = operator(word.lstrip("-").partition("|")[0])
        arguments = list(op.schema.positional)
        if resolver.is_method:
            # A method is called on `self`, wherever the schema has it.
            arguments = sorted(arguments, key=lambda a: a.name != "self")
        yield op, arguments
