"""Scaling losses so that small gradients survive in a lower type."""

from __future__ import annotations

import enum
import inspect
import warnings
from typing import Any

import rushlight
from rushlight.amp.scaled_gradients import _amp_foreach_non_finite_check_and_unscale_
from rushlight.engine.core import device as devices
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
        is_here = device == "cpu" or (device == "cuda" and devices.device("cuda").is_here)
        if enabled and not is_here:
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
        # The factor on each GPU.
        self._held: dict[Any, Tensor] = {}

    # -- the loss --

    def scale(self, outputs: Any) -> Any:
        """A tensor, or all tensors of a container, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._factor_for(outputs)  # type: ignore[operator]
        if isinstance(outputs, (list, tuple)):
            scaled = [self.scale(item) for item in outputs]
            return type(outputs)(*scaled) if hasattr(outputs, "_fields") else type(outputs)(scaled)
        if hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _factor_for(self, output: Tensor) -> Any:
        """The factor: on a GPU a tensor there, which a graph that was recorded reads as it is when it runs."""
        if not output.is_cuda:
            return self._scale
        found = self._held.get(output.device)
        if found is None:
            found = rushlight.full((), self._scale, dtype=rushlight.float32, device=output.device)
            self._held[output.device] = found
        return found

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
        self._found_inf[id(optimizer)] = self._looked_through(optimizer, 1.0 / self._scale, False)
        self._states[id(optimizer)] = OptState.UNSCALED

    def _looked_through(self, optimizer: Any, factor: float, allow_fp16: bool) -> bool:
        """Multiply the gradients; whether one of them was not finite."""
        found = self._unscale_grads_(
            optimizer, rushlight.tensor(factor), rushlight.tensor(0.0), allow_fp16
        )
        return any(bool(found_inf) for found_inf in found.values())

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool
    ) -> dict[Any, Tensor]:
        """Multiply the gradients of an optimizer's parameters.

        Args:
            optimizer: the optimizer
            inv_scale: what they are multiplied by, as a tensor of one element
            found_inf: becomes 1 if a gradient is not finite
            allow_fp16: whether gradients may be of half precision

        Returns:
            ``found_inf`` for each device that gradients are on
        """
        gradients: dict[Any, list[Tensor]] = {}
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is None:
                    continue
                is_half = gradient.dtype is rushlight.float16
                if is_half and not allow_fp16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if gradient.is_sparse:
                    if is_half:
                        # Elements that come twice may be finite only one by one.
                        gradient = parameter.grad = gradient.coalesce()
                    gradient = gradient._values()
                gradients.setdefault(gradient.device, []).append(gradient)
        found = {device: found_inf.to(device) for device in gradients}
        for device, there in gradients.items():
            _amp_foreach_non_finite_check_and_unscale_(there, found[device], inv_scale.to(device))
        return found

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's step, unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        state = self._states.get(id(optimizer), OptState.READY)
        if state is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_of_scaling(optimizer, state, args, kwargs)
        if state is OptState.READY:
            self.unscale_(optimizer)
        result = None
        if not self._found_inf[id(optimizer)]:
            result = optimizer.step(*args, **kwargs)
        self._states[id(optimizer)] = OptState.STEPPED
        return result

    def _step_of_scaling(self, optimizer: Any, state: OptState, args: Any, kwargs: Any) -> Any:
        """The step of an optimizer that itself divides gradients by the factor."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed "
                "optimizer. In the near future GradScaler registers `grad_scale: Tensor` and "
                "`found_inf: Tensor` to the passed optimizer and let the optimizer use them "
                "directly.",
                FutureWarning,
                stacklevel=3,
            )
            kwargs["grad_scaler"] = self
            told: dict[str, Any] = {}
        else:
            if state is OptState.READY:
                self._found_inf[id(optimizer)] = self._looked_through(optimizer, 1.0, True)
            is_unscaled = state is OptState.UNSCALED
            scale = None if is_unscaled else rushlight.tensor(self._scale)
            found_inf = rushlight.tensor(float(self._found_inf[id(optimizer)]))
            told = {"grad_scale": scale, "found_inf": found_inf}
        for name, value in told.items():
            setattr(optimizer, name, value)
        result = optimizer.step(*args, **kwargs)
        self._states[id(optimizer)] = OptState.STEPPED
        for name in told:
            delattr(optimizer, name)
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
        for held in self._held.values():
            held.fill_(self._scale)
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
        for held in self._held.values():
            held.fill_(self._scale)
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
