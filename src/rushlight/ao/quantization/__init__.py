"""Quantization: models whose layers compute with whole numbers of eight bits.

What is here is the eager way: `fuse_modules`, `prepare` and `convert`; `quantize_dynamic`; `prepare_qat`
for training. Ways that rewrite graphs are not there.
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.ao.quantization.fake_quantize import *  # noqa: F403
from rushlight.ao.quantization.fuse_modules import fuse_modules, fuse_modules_qat
from rushlight.ao.quantization.fuser_method_mappings import *  # noqa: F403
from rushlight.ao.quantization.observer import *  # noqa: F403
from rushlight.ao.quantization.observer import _PartialWrapper
from rushlight.ao.quantization.qconfig import *  # noqa: F403
from rushlight.ao.quantization.qconfig_mapping import *  # noqa: F403
from rushlight.ao.quantization.quantization_mappings import *  # noqa: F403
from rushlight.ao.quantization.quantize import (
    _add_observer_,
    add_quant_dequant,
    convert,
    get_default_custom_config_dict,
    prepare,
    prepare_qat,
    propagate_qconfig_,
    quantize,
    quantize_dynamic,
    quantize_qat,
    swap_module,
)
from rushlight.ao.quantization.stubs import DeQuantStub, QuantStub, QuantWrapper

# Ways over graphs: what they are, for the sentence that refuses them.
_GRAPHS = {
    "convert_fx": "prepare", "convert_to_reference_fx": "convert", "fuse_fx": "fuse_modules",
    "prepare_fx": "prepare", "prepare_qat_fx": "prepare_qat", "convert_pt2e": "convert",
    "prepare_pt2e": "prepare", "prepare_qat_pt2e": "prepare_qat", "quantize_fx": "quantize",
    "quantize_pt2e": "quantize", "convert_jit": "convert", "prepare_jit": "prepare",
    "quantize_jit": "quantize", "quantize_dynamic_jit": "quantize_dynamic",
    "convert_dynamic_jit": "quantize_dynamic", "prepare_dynamic_jit": "quantize_dynamic",
    "fuse_conv_bn_jit": "fuse_modules",
}  # fmt: skip


def default_eval_fn(model: Any, calib_data: Any) -> None:
    """Let a model see data: pairs, of which the first is its input."""
    for data, _target in calib_data:
        model(data)


def __getattr__(name: str) -> NoReturn:
    """Say of graph ways that they are not there."""
    if name in _GRAPHS:
        raise AttributeError(
            f"'{__name__}.{name}' is not there: it rewrites a graph of a model, and only the eager way "
            f"is there; `{_GRAPHS[name]}` is its part"
        )
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = [
    "DeQuantStub",
    "QuantStub",
    "QuantWrapper",
    "_PartialWrapper",
    "_add_observer_",
    "add_quant_dequant",
    "convert",
    "default_eval_fn",
    "fuse_modules",
    "fuse_modules_qat",
    "get_default_custom_config_dict",
    "prepare",
    "prepare_qat",
    "propagate_qconfig_",
    "quantize",
    "quantize_dynamic",
    "quantize_qat",
    "swap_module",
]  # fmt: skip
