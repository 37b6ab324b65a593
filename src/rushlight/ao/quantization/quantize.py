"""The way of a model: given configurations, observed, converted."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import rushlight
from rushlight import nn
from rushlight.ao.nn import intrinsic as nni
from rushlight.ao.nn import quantized as nnq
from rushlight.ao.quantization.observer import _is_activation_post_process
from rushlight.ao.quantization.qconfig import (
    _assert_valid_qconfig,
    add_module_to_qconfig_obs_ctr,
    default_dynamic_qconfig,
    float16_dynamic_qconfig,
)
from rushlight.ao.quantization.qconfig_mapping import QConfigMapping
from rushlight.ao.quantization.quantization_mappings import (
    fixed_observer_of,
    get_default_dynamic_quant_module_mappings,
    get_default_qat_module_mappings,
    get_default_qconfig_propagation_list,
    get_default_static_quant_module_mappings,
    no_observer_set,
)
from rushlight.ao.quantization.stubs import DeQuantStub, QuantWrapper

__all__ = [
    "add_quant_dequant", "convert", "get_default_custom_config_dict", "prepare", "prepare_qat",
    "propagate_qconfig_", "quantize", "quantize_dynamic", "quantize_qat", "swap_module",
]  # fmt: skip

_CUSTOM: dict[str, Any] = {
    "float_to_observed_custom_module_class": {}, "observed_to_quantized_custom_module_class": {},
}  # fmt: skip


def get_default_custom_config_dict() -> dict[str, Any]:
    """What modules of a program's own become, if nothing is said: they stay."""
    return copy.deepcopy(_CUSTOM)


# -- configurations --


def propagate_qconfig_(
    module: Any, qconfig_dict: Any = None, prepare_custom_config_dict: Any = None
) -> None:
    """Give each module a ``qconfig``: what is said of it, or its parent's."""
    excluded = (prepare_custom_config_dict or {}).get("non_traceable_module_name", [])
    _propagate(module, _mapping(qconfig_dict), "", None, excluded)


def _mapping(given: Any) -> Any:
    if isinstance(given, QConfigMapping):
        return given.of
    known = given or {}

    def of(name: str, module: Any, inherited: Any) -> Any:
        found = known.get(type(module), inherited)
        found = known.get(name, found)
        return getattr(module, "qconfig", found)

    return of


def _propagate(module: Any, of: Any, name: str, inherited: Any, excluded: Any) -> None:
    qconfig = of(name, module, inherited)
    _assert_valid_qconfig(qconfig, module)
    module.qconfig = qconfig = add_module_to_qconfig_obs_ctr(qconfig, module)
    for own, child in module.named_children():
        path = f"{name}.{own}" if name else own
        if path not in excluded:
            _propagate(child, of, path, qconfig, excluded)


# -- observers --


def _observer_forward_hook(self: Any, input: Any, output: Any) -> Any:
    """What observes a result after each call."""
    return self.activation_post_process(output)


def _made_for(module: Any, fixed: Any) -> Any:
    """What follows a module's results; None if nothing does."""
    if fixed is not None:
        return fixed()
    return None if module.qconfig is None else module.qconfig.activation()


def _observe(module: Any, fixed: Any = None) -> None:
    """Let an observer follow a module's results."""
    if getattr(module, "qconfig", None) is None or isinstance(module, DeQuantStub):
        return
    observer = _made_for(module, fixed)
    if observer is None:
        return
    module.add_module("activation_post_process", observer)
    module.register_forward_hook(_observer_forward_hook, prepend=True)


def _has_qconfig(module: Any) -> bool:
    return getattr(module, "qconfig", None) is not None


def _add_observers(
    module: Any, kinds: Any, not_observed: set[Any], custom: dict[Any, Any], is_qat: bool
) -> None:
    for name, child in module.named_children():
        if type(child) is nn.Dropout:
            continue
        if isinstance(child, nnq.FloatFunctional):
            if _has_qconfig(child):
                child.activation_post_process = child.qconfig.activation()
        elif isinstance(child, nni._FusedModule):
            _observe(child)
        elif not_observed and type(child) in not_observed:
            continue
        elif _has_qconfig(child) and type(child) in custom:
            seen = custom[type(child)].from_float(child)
            setattr(module, name, seen)
            _observe(seen)
        elif (fixed := fixed_observer_of(child, is_qat)) is not None and _has_qconfig(child):
            _observe(child, fixed)
        else:
            _add_observers(child, kinds, not_observed, custom, is_qat)
    if (
        _has_qconfig(module)
        and not isinstance(module, (nn.Sequential, nni._FusedModule))
        and not list(_plain_children(module))
        and not _is_activation_post_process(module)
        and type(module) in kinds
    ):
        _observe(module)


