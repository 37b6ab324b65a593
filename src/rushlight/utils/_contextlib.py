"""Context managers that also decorate functions."""

from __future__ import annotations

from rushlight.autograd.grad_mode import Decorating as _DecoratorContextManager
from rushlight.autograd.grad_mode import Decorating as _NoParamDecoratorContextManager

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager"]
