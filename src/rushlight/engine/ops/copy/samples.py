"""Samples of copies."""

from __future__ import annotations

from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core.device import cpu
from rushlight.engine.ops.samples import Samples, numbers, truths

samples = Samples("copy")
add = samples.add

for _name in ("clone", "alias", "lift", "lift_fresh"):
    add(_name, numbers(2, 3))
add("_to_copy", numbers(2, 3))
add("copy", numbers(2, 3), numbers(3))
add("fill.Scalar", numbers(2, 3), 2.0)
add("zero", numbers(2, 3))
add("fill.Tensor", numbers(2, 3), numbers())

add("to.device", numbers(2, 3), cpu, dtypes.float32)
samples.without("takes a storage", "set_.source_Storage", "set_.source_Storage_storage_offset")
samples.without(
    "a member of tensors; the operator has no kernel", "set_data", "data", "is_leaf", "output_nr",
    "requires_grad_", "retain_grad", "retains_grad",
)  # fmt: skip
samples.without(
    "has no kernel for the CPU", "_has_same_storage_numel", "_lazy_clone", "_copy_from",
    "_copy_from_and_resize", "pin_memory", "_pin_memory", "_resize_output_", "_to_copy.out",
)  # fmt: skip
samples.given("set_.source_Tensor_storage_offset", storage_offset=0)

add("_test_parallel_materialize", numbers(2, 3), 1)
add("_test_check_tensor", truths([True, True]))
