"""What packages and tests ask about capture."""

from __future__ import annotations

import collections
import types
from typing import Any

from rushlight._dynamo import config
from rushlight._guards import detect_fake_mode
from rushlight.engine.native.numpy_later import is_array, is_number
from rushlight.utils import _pytree

__all__ = [
    "counters",
    "detect_fake_mode",
    "ifdynstaticdefault",
    "is_compile_supported",
    "same",
]

# How often what has happened.
counters: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)


def is_compile_supported(device_type: Any) -> bool:
    """Whether functions on a device can be captured."""
    from rushlight._dynamo.eval_frame import is_dynamo_supported

    return str(device_type) == "cpu" and is_dynamo_supported()


def ifdynstaticdefault(count1: Any, count2: Any) -> Any:
    """What is expected where sizes are numbers of programs, or where they are symbols from the start."""
    return count1 if config.assume_static_by_default else count2


def _as_tensor(value: Any) -> Any:
    """An array or a number of numpy as a tensor."""
    import rushlight as torch

    return torch.as_tensor(value) if is_array(value) or is_number(value) else value


def same(
    ref: Any, res: Any, *_: Any, tol: float = 1e-4, equal_nan: bool = False, **__: Any
) -> bool:
    """Whether two trees, or objects, have the same tensors, to a tolerance."""
    import rushlight as torch

    is_object = isinstance(getattr(ref, "__dict__", None), dict)
    if is_object and not isinstance(ref, (torch.Tensor, type, types.FunctionType)):
        if type(ref) is not type(res):
            return False
        ref, res = vars(ref), vars(res)
    ref, res = _pytree.tree_map(_as_tensor, (ref, res))
    one, other = _pytree.tree_flatten(ref), _pytree.tree_flatten(res)
    if len(one[0]) != len(other[0]):
        return False
    return all(
        torch.allclose(a.double(), b.double(), rtol=0, atol=tol, equal_nan=equal_nan)
        if torch.is_tensor(a) and not a.is_complex()
        else bool(torch.equal(a, b) if torch.is_tensor(a) else a == b)
        for a, b in zip(one[0], other[0])
    )
