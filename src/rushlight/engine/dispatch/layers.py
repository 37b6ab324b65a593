"""The stack of transformations of a thread: `grad`, `vmap`, `jvp` and their kin, in any nesting.

Each transformation that runs is a layer. Every call goes to the innermost layer first, which *processes* it:
it does to the call what the transformation means, on the tensors that are wrapped for this layer. What is
to be computed for that it *lowers*: the values that the wrappers stand for go to the layers below, with
this one off the stack. The last layer lowers to the ordinary dispatcher.

The key TRANSFORMS is among the thread's own while the stack has layers, so that calls outside know
nothing of all this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rushlight.engine.core import keys, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.core.wrapped import LAYER_BASE, Meaning, meaning_of, wrap
from rushlight.engine.dispatch.call_cache import steps

if TYPE_CHECKING:
    from rushlight.engine.dispatch.operator import Operator


ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error "
    "(see https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch "
    "error in `gen_vmap_plumbing` Please file an issue if it looks like the latter"
)


class Layer(LAYER_BASE):  # type: ignore[misc, valid-type]
    """One transformation that runs. It is on the stack between `push` and `pop`."""

    # What PyTorch calls the transformation.
    kind = ""
    # Whether it asks for gradients within itself, which layers around it may record.
    differentiates = False
    # A number for what this layer and those below do to calls; 0 if that is not remembered.
    stack_kind = 0

    def __init__(self) -> None:
        # Its place in the stack, from 1; negative once it has ended.
        self.level: int = -2
        self.batch_size: int = -1
        # Whether the program within has left the recording of gradients on.
        self.records: int = 1
        # What recording of gradients and the thread's keys were around the transformation.
        self.grad_mode = True
        self.excluded = 0

    @property
    def alive(self) -> bool:
        return self.level > 0

    def facts(self) -> tuple[Any, ...] | None:
        """All that decides what the layer does to a call, besides the call and `batch_size`; None if
        calls are not remembered."""
        return None

    def process(self, op: Operator, values: tuple[Any, ...]) -> Any:
        """Do to a call what the transformation means."""
        raise NotImplementedError(self.kind)

    def switched(self, mode: bool) -> None:
        """The program within has switched recording of gradients on or off: for all layers around it."""
        for layer in state.thread.layers:
            layer.records = int(mode)

    def noted(self, function: Any, *args: Any) -> None:
        """Note that the program has switched something, for those who see programs whole."""

    def owns(self, value: Any) -> bool:
        """Whether a value is a tensor that is wrapped for this layer."""
        return (
            isinstance(value, Tensor)
            and bool(value._keys_ & keys.WRAPPED)
            and value._storage_._owner.layer is self
        )

    def owns_any(self, values: Sequence[Any]) -> bool:
        """Whether a tensor among values, or inside their lists, is wrapped for this layer."""
        for value in values:
            if isinstance(value, Tensor):
                if value._keys_ & keys.WRAPPED and value._storage_._owner.layer is self:
                    return True
            elif type(value) in (list, tuple) and self.owns_any(value):
                return True
        return False

    def wrap(self, value: Tensor, dim: int | None = None) -> Tensor:
        """A tensor that stands for a value within this layer."""
        made: Tensor = steps.Wrapped.note(value, wrap(value, self, dim))
        return made

    def meaning(self, value: Any) -> Meaning | None:
        """What a value stands for if it is wrapped for this layer."""
        return meaning_of(value) if self.owns(value) else None


def stack() -> list[Layer]:
    """This thread's layers, the innermost last."""
    layers: list[Layer] = state.thread.layers
    return layers


def top() -> Layer | None:
    """The innermost layer."""
    layers = state.thread.layers
    return layers[-1] if layers else None


def sees_whole() -> bool:
    """Whether the innermost layer wants operators as they are called, whatever they are made of."""
    layers = state.thread.layers
    return bool(layers) and layers[-1].kind == "PreDispatch"


def push(layer: Layer) -> Layer:
    """Begin a transformation."""
    thread = state.thread
    layer.grad_mode = thread.grad_enabled
    layer.excluded = thread.excluded
    thread.excluded &= keys.AUTOCAST
    thread.layers.append(layer)
    layer.level = len(thread.layers)
    layer.stack_kind = _stack_kind(thread.layers)
    thread.included |= keys.TRANSFORMS
    state.activate(+1)
    _show()
    return layer


