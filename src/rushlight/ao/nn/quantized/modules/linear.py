"""The linear layer of quantized tensors."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import nn
from rushlight.ao.nn.quantized.modules.utils import (
    WeightedQuantizedModule,
    _hide_packed_params_repr,
    quantized_weight,
)

__all__ = ["Linear", "LinearPackedParams"]


class LinearPackedParams(nn.Module):
    """A weight and a bias as products want them.

    Args:
        dtype: ``qint8``, or ``float16`` for weights of half precision
    """

    _version = 3

    def __init__(self, dtype: Any = rushlight.qint8) -> None:
        super().__init__()
        self.dtype = dtype
        kind = dtype if dtype is rushlight.qint8 else None
        if kind is None and dtype is not rushlight.float16:
            raise RuntimeError("Unsupported dtype on dynamic quantized linear!")
        weight = (
            rushlight._empty_affine_quantized([1, 1], scale=1, zero_point=0, dtype=rushlight.qint8)
            if kind is not None
            else rushlight.zeros([1, 1], dtype=rushlight.float)
        )
        self.set_weight_bias(weight, None)

    def set_weight_bias(self, weight: Any, bias: Any) -> None:
        """Take a weight and a bias."""
        operators = rushlight.ops.quantized
        bias = None if bias is None else bias.detach() if not _is_parameter(bias) else bias
        if self.dtype is rushlight.qint8:
            self._packed_params = operators.linear_prepack(weight, bias)
        else:
            self._packed_params = operators.linear_prepack_fp16(weight, bias)

    def _weight_bias(self) -> Any:
        return self._packed_params.unpack()

    def forward(self, x: Any) -> Any:
        """The input."""
        return x

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "dtype"] = self.dtype
        destination[prefix + "_packed_params"] = self._weight_bias()

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        version = local_metadata.get("version", None)
        if version is None or version < 2:
            self.dtype = rushlight.qint8
        elif prefix + "dtype" in state_dict:
            self.dtype = state_dict.pop(prefix + "dtype")
        if version is None or version < 3:
            given = state_dict.pop(prefix + "weight"), state_dict.pop(prefix + "bias")
            self.set_weight_bias(*given)
        elif prefix + "_packed_params" in state_dict:
            self.set_weight_bias(*state_dict.pop(prefix + "_packed_params"))
        elif strict:
            missing_keys.append(prefix + "_packed_params")
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def __repr__(self) -> str:
        return repr(self._weight_bias())


def _is_parameter(bias: Any) -> bool:
    return isinstance(bias, nn.Parameter)


class Linear(WeightedQuantizedModule):
    """A linear layer whose inputs, weight and results are quantized.

    Args:
        in_features: the size of inputs
        out_features: the size of results
        bias_: whether a bias is added
        dtype: the type of the weight
    """

    _version = 3
    _FLOAT_MODULE: Any = (nn.Linear, nn.modules.linear.NonDynamicallyQuantizableLinear)

    def __init__(
        self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = rushlight.qint8
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        bias = rushlight.zeros(out_features, dtype=rushlight.float) if bias_ else None
        if dtype is rushlight.qint8:
            weight = rushlight._empty_affine_quantized(
                [out_features, in_features], scale=1, zero_point=0, dtype=rushlight.qint8
            )
        elif dtype is rushlight.float16:
            weight = rushlight.zeros([out_features, in_features], dtype=rushlight.float)
        else:
            raise RuntimeError("Unsupported dtype specified for quantized Linear!")
        self._packed_params = LinearPackedParams(dtype)
        self._packed_params.set_weight_bias(weight, bias)
        self.scale: Any = 1.0
        self.zero_point: Any = 0

    def _get_name(self) -> str:
        return "QuantizedLinear"

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, scale={self.scale}, "
            f"zero_point={self.zero_point}, qscheme={self.weight().qscheme()}"
        )

    def __repr__(self) -> str:
        return _hide_packed_params_repr(self, LinearPackedParams)

    def forward(self, x: Any) -> Any:
        """The layer's result for a quantized tensor."""
        return rushlight.ops.quantized.linear(
            x, self._packed_params._packed_params, self.scale, self.zero_point
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = rushlight.tensor(self.scale)
        destination[prefix + "zero_point"] = rushlight.tensor(self.zero_point)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        version = local_metadata.get("version", None)
        if version is None or version == 1:
            moved = {
                "_packed_params.weight": state_dict.pop(prefix + "weight"),
                "_packed_params.bias": state_dict.pop(prefix + "bias"),
            }
            state_dict.update({prefix + name: value for name, value in moved.items()})
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def _weight_bias(self) -> Any:
        return self._packed_params._weight_bias()

    def weight(self) -> Any:
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self) -> Any:
        """The bias, or None."""
        return self._weight_bias()[1]

    def set_weight_bias(self, w: Any, b: Any) -> None:
        """Take a weight and a bias."""
        self._packed_params.set_weight_bias(w, b)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers that observers have seen."""
        weight_observer, activation_observer = _observers(cls, mod)
        dtype = weight_observer.dtype
        if dtype is not rushlight.qint8:
            raise AssertionError("Weight observer must have dtype torch.qint8")
        scale, zero_point = activation_observer.calculate_qparams()
        linear = mod[0] if type(mod) in _fused_kinds() else mod
        made = cls(linear.in_features, linear.out_features, dtype=dtype)
        made.set_weight_bias(quantized_weight(linear.weight.float(), weight_observer), linear.bias)
        made.scale, made.zero_point = float(scale), int(zero_point)
        return made


def _fused_kinds() -> tuple[Any, ...]:
    from rushlight.ao.nn import intrinsic

    return (intrinsic.LinearReLU, intrinsic.LinearLeakyReLU, intrinsic.LinearTanh)


def _observers(cls: Any, mod: Any) -> tuple[Any, Any]:
    """The observers of a layer's weight, which sees it now, and of its results."""
    if hasattr(mod, "weight_fake_quant"):
        weight_observer, of = mod.weight_fake_quant, mod
    else:
        kinds = cls._FLOAT_MODULE if isinstance(cls._FLOAT_MODULE, tuple) else (cls._FLOAT_MODULE,)
        if type(mod) not in kinds:
            names = ", ".join(kind.__name__ for kind in kinds)
            raise AssertionError(
                f"nnq.{cls.__name__}.from_float only works for {names}, not {type(mod)}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        of = mod[0] if type(mod) in _fused_kinds() else mod
        weight_observer = mod.qconfig.weight()
        weight_observer(of.weight)
    observer = mod.activation_post_process
    return weight_observer, observer
