"""Runs an expression over numpy arrays as a map kernel, without tensors."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.engine.loops.expr import arg
from rushlight.engine.loops.map_kernel import map_ir
from rushlight.engine.native import machine

NUMPY = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f32": np.float32, "f64": np.float64,
}  # fmt: skip
NAMES = {np.dtype(v): k for k, v in NUMPY.items()}


def run(function: Callable[..., Any], *inputs: np.ndarray) -> Any:
    """The function's value (or tuple of values) for each element of the inputs."""
    ins = [NAMES[x.dtype] for x in inputs]
    results = function(*(arg(i, t) for i, t in enumerate(ins)))
    outs = [v.type for v in (results if isinstance(results, tuple) else (results,))]
    ir = map_ir(function, outs, ins, ins, "c" * (len(outs) + len(ins)))
    count = inputs[0].size
    arrays = [np.empty(count, NUMPY[t]) for t in outs]
    arrays += [np.ascontiguousarray(x) for x in inputs]
    data = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    sizes = (ctypes.c_int64 * 2)(count, 1)
    strides = (ctypes.c_int64 * (2 * len(arrays)))(*(a.itemsize for a in arrays))
    kernel = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(machine.address(ir))
    kernel(data, sizes, strides)
    return tuple(arrays[: len(outs)]) if isinstance(results, tuple) else arrays[0]
