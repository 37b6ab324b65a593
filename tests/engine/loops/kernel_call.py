"""Calls a compiled kernel on numpy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.engine.native import machine

PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def run(ir: str, arrays: Sequence[Any]) -> None:
    """Run over all operands, given as arrays of one shape whose axis 0 is the kernel's dim 0."""
    shape = arrays[0].shape
    data = np.array([a.ctypes.data for a in arrays], np.int64)
    sizes = np.array(shape, np.int64)
    strides = np.array([a.strides[d] for d in range(len(shape)) for a in arrays], np.int64)
    kernel = PROTOTYPE(machine.address(ir))
    kernel(data.ctypes.data, sizes.ctypes.data, strides.ctypes.data)
