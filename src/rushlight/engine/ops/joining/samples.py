"""Samples of tensors joined."""

from __future__ import annotations

from rushlight.engine.ops.samples import Samples, numbers

samples = Samples("joining")
add = samples.add

add("cat", [numbers(2, 3), numbers(2, 2)], 1)
add("block_diag", [numbers(2, 3), numbers(2), numbers()])
add("stack", [numbers(2, 3), numbers(2, 3)], 1)
add("constant_pad_nd", numbers(3, 2), [1, 2, -1, 0], 0.5)

add("pad", numbers(2, 3), [1, 1])
add("pad", numbers(2, 3, 4), [1, 2], "reflect", what="reflected")
add("pad", numbers(2, 3, 4), [1, 2], "circular", what="circular")
for _count in (1, 2, 3):
    for _kind in ("reflection", "replication"):
        add(f"{_kind}_pad{_count}d", numbers(2, *[3] * _count), [1, 2] * _count)
