"""Scaling losses so that small gradients survive in a lower type."""

from __future__ import annotations

import enum
import warnings
from typing import Any

from rushlight.engine.core.tensor import Tensor

__all__ = ["GradScaler", "OptState"]


class OptState(enum.Enum):
    """How far an optimizer is within a step."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """Multiplies losses by a factor that grows while gradients are finite and shrinks if not.

    Args:
        device: the kind of device; without it the scaler does nothing
        init_scale: the first factor
        growth_factor: what the factor is multiplied by after ``growth_interval`` finite steps
        backoff_factor: what it is multiplied by after a step with infinities or NaNs
        growth_interval: how many finite steps it takes to grow
        enabled: whether the scaler does anything
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device != "cpu":
            warnings.warn(
                f"torch.{device}.amp.GradScaler is enabled, but {device.upper()} is not available."
                "  Disabling.",
                stacklevel=2,
            )
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._scale: float = init_scale
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        # By optimizer: how far it is, and whether its gradients were all finite.
        self._states: dict[int, OptState] = {}
        self._found_inf: dict[int, bool] = {}

    # -- the loss --

    def scale(self, outputs: Any) -> Any:
        """A tensor, or all tensors of a container, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale  # type: ignore[operator]
        if isinstance(outputs, (list, tuple)):
            scaled = [self.scale(item) for item in outputs]
            return type(outputs)(*scaled) if hasattr(outputs, "_fields") else type(outputs)(scaled)
        if hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    # -- the step --

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the factor."""
        if not self._enabled:
            return
        state = self._states.get(id(optimizer), OptState.READY)
        if state is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        self._found_inf[id(optimizer)] = not self._unscaled(optimizer, 1.0 / self._scale)
        self._states[id(optimizer)] = OptState.UNSCALED

    def _unscaled(self, optimizer: Any, factor: float) -> bool:
        """Multiply the gradients; whether all were finite."""
        from rushlight.autograd.grad_mode import no_grad

        finite = True
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is None:
                        continue
                    if str(parameter.grad.dtype) == "torch.float16":
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    finite = finite and bool(parameter.grad.isfinite().all())
                    parameter.grad.mul_(factor)
        return finite

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's step, unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        state = self._states.get(id(optimizer), OptState.READY)
        if state is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state is OptState.READY:
            self.unscale_(optimizer)
        result = None
        if not self._found_inf[id(optimizer)]:
            result = optimizer.step(*args, **kwargs)
        self._states[id(optimizer)] = OptState.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Let the factor grow or shrink by what the steps since the last update found."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._found_inf:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(self._found_inf.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale *= self._growth_factor
                self._growth_tracker = 0
        self._states.clear()
        self._found_inf.clear()

    # -- what it is --

    def is_enabled(self) -> bool:
        return self._enabled

    def get_scale(self) -> float:
        """The factor; 1 if the scaler does nothing."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        return self._growth_tracker if self._enabled else 0

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint needs; empty if the scaler does nothing."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