def _plain_children(module: Any) -> Any:
    """A module's children, without what observes it."""
    return (m for m in module.children() if not _is_activation_post_process(m))


def _add_observer_(
    module: Any, qconfig_propagation_list: Any = None, non_leaf_module_list: Any = None,
    device: Any = None, custom_module_class_mapping: Any = None, is_qat: bool = False,
) -> None:  # fmt: skip
    kinds = set(
        get_default_qconfig_propagation_list()
        if qconfig_propagation_list is None
        else qconfig_propagation_list
    )
    kinds |= set(non_leaf_module_list or ())
    _add_observers(module, kinds, no_observer_set(), custom_module_class_mapping or {}, is_qat)


def prepare(
    model: Any, inplace: bool = False, allow_list: Any = None,
    observer_non_leaf_module_list: Any = None, prepare_custom_config_dict: Any = None,
) -> Any:  # fmt: skip
    """A model with observers, which will find scales while data goes through it.

    Args:
        model: the model, whose ``qconfig`` says which observers
        inplace: whether the model itself is changed
        allow_list: the types of layers that are observed
        observer_non_leaf_module_list: types with layers inside that are observed as well
        prepare_custom_config_dict: what modules of a program's own become
    """
    custom = (prepare_custom_config_dict or get_default_custom_config_dict()).get(
        "float_to_observed_custom_module_class", {}
    )
    if not inplace:
        model = copy.deepcopy(model)
    kinds = get_default_qconfig_propagation_list() if allow_list is None else allow_list
    propagate_qconfig_(model, qconfig_dict=None)
    if not any(_has_qconfig(m) for m in model.modules()):
        warnings.warn(
            "None of the submodule got qconfig applied. Make sure you passed correct configuration "
            "through `qconfig_dict` or by assigning the `.qconfig` attribute directly on submodules",
            stacklevel=2,
        )
    _add_observer_(model, kinds, observer_non_leaf_module_list, None, custom)
    return model


def prepare_qat(model: Any, mapping: Any = None, inplace: bool = False) -> Any:
    """A model for training with rounding, which will find scales meanwhile.

    Args:
        model: the model in training mode, whose ``qconfig`` says what rounds
        mapping: which layer each type becomes
        inplace: whether the model itself is changed
    """
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    mapping = get_default_qat_module_mappings() if mapping is None else mapping
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model, qconfig_dict=None)
    convert(model, mapping=mapping, inplace=True, remove_qconfig=False)
    kinds = {*get_default_qconfig_propagation_list(), *mapping.values()}
    _add_observer_(model, kinds, set(mapping.values()), is_qat=True)
    # Layers with something inside that rounds weights are observed as well.
    for module in model.modules():
        if type(module) in set(mapping.values()) and not hasattr(module, "activation_post_process"):
            _observe(module)
    return model


# -- converting --


def swap_module(
    mod: Any, mapping: Any, custom_module_class_mapping: Any,
    use_precomputed_fake_quant: bool = False,
) -> Any:  # fmt: skip
    """The layer that a layer becomes; itself if it has no configuration."""
    if not _has_qconfig(mod):
        return mod
    kind = custom_module_class_mapping.get(type(mod))
    if kind is not None:
        made = kind.from_observed(mod)
    elif type(mod) in mapping:
        kind = mapping[type(mod)]
        made = kind.from_float(mod)
    else:
        return mod
    for hook in mod._forward_pre_hooks.values():
        made.register_forward_pre_hook(hook)
    for hook in mod._forward_hooks.values():
        if hook is not _observer_forward_hook:
            made.register_forward_hook(hook)
    return made


