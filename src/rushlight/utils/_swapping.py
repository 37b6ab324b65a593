"""Exchanging what two tensor objects are."""

from __future__ import annotations

import copyreg
import gc
import sys
import weakref
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd import node as nodes
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor

_FIELDS = (*tensors.objects.TENSOR_WORDS, *tensors.objects.TENSOR_SLOTS)


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Let each of two tensors be what the other is; who holds one of them holds the other content.

    What has been recorded of either must be over: neither views of it nor graphs may be left.
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if _is_held_weakly(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = [set(copyreg._slotnames(type(t))) for t in (t1, t2)]  # type: ignore[attr-defined]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    for name, tensor in (("t1", t1), ("t2", t2)):
        _check_unused(name, tensor)
    wants = _poisoned(t1), _poisoned(t2)
    own = [name for name in slots[0] if name not in _FIELDS]
    kept = [{n: getattr(t, n) for n in (*_FIELDS, *own) if hasattr(t, n)} for t in (t1, t2)]
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for tensor, content in zip((t1, t2), reversed(kept)):
        for name in (*_FIELDS, *own):
            if name in content:
                setattr(tensor, name, content[name])
            elif hasattr(tensor, name):
                delattr(tensor, name)
    for tensor, wants_grad in zip((t1, t2), reversed(wants)):
        if wants_grad:
            metas.set_edge(tensor, (nodes.AccumulateGrad(tensor), 0))


def _is_held_weakly(tensor: Tensor) -> bool:
    """Whether there are weak references to a tensor besides autograd's own."""
    found = weakref.getweakrefs(tensor)
    meta = tensor._autograd_
    if isinstance(meta, metas.ViewMeta):
        own = meta._view
    elif meta is not None and meta.edge is not None and meta.edge[0].is_leaf:
        own = meta.edge[0]._variable
    else:
        return bool(found)
    # Programs' plain references are that same object: then it has more holders than the one above,
    # `found`, `own` and the question itself.
    return len(found) > 1 or sys.getrefcount(own) > 4


def _check_unused(name: str, tensor: Tensor) -> None:
    """Raise if views of a tensor are alive, or a graph has kept it."""
    for other in gc.get_referrers(tensor):
        is_view = isinstance(other, Tensor) and other._base is tensor
        # A kept tensor is a pair of it and its version.
        is_kept = type(other) is tuple and len(other) == 2 and type(other[1]) is int
        if is_view or (is_kept and other[0] is tensor):
            what = "a view of it" if is_view else "a graph that keeps it"
            raise RuntimeError(
                f"Expected use_count of {name} to be 1 or 2 with an AccumulateGrad node but there is "
                f"{what}: make sure you are not holding references to the tensor in other places."
            )


def _poisoned(tensor: Tensor) -> bool:
    """Refuse gradients of graphs that lead to a leaf as it was; whether it is a leaf that wants them."""
    edge = None if tensor._autograd_ is None else tensor._autograd_.edge
    if edge is None or not edge[0].is_leaf:
        return False
    edge[0].register_prehook(_refuse)
    return True


def _refuse(grads: Any) -> None:
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when "
        "you try to run backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the "
        "device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and "
        "backward. To resolve this, please only change the device/dtype before running forward (or "
        "after both forward and backward)."
    )
