"""State dicts of models in several processes, which are not there yet."""

from __future__ import annotations

from typing import Any

from rushlight._names.absent import absent_class, absent_functions

_WHAT = "checkpoints of several processes"
StateDictOptions: Any = absent_class(__name__, "StateDictOptions", _WHAT)
_NAMES = [
    "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
    "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip
globals().update(absent_functions(__name__, _NAMES, _WHAT))
