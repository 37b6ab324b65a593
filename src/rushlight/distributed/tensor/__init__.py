"""Tensors in pieces on several devices, which are not there yet.

Libraries ask whether a tensor is one of them: none is.
"""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class, absent_functions
from rushlight.engine.core.tensor import Tensor

_WHAT = "tensors that are spread over several devices"

DTensor: Any = absent_class(__name__, "DTensor", _WHAT, Tensor)
Partial: Any = absent_class(__name__, "Partial", _WHAT)
Placement: Any = absent_class(__name__, "Placement", _WHAT)
Replicate: Any = absent_class(__name__, "Replicate", _WHAT, Placement)
Shard: Any = absent_class(__name__, "Shard", _WHAT, Placement)

globals().update(absent_functions(__name__, ["distribute_module", "distribute_tensor"], _WHAT))
