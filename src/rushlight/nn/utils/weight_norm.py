"""Norms of weights by a hook, as it was done before parametrizations."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter, is_lazy
from rushlight.nn.utils.parametrizations import norm_except_dim, scaled_to

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook that computes a weight from directions and lengths before each call."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """The weight of the present directions and lengths."""
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return scaled_to(v, g, self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Put the hook on a module."""
        if any(
            isinstance(hook, WeightNorm) and hook.name == name
            for hook in module._forward_pre_hooks.values()
        ):
            raise RuntimeError(
                f"Cannot register two weight_norm hooks on the same parameter {name}"
            )
        hook = WeightNorm(name, dim)
        if is_lazy(module._parameters[name]):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run "
                "the dummy forward before applying weight normalization"
            )
        weight = getattr(module, name)
        del module._parameters[name]
        norms = norm_except_dim(weight, hook.dim)
        module.register_parameter(f"{name}_g", Parameter(norms.detach()))
        module.register_parameter(f"{name}_v", Parameter(weight.detach()))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Any) -> None:
        """Make the weight an ordinary parameter."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"], module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Let a weight be directions ``name_v`` and lengths ``name_g``."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Take `weight_norm` back."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
