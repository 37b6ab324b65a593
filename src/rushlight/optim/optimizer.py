"""The base of all optimizers: groups of parameters, their state, hooks, states in files."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any, ParamSpec, TypeVar, cast

import rushlight
from rushlight.engine.autograd.node import Hooks, RemovableHandle, add_hook
from rushlight.engine.core.tensor import Tensor

__all__ = [
    "Optimizer",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
]

P = ParamSpec("P")
R = TypeVar("R")

_global_optimizer_pre_hooks = Hooks()
_global_optimizer_post_hooks = Hooks()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before the steps of all optimizers."""
    return add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after the steps of all optimizers."""
    return add_hook(_global_optimizer_post_hooks, hook)


class _Required:
    """Stands for a setting that every group must have."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """Changes parameters by their gradients.

    A subclass gives `update(parameter, grad, state, group)`, the change of one parameter.

    Args:
        params: parameters, pairs of a name and a parameter, or groups: mappings with ``params`` and
            settings of their own
        defaults: settings of groups that do not say otherwise
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._optimizer_step_pre_hooks = Hooks()
        self._optimizer_step_post_hooks = Hooks()
        self._optimizer_state_dict_pre_hooks = Hooks()
        self._optimizer_state_dict_post_hooks = Hooks()
        self._optimizer_load_state_dict_pre_hooks = Hooks()
        self._optimizer_load_state_dict_post_hooks = Hooks()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {params.type()}"  # type: ignore[attr-defined]
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _patch_step_function(self) -> None:
        """Let the class's `step` run its hooks; once for every class."""
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"
        step = type(self).step
        if not getattr(step, "hooked", False):
            wrapper: Any = self.profile_hook_step(step)
            wrapper.hooked = True
            type(self).step = wrapper  # type: ignore[method-assign]

    @staticmethod
    def profile_hook_step(func: Callable[P, R]) -> Callable[P, R]:
        """A step with the hooks that are called before and after it."""
        step: Any = func

        @functools.wraps(step)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            before = _global_optimizer_pre_hooks, self._optimizer_step_pre_hooks
            for hook in (hook for hooks in before for hook in hooks.values()):
                found = hook(self, args, kwargs)
                if found is not None:
                    if not isinstance(found, tuple) or len(found) != 2:
                        raise RuntimeError(
                            f"{step} must return None or a tuple of (new_args, new_kwargs), but got "
                            f"{found}."
                        )
                    args, kwargs = found
            result = step(self, *args, **kwargs)
            after = self._optimizer_step_post_hooks, _global_optimizer_post_hooks
            for hook in (hook for hooks in after for hook in hooks.values()):
                hook(self, args, kwargs)
            return result

        return cast(Callable[P, R], wrapper)

    # -- the step --
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient.

        Args:
            closure: computes the loss anew and gives it
        """
        loss = None
        if closure is not None:
            with rushlight.enable_grad():
                loss = closure()
        with rushlight.set_grad_enabled(bool(self.defaults.get("differentiable"))):
            for group in self.param_groups:
                self.update_group(group)
        return loss

    def update_group(self, group: dict[str, Any]) -> None:
        """Change the parameters of one group."""
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            if group.get("maximize"):
                grad = -grad
            state = self.state.get(parameter, {})
            self.update(parameter, grad, state, group)
            if state:
                self.state[parameter] = state

    def update(
        self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        """Change one parameter."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or make them zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if set_to_none:
                    parameter.grad = None
                else:
                    if parameter.grad.grad_fn is not None:
                        parameter.grad.detach_()
                    else:
                        parameter.grad.requires_grad_(False)
                    parameter.grad.zero_()

    # -- groups --
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Take over another group of parameters."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering "
                "of tensors in sets will change between runs. Please use a list instead."
            )
        params = list(params)
        named = [isinstance(p, tuple) for p in params]
        if any(named):
            if not all(named):
                raise ValueError(
                    "all optimizer params should be with/without names. Some param names are missing"
                )
            param_group["param_names"] = [name for name, _ in params]
            params = [parameter for _, parameter in params]
        param_group["params"] = params
        for parameter in params:
            if not isinstance(parameter, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is "
                    f"{type(parameter).__name__}"
                )
            if not self.defaults.get("differentiable") and not (
                parameter.is_leaf or parameter.retains_grad  # type: ignore[attr-defined]
            ):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        has_names = "param_names" in param_group
        if self.param_groups and ("param_names" in self.param_groups[0]) != has_names:
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if has_names else 'without'} names to the optimizer"
            )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in known for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for index, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {index}"] if index else [f"Parameter Group {index}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join(lines) + "\n)"

    # -- states --
    def state_dict(self) -> dict[str, Any]:
        """The state and the groups, with parameters replaced by their numbers."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            packed = {k: v for k, v in group.items() if k != "params"}
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        found: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            other = hook(self, found)
            found = found if other is None else other
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            other = hook(self, state_dict)
            state_dict = state_dict if other is None else other
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        numbers = chain.from_iterable(group["params"] for group in saved)
        parameters = chain.from_iterable(group["params"] for group in groups)
        by_number = dict(zip(numbers, parameters))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            parameter = by_number.get(key)
            state[key if parameter is None else parameter] = (
                value if parameter is None else _like(parameter, value)
            )
        merged = []
        for old, new in zip(groups, saved):
            new["params"] = old["params"]
            if "param_names" in old and "param_names" not in new:
                new["param_names"] = old["param_names"]
            merged.append(new)
            if new.get("capturable"):
                # A graph counts the steps.
                for parameter in new["params"]:
                    if "step" in state.get(parameter, ()):
                        count = state[parameter]["step"]
                        state[parameter]["step"] = count.to(parameter.device)
        self.state, self.param_groups = state, merged
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults, "state": self.state, "param_groups": self.param_groups
        }  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in (
            "step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre",
            "load_state_dict_post",
        ):  # fmt: skip
            self.__dict__.setdefault(f"_optimizer_{name}_hooks", Hooks())
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    # -- hooks --
    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step."""
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer)`` before `state_dict`."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after `state_dict`; it may give another one."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before a state is loaded; it may give another."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer)`` after a state was loaded."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _like(parameter: Any, value: Any, key: str = "") -> Any:
    """A loaded state with tensors in the type of the parameter; counts of steps stay as they are."""
    if isinstance(value, Tensor):
        if key == "step" or not parameter.is_floating_point():
            return value.clone()  # type: ignore[attr-defined]
        return value.to(dtype=parameter.dtype, device=parameter.device, copy=True)  # type: ignore[attr-defined]
    if isinstance(value, dict):
        return {k: _like(parameter, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return type(value)(_like(parameter, v, key) for v in value)  # type: ignore[call-arg]
    return value


def check_positive(**settings: Any) -> None:
    """Raise for settings that are negative, and for rates that are several numbers."""
    rate = settings.get("lr")
    if isinstance(rate, Tensor) and rate.numel() != 1:  # type: ignore[attr-defined]
        raise ValueError("Tensor lr must be 1-element")
    labels = {"lr": "learning rate", "eps": "epsilon value", "weight_decay": "weight_decay value"}
    for name, value in settings.items():
        if not (value.item() if isinstance(value, Tensor) else value) >= 0.0:  # type: ignore[attr-defined]
            label = labels.get(name, f"{name} value")
            raise ValueError(f"Invalid {label}: {value}")


def as_number(value: Any) -> Any:
    """A setting that may be a tensor, as a number."""
    return value.item() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]


def check_at_least(least: float, label: str, value: Any) -> None:
    """Raise for a setting that is too small."""
    if isinstance(value, Tensor) and value.numel() != 1:  # type: ignore[attr-defined]
        raise ValueError("Tensor lr must be 1-element")
    if not as_number(value) >= least:
        raise ValueError(f"{label} should be >= {least:g} but is: {value}")


def check_modes(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Raise for ways of stepping that exclude each other; all others come to the same here."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def new_step() -> Any:
    """A count of steps that is still at zero."""
    double = rushlight.get_default_dtype() is rushlight.float64
    return rushlight.tensor(0.0, dtype=rushlight.float64 if double else rushlight.float32)


def zeros_for(names: Iterable[str], parameter: Any) -> dict[str, Any]:
    """Tensors like the parameter to begin with."""
    return {name: rushlight.zeros_like(parameter) for name in names}


def with_values(sparse: Any, values: Any) -> Any:
    """A sparse tensor with other values at the same indices, which are in order."""
    return rushlight._sparse_coo_tensor_unsafe(
        sparse.indices(), values, sparse.shape, is_coalesced=True
    )
