"""`Variable`, the name that tensors with gradients once had."""

from __future__ import annotations

from typing import Any

from rushlight.engine.autograd.backward import queue_callback
from rushlight.engine.core.tensor import Tensor

__all__ = ["Variable", "VariableMeta"]


class VariableMeta(type):
    """Lets every tensor count as an instance of `Variable`."""

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """``Variable(tensor)`` is the tensor, with ``requires_grad`` as given."""

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: Any = None) -> Any:
        return data.detach().requires_grad_(requires_grad)

    _execution_engine: Any = None


class _Engine:
    """What programs find as `Variable._execution_engine`."""

    @staticmethod
    def queue_callback(callback: Any) -> None:
        """Call something when the running backward pass has ended."""
        queue_callback(callback)


Variable._execution_engine = _Engine()
