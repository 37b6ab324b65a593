"""Modules that round as if quantized, for training with what quantization will do."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.ao.quantization.observer import (
    FixedQParamsObserver,
    HistogramObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    _with_args,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)
from rushlight.nn import Module

__all__ = [
    "FakeQuantize", "FakeQuantizeBase", "FixedQParamsFakeQuantize", "FusedMovingAvgObsFakeQuantize",
    "default_affine_fixed_qparams_fake_quant", "default_dynamic_fake_quant",
    "default_embedding_fake_quant", "default_embedding_fake_quant_4bit", "default_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant", "default_fixed_qparams_range_neg1to1_fake_quant",
    "default_fused_act_fake_quant", "default_fused_per_channel_wt_fake_quant",
    "default_fused_wt_fake_quant", "default_histogram_fake_quant",
    "default_per_channel_weight_fake_quant", "default_symmetric_fixed_qparams_fake_quant",
    "default_weight_fake_quant", "disable_fake_quant", "disable_observer", "enable_fake_quant",
    "enable_observer", "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
    "fused_wt_fake_quant_range_neg_127_to_127",
]  # fmt: skip

_CHANNELS = (
    rushlight.per_channel_symmetric, rushlight.per_channel_affine,
    rushlight.per_channel_affine_float_qparams,
)  # fmt: skip


class FakeQuantizeBase(Module):
    """What modules that round derive from; two switches turn them on and off."""

    fake_quant_enabled: Any
    observer_enabled: Any

    def __init__(self) -> None:
        super().__init__()
        for name in ("fake_quant_enabled", "observer_enabled"):
            self.register_buffer(name, rushlight.tensor([1], dtype=rushlight.uint8))

    def forward(self, x: Any) -> Any:
        """The tensor, rounded."""
        raise NotImplementedError

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """The scale and zero point."""
        raise NotImplementedError

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Round, or not."""
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Round no more."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Follow what goes by, or not."""
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Keep the scale as it is."""
        self.enable_observer(False)

    with_args = classmethod(_with_args)


class FakeQuantize(FakeQuantizeBase):
    """Rounds as if quantized, with the scale that an observer finds.

    Args:
        observer: the class of the observer
        quant_min: the least number, where it is not the observer's
        quant_max: the largest one
        is_dynamic: whether scales are found anew for each tensor
        **observer_kwargs: for the observer
    """

    scale: Any
    zero_point: Any

    def __init__(
        self, observer: Any = MovingAverageMinMaxObserver, quant_min: Any = None,
        quant_max: Any = None, is_dynamic: bool = False, **observer_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if quant_min is not None and quant_max is not None:
            if quant_min > quant_max:
                raise AssertionError("quant_min must be less than or equal to quant_max")
            kind = observer_kwargs.get("dtype", rushlight.quint8)
            p = getattr(observer, "p", None)
            if p is not None:
                kind = p.keywords.get("dtype", kind)
            limits = rushlight.iinfo(kind.numbers)
            if quant_min < limits.min:
                raise AssertionError("quant_min out of bound")
            if quant_max > limits.max:
                raise AssertionError("quant_max out of bound")
            observer_kwargs.update({"quant_min": quant_min, "quant_max": quant_max})
        observer_kwargs["is_dynamic"] = is_dynamic
        self.activation_post_process = made = observer(**observer_kwargs)
        self.quant_min, self.quant_max = made.quant_min, made.quant_max
        self.is_dynamic = made.is_dynamic
        by_floats = made.qscheme is rushlight.per_channel_affine_float_qparams
        kind = rushlight.float if by_floats else rushlight.int
        self.register_buffer("scale", rushlight.tensor([1.0], dtype=rushlight.float))
        self.register_buffer("zero_point", rushlight.tensor([0], dtype=kind))
        self.dtype, self.qscheme = made.dtype, made.qscheme
        self.ch_axis = getattr(made, "ch_axis", -1)
        self.is_per_channel = self.qscheme in _CHANNELS

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """The scale and zero point."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: Any) -> Any:
        """The tensor, rounded."""
        if self.observer_enabled[0] == 1:
            self.activation_post_process(X.detach())
            for held, found in zip((self.scale, self.zero_point), self.calculate_qparams()):
                found = found.to(held.device)
                if held.shape != found.shape:
                    held.resize_(found.shape)
                held.copy_(found)
        if self.fake_quant_enabled[0] != 1:
            return X
        if self.is_per_channel:
            return rushlight.fake_quantize_per_channel_affine(
                X, self.scale, self.zero_point, self.ch_axis, self.quant_min, self.quant_max
            )
        return rushlight.fake_quantize_per_tensor_affine(
            X, self.scale, self.zero_point, self.quant_min, self.quant_max
        )

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"quant_min={self.quant_min}, quant_max={self.quant_max}, dtype={self.dtype}, "
            f"qscheme={self.qscheme}, ch_axis={self.ch_axis}, scale={self.scale}, "
            f"zero_point={self.zero_point}"
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = self.scale
        destination[prefix + "zero_point"] = self.zero_point

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool,
        missing_keys: list[str], *rest: Any,
    ) -> None:  # fmt: skip
        # The sizes are as many channels as there were.
        for name in ("scale", "zero_point"):
            given = state_dict.get(prefix + name)
            if given is not None:
                getattr(self, name).resize_(given.shape)
            elif strict:
                missing_keys.append(prefix + name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, *rest
        )


