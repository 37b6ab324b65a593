"""Quantized: whole numbers that stand for others.

Only operators with a kernel for them run, those that are made of such operators, and views.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core.quantized import (
    PerChannel,
    describe_view,
    is_quantized,
    quantizer_of,
)
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.call_cache import steps
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.quantized import channel_views


def run_or_refuse(op: Operator, *args: Any) -> Any:
    """Views say what their numbers mean; an operator without a kernel is refused."""
    is_view = op.schema.is_view or "inplace_view" in op.declared_tags
    if is_view and op.explicit is not None and is_quantized(args[0]):
        return _view(op, args)
    given = next(tensor for tensor in tensors_in(args) if is_quantized(tensor))
    raise NotImplementedError(
        f"Could not run '{op.full_name}' with arguments from the "
        f"'Quantized{given._storage_.device.type.upper()}' backend: the operator has no kernel for "
        f"tensors of {given._dtype_}. `dequantize()` gives a tensor that every operator takes."
    )


def _view(op: Operator, args: tuple[Any, ...]) -> Any:
    quantizer = quantizer_of(args[0])
    rule = None
    if isinstance(quantizer, PerChannel):
        rule = channel_views.RULES.get(op.base_name)
        if rule is None:
            raise RuntimeError("Setting strides is possible only on uniformly quantized tensor")
    steps.Unrepeatable.note()
    assert op.explicit is not None
    # In-place views change the sizes that rules look at.
    size = args[0]._size_
    made = op.explicit(*args)
    start = 0
    for view in tensors_in([made]):
        seen = quantizer
        if rule is not None:
            seen, start = rule(quantizer, size, start, view, *args[1:])
        describe_view(view, seen)
    return made


registry.register_fallback("Quantized", run_or_refuse)
