"""Sparse: tensors that have coordinates and values in the place of memory.

Only operators with a kernel for the layout run, and those that are made of such operators; whatever
looks at memory is refused here.
"""

from __future__ import annotations

from typing import Any

from rushlight.engine.core import keys as key_bits
from rushlight.engine.core.sparse import is_coordinates, layout_of
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.boxing import tensors_in
from rushlight.engine.dispatch.operator import Operator
from rushlight.engine.ops.kinds import outputs
from rushlight.engine.ops.sparse import unary, written


def run_or_refuse(op: Operator, *args: Any) -> Tensor:
    """Raise for an operator that has no kernel; gradients of functions of values have none.

    An ``out=`` form has none either: the functional one is computed, and put there.
    """
    if unary.is_gradient(op):
        return unary.gradient(op, *args)
    if len(op.schema.out_arguments) == 1:
        functional = outputs.functional_of(op)
        if functional is not None:
            return written.put(functional.call(*args[:-1]), args[-1])
    # A compressed tensor decides which kernel is looked for.
    given = max(tensors_in(args), key=lambda tensor: tensor._keys_ & key_bits.SPARSE_LAYOUTS)
    kind = "Sparse" if is_coordinates(given) else "SparseCsr"
    raise NotImplementedError(
        f"Could not run '{op.full_name}' with arguments from the "
        f"'{kind}{given._storage_.device.type.upper()}' backend: the operator has no kernel for "
        f"tensors of layout {layout_of(given)}. `to_dense()` gives a tensor that every operator "
        "takes."
    )


registry.register_fallback("Sparse", run_or_refuse)
