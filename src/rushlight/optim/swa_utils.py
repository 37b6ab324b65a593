"""Averages of a model's parameters over training."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import rushlight
from rushlight.engine.core import state as switches
from rushlight.engine.loops.list_loop import ListLoop
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import _BatchNorm
from rushlight.optim.lr_scheduler import LRScheduler
from rushlight.optim.optimizer import Optimizer

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
    "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip

Average = Callable[[Any, Any, Any], Any]
ListAverage = Callable[[list[Any], list[Any], Any], None]

_loops: dict[Any, ListLoop] = {}


def _approach(averages: list[Any], present: list[Any], weight: float) -> None:
    """Move every average a part of the way to the present value; in one launch if that can be."""
    if averages[0].is_floating_point() and switches.switches.busy == 0:
        dtypes = (averages[0].dtype, present[0].dtype)
        loop = _loops.get(dtypes)
        if loop is None:
            loop = _loops[dtypes] = ListLoop(lambda a, b, w: a + w * (b - a), dtypes, 1, 1)
        if loop.run(list(chain.from_iterable(zip(averages, present))), weight):
            return
    for average, value in zip(averages, present):
        if average.is_floating_point() or average.is_complex():
            average.lerp_(value.to(average.dtype), weight)
        else:
            average.copy_(average * (1 - weight) + value * weight)


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


def get_ema_multi_avg_fn(decay: float = 0.999) -> ListAverage:
    """Exponential averages of lists of parameters."""
    _check_decay(decay)

    @rushlight.no_grad()
    def ema_update(averages: list[Any], present: list[Any], _: Any) -> None:
        _approach(averages, present, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn() -> ListAverage:
    """Equal averages of lists of parameters."""

    @rushlight.no_grad()
    def swa_update(averages: list[Any], present: list[Any], num_averaged: Any) -> None:
        _approach(averages, present, 1 / (float(num_averaged) + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The exponential average of one parameter."""
    _check_decay(decay)

    @rushlight.no_grad()
    def ema_update(average: Any, present: Any, _: Any) -> Any:
        return decay * average + (1 - decay) * present

    return ema_update


def get_swa_avg_fn() -> Average:
    """The equal average of one parameter."""

    @rushlight.no_grad()
    def swa_update(average: Any, present: Any, num_averaged: Any) -> Any:
        return average + (present - average) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's.

    Args:
        model: the model
        device: where the averages are kept
        avg_fn: the next average from an average, a parameter and the number of averages so far
        multi_avg_fn: changes a list of averages, given a list of parameters and that number
        use_buffers: average buffers too, instead of copying them
    """

    n_averaged: Any

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: ListAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        counter = rushlight.tensor(0, dtype=rushlight.long, device=device)
        self.register_buffer("n_averaged", counter)
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The averaged model's result."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's present parameters into the averages."""
        averages = [p.detach() for p in self._averaged(self.module)]
        present = [p.detach().to(a.device) for p, a in zip(self._averaged(model), averages)]
        if self.n_averaged == 0:
            for average, value in zip(averages, present):
                average.copy_(value)
        elif self.avg_fn is not None:
            for average, value in zip(averages, present):
                average.copy_(self.avg_fn(average, value, self.n_averaged))
        elif averages:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            for chosen in _by_type(averages, present):
                update(*chosen, self.n_averaged)
        if not self.use_buffers:
            for buffer, value in zip(self.module.buffers(), model.buffers()):
                buffer.detach().copy_(value.detach())
        self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterable[Any]:
        return (
            chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()
        )


def _by_type(averages: list[Any], present: list[Any]) -> Iterable[tuple[list[Any], list[Any]]]:
    """Lists of averages and values that have one type each."""
    kinds: dict[Any, tuple[list[Any], list[Any]]] = {}
    for average, value in zip(averages, present):
        chosen = kinds.setdefault((average.dtype, value.dtype, average.device), ([], []))
        chosen[0].append(average)
        chosen[1].append(value)
    return kinds.values()


@rushlight.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Find the running statistics of batch norms anew, from all batches of a loader."""
    momenta: dict[Any, Any] = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None  # an equal average over all batches
    for batch in loader:
        given = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(given if device is None else given.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Brings the rates to a fixed value and keeps them there.

    Args:
        optimizer: whose groups
        swa_lr: the rate in the end, or one for each group
        anneal_epochs: after how many steps it is reached
        anneal_strategy: ``"cos"`` or ``"linear"``
        last_epoch: the last step that was made, -1 for none
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                "swa_lr must have the same length as optimizer.param_groups. swa_lr has "
                f"{len(rates)} values, param_groups has {len(groups)}."
            )
        for rate, group in zip(rates, groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        """How much of the way to the end is gone after a number of steps."""
        part = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * part)) / 2 if self._anneal_strategy == "cos" else part

    def get_lr(self) -> list[Any]:
        """The next rate of every group."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(max(0, step - 1)), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            # Where the way began, as the rate says that was set last.
            start = group["swa_lr"]
            if before != 1:
                start = (group["lr"] - before * group["swa_lr"]) / (1 - before)
            rates.append(group["swa_lr"] * now + start * (1 - now))
        return rates
