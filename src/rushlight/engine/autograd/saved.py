"""Tensors that a node keeps for its rule.

An input is kept as a pair, the tensor and its version. A result is kept as a shadow: a tensor over
the same memory that does not know the node, or the graph would hold itself. Where hooks are set,
what the hook gave is kept instead.
"""

from __future__ import annotations

import re
import weakref
from typing import TYPE_CHECKING, Any

from rushlight.engine.autograd import meta as metas
from rushlight.engine.core import keys, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import modes
from rushlight.engine.dispatch.call_cache import history
from rushlight.engine.loops.promotion import title

if TYPE_CHECKING:
    from rushlight.engine.autograd.node import Node


class HookSwitch:
    """Whether any thread has hooks on saved tensors; machine code is told."""

    active = 0

    def __setattr__(self, name: str, value: int) -> None:
        object.__setattr__(self, name, value)
        history.facts.hooks = value


hooks = HookSwitch()


# Of which tensors only operators make others.
_BY_OPERATORS = keys.PYTHON | keys.NESTED


def shadow(tensor: Tensor) -> Tensor:
    """The same elements without a history; a class that answers for its tensors detaches them."""
    return detached(tensor) if tensor._keys_ & _BY_OPERATORS else tensors.shadow(tensor)


def detached(tensor: Tensor) -> Tensor:
    """The same by an operator, for those who watch these."""
    from rushlight.engine.calls import copy

    with state.excluding(keys.AUTOGRAD):
        return copy.detach(tensor)


def with_edge(tensor: Tensor, edge: metas.Edge | None) -> Tensor:
    """A shadow of the tensor that has a history."""
    made = shadow(tensor)
    if edge is not None:
        metas.set_edge(made, edge)
    return made


class SavedResult:
    """A result of the node that keeps it."""

    __slots__ = ("_original", "output", "tensor", "version")

    def __init__(self, tensor: Tensor, output: int = 0) -> None:
        # Hooks get the elements as they are; else those who watch see that these are kept.
        is_seen = modes.is_watched() and not hooks.active
        self.tensor = detached(tensor) if is_seen else shadow(tensor)
        self.version = tensors.version(tensor)
        self.output = output
        # What carries attributes comes back as itself while it lives.
        plain = type(tensor) is Tensor and not tensor.__dict__
        self._original = None if plain else weakref.ref(tensor)

    def unpack(self, node: Node) -> Tensor:
        check_version(self.tensor, self.version, node, self.output)
        if not state.thread.grad_enabled:
            return self.tensor
        original = None if self._original is None else self._original()
        if original is not None and metas.edge_of(original) == (node, self.output):
            return original
        around = None if node.around is None else node.around()
        if around is not None:
            return around.changed_part()
        made = with_edge(self.tensor, (node, self.output))
        meta = self.tensor._autograd_
        if meta is not None and meta.tangent is not None:
            metas.meta_of(made).tangent = meta.tangent
        return made

    def pack(self, pair: Any) -> PackedTensor:
        return PackedTensor(self.tensor, self.version, pair, self.output)


class PackedTensor:
    """What a hook made of a saved tensor."""

    __slots__ = ("_edge", "_output", "_packed", "_unpack", "_version")

    def __init__(self, tensor: Tensor, version: int, pair: Any, output: int | None = None) -> None:
        pack, self._unpack = pair
        self._edge = metas.edge_of(tensor)
        self._output = output
        self._version = version
        given = tensor if self._edge is None or metas.is_leaf(tensor) else shadow(tensor)
        self._packed = call_quietly(pack, given)

    def unpack(self, node: Node) -> Tensor:
        found = self._unpack(self._packed)
        if not isinstance(found, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        edge = self._edge if self._output is None else (node, self._output)
        return found if edge is None else with_edge(found, edge)


def call_quietly(pack: Any, tensor: Tensor) -> Any:
    """Run a pack hook without recording, and see that it leaves its argument alone."""
    before = tensors.version(tensor)
    recording = state.thread.grad_enabled
    state.set_grad(False)
    try:
        packed = pack(tensor)
    finally:
        state.set_grad(recording)
    if tensors.version(tensor) != before:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input "
            "to pack hook can not be modified by in-place operations as this can lead to unexpected "
            "side-effects. Please open an issue if you need to perform in-place operations on the "
            "input to a pack hook."
        )
    return packed