def pop() -> Layer:
    """End the innermost transformation; what is wrapped for it stands for its value from now on."""
    thread = state.thread
    layer: Layer = thread.layers.pop()
    layer.level = -2
    thread.excluded = layer.excluded
    if not thread.layers:
        thread.included &= ~keys.TRANSFORMS
    state.activate(-1)
    _show()
    return layer


# So deep stacks may be for calls to be remembered.
_DEEPEST = len(state.thread.layer_addresses)


def _stack_kind(layers: list[Layer]) -> int:
    """The number of a stack whose last layer is new."""
    layer = layers[-1]
    below = layers[-2].stack_kind if len(layers) > 1 else None
    facts = layer.facts()
    if facts is None or below == 0 or len(layers) > _DEEPEST:
        return 0
    return state.kind_of((below, type(layer), facts, layer.grad_mode, layer.excluded))


def _show() -> None:
    """Let machine code see this thread's stack."""
    thread = state.thread
    layers = thread.layers
    addresses = thread.layer_addresses
    if 0 < len(layers) <= _DEEPEST:
        addresses[len(layers) - 1] = id(layers[-1])
    state.show_layers(addresses, layers[-1].stack_kind if layers else 0)


def _leave_innermost() -> tuple[Layer, bool, int]:
    """Take the innermost layer off the stack, with what it has switched; `_return_to` puts it back."""
    thread = state.thread
    layer: Layer = thread.layers.pop()
    recording, excluded = thread.grad_enabled, thread.excluded
    state.set_grad(layer.grad_mode and layer.records != 0)
    # Autocast has been seen to, or not, wherever the call comes from.
    thread.excluded = layer.excluded | excluded & keys.AUTOCAST
    if not thread.layers:
        thread.included &= ~keys.TRANSFORMS
    return layer, recording, excluded


def _return_to(left: tuple[Layer, bool, int]) -> None:
    thread = state.thread
    layer, recording, thread.excluded = left
    thread.layers.append(layer)
    thread.included |= keys.TRANSFORMS
    state.set_grad(recording)


def lower(function: Callable[..., Any], *values: Any) -> Any:
    """Call a function as the code around the innermost transformation would."""
    left = _leave_innermost()
    shown = state.hide_layers()
    try:
        return function(*values)
    finally:
        state.unhide_layers(shown)
        _return_to(left)


def lower_call(op: Operator, *values: Any) -> Any:
    """Make a call as the code around the innermost transformation would; from memory, where that knows it."""
    left = _leave_innermost()
    layers = state.thread.layers
    shown = state.show_below(layers[-1].stack_kind if layers else 0)
    try:
        return op.remembered_call(*values)
    finally:
        state.unshow_below(shown)
        _return_to(left)


class lowered:
    """A block that runs as the code around the innermost transformation would."""

    def __enter__(self) -> Layer:
        self._left = _leave_innermost()
        self._shown = state.hide_layers()
        return self._left[0]

    def __exit__(self, *exception: object) -> None:
        state.unhide_layers(self._shown)
        _return_to(self._left)


class without_layers:
    """A block that runs as if no transformation were around it."""

    def __enter__(self) -> None:
        self._left: list[lowered] = []
        while state.thread.layers:
            block = lowered()
            block.__enter__()
            self._left.append(block)

    def __exit__(self, *exception: object) -> None:
        while self._left:
            self._left.pop().__exit__()


def process(op: Operator, *values: Any) -> Any:
    """What the innermost layer makes of a call."""
    return state.thread.layers[-1].process(op, values)


def living(value: Any) -> Any:
    """A value without the wrappers of transformations that have ended; lists item by item."""
    if isinstance(value, Tensor):
        while value._keys_ & keys.WRAPPED:
            meaning = value._storage_._owner
            if meaning.layer.level > 0 or meaning.dim is not None:
                break
            value = meaning.value
        return value
    if type(value) in (list, tuple):
        return type(value)(living(item) for item in value)
    return value