class FixedQParamsFakeQuantize(FakeQuantize):
    """Rounds with a scale that is known before.

    Args:
        observer: a class of `FixedQParamsObserver`, with its arguments
    """

    def __init__(self, observer: Any) -> None:
        super().__init__(observer=observer)
        if type(self.activation_post_process) is not FixedQParamsObserver:
            raise AssertionError(
                f"{self.__class__.__name__}'s observer must be a FixedQParamsObserver"
            )
        self._observer_ctr = observer
        self.scale = self.activation_post_process.scale
        self.zero_point = self.activation_post_process.zero_point
        if self.qscheme not in (rushlight.per_tensor_affine, rushlight.per_tensor_symmetric):
            raise AssertionError(
                "Only per tensor quantization is supported FixedQParamsFakeQuantize module, got "
                f"qscheme:{self.qscheme}"
            )

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """The scale and zero point."""
        return self.scale, self.zero_point

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}, "
            f"quant_min={self.activation_post_process.quant_min}, "
            f"quant_max={self.activation_post_process.quant_max}, qscheme={self.qscheme}"
        )


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """Observes averages and rounds, in one operator.

    Args:
        observer: `MovingAverageMinMaxObserver` or `MovingAveragePerChannelMinMaxObserver`
        quant_min: the least number
        quant_max: the largest one
        **observer_kwargs: for the observer
    """

    def __init__(
        self, observer: Any = MovingAverageMinMaxObserver, quant_min: int = 0, quant_max: int = 255,
        **observer_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(observer, quant_min, quant_max, **observer_kwargs)
        known = (MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
        if not isinstance(self.activation_post_process, known):
            raise AssertionError(
                "Fused observer+fake_quant module only works with MovingAverageMinMaxObserver or "
                "MovingAveragePerChannelMinMaxObserver"
            )
        for name in ("fake_quant_enabled", "observer_enabled"):
            self.register_buffer(name, rushlight.tensor([1], dtype=rushlight.long))
        self.is_symmetric_quant = self.qscheme in (
            rushlight.per_tensor_symmetric,
            rushlight.per_channel_symmetric,
        )

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """The scale and zero point."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: Any) -> Any:
        """The tensor, rounded."""
        observer = self.activation_post_process
        return rushlight.fused_moving_avg_obs_fake_quant(
            X, self.observer_enabled, self.fake_quant_enabled, observer.min_val, observer.max_val,
            self.scale, self.zero_point, observer.averaging_constant, observer.quant_min,
            observer.quant_max, self.ch_axis, self.is_per_channel, self.is_symmetric_quant,
        )  # fmt: skip

    def extra_repr(self) -> str:
        observer = self.activation_post_process
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, observer_enabled={self.observer_enabled}, "
            f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}, "
            f"quant_min={observer.quant_min}, quant_max={observer.quant_max}, "
            f"qscheme={self.qscheme}, reduce_range={observer.reduce_range}"
        )


# -- the usual ones --

_SYMMETRIC: dict[str, Any] = {
    "quant_min": -128, "quant_max": 127, "dtype": rushlight.qint8,
    "qscheme": rushlight.per_tensor_symmetric,
}  # fmt: skip
_SYMMETRIC_CHANNELS = {**_SYMMETRIC, "qscheme": rushlight.per_channel_symmetric}
_NARROW = {"quant_min": -127, "eps": 2**-12}

default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=rushlight.quint8,
    qscheme=rushlight.per_tensor_affine, reduce_range=True,
)  # fmt: skip
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, **_SYMMETRIC, reduce_range=False
)
default_dynamic_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, is_dynamic=True,
    dtype=rushlight.quint8, averaging_constant=1,
)  # fmt: skip
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
# Their older names.
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver, **_SYMMETRIC_CHANNELS, reduce_range=False,
    ch_axis=0,
)  # fmt: skip
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=rushlight.per_channel_affine_float_qparams, dtype=rushlight.quint8, quant_min=0,
    quant_max=255, ch_axis=0, averaging_constant=1,
)  # fmt: skip
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=rushlight.per_channel_affine_float_qparams, ch_axis=0, dtype=rushlight.quint4x2,
    averaging_constant=1,
)  # fmt: skip
default_histogram_fake_quant = FakeQuantize.with_args(
    observer=HistogramObserver, quant_min=0, quant_max=255, dtype=rushlight.quint8,
    qscheme=rushlight.per_tensor_affine, reduce_range=True,
)  # fmt: skip
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=rushlight.quint8
)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, **_SYMMETRIC
)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver, **_SYMMETRIC_CHANNELS
)
fused_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, **{**_SYMMETRIC, **_NARROW}
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver, **{**_SYMMETRIC_CHANNELS, **_NARROW}
)


# -- switches for `Module.apply` --


def _switch(name: str, doc: str) -> Any:
    def switch(mod: Any) -> None:
        if isinstance(mod, FakeQuantizeBase):
            getattr(mod, name)()

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = doc
    return switch


disable_fake_quant = _switch("disable_fake_quant", "Let a module round no more.")
enable_fake_quant = _switch("enable_fake_quant", "Let a module round.")
disable_observer = _switch("disable_observer", "Let a module's scale stay as it is.")
enable_observer = _switch("enable_observer", "Let a module follow what goes by.")