def pair_of(tensor: Tensor) -> tuple[Tensor, int]:
    """How an input is kept."""
    return tensor, tensors.version(tensor)


def refuse_inference(kept: Any) -> None:
    """Raise if a tensor made in inference mode is among what a node keeps."""
    for item in kept or ():
        if type(item) is list:
            refuse_inference(item)
        tensor = item[0] if type(item) is tuple and item else item
        if isinstance(tensor, Tensor) and tensor._keys_ & keys.INFERENCE:
            raise RuntimeError(
                "Inference tensors cannot be saved for backward. Please do not use Tensors created "
                "in inference mode in computation tracked by autograd. To work around this, you can "
                "make a clone to get a normal tensor and use it in autograd, or use "
                "`torch.no_grad()` instead of `torch.inference_mode()`."
            )


def as_before(kept: Any, target: Tensor) -> Any:
    """What a node keeps, once ``target`` has been changed: what shares its memory is out of date."""
    return tuple(
        (item[0], item[1] - 1)
        if type(item) is tuple and isinstance(item[0], Tensor) and shares(item[0], target)
        else item
        for item in kept
    )


def shares(tensor: Tensor, target: Tensor) -> bool:
    return tensor._storage_ is target._storage_ and tensor._counter_ is target._counter_


def pack_all(kept: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a node keeps, after this thread's innermost hooks have seen it."""
    if not state.thread.saved_hooks:
        return kept
    pair = state.thread.saved_hooks[-1]
    return tuple(pack_one(item, pair) for item in kept)


def pack_one(item: Any, pair: Any) -> Any:
    if isinstance(item, SavedResult):
        return item.pack(pair)
    if type(item) is tuple and len(item) == 2 and isinstance(item[0], Tensor):
        return PackedTensor(*item, pair)
    if type(item) is list:
        return [pack_one(x, pair) for x in item]
    return item


def unpack(item: Any, node: Node) -> Any:
    """The tensor that was kept, if nobody has changed it since."""
    if type(item) is tuple:
        tensor, version = item
        counter = tensor._counter_
        if (tensor._storage_._version if counter is None else counter.value) != version:
            check_version(tensor, version, node, None)
        return tensor
    if item is None:
        return None
    if type(item) is list:
        return [unpack(x, node) for x in item]
    return item.unpack(node)


def unpack_plain(item: Any, node: Node) -> Any:
    """Like `unpack`; while nothing is recorded, tensors come without their histories.

    What a formula does with them then costs no more than with any plain tensors. Modes see the tensors
    themselves: a tracer knows these.
    """
    found = unpack(item, node)
    if state.thread.grad_enabled or state.thread.modes or found is None:
        return found
    if type(found) is list:
        return [shadow(t) if t is not None and t._keys_ & keys.AUTOGRAD else t for t in found]
    return shadow(found) if found._keys_ & keys.AUTOGRAD else found


def check_version(tensor: Tensor, version: int, node: Node, output: int | None) -> None:
    """Raise if the tensor has been changed since it was saved."""
    now = tensors.version(tensor)
    if now == version:
        return
    maker = node if output is not None else None
    number = output or 0
    if maker is None and tensor._autograd_ is not None and tensor._autograd_.node is not None:
        maker, number = tensor._autograd_.edge
    which = ""
    if maker is not None:
        step = re.sub(r"Backward\d*$", "", maker.name())
        which = f", which is output {number} of {step},"
    kind = f"torch.{title(tensor._dtype_)}Tensor {list(tensor._size_)}"
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind}]{which or ''} is at version {now}; expected version {version} instead. "
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
        "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
