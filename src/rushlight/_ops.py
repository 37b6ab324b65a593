"""`torch.ops.namespace.name.overload`, which libraries import from here: operators by their names."""

from __future__ import annotations

import importlib
import types
from typing import Any, NoReturn

# Say how operators are called from Python, and what else they are asked for.
from rushlight._library import catalogue, operator_members  # noqa: F401
from rushlight.engine.dispatch import schema_call  # noqa: F401
from rushlight.engine.dispatch.operator import Operator as OpOverload
from rushlight.engine.dispatch.operator import OperatorPacket as OpOverloadPacket
from rushlight.engine.dispatch.operator import overload_names, packet

__all__ = ["OpOverload", "OpOverloadPacket", "ops"]


class _OpNamespace(types.ModuleType):
    """The operators of one namespace, as attributes."""

    def __init__(self, name: str) -> None:
        super().__init__(f"torch.ops.{name}")
        self.name = name

    def __getattr__(self, op_name: str) -> OpOverloadPacket:
        if op_name.startswith("__") and op_name.endswith("__"):
            # Some operators are called like Python's signs; other such names are none of this.
            try:
                return packet(f"{self.name}::{op_name}")
            except RuntimeError:
                what = f"Invalid attribute '{op_name}' for '_OpNamespace' '{self.name}'"
                raise AttributeError(what) from None
        found = self._found(op_name)
        if found.full_name in overload_names():
            # One of PyTorch's own, which no library takes away again.
            setattr(self, op_name, found)
        return found

    def _found(self, op_name: str) -> OpOverloadPacket:
        name = f"{self.name}::{op_name}"
        try:
            return packet(name)
        except RuntimeError:
            pass
        missing = f"'_OpNamespace' '{self.name}' object has no attribute '{op_name}'"
        if self.name != "aten":
            raise AttributeError(missing)
        catalogue.define()
        try:
            return packet(name)
        except RuntimeError:
            why = catalogue.refusal(op_name)
            raise AttributeError(f"{missing}: {why}" if why else missing) from None


class _HigherOrder(types.ModuleType):
    """The operators that take functions, as attributes."""

    def __init__(self) -> None:
        super().__init__("torch.ops.higher_order")
        self.name = "higher_order"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = higher_order_operators().get(name)
        if found is None:
            raise AttributeError(
                f"'_HigherOrderNamespace' 'higher_order' object has no attribute '{name}'"
            )
        return found


def higher_order_operators() -> dict[str, Any]:
    """The operators that take functions, by name."""
    importlib.import_module("rushlight._higher_order_ops")
    found: dict[str, Any] = importlib.import_module(
        "rushlight._higher_order_ops.operator"
    ).registered
    return found


def __getattr__(name: str) -> Any:
    # It stands on tensors, which stand on operators.
    if name == "HigherOrderOperator":
        return importlib.import_module("rushlight._higher_order_ops.operator").HigherOrderOperator
    raise AttributeError(f"module 'torch._ops' has no attribute '{name}'")


class _Ops(types.ModuleType):
    """The namespaces of operators, as attributes."""

    def __init__(self) -> None:
        super().__init__("torch.ops")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        namespace = _HigherOrder() if name == "higher_order" else _OpNamespace(name)
        setattr(self, name, namespace)
        return namespace

    def load_library(self, path: str) -> NoReturn:
        """Raises: compiled libraries call PyTorch's C++, which is not there."""
        raise OSError(f"{path}: rushlight loads no libraries that were compiled against PyTorch")

    def import_module(self, module: str) -> None:
        """Import a Python module that registers operators."""
        importlib.import_module(module)


ops = _Ops()
