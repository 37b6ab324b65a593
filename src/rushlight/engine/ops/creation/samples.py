"""Samples of new tensors."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers

samples = Samples("creation")
add = samples.add

add("complex", numbers(2, 3), numbers(2, 3), is_real=True)
add("polar", numbers(2, 3), numbers(2, 3), is_real=True)

samples.operands(numbers(), "linspace", "logspace")
add("empty_permuted", [2, 3], [1, 0])
add("new_empty_strided", numbers(2, 3), [2, 3], [1, 2])
add("empty_strided", [2, 3], [1, 2])
