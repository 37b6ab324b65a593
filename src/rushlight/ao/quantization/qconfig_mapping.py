"""Which configuration each part of a model gets: by name, by type, or for all."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

import rushlight
from rushlight.ao.quantization import fake_quantize as fake
from rushlight.ao.quantization import observer as observers
from rushlight.ao.quantization.qconfig import (
    QConfig,
    QConfigAny,
    default_quint8_weight_qconfig,
    default_reuse_input_qconfig,
    default_symmetric_qnnpack_qat_qconfig,
    default_symmetric_qnnpack_qconfig,
    get_default_qat_qconfig,
    get_default_qconfig,
)

__all__ = [
    "QConfigMapping", "get_default_qat_qconfig_mapping", "get_default_qconfig_mapping",
]  # fmt: skip

_GLOBAL, _TYPES, _PATTERNS = "", "object_type", "module_name_regex"
_NAMES, _PLACES = "module_name", "module_name_object_type_order"


class QConfigMapping:
    """Configurations by what they are for; a later rule in this order wins: global, type, regex, name."""

    def __init__(self) -> None:
        self.global_qconfig: QConfigAny = None
        self.object_type_qconfigs: OrderedDict[Any, QConfigAny] = OrderedDict()
        self.module_name_regex_qconfigs: OrderedDict[str, QConfigAny] = OrderedDict()
        self.module_name_qconfigs: OrderedDict[str, QConfigAny] = OrderedDict()
        self.module_name_object_type_order_qconfigs: OrderedDict[Any, QConfigAny] = OrderedDict()

    def set_global(self, global_qconfig: QConfigAny) -> QConfigMapping:
        """For everything that nothing else is said of."""
        self.global_qconfig = global_qconfig
        return self

    def set_object_type(self, object_type: Any, qconfig: QConfigAny) -> QConfigMapping:
        """For modules of a type, or a function."""
        self.object_type_qconfigs[object_type] = qconfig
        return self

    def set_module_name_regex(self, module_name_regex: str, qconfig: QConfigAny) -> QConfigMapping:
        """For modules whose whole name matches."""
        self.module_name_regex_qconfigs[module_name_regex] = qconfig
        return self

    def set_module_name(self, module_name: str, qconfig: QConfigAny) -> QConfigMapping:
        """For one module."""
        self.module_name_qconfigs[module_name] = qconfig
        return self

    def set_module_name_object_type_order(
        self, module_name: str, object_type: Any, index: int, qconfig: QConfigAny
    ) -> QConfigMapping:
        """For one use of a function in a module."""
        self.module_name_object_type_order_qconfigs[(module_name, object_type, index)] = qconfig
        return self

    def __repr__(self) -> str:
        lines = [f"{self.__class__.__name__} ("]
        kinds = {
            "global_qconfig": self.global_qconfig, "object_type_qconfigs": self.object_type_qconfigs,
            "module_name_regex_qconfigs": self.module_name_regex_qconfigs,
            "module_name_qconfigs": self.module_name_qconfigs,
            "module_name_object_type_order_qconfigs": self.module_name_object_type_order_qconfigs,
        }  # fmt: skip
        for name, found in kinds.items():
            lines.append(f" {name}")
            if not isinstance(found, OrderedDict):
                lines.append(f"  {found}")
            elif found:
                lines += [f"  {key}: {value}" for key, value in found.items()]
            else:
                lines.append("  OrderedDict()")
        return "\n".join([*lines, ")"])

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary of lists."""
        return {
            _GLOBAL: self.global_qconfig,
            _TYPES: list(self.object_type_qconfigs.items()),
            _PATTERNS: list(self.module_name_regex_qconfigs.items()),
            _NAMES: list(self.module_name_qconfigs.items()),
            _PLACES: [(*k, v) for k, v in self.module_name_object_type_order_qconfigs.items()],
        }

    @classmethod
    def from_dict(cls, qconfig_dict: dict[str, Any]) -> QConfigMapping:
        """The mapping of a dictionary as `to_dict` gives it."""
        made = cls()
        if _GLOBAL in qconfig_dict:
            made.set_global(qconfig_dict[_GLOBAL])
        for key, take in (
            (_TYPES, made.set_object_type), (_PATTERNS, made.set_module_name_regex),
            (_NAMES, made.set_module_name), (_PLACES, made.set_module_name_object_type_order),
        ):  # fmt: skip
            for item in qconfig_dict.get(key, []):
                take(*item)  # type: ignore[operator]
        return made

    def of(self, name: str, module: Any, inherited: QConfigAny) -> QConfigAny:
        """The configuration of a module, where its parent has ``inherited``."""
        found = self.object_type_qconfigs.get(type(module), inherited)
        for pattern, qconfig in self.module_name_regex_qconfigs.items():
            if re.fullmatch(pattern, name):
                found = qconfig
                break
        return self.module_name_qconfigs.get(name, found)


