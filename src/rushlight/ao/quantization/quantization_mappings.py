"""Which layer each type of layer becomes."""

from __future__ import annotations

import copy
from typing import Any

from rushlight import nn
from rushlight.ao.nn import intrinsic as nni
from rushlight.ao.nn import qat
from rushlight.ao.nn import quantized as nnq
from rushlight.ao.nn.intrinsic import qat as nniqat
from rushlight.ao.nn.intrinsic import quantized as nniq
from rushlight.ao.nn.quantized import dynamic as nnqd
from rushlight.ao.quantization import fake_quantize as fake
from rushlight.ao.quantization import observer as observers
from rushlight.ao.quantization.stubs import DeQuantStub, QuantStub

__all__ = [
    "DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS", "DEFAULT_MODULE_TO_ACT_POST_PROCESS",
    "DEFAULT_QAT_MODULE_MAPPINGS", "DEFAULT_STATIC_QUANT_MODULE_MAPPINGS",
    "get_default_dynamic_quant_module_mappings", "get_default_qat_module_mappings",
    "get_default_qconfig_propagation_list", "get_default_static_quant_module_mappings",
    "get_dynamic_quant_module_class", "get_static_quant_module_class", "no_observer_set",
]  # fmt: skip

_NonDynamic = nn.modules.linear.NonDynamicallyQuantizableLinear
_STATIC: dict[Any, Any] = {
    QuantStub: nnq.Quantize, DeQuantStub: nnq.DeQuantize, nn.BatchNorm2d: nnq.BatchNorm2d,
    nn.BatchNorm3d: nnq.BatchNorm3d, nn.Dropout: nnq.Dropout, nn.ELU: nnq.ELU,
    nn.Embedding: nnq.Embedding, nn.EmbeddingBag: nnq.EmbeddingBag,
    nn.GroupNorm: nnq.GroupNorm, nn.Hardswish: nnq.Hardswish, nn.InstanceNorm1d: nnq.InstanceNorm1d,
    nn.InstanceNorm2d: nnq.InstanceNorm2d, nn.InstanceNorm3d: nnq.InstanceNorm3d,
    nn.LayerNorm: nnq.LayerNorm, nn.LeakyReLU: nnq.LeakyReLU, _NonDynamic: nnq.Linear,
    nn.Linear: nnq.Linear, nn.ReLU6: nnq.ReLU6, nn.Sigmoid: nnq.Sigmoid, nn.Softmax: nnq.Softmax,
    nnq.FloatFunctional: nnq.QFunctional, nni.BNReLU2d: nniq.BNReLU2d, nni.BNReLU3d: nniq.BNReLU3d,
    nni.LinearReLU: nniq.LinearReLU, nni.LinearLeakyReLU: nniq.LinearLeakyReLU,
    qat.Linear: nnq.Linear, nniqat.LinearReLU: nniq.LinearReLU,
}  # fmt: skip
_QAT: dict[Any, Any] = {
    nn.Conv2d: qat.Conv2d, nn.Conv3d: qat.Conv3d, nn.Linear: qat.Linear, _NonDynamic: qat.Linear,
    nni.LinearReLU: nniqat.LinearReLU,
}  # fmt: skip
for _d in (1, 2, 3):
    _plain, _relu = getattr(nnq, f"Conv{_d}d"), getattr(nniq, f"ConvReLU{_d}d")
    _STATIC.update({
        getattr(nn, f"Conv{_d}d"): _plain, getattr(qat, f"Conv{_d}d"): _plain,
        getattr(nni, f"ConvReLU{_d}d"): _relu, getattr(nniqat, f"ConvBn{_d}d"): _plain,
        getattr(nniqat, f"ConvBnReLU{_d}d"): _relu, getattr(nniqat, f"ConvReLU{_d}d"): _relu,
    })  # fmt: skip
    for _name in ("ConvBn", "ConvBnReLU", *(["ConvReLU"] if _d > 1 else [])):
        _QAT[getattr(nni, f"{_name}{_d}d")] = getattr(nniqat, f"{_name}{_d}d")

DEFAULT_STATIC_QUANT_MODULE_MAPPINGS = _STATIC
DEFAULT_QAT_MODULE_MAPPINGS = _QAT
DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS: dict[Any, Any] = {
    nn.Linear: nnqd.Linear, _NonDynamic: nnqd.Linear, nn.LSTM: nnqd.LSTM, nn.GRU: nnqd.GRU,
    nn.LSTMCell: nnqd.LSTMCell, nn.GRUCell: nnqd.GRUCell, nn.RNNCell: nnqd.RNNCell,
    nn.Embedding: nnq.Embedding, nn.EmbeddingBag: nnq.EmbeddingBag,
}  # fmt: skip
# Layers whose range is known before.
DEFAULT_MODULE_TO_ACT_POST_PROCESS: dict[Any, Any] = {
    nn.Hardsigmoid: fake.default_fixed_qparams_range_0to1_fake_quant,
    nn.Sigmoid: fake.default_fixed_qparams_range_0to1_fake_quant,
    nn.Softmax: fake.default_fixed_qparams_range_0to1_fake_quant,
    nn.Tanh: fake.default_fixed_qparams_range_neg1to1_fake_quant,
}
_OBSERVED_INSTEAD = {
    id(fake.default_fixed_qparams_range_0to1_fake_quant): (
        observers.default_fixed_qparams_range_0to1_observer
    ),
    id(fake.default_fixed_qparams_range_neg1to1_fake_quant): (
        observers.default_fixed_qparams_range_neg1to1_observer
    ),
}


def fixed_observer_of(module: Any, is_qat: bool) -> Any:
    """What follows a layer whose range is known before; None for others."""
    found = DEFAULT_MODULE_TO_ACT_POST_PROCESS.get(type(module))
    return found if found is None or is_qat else _OBSERVED_INSTEAD[id(found)]


def no_observer_set() -> set[Any]:
    """Layers that no observer follows."""
    return set()


def get_default_static_quant_module_mappings() -> dict[Any, Any]:
    """Which layer each type becomes after training."""
    return copy.copy(_STATIC)


def get_default_qat_module_mappings() -> dict[Any, Any]:
    """Which layer each type becomes for training."""
    return copy.copy(_QAT)


def get_default_dynamic_quant_module_mappings() -> dict[Any, Any]:
    """Which layer each type becomes if inputs get a scale each time."""
    return DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS


def get_default_qconfig_propagation_list() -> set[Any]:
    """All types that a configuration is for."""
    return {*_STATIC, *_QAT, *DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS}


def _class_of(kind: Any, known: dict[Any, Any], more: Any, what: str) -> Any:
    found = {**known, **(more or {})}.get(kind)
    if found is None:
        raise AssertionError(
            f"Floating point module class {kind} does not have a corresponding {what}"
        )
    return copy.deepcopy(found)


def get_static_quant_module_class(
    float_module_class: Any, additional_static_quant_mapping: Any = None, is_reference: bool = False
) -> Any:
    """The quantized layer of a type."""
    return _class_of(
        float_module_class, _STATIC, additional_static_quant_mapping, "quantized module class"
    )


def get_dynamic_quant_module_class(
    float_module_class: Any, additional_dynamic_quant_mapping: Any = None
) -> Any:
    """The dynamically quantized layer of a type."""
    return _class_of(
        float_module_class, DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS,
        additional_dynamic_quant_mapping, "quantized module class",
    )  # fmt: skip