def _convert(
    module: Any, mapping: Any, is_reference: bool, convert_custom_config_dict: Any,
    use_precomputed_fake_quant: bool,
) -> None:  # fmt: skip
    custom = (convert_custom_config_dict or get_default_custom_config_dict()).get(
        "observed_to_quantized_custom_module_class", {}
    )
    found = {}
    for name, child in module.named_children():
        if not isinstance(child, nni._FusedModule) and type(child) not in custom:
            _convert(
                child, mapping, is_reference, convert_custom_config_dict, use_precomputed_fake_quant
            )
        found[name] = swap_module(child, mapping, custom, use_precomputed_fake_quant)
    for name, child in found.items():
        module._modules[name] = child


def _remove_observers(module: Any) -> None:
    for child in module.children():
        _remove_observers(child)
    if _is_activation_post_process(getattr(module, "activation_post_process", None)):
        del module.activation_post_process
    for key, hook in list(module._forward_hooks.items()):
        if hook is _observer_forward_hook:
            module._forward_hooks.pop(key)
    if hasattr(module, "qconfig"):
        del module.qconfig


def convert(
    module: Any, mapping: Any = None, inplace: bool = False, remove_qconfig: bool = True,
    is_reference: bool = False, convert_custom_config_dict: Any = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:  # fmt: skip
    """A prepared model with quantized layers in the place of its own.

    Args:
        module: the model, observed or trained
        mapping: which layer each type becomes
        inplace: whether the model itself is changed
        remove_qconfig: whether configurations and observers are taken away
        is_reference: has to be False
        convert_custom_config_dict: what modules of a program's own become
        use_precomputed_fake_quant: whether the weights' scales are those of training
    """
    if is_reference:
        raise NotImplementedError(
            "convert: there are no reference layers, which are for graph mode quantization"
        )
    mapping = get_default_static_quant_module_mappings() if mapping is None else mapping
    if not inplace:
        module = copy.deepcopy(module)
    _convert(module, mapping, is_reference, convert_custom_config_dict, use_precomputed_fake_quant)
    if remove_qconfig:
        _remove_observers(module)
    return module


# -- all of it --


def add_quant_dequant(module: Any) -> Any:
    """Put layers with a configuration between marks."""
    if not list(module.children()) and _has_qconfig(module):
        return QuantWrapper(module)
    for name, child in module.named_children():
        module._modules[name] = add_quant_dequant(child)
    return module


def quantize(
    model: Any, run_fn: Any, run_args: Any, mapping: Any = None, inplace: bool = False
) -> Any:
    """Observe a model while ``run_fn(model, *run_args)`` runs, and convert it."""
    mapping = get_default_static_quant_module_mappings() if mapping is None else mapping
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    prepare(model, inplace=True)
    run_fn(model, *run_args)
    convert(model, mapping, inplace=True)
    return model


def quantize_qat(model: Any, run_fn: Any, run_args: Any, inplace: bool = False) -> Any:
    """Train a model with rounding by ``run_fn(model, *run_args)``, and convert it."""
    if not inplace:
        model = copy.deepcopy(model)
    model.train()
    prepare_qat(model, inplace=True)
    run_fn(model, *run_args)
    convert(model, inplace=True)
    return model


def quantize_dynamic(
    model: Any, qconfig_spec: Any = None, dtype: Any = rushlight.qint8, mapping: Any = None,
    inplace: bool = False,
) -> Any:  # fmt: skip
    """A model whose weights are quantized; inputs of layers get a scale each time.

    Args:
        model: the model
        qconfig_spec: types or names of layers, or configurations by them
        dtype: ``qint8`` or ``float16``
        mapping: which layer each type becomes
        inplace: whether the model itself is changed
    """
    qconfig_spec = _spec(qconfig_spec, dtype)
    mapping = get_default_dynamic_quant_module_mappings() if mapping is None else mapping
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    _propagate(model, _mapping(qconfig_spec), "", None, ())
    convert(model, mapping, inplace=True)
    return model


def _spec(given: Any, dtype: Any) -> Any:
    if dtype is rushlight.qint8:
        usual = default_dynamic_qconfig
    elif dtype is rushlight.float16:
        usual = float16_dynamic_qconfig
    else:
        raise ValueError(
            f"Don't know how to quantize with default settings for {dtype}. Provide full qconfig "
            "please"
        )
    if given is None:
        return dict.fromkeys(
            (nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.RNNCell, nn.GRUCell), usual
        )
    return dict.fromkeys(given, usual) if isinstance(given, set) else given
