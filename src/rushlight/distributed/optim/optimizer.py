"""An optimizer for parameters of several processes."""

from __future__ import annotations

import threading
from typing import Any

from rushlight.distributed.autograd import get_gradients
from rushlight.distributed.rpc import RRef, remote, rpc_async
from rushlight.futures import wait_all

__all__ = ["DistributedOptimizer"]

_lock = threading.Lock()


class _LocalOptimizer:
    """The optimizer of one process.

    Args:
        optim_cls: its class
        local_params_rref: references to parameters that this process owns
        args: for the class
        kwargs: for the class
    """

    def __init__(
        self, optim_cls: Any, local_params_rref: list[RRef], *args: Any, **kwargs: Any
    ) -> None:
        self._local_params = [reference.local_value() for reference in local_params_rref]
        self.optim = optim_cls(self._local_params, *args, **kwargs)

    def step(self, autograd_ctx_id: int) -> None:
        found = get_gradients(autograd_ctx_id)
        with _lock:
            for parameter in self._local_params:
                parameter.grad = found.get(parameter)
            try:
                self.optim.step()
            finally:
                self.optim.zero_grad(set_to_none=True)


def _step(local: RRef, context_id: int) -> None:
    local.local_value().step(context_id)


class DistributedOptimizer:
    """Steps the parameters of several processes, each where it is.

    Args:
        optimizer_class: what each process uses
        params_rref: references to parameters
        args: for the class
        kwargs: for the class
    """

    def __init__(
        self, optimizer_class: Any, params_rref: list[RRef], *args: Any, **kwargs: Any
    ) -> None:
        by_owner: dict[Any, list[RRef]] = {}
        for reference in params_rref:
            by_owner.setdefault(reference.owner(), []).append(reference)
        self.remote_optimizers = [
            remote(owner, _LocalOptimizer, (optimizer_class, own, *args), kwargs)
            for owner, own in by_owner.items()
        ]

    def step(self, context_id: int) -> None:
        """Take a step with the gradients of a context.

        Args:
            context_id: its number
        """
        wait_all(
            [
                rpc_async(local.owner(), _step, (local, context_id))
                for local in self.remote_optimizers
            ]
        )
