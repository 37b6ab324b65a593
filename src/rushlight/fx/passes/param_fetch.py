"""The attributes of modules that a backend wants to have."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.passes.tools_common import get_acc_ops_name

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name: str, target_version: int) -> str:
    """The name under which an attribute is asked for: its own."""
    return name


_CONVOLUTION = [
    "weight", "bias", "kernel_size", "stride", "padding", "dilation", "groups", "padding_mode",
]  # fmt: skip
_NORM = ["weight", "bias", "running_mean", "running_var", "eps"]
# By class: the version of it that is known, its attributes, and how they are found.
module_fetch_book: dict[type, tuple[int, list[str], Any]] = {
    rushlight.nn.Linear: (1, ["weight", "bias"], default_matching),
    rushlight.nn.Conv2d: (1, _CONVOLUTION, default_matching),
    rushlight.nn.BatchNorm2d: (2, _NORM, default_matching),
    rushlight.nn.AdaptiveAvgPool2d: (1, [], default_matching),
    rushlight.nn.MaxPool2d: (
        1,
        ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"],
        default_matching,
    ),
    rushlight.nn.ReLU: (1, ["inplace"], default_matching),
}


def extract_attrs_for_lowering(mod: Any) -> dict[str, Any]:
    """The attributes of a module that is known, and its name."""
    found: dict[str, Any] = {"name": get_acc_ops_name(type(mod))}
    if type(mod) not in module_fetch_book:
        raise RuntimeError(f"{get_acc_ops_name(type(mod))} is not in the module_fetch_book yet")
    version, names, matching = module_fetch_book[type(mod)]
    if version < mod._version:
        raise RuntimeError(
            f"Fetcher version {version} try to fetch {get_acc_ops_name(type(mod))} version "
            f"{mod._version}, please upgrade the module_fetch_book"
        )
    for name in names:
        found[name] = getattr(mod, matching(name, mod._version))
    return found


def lift_lowering_attrs_to_nodes(fx_module: GraphModule) -> None:
    """Give each call of a module its module's attributes as `attrs_for_lowering`."""
    submodules = dict(fx_module.named_modules())
    for node in fx_module.graph.nodes:
        if node.op == "call_module":
            called = submodules[node.target]
            if isinstance(called, GraphModule):
                lift_lowering_attrs_to_nodes(called)
            else:
                node.attrs_for_lowering = extract_attrs_for_lowering(called)
