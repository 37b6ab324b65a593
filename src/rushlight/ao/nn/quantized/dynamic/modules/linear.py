"""The linear layer of real numbers with a quantized weight; inputs get a scale each time."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.ao.nn.quantized.modules import linear as static
from rushlight.ao.nn.quantized.modules.utils import quantized_weight

__all__ = ["Linear"]


class Linear(static.Linear):
    """A linear layer with a weight of eight bits, or of half precision.

    Args:
        in_features: the size of inputs
        out_features: the size of results
        bias_: whether a bias is added
        dtype: ``qint8`` or ``float16``
    """

    _version = 4

    def __init__(
        self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = rushlight.qint8
    ) -> None:
        super().__init__(in_features, out_features, bias_, dtype=dtype)
        self.version = 4

    def forward(self, x: Any) -> Any:
        """The layer's result."""
        packed = self._packed_params._packed_params
        if self._packed_params.dtype is rushlight.float16:
            return rushlight.ops.quantized.linear_dynamic_fp16(x, packed)
        made = rushlight.ops.quantized.linear_dynamic(x, packed, reduce_range=True)
        return made.to(x.dtype)

    def _get_name(self) -> str:
        return "DynamicQuantizedLinear"

    def extra_repr(self) -> str:
        text = (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"dtype={self._packed_params.dtype}"
        )
        if self._packed_params.dtype is rushlight.qint8:
            text += f", qscheme={self.weight().qscheme()}"
        return text

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        for name, usual in (("scale", 1.0), ("zero_point", 0)):
            state_dict.setdefault(prefix + name, usual)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer of one of real numbers."""
        from rushlight.ao.nn import intrinsic
        from rushlight.ao.quantization.qconfig import default_dynamic_qconfig

        linear = mod[0] if isinstance(mod, intrinsic._FusedModule) else mod
        if not isinstance(linear, rushlight.nn.Linear):
            raise AssertionError(
                f"nn.quantized.dynamic.Linear.from_float only works for one of Linear, not {type(mod)}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        given = mod.qconfig.weight if mod.qconfig is not None else None
        observer = (given or default_dynamic_qconfig.weight)()
        observer(linear.weight)
        dtype = observer.dtype
        if dtype is rushlight.qint8:
            weight = quantized_weight(linear.weight.float(), observer)
        elif dtype is rushlight.float16:
            weight = linear.weight.float()
        else:
            raise RuntimeError("Unsupported dtype specified for dynamic quantized Linear!")
        made = cls(linear.in_features, linear.out_features, dtype=dtype)
        made.set_weight_bias(weight, linear.bias)
        return made
