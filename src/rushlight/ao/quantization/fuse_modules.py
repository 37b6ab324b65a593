"""Sequences of layers in a model made one, by their names."""

from __future__ import annotations

import copy
from typing import Any

from rushlight import nn
from rushlight.ao.quantization.fuser_method_mappings import get_fuser_method

__all__ = ["fuse_known_modules", "fuse_modules", "fuse_modules_qat"]


def fuse_known_modules(
    mod_list: list[Any], is_qat: bool, additional_fuser_method_mapping: Any = None
) -> list[Any]:
    """The layers with what they become in the first place, and nothing in the others."""
    method = get_fuser_method([type(m) for m in mod_list], additional_fuser_method_mapping)
    fused = method(is_qat, *mod_list)
    # Hooks before the first and after the last layer are hooks of the whole.
    for hook in list(mod_list[0]._forward_pre_hooks.values()):
        fused.register_forward_pre_hook(hook)
    mod_list[0]._forward_pre_hooks.clear()
    for hook in list(mod_list[-1]._forward_hooks.values()):
        fused.register_forward_hook(hook)
    mod_list[-1]._forward_hooks.clear()
    rest = []
    for module in mod_list[1:]:
        nothing = nn.Identity()
        nothing.training = module.training
        rest.append(nothing)
    return [fused, *rest]


def _fuse(
    model: Any, names: list[str], is_qat: bool, fuser_func: Any, options: dict[str, Any]
) -> None:
    found = [model.get_submodule(name) for name in names]
    mapping = options.get("additional_fuser_method_mapping")
    for name, module in zip(names, fuser_func(found, is_qat, mapping)):
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, module)


def _fuse_all(
    model: Any, modules_to_fuse: Any, is_qat: bool, inplace: bool, fuser_func: Any, options: Any
) -> Any:
    if not inplace:
        model = copy.deepcopy(model)
    if all(isinstance(name, str) for name in modules_to_fuse):
        modules_to_fuse = [modules_to_fuse]
    for names in modules_to_fuse:
        _fuse(model, list(names), is_qat, fuser_func, options or {})
    return model


def fuse_modules(
    model: Any, modules_to_fuse: Any, inplace: bool = False, fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:  # fmt: skip
    """A model whose named layers are fused, for quantization after training.

    Args:
        model: the model
        modules_to_fuse: a list of names, or several
        inplace: whether the model itself is changed
        fuser_func: what makes one layer of several
        fuse_custom_config_dict: ``additional_fuser_method_mapping``, for types of a program's own
    """
    return _fuse_all(model, modules_to_fuse, False, inplace, fuser_func, fuse_custom_config_dict)


def fuse_modules_qat(
    model: Any, modules_to_fuse: Any, inplace: bool = False, fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:  # fmt: skip
    """The same for training: normalisations stay.

    Args:
        model: the model
        modules_to_fuse: a list of names, or several
        inplace: whether the model itself is changed
        fuser_func: what makes one layer of several
        fuse_custom_config_dict: ``additional_fuser_method_mapping``, for types of a program's own
    """
    return _fuse_all(model, modules_to_fuse, True, inplace, fuser_func, fuse_custom_config_dict)