def _fixed() -> list[tuple[Any, Any]]:
    """Modules and functions whose range is known before."""
    functional = rushlight.nn.functional
    one = observers.default_fixed_qparams_range_0to1_observer
    both = observers.default_fixed_qparams_range_neg1to1_observer
    return [
        (rushlight.nn.Hardsigmoid, one), (functional.hardsigmoid, one), ("hardsigmoid", one),
        ("hardsigmoid_", one), (rushlight.nn.Sigmoid, one), (rushlight.sigmoid, one),
        ("sigmoid", one), ("sigmoid_", one), (rushlight.nn.Softmax, one), (rushlight.nn.Tanh, both),
        (rushlight.tanh, both), ("tanh", both), ("tanh_", both),
    ]  # fmt: skip


_FAKES = {
    id(observers.default_fixed_qparams_range_0to1_observer): (
        fake.default_fixed_qparams_range_0to1_fake_quant
    ),
    id(observers.default_fixed_qparams_range_neg1to1_observer): (
        fake.default_fixed_qparams_range_neg1to1_fake_quant
    ),
}


def _default(is_qat: bool, backend: str, version: int) -> QConfigMapping:
    qconfig = (get_default_qat_qconfig if is_qat else get_default_qconfig)(backend, version)
    weight = fake.default_weight_fake_quant if is_qat else observers.default_weight_observer
    of_one_scale = QConfig(activation=qconfig.activation, weight=weight)
    made = QConfigMapping().set_global(qconfig)
    made.set_object_type("reshape", default_reuse_input_qconfig)
    nn = rushlight.nn
    for kind in (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d):
        made.set_object_type(kind, of_one_scale)
    functional = nn.functional
    for function in (
        functional.conv_transpose1d, functional.conv_transpose2d, functional.conv_transpose3d,
    ):  # fmt: skip
        made.set_object_type(function, of_one_scale)
    for kind in (functional.layer_norm, nn.LayerNorm, nn.PReLU):
        made.set_object_type(kind, default_quint8_weight_qconfig)
    for kind, observer in _fixed():
        activation = _FAKES[id(observer)] if is_qat else observer
        made.set_object_type(kind, QConfig(activation, weight=of_one_scale.weight))
    return made


def get_default_qconfig_mapping(backend: str = "x86", version: int = 0) -> QConfigMapping:
    """What suits a library, for quantization after training."""
    return _default(False, backend, version)


def get_default_qat_qconfig_mapping(backend: str = "x86", version: int = 1) -> QConfigMapping:
    """What suits a library, for training."""
    return _default(True, backend, version)


def _get_symmetric_qnnpack_qconfig_mapping() -> QConfigMapping:
    made = get_default_qconfig_mapping("qnnpack")
    return made.set_global(default_symmetric_qnnpack_qconfig)


def _get_symmetric_qnnpack_qat_qconfig_mapping() -> QConfigMapping:
    made = get_default_qat_qconfig_mapping("qnnpack")
    return made.set_global(default_symmetric_qnnpack_qat_qconfig)
