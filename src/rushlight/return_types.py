"""The classes of named results: ``torch.return_types.max``.

An operator's class is the one that its calls give, made when it is first asked for.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.dispatch import operator as operators
from rushlight.engine.dispatch.named_results import NamedResult, fields_of, named_result


def __getattr__(name: str) -> type[NamedResult]:
    if not name.startswith("__"):
        stem = name.removesuffix("_out")
        for op in operators.overloads(f"aten::{stem}"):
            fields = fields_of(op.schema)
            if fields and bool(op.schema.out_arguments) == (stem != name):
                return named_result(op.schema.name, fields)
    raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")


def __dir__() -> list[str]:
    found: set[str] = set()
    for full in operators.overload_names():
        stem = full.removeprefix("aten::")
        if full.startswith("aten::") and not stem.startswith("_"):
            schemas = [op.schema for op in operators.overloads(full)]
            found |= {
                f"{s.name}_out" if s.out_arguments else s.name for s in schemas if fields_of(s)
            }
    return sorted(found)


def pytree_register_structseq(cls: Any) -> None:
    """Let trees of values be opened at a class of named results; all are already."""
    if not (isinstance(cls, type) and issubclass(cls, NamedResult)):
        raise TypeError(f"expected a class of named results, got {cls!r}")
