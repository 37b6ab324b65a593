"""Modules that another process runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import nn
from rushlight.distributed import rpc

__all__ = ["RemoteModule"]


def _created(module_cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any], device: str) -> Any:
    module = module_cls(*args, **kwargs)
    if not isinstance(module, nn.Module):
        raise ValueError(
            "Expect `module_cls(*args, **kwargs)` returns an instance of <class nn.Module>, but it returns an "
            f"instance of {type(module)}."
        )
    return module.to(device)


def _forward(module: rpc.RRef, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return module.local_value()(*args, **kwargs)


def _parameters(module: rpc.RRef, recurse: bool) -> list[rpc.RRef]:
    return [rpc.RRef(parameter) for parameter in module.local_value().parameters(recurse)]


class RemoteModule(nn.Module):
    """A module that another process makes and runs; gradients go through it in a context of distributed autograd.

    Args:
        remote_device: the process and its device, such as ``"worker1/cpu"``, or ``"rank:1/cpu"``
        module_cls: the class of the module
        args: for it
        kwargs: for it
        _module_interface_cls: accepted where it is None
    """

    def __init__(
        self,
        remote_device: str,
        module_cls: Any,
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
        _module_interface_cls: Any = None,
    ) -> None:
        super().__init__()
        if _module_interface_cls is not None:
            raise NotImplementedError("RemoteModule: interfaces of scripts are not there")
        place, _, device = remote_device.partition("/")
        to: Any = int(place.removeprefix("rank:")) if place.startswith("rank:") else place
        self.on, self.device = to, device or "cpu"
        self.is_scriptable = False
        given = module_cls, tuple(args or ()), kwargs or {}, self.device
        # Whoever makes it hears at once if that fails.
        self.module_rref = rpc.rpc_sync(to, _made, given)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module gives, when it is there."""
        return rpc.rpc_sync(self.on, _forward, (self.module_rref, args, kwargs))

    def forward_async(self, *args: Any, **kwargs: Any) -> Any:
        """A future of what the module gives."""
        return rpc.rpc_async(self.on, _forward, (self.module_rref, args, kwargs))

    def remote_parameters(self, recurse: bool = True) -> list[rpc.RRef]:
        """References to the module's parameters, for `DistributedOptimizer`.

        Args:
            recurse: whether parts of the module count
        """
        return rpc.rpc_sync(self.on, _parameters, (self.module_rref, recurse))  # type: ignore[no-any-return]

    def get_module_rref(self) -> rpc.RRef:
        """A reference to the module."""
        return self.module_rref  # type: ignore[no-any-return]


def _made(*given: Any) -> rpc.RRef:
    return rpc.RRef(_created(*given))
