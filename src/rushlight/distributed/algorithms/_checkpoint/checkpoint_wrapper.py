"""Wrappers that compute a module again for its gradients, or keep what these need on the host.

Names of parameters, and of entries of state dicts, are those without wrappers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any

from rushlight.autograd.graph import save_on_cpu
from rushlight.distributed.fsdp import wrap
from rushlight.nn import Module, Parameter
from rushlight.utils.checkpoint import checkpoint

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(Enum):
    """How a module is computed again: by a backward pass within the backward pass, or as tensors are asked for."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(Module, ABC):
    """A module around another one, without a trace of it in names.

    Args:
        mod: the other one
    """

    def __init__(self, mod: Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(_named_without_wrapper)
        self.register_load_state_dict_pre_hook(_named_with_wrapper)

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any: ...

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: Any) -> Any:
        return self._checkpoint_wrapped_module[key]  # type: ignore[index]

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Parameter]]:
        """Parameters with the names that they have without wrappers."""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter


def _named_without_wrapper(
    module: Module, state_dict: dict[str, Any], prefix: str, *args: Any
) -> dict[str, Any]:
    _rename(state_dict, prefix + _CHECKPOINT_PREFIX, prefix)
    return state_dict


def _named_with_wrapper(
    module: Module, state_dict: dict[str, Any], prefix: str, *args: Any
) -> None:
    _rename(state_dict, prefix, prefix + _CHECKPOINT_PREFIX)


def _rename(entries: dict[str, Any], before: str, after: str) -> None:
    """Exchange what names begin with."""
    for name in [name for name in entries if name.startswith(before)]:
        entries[after + name.removeprefix(before)] = entries.pop(name)


class OffloadWrapper(ActivationWrapper):
    """A module whose tensors for gradients are kept in the memory of the host."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """A module that is computed again for its gradients.

    Args:
        mod: the module
        checkpoint_impl: how that is done
        checkpoint_fn: does it in place of `utils.checkpoint.checkpoint`
        checkpoint_fn_kwargs: options of that function
    """

    def __init__(
        self,
        mod: Module,
        checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None,
        **checkpoint_fn_kwargs: Any,
    ) -> None:
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            reentrant = checkpoint_impl is CheckpointImpl.REENTRANT
            checkpoint_fn = partial(checkpoint, use_reentrant=reentrant)
        self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if self.checkpoint_impl is CheckpointImpl.REENTRANT and kwargs:
            # That one knows no keywords.
            names, count = tuple(kwargs), len(args)

            def by_position(*values: Any) -> Any:
                named = dict(zip(names, values[count:]))
                return self._checkpoint_wrapped_module(*values[:count], **named)

            return self.checkpoint_fn(by_position, *args, *kwargs.values())
        return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)


def offload_wrapper(module: Module) -> Module:
    """Let what a module keeps for gradients lie in the memory of the host."""
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: Module,
    checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None,
    **checkpoint_fn_kwargs: Any,
) -> Module:
    """Let a module be computed again for its gradients.

    Args:
        module: the module
        checkpoint_impl: how that is done
        checkpoint_fn: does it in place of `utils.checkpoint.checkpoint`
        checkpoint_fn_kwargs: options of that function
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model: Module,
    checkpoint_wrapper_fn: Callable[..., Module] = checkpoint_wrapper,
    check_fn: Callable[[Module], bool] = lambda _: True,
    auto_wrap_policy: Any = None,
) -> None:
    """Put wrappers around modules within a module.

    Args:
        model: the module, which gets no wrapper itself
        checkpoint_wrapper_fn: wraps a module
        check_fn: which modules are wrapped
        auto_wrap_policy: a policy that says it in place of ``check_fn``, as for `FullyShardedDataParallel`
    """
    policy = auto_wrap_policy or partial(wrap.lambda_auto_wrap_policy, lambda_fn=check_fn)
    if not callable(policy):
        raise ValueError(f"Expected {policy} to be callable or be a pre-defined wrap policy")
    wanted = wrap.chosen(model, policy, set(), {})
    wrap.replace(model, lambda module, options: checkpoint_wrapper_fn(module, **options), wanted)
