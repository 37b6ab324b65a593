"""References of operators: a module of them, made from the operators that there are."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from rushlight._ops import ops
from rushlight.engine.core.tensor import Tensor


def reference_in(public: ModuleType, module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module of references.

    Args:
        public: the namespace whose functions are the operators
        module: the name of the module of references
    """

    def find(name: str) -> Any:
        found = None
        if not name.startswith("_") and _is_operator(name, public):
            found = getattr(public, name, None)
        if not callable(found):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return found

    return find


def method(name: str) -> Callable[..., Any]:
    """A function that calls a tensor's method."""

    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(a, name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def is_method(name: str) -> bool:
    """Whether tensors have a method of this name, which is an operator."""
    return hasattr(Tensor, name) and callable(getattr(Tensor, name)) and hasattr(ops.aten, name)


def _is_operator(name: str, public: ModuleType) -> bool:
    """Whether a name is an operator's, or a function's that the namespace says is public."""
    family = public.__name__.rpartition(".")[2]
    aten = ops.aten
    if hasattr(aten, name) or hasattr(aten, f"{family}_{name}"):
        return True
    return name in getattr(public, "__all__", ())
