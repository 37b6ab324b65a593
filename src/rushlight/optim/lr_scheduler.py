"""Schedules of the learning rate."""

from __future__ import annotations

import functools
import math
import warnings
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight.engine.core.tensor import Tensor
from rushlight.optim.optimizer import Optimizer

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR",
    "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

EPOCH_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch "
    "is different from None, the closed form is used instead of the new chainable form, where "
    "available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)


def _set(group: dict[str, Any], name: str, value: Any) -> None:
    """Change a setting; one that is a tensor keeps its identity."""
    if isinstance(group[name], Tensor):
        group[name].fill_(value)  # type: ignore[attr-defined]
    else:
        group[name] = value


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]


class LRScheduler:
    """Changes the rate of every group when `step` is called.

    Subclasses give `get_lr`, the next rates from the present ones.

    Args:
        optimizer: whose groups
        last_epoch: the last step that was made, -1 for none
    """

    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copy(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    "param 'initial_lr' is not specified in "
                    f"param_groups[{index}] when resuming scheduler with last_epoch >= 0"
                )
        self.base_lrs = [_copy(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._count_steps(optimizer)
        self._initial_step()

    @staticmethod
    def _count_steps(optimizer: Any) -> None:
        """Let the optimizer's `step` say that it was called."""
        if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
            return
        owner, function = weakref.ref(optimizer), optimizer.step.__func__

        @functools.wraps(function)
        def step(*args: Any, **kwargs: Any) -> Any:
            found: Any = owner()
            found._opt_called = True
            return function(found, *args, **kwargs)

        step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
        optimizer.step = step

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All fields but the optimizer."""
        return {k: v for k, v in self.__dict__.items() if k != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The next rate of every group."""
        raise NotImplementedError

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def rates(self) -> list[Any]:
        """The present rate of every group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def scaled(self, factor: float) -> list[Any]:
        return [rate * factor for rate in self.rates()]

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to a given one, and set the rates."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                    "initialization. Please, make sure to call `optimizer.step()` before "
                    "`lr_scheduler.step()`.",
                    UserWarning,
                    stacklevel=2,
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
                    "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
                    "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
                    "skipping the first value of the learning rate schedule. See more details at "
                    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                    UserWarning,
                    stacklevel=2,
                )
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_WARNING, UserWarning, stacklevel=2)
        self._update(epoch)

    def _update(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed = getattr(self, "_get_closed_form_lr", None)
                values = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        self._apply(values)

    def _apply(self, values: Iterable[Any]) -> None:
        for group, value in zip(self.optimizer.param_groups, values):
            _set(group, "lr", value)
        self._last_lr = [_copy(rate) for rate in self.rates()]


_LRScheduler = LRScheduler


class _OfFunctions(LRScheduler):
    """A schedule by functions of the epoch, one for every group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        functions = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(functions) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(functions)}")
        self.lr_lambdas: list[Callable[[int], float]] = functions
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All fields but the optimizer and plain functions; of callable objects, their fields."""
        skipped = ("optimizer", "lr_lambdas")
        state = {k: v for k, v in self.__dict__.items() if k not in skipped}
        state["lr_lambdas"] = [
            None if callable(f) and hasattr(f, "__code__") else f.__dict__.copy()
            for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        saved = state_dict.pop("lr_lambdas")
        self.__dict__.update(state_dict)
        state_dict["lr_lambdas"] = saved
        for function, fields in zip(self.lr_lambdas, saved):
            if fields is not None:
                function.__dict__.update(fields)


class LambdaLR(_OfFunctions):
    """The first rate times a function of the epoch."""

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        return [b * f(self.last_epoch) for f, b in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(_OfFunctions):
    """The last rate times a function of the epoch."""

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self._is_initial:
            return self.rates()
        return [rate * f(self.last_epoch) for f, rate in zip(self.lr_lambdas, self.rates())]


class StepLR(LRScheduler):
    """Times ``gamma`` every ``step_size`` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self.rates()
        return self.scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [b * self.gamma ** (self.last_epoch // self.step_size) for b in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Times ``gamma`` at each of the milestones."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        times = self.milestones.get(self.last_epoch, 0)
        return self.scaled(self.gamma**times) if times else self.rates()

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [b * self.gamma**passed for b in self.base_lrs]


class ConstantLR(LRScheduler):
    """A part of the rate for the first epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self.scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return self.rates()
        return self.scaled(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        factor = self.factor if self.last_epoch < self.total_iters else 1.0
        return [b * factor for b in self.base_lrs]


class LinearLR(LRScheduler):
    """From a part of the rate to another part of it, in equal steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self.scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.rates()
        change = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * change
        return self.scaled(1.0 + change / before)

    def _get_closed_form_lr(self) -> list[Any]:
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        factor = self.start_factor + (self.end_factor - self.start_factor) * share
        return [b * factor for b in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Times ``gamma`` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        return self.rates() if self._is_initial else self.scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [b * self.gamma**self.last_epoch for b in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Down to zero along a power of what is left."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self.rates()
        now = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self.scaled((now / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [b * left**self.power for b in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Up and down half a cosine every ``T_max`` epochs."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        if self._is_initial:
            return self.rates()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        low = self.eta_min
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [rate + (base - low) * rise for base, rate in zip(self.base_lrs, self.rates())]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (rate - low) + low for rate in self.rates()]

    def _get_closed_form_lr(self) -> list[Any]:
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (b - self.eta_min) * height for b in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down half a cosine, again and again, each ``T_mult`` times as long as the last."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min, self.T_cur = T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (b - self.eta_min) * height for b in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:  # type: ignore[override]
        """Go on by one, or to a given epoch, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch  # type: ignore[assignment]
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0  # type: ignore[assignment]
        else:
            turn = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            done = self.T_0 * (self.T_mult**turn - 1) / (self.T_mult - 1)
            self.T_cur = epoch - done  # type: ignore[assignment]
            self.T_i = self.T_0 * self.T_mult**turn
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        try:
            values = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        self._apply(values)


class SequentialLR(LRScheduler):
    """One schedule after another, from milestone to milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if not schedulers:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler, but got no scheduler."
            )
        for index, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(
                    f"{type(self).__name__} at index {index} should have `optimizer` as its attribute."
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{type(self).__name__} does not support `ReduceLROnPlateau` scheduler as it "
                    "requires additional kwargs to be specified when calling `step`, but got one at "
                    f"index {index} in the given schedulers sequence."
                )
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    f"{type(self).__name__} expects all schedulers to belong to the same optimizer, "
                    f"but got scheduler {type(scheduler).__name__} at index {index} has "
                    f"{scheduler.optimizer}, which is different from {type(optimizer).__name__}."
                )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the "
                f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                f"number of milestones to be equal to {len(milestones)}"
            )
        self.optimizer = optimizer
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            _set(group, "lr", group["initial_lr"])
        # The first schedule begins anew; the others take back what they did when they were made.
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        self._begin(schedulers[0])
        self._last_lr = schedulers[0].get_last_lr()

    @staticmethod
    def _begin(scheduler: LRScheduler) -> None:
        scheduler._is_initial = True
        try:
            scheduler._update()
        finally:
            scheduler._is_initial = False

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._update(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """All fields but the optimizer, with the states of the schedules."""
        skipped = ("optimizer", "_schedulers")
        state = {k: v for k, v in self.__dict__.items() if k not in skipped}
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        own = dict(state_dict)
        for scheduler, state in zip(self._schedulers, own.pop("_schedulers")):
            scheduler.load_state_dict(state)
        self.__dict__.update(own)


class ChainedScheduler(LRScheduler):
    """Several schedules, each stepped after the other every epoch."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if not schedulers:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        for index, scheduler in enumerate(schedulers):
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{type(self).__name__} does not support `ReduceLROnPlateau` scheduler as it "
                    "requires additional kwargs to be specified when calling `step`, but got one at "
                    f"index {index} in the given schedulers sequence."
                )
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    f"{type(self).__name__} expects all schedulers to belong to the same optimizer, "
                    f"but got scheduler {type(scheduler).__name__} at index {index} has "
                    f"{scheduler.optimizer}, which is different from {type(optimizer).__name__}."
                )
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = [_copy(g["lr"]) for g in optimizer.param_groups]

    def step(self) -> None:  # type: ignore[override]
        """Go to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [_copy(g["lr"]) for g in self.optimizer.param_groups]

    state_dict = SequentialLR.state_dict
    load_state_dict = SequentialLR.load_state_dict


class ReduceLROnPlateau(LRScheduler):
    """A lower rate when a measure has stopped getting better.

    Args:
        optimizer: whose groups
        mode: whether ``min`` or ``max`` is better
        factor: what the rate is multiplied by
        patience: how many epochs without progress are borne
        threshold: what counts as progress
        threshold_mode: whether that is a share (``rel``) or a difference (``abs``)
        cooldown: epochs to wait after a change
        min_lr: the lowest rate, or one for every group
        eps: changes smaller than this are not made
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        count = len(optimizer.param_groups)
        self.optimizer, self.factor = optimizer, factor
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != count:
                raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * count
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        # What every measure is better than.
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.last_epoch = 0
        self._last_lr = [_copy(g["lr"]) for g in optimizer.param_groups]
        self._reset()

    def _reset(self) -> None:
        """Forget what was measured."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take the measure of an epoch into account."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self.is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [_copy(g["lr"]) for g in self.optimizer.param_groups]

    def _reduce_lr(self, epoch: int) -> None:
        for group, low in zip(self.optimizer.param_groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, low)
            if old - new > self.eps:
                _set(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    def is_better(self, a: float, best: float) -> bool:
        """Whether a measure is progress."""
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            limit = best * (1.0 + sign * self.threshold)
        else:
            limit = best + sign * self.threshold
        return a < limit if self.mode == "min" else a > limit


def _constant_height(gamma: float, x: float) -> float:
    return 1.0


def _halved_height(gamma: float, x: float) -> float:
    return 1 / (2.0 ** (x - 1))


def _falling_height(gamma: float, x: float) -> float:
    return float(gamma**x)


_HEIGHTS = {
    "triangular": _constant_height,
    "triangular2": _halved_height,
    "exp_range": _falling_height,
}


class CyclicLR(LRScheduler):
    """Up and down between two rates.

    Args:
        optimizer: whose groups
        base_lr: the lower rate, or one for every group
        max_lr: the higher rate, or one for every group
        step_size_up: how many steps up
        step_size_down: how many steps down; as many if None
        mode: ``triangular``, ``triangular2`` (half as high every time) or ``exp_range``
        gamma: the base of ``exp_range``
        scale_fn: a function of the cycle or of the step, in place of ``mode``
        scale_mode: whether it takes the ``cycle`` or the number of ``iterations``
        cycle_momentum: move the momentum the other way
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        groups = optimizer.param_groups
        base_lrs = _per_group("base_lr", groups, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, groups):
                _set(group, "lr", rate)
        self.max_lrs = _per_group("max_lr", groups, max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = float(step_size_up) / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        by_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = by_mode if scale_fn is None else scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError(
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
                )
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = _per_group("base_momentum", groups, base_momentum)
            self.max_momentums = _per_group("max_momentum", groups, max_momentum)
            if last_epoch == -1:
                for high, low, group in zip(self.max_momentums, self.base_momentums, groups):
                    _set_momentum(self.use_beta1, group, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def state_dict(self) -> dict[str, Any]:
        """All fields but the optimizer and a plain function; of a callable object, its fields."""
        state = super().state_dict()
        own = state["_scale_fn_custom"]
        is_plain = own is None or hasattr(own, "__code__")
        state["_scale_fn_custom"] = None if is_plain else own.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        others = dict(state_dict)
        fields = others.pop("_scale_fn_custom")
        super().load_state_dict(others)
        if fields is not None:
            self._scale_fn_custom.__dict__.update(fields)

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, or at a step."""
        own = self._scale_fn_custom
        return self._scale_fn_ref(x) if own is None else own(x)

    @property
    def _scale_fn_ref(self) -> Callable[[float], float]:
        """The function that the mode stands for."""
        return functools.partial(_HEIGHTS[self.mode], self.gamma)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        share = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        rates = [
            base + (high - base) * share * height for base, high in zip(self.base_lrs, self.max_lrs)
        ]
        if self.cycle_momentum:
            for low, high, group in zip(
                self.base_momentums, self.max_momentums, self.optimizer.param_groups
            ):
                _set_momentum(self.use_beta1, group, high - (high - low) * share * height)
        return rates


def _set_momentum(is_beta: bool, group: dict[str, Any], value: float) -> None:
    """Change a group's momentum, which may be the first of two betas."""
    if is_beta:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def _per_group(name: str, groups: Sequence[Any], value: Any) -> list[Any]:
    """A setting for every group."""
    if isinstance(value, (list, tuple)):
        if len(value) != len(groups):
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. {name} has "
                f"{len(value)} values, param_groups has {len(groups)}."
            )
        return list(value)
    return [value] * len(groups)


def _phase(end: float, *names: str) -> dict[str, Any]:
    """A phase of a cycle: its last step, and the settings that it leads from and to."""
    fields = ("start_lr", "end_lr", "start_momentum", "end_momentum")
    return {"end_step": end, **dict(zip(fields, names))}


class OneCycleLR(LRScheduler):
    """Up to a highest rate and down to a very low one, once.

    Args:
        optimizer: whose groups
        max_lr: the highest rate, or one for every group
        total_steps: how many steps there will be; or ``epochs`` times ``steps_per_epoch``
        pct_start: the share of the steps that goes up
        anneal_strategy: ``cos`` or ``linear``
        cycle_momentum: move the momentum the other way
        div_factor: how much lower the first rate is
        final_div_factor: how much lower than the first the last rate is
        three_phase: come back to the first rate before the last fall
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        self.total_steps = self._steps(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        self._schedule_phases = self._phases(float(pct_start * self.total_steps), three_phase)
        groups = optimizer.param_groups
        if last_epoch == -1:
            for high, group in zip(_per_group("max_lr", groups, max_lr), groups):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError(
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
                )
            self.use_beta1 = "betas" in optimizer.defaults
            if last_epoch == -1:
                lows = _per_group("base_momentum", groups, base_momentum)
                for high, low, group in zip(
                    _per_group("max_momentum", groups, max_momentum), lows, groups
                ):
                    _set_momentum(self.use_beta1, group, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _steps(total: int | None, epochs: int | None, each: int | None) -> int:
        """How many steps the whole schedule has."""
        if total is not None:
            if total <= 0 or not isinstance(total, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total}")
            return total
        if epochs is None or each is None:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        for label, number in (("epochs", epochs), ("steps_per_epoch", each)):
            if not isinstance(number, int) or number <= 0:
                raise ValueError(f"Expected positive integer {label}, but got {number}")
        return epochs * each

    def _phases(self, top: float, three: bool) -> list[dict[str, Any]]:
        """The phases of the schedule; the rate is highest at step ``top - 1``."""
        last = self.total_steps - 1
        rise = _phase(top - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if not three:
            return [rise, _phase(last, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        fall = _phase(2 * top - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
        return [rise, fall, _phase(last, "initial_lr", "min_lr", "max_momentum", "max_momentum")]

    def _between(self, start: float, end: float, share: float) -> float:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The total number of steps is {self.total_steps}"
            )
        rates = []
        for group in self.optimizer.param_groups:
            start = 0.0
            for index, phase in enumerate(self._schedule_phases):
                end = phase["end_step"]
                if step <= end or index == len(self._schedule_phases) - 1:
                    share = (step - start) / (end - start)
                    low, high = group[phase["start_lr"]], group[phase["end_lr"]]
                    rates.append(self._between(low, high, share))
                    if self.cycle_momentum:
                        low, high = group[phase["start_momentum"]], group[phase["end_momentum"]]
                        _set_momentum(self.use_beta1, group, self._between(low, high, share))
                    break
                start = end
        return rates
