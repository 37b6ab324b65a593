"""Regions in which products compute in a lower type."""

from __future__ import annotations

import collections.abc
import functools
import warnings
from collections.abc import Callable
from typing import Any, Self

from rushlight._state import autocast as switches
from rushlight.engine.core import device as devices
from rushlight.engine.core.dtype import dtype
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import autocasting, layers

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

_NAMES = {"cuda": "CUDA", "xpu": "XPU", "mps": "MPS", "hpu": "HPU", "mtia": "MTIA", "maia": "MAIA"}
_KNOWN = ("cpu", *_NAMES, "ipu", "xla", "privateuseone")


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast has a meaning for a kind of device."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    return device_type in _KNOWN or devices.device(device_type).type in _KNOWN


def autocast_decorator(instance: autocast, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, run within the region."""

    @functools.wraps(function)
    def within(*args: Any, **kwargs: Any) -> Any:
        with instance:
            return function(*args, **kwargs)

    return within


class autocast:
    """Within the region products compute in a lower type and delicate operators in float32.

    Args:
        device_type: the kind of device it is for; only "cpu" is there
        dtype: the lower type; the one `get_autocast_dtype` gives if None
        enabled: whether the region does anything; False switches a surrounding region off
        cache_enabled: whether weights are cast once for the whole region
    """

    def __init__(
        self,
        device_type: str,
        dtype: dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not is_autocast_available(device_type):
            raise RuntimeError(
                f"User specified an unsupported autocast device_type '{device_type}'"
            )
        self.device = device_type
        self.fast_dtype = autocasting.dtype_of(device_type) if dtype is None else dtype
        caching = switches.is_autocast_cache_enabled()
        self._cache_enabled = caching if cache_enabled is None else cache_enabled
        self._enabled = bool(enabled) and self._can_be()

    def _can_be(self) -> bool:
        """Whether the region is possible at all; says so if not."""
        if self.device == "cuda" and devices.device("cuda").is_here:
            return True
        if self.device != "cpu":
            name = _NAMES.get(self.device, self.device)
            warnings.warn(
                f"User provided device_type of '{self.device}', but {name} is not available. "
                "Disabling",
                stacklevel=3,
            )
            return False
        if self.fast_dtype not in autocasting.LOWER:
            supported = ", ".join(map(str, autocasting.LOWER))
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"CPU Autocast only supports dtype of {supported} currently.",
                stacklevel=3,
            )
            return False
        return True

    def __enter__(self) -> Self:
        self.prev_cache_enabled = switches.is_autocast_cache_enabled()
        self.prev = switches.is_autocast_enabled(self.device)
        self.prev_fastdtype = autocasting.dtype_of(self.device)
        switches.set_autocast_enabled(self.device, self._enabled)
        switches.set_autocast_dtype(self.device, self.fast_dtype)
        switches.autocast_increment_nesting()
        switches.set_autocast_cache_enabled(self._cache_enabled)
        if layers.sees_whole():
            told = (self.device, self.fast_dtype, self._enabled, self._cache_enabled)
            layers.stack()[-1].noted(_enter_autocast, *told)
        return self

    def __exit__(self, *exception: object) -> None:
        if layers.sees_whole():
            layers.stack()[-1].noted(_exit_autocast)
        if switches.autocast_decrement_nesting() == 0:
            switches.clear_autocast_cache()
        switches.set_autocast_enabled(self.device, self.prev)
        switches.set_autocast_dtype(self.device, self.prev_fastdtype)
        switches.set_autocast_cache_enabled(self.prev_cache_enabled)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return autocast_decorator(self, func)


def _enter_autocast(*settings: Any) -> autocast:
    """Begin a region, in a graph."""
    return autocast(*settings).__enter__()


def _exit_autocast(region: autocast) -> None:
    """End a region, in a graph."""
    region.__exit__(None, None, None)


# -- custom gradients --


def _cast(value: Any, device_type: str, kind: dtype) -> Any:
    """Floating-point tensors of the device in another type, inside containers too."""
    if isinstance(value, Tensor):
        given: Any = value
        double = str(given.dtype) == "torch.float64"
        eligible = given.is_floating_point() and given.device.type == device_type and not double
        return given.to(kind) if eligible else given
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {_cast(k, device_type, kind): _cast(v, device_type, kind) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(item, device_type, kind) for item in value)
    return value


def custom_fwd(
    fwd: Callable[..., Any] | None = None,
    *,
    device_type: str,
    cast_inputs: dtype | None = None,
) -> Callable[..., Any]:
    """Decorates `forward` of a custom function so that its backward knows of autocast.

    Args:
        fwd: the method
        device_type: the kind of device
        cast_inputs: within autocast, give it its tensors in this type and run it without
    """
    _check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    forward = fwd

    @functools.wraps(forward)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        on = switches.is_autocast_enabled(device_type)
        # Programs decorate plain functions too, whose first argument is a tensor, not a context.
        if not isinstance(ctx, Tensor):
            ctx._dtype = switches.get_autocast_dtype(device_type)
            ctx._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return forward(ctx, *args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            given = _cast(args, device_type, cast_inputs)
            return forward(ctx, *given, **_cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorates `backward` of a custom function: it runs under the autocast of its forward."""
    _check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    backward = bwd

    @functools.wraps(backward)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return backward(ctx, *args, **kwargs)

    return decorated


def _check_device_type(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
