"""Names of generated code: each given once, none that means something else."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import defaultdict
from typing import Any, NamedTuple

import rushlight
from rushlight.fx import _pytree as fx_pytree
from rushlight.utils import _pytree as pytree

_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_SUFFIX = re.compile(r"(.*)_(\d+)$")
_WORDS = frozenset(keyword.kwlist)


class _CustomBuiltin(NamedTuple):
    """A name that all generated code knows: how it is imported, and what it is."""

    import_str: str
    obj: Any


_custom_builtins: dict[str, _CustomBuiltin] = {}


def _register_custom_builtin(name: str, import_str: str, obj: Any) -> None:
    _custom_builtins[name] = _CustomBuiltin(import_str, obj)


_register_custom_builtin("inf", "from math import inf", float("inf"))
_register_custom_builtin("nan", "from math import nan", float("nan"))
_register_custom_builtin("NoneType", "NoneType = type(None)", type(None))
_register_custom_builtin("torch", "import torch", rushlight)
_register_custom_builtin("device", "from torch import device", rushlight.device)
_register_custom_builtin("fx_pytree", "import torch.fx._pytree as fx_pytree", fx_pytree)
_register_custom_builtin("pytree", "import torch.utils._pytree as pytree", pytree)


class _Namespace:
    """Gives out names.

    A name is as asked for if nobody has it, else with the next number behind it.
    """

    def __init__(self) -> None:
        self._obj_to_name: dict[Any, str] = {}
        self._used_names: set[str] = set()
        self._base_count: dict[str, int] = defaultdict(int)

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name for an object, which keeps it; for None a new one each time."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        if not (candidate.isidentifier() and candidate.isascii()):
            candidate = _ILLEGAL.sub("_", candidate)
            if not candidate:
                candidate = "_unnamed"
            if candidate[0].isdigit():
                candidate = f"_{candidate}"
        if candidate[-1].isdigit():
            match = _SUFFIX.match(candidate)
            base, number = (match[1], int(match[2])) if match else (candidate, None)
        else:
            base, number = candidate, None
        counted = self._base_count.get(base, 0)
        if number is None or counted > number:
            number = counted
        while candidate in self._used_names or self._is_illegal_name(candidate, obj):
            number += 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        self._base_count[base] = number
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Let an object have a name that is given out already."""
        known = self._obj_to_name.setdefault(obj, name)
        if known is not name:
            raise AssertionError("obj is already associated")

    def _is_illegal_name(self, name: str, obj: Any) -> bool:
        if name in _WORDS:
            return True
        if hasattr(builtins, name):
            return obj is None or obj is not getattr(builtins, name)
        custom = _custom_builtins.get(name)
        return custom is not None and obj is not custom.obj

    def _rename_object(self, obj: Any, name: str) -> None:
        if obj is None:
            raise AssertionError("cannot rename None")
        self._obj_to_name[obj] = name
        self._used_names.add(name)
