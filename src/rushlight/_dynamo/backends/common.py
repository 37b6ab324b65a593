"""What back ends are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["aot_autograd"]


def aot_autograd(**options: Any) -> Callable[..., Any]:
    """A back end of compilers for forward and backward passes.

    Args:
        options: the arguments of `aot_module_simplified`
    """

    def compiled(module: Any, inputs: Any, **unused: Any) -> Any:
        from rushlight._functorch.aot_autograd import aot_module_simplified

        return aot_module_simplified(module, inputs, **options)

    return compiled
