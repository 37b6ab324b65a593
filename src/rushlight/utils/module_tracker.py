"""Which modules run now, by name, in the forward and in the backward pass."""

from __future__ import annotations

import weakref
from typing import Any, Self

from rushlight.autograd.graph import register_multi_grad_hook
from rushlight.engine.autograd import backward
from rushlight.engine.core import state
from rushlight.engine.core.tensor import Tensor
from rushlight.nn.modules.module import (
    Module,
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from rushlight.utils._pytree import tree_leaves

__all__ = ["ModuleTracker"]


def _with_gradients(values: Any) -> list[Tensor]:
    if not state.thread.grad_enabled:
        return []
    return [t for t in tree_leaves(values) if isinstance(t, Tensor) and t.requires_grad]


class ModuleTracker:
    """Within its ``with`` block `parents` has the names of the modules that run.

    A module's name starts with the class of the outermost module that was called. There is always
    a parent ``"Global"``. In a backward pass a module runs from when a gradient of its outputs is
    there until the gradients of its inputs are.
    """

    def __init__(self) -> None:
        self.parents: set[str] = {"Global"}
        self._names: weakref.WeakKeyDictionary[Module, str] = weakref.WeakKeyDictionary()
        self._hooks: list[Any] = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass runs."""
        return bool(backward.running.passes)

    def __enter__(self) -> Self:
        self._hooks = [
            register_module_forward_pre_hook(self._starts),
            register_module_forward_hook(self._ends, always_call=True),
        ]
        return self

    def __exit__(self, *exception: object) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def _name(self, module: Module) -> str:
        if module not in self._names:
            root = type(module).__name__
            for path, child in module.named_modules():
                self._names[child] = f"{root}.{path}" if path else root
        return self._names[module]

    def _starts(self, module: Module, args: Any) -> None:
        name = self._name(module)
        self.parents.add(name)
        inputs = _with_gradients(args)
        if inputs:
            self._hooks.append(
                register_multi_grad_hook(inputs, lambda grads: self.parents.discard(name))
            )

    def _ends(self, module: Module, args: Any, output: Any) -> None:
        name = self._name(module)
        self.parents.discard(name)
        outputs = _with_gradients(output)
        if outputs:
            self._hooks.append(
                register_multi_grad_hook(outputs, lambda grad: self.parents.add(name), mode="any")
            )
