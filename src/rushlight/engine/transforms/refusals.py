"""What `vmap` cannot do, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.engine.dispatch.operator import Operator

_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() "
    "on a Tensor, please try to rewrite what you're doing with other operations. If error is occurring "
    "somewhere inside PyTorch internals, please file a bug report."
)
_DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
    "{name}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
)


def procedure(op: Operator) -> Callable[..., Any] | None:
    """What raises for an operator whose result elements decide; None for any other."""
    tags = op.declared_tags
    # What an operator is made of is asked for itself.
    if "dynamic_output_shape" in tags and op.composite is None:
        return raising(_DYNAMIC.format(name=op.full_name))
    if "data_dependent_output" in tags:
        if any(r.type.leaf == "bool" for r in op.schema.returns):
            return raising(
                f"vmap over torch.{op.packet_name} isn't supported yet. Please file an issue at "
                "https://github.com/pytorch/pytorch/issues if you need this feature."
            )
        if any(r.type.leaf == "Scalar" for r in op.schema.returns):
            return raising(_ITEM)
    return None


def raising(message: str) -> Callable[..., Any]:
    def refuse(*values: Any) -> Any:
        raise RuntimeError(message)

    return refuse


def no_rule(op: Operator) -> Callable[..., Any]:
    return raising(
        f"Batching rule not implemented for {op.full_name}. We could not generate a fallback."
    )


def no_fallback(op: Operator) -> Callable[..., Any]:
    return raising(
        f"Batching rule not implemented for {op.full_name}; the fallback path doesn't work on out= or "
        "view ops."
    )


def check_written(op: Operator, layer: Any, values: Any, dims: Any, name: str = "") -> None:
    """Raise if what all elements share would be written with something of each of them."""
    for argument, dim in zip(op.schema.arguments, dims):
        if argument.is_write and dim is None and any(d is not None for d in dims):
            name = name or ("inplace arithmetic" if is_elementwise(op) else op.packet_name)
            raise RuntimeError(
                f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` "
                "in extra_args that has more elements than `self`. This happened due to `other` being "
                "vmapped over but `self` not being vmapped over in a vmap. Please try to use "
                f"out-of-place operators instead of {name}. If said operator is being called inside the "
                "PyTorch framework, please file a bug report instead."
            )


def is_elementwise(op: Operator) -> bool:
    """Whether an operator writes each element of its target by those at its place."""
    return op.is_pointwise or not any(a.name in ("dim", "indices") for a in op.schema.arguments)
