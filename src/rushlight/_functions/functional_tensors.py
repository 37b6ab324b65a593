"""Tensors whose changes in place are followed and not made: the parts that `functionalize` is built of.

Between `_enable_functionalization` and `_disable_functionalization` calls go through a layer
(`engine.transforms.functionalization`) that makes new values of what they would write. Each thread has
one such layer; a tensor of it means its value wherever the layer is not on.
"""

from __future__ import annotations

import threading
from typing import Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.autograd.node import Node, describe, sequence
from rushlight.engine.core import keys
from rushlight.engine.core.tensor import Tensor

__all__ = [
    "_disable_functionalization",
    "_enable_functionalization",
    "_freeze_functional_tensor",
    "_from_functional_tensor",
    "_is_functional_tensor",
    "_mirror_autograd_meta_to",
    "_sync",
    "_to_functional_tensor",
]


class _Local(threading.local):
    layer: Any = None


_local = _Local()


def _layer() -> Any:
    """This thread's layer."""
    if _local.layer is None:
        from rushlight.engine.transforms.functionalization import Functionalize

        _local.layer = Functionalize()
    return _local.layer


def _to_functional_tensor(t: Tensor) -> Tensor:
    """A tensor that stands for another one, and for what becomes of it."""
    return _layer().wrap(t)  # type: ignore[no-any-return]


def _is_functional_tensor(t: Tensor) -> bool:
    """Whether a tensor's changes are followed."""
    if not t._keys_ & keys.WRAPPED:
        return False
    layer = t._storage_._owner.layer
    return layer is not None and layer.kind == "Functionalize"


def _check_functional(t: Tensor) -> None:
    if not _is_functional_tensor(t):
        raise RuntimeError(f"expected a functional tensor, got {type(t).__name__}")


def _from_functional_tensor(t: Tensor) -> Tensor:
    """What a functional tensor stands for; another tensor itself."""
    if not _is_functional_tensor(t):
        return t
    _sync(t)
    return t._storage_._owner.value  # type: ignore[no-any-return]


def _sync(t: Tensor) -> None:
    """Let a functional tensor stand for what views of the same base have made of it."""
    if not _is_functional_tensor(t):
        return
    layer = t._storage_._owner.layer
    if t._storage_._owner.generation == t._storage_._owner.cell.generation:
        return
    with _On(layer):
        layer.value(t)


def _freeze_functional_tensor(t: Tensor) -> None:
    """Let no call change a tensor, nor views of it, from now on."""
    _check_functional(t)
    t._storage_._owner.cell.is_frozen = True


def _mirror_autograd_meta_to(source: Tensor, target: Tensor) -> None:
    """Let one tensor want a gradient if the other does, and be no leaf if the other is none."""
    if not source.requires_grad:  # type: ignore[attr-defined]
        return
    if metas.is_leaf(source):
        target.requires_grad_()  # type: ignore[attr-defined]
    else:
        step = _Mirrored()
        step.seq = next(sequence)
        step.outputs = (describe(target),)
        metas.set_edge(target, (step, 0))


class _Mirrored(Node):
    """In the place of the step that made another tensor."""

    def run(self, grads: Any) -> Any:
        raise RuntimeError("Cannot backprop through mirrored meta, file a bug in PyTorch")


def _enable_functionalization(*, reapply_views: bool = False) -> None:
    """Follow changes from now on.

    Args:
        reapply_views: whether views stay views; otherwise they are copies
    """
    from rushlight.engine.dispatch import layers

    layer = _layer()
    if layer.alive:
        raise RuntimeError(
            "multiple layers of mode-style functionalization nesting is not currently supported, "
            "outside of the functionalize() transform"
        )
    layer.removes_views = not reapply_views
    layers.push(layer)


def _disable_functionalization() -> None:
    """Make changes again."""
    from rushlight.engine.dispatch import layers

    if layers.top() is not _layer():
        raise RuntimeError("functionalization is not on, or something else was turned on after it")
    layers.pop()


class _On:
    """A block with a layer on the stack, if it is not there."""

    def __init__(self, layer: Any) -> None:
        self.layer = layer

    def __enter__(self) -> None:
        from rushlight.engine.dispatch import layers

        self.is_new = not self.layer.alive
        if self.is_new:
            layers.push(self.layer)

    def __exit__(self, *exception: object) -> None:
        from rushlight.engine.dispatch import layers

        if self.is_new:
            layers.pop()


class _Off:
    """A block without the thread's own layer, which was turned on last."""

    def __enter__(self) -> None:
        self.removes_views = _layer().removes_views
        _disable_functionalization()

    def __exit__(self, *exception: object) -> None:
        _enable_functionalization(reapply_views=not self.removes_views)
