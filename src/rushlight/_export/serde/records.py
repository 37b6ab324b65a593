"""What a program's file says, as objects with attributes rather than dictionaries."""

from __future__ import annotations

import types
from typing import Any

__all__ = ["Record", "as_record"]

# What is a dictionary by names that programs choose.
_BY_NAME = frozenset({
    "opset_version", "range_constraints", "metadata", "treespec_namedtuple_fields", "tensor_values",
    "sym_int_values", "sym_bool_values", "sym_float_values", "custom_obj_values",
})  # fmt: skip


class Record(types.SimpleNamespace):
    """A part of a file. One that can be of several kinds has one attribute, of the kind that it is."""

    @property
    def type(self) -> str:
        """The kind."""
        (kind,) = vars(self)
        return kind

    @property
    def value(self) -> Any:
        """The attribute of the kind."""
        return getattr(self, self.type)


def as_record(told: Any) -> Any:
    """A part of a file with records in the place of its dictionaries."""
    if isinstance(told, list):
        return [as_record(item) for item in told]
    if not isinstance(told, dict):
        return told
    return Record(**{
        name: {k: as_record(v) for k, v in item.items()}
        if name in _BY_NAME and isinstance(item, dict)
        else as_record(item)
        for name, item in told.items()
    })  # fmt: skip
