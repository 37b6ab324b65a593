"""Names of PyTorch's compiled part for transformations: the stack of layers and what is wrapped for them."""

from __future__ import annotations

import enum
from typing import Any

from rushlight.engine.calls import copy, view
from rushlight.engine.core import wrapped as wrappers
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch import layers
from rushlight.engine.ops.dims import wrap_dim
from rushlight.engine.transforms import loop
from rushlight.engine.transforms.batch import Batch
from rushlight.engine.transforms.differentiation import Differentiation, Grad, Jvp
from rushlight.engine.transforms.functionalization import Functionalize


class TransformType(enum.Enum):
    """The kinds of transformations."""

    Torch = 0
    Vmap = 1
    Grad = 2
    Jvp = 3
    Functionalize = 4


class RandomnessType(enum.Enum):
    """What random numbers within `vmap` are."""

    Error = 0
    Same = 1
    Different = 2


# -- the stack --


def _vmap_increment_nesting(batch_size: int, randomness: str) -> int:
    """Begin a `vmap`; gives its level."""
    return layers.push(Batch(batch_size, randomness)).level


def _vmap_decrement_nesting() -> int:
    return _end(Batch)


def _grad_increment_nesting() -> int:
    """Begin a reverse-mode differentiation; gives its level."""
    return layers.push(Grad()).level


def _grad_decrement_nesting() -> int:
    return _end(Grad)


def _jvp_increment_nesting() -> int:
    """Begin a forward-mode differentiation; gives its level."""
    return layers.push(Jvp()).level


def _jvp_decrement_nesting() -> int:
    return _end(Jvp)


def _func_increment_nesting(reapply_views: bool) -> int:
    """Begin a `functionalize`; gives its level."""
    return layers.push(Functionalize(not reapply_views)).level


def _func_decrement_nesting() -> int:
    return _end(Functionalize)


def _end(kind: type[layers.Layer]) -> int:
    top = layers.top()
    if not isinstance(top, kind):
        raise RuntimeError(
            f"the innermost transformation is not {kind.kind}: "
            f"{'there is none' if top is None else top.kind}"
        )
    level = top.level
    layers.pop()
    return level


def maybe_current_level() -> int | None:
    """The level of the innermost transformation, if there is one."""
    top = layers.top()
    return None if top is None else top.level


def current_level() -> int:
    """The level of the innermost transformation."""
    level = maybe_current_level()
    if level is None:
        raise RuntimeError("there is no transformation around this code")
    return level


def get_dynamic_layer_stack_depth() -> int:
    return len(layers.stack())


class CInterpreter:
    """What programs see of a layer of the stack."""

    def __init__(self, layer: layers.Layer) -> None:
        self._layer = layer
        self._level = layer.level

    def key(self) -> TransformType:
        return TransformType[self._layer.kind]

    def level(self) -> int:
        return self._level

    def is_alive(self) -> bool:
        return self._layer.alive

    def batchSize(self) -> int:
        return self._layer.size  # type: ignore[attr-defined, no-any-return]

    def randomness(self) -> RandomnessType:
        return RandomnessType[self._layer.randomness.capitalize()]  # type: ignore[attr-defined]

    def prevGradMode(self) -> bool:
        return self._layer.grad_mode

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CInterpreter) and other._layer is self._layer

    def __hash__(self) -> int:
        return id(self._layer)


def get_interpreter_stack() -> list[CInterpreter] | None:
    """The layers of the stack, the innermost last."""
    found = layers.stack()
    return [CInterpreter(layer) for layer in found] if found else None


def peek_interpreter_stack() -> CInterpreter | None:
    """The innermost layer."""
    top = layers.top()
    return None if top is None else CInterpreter(top)


_popped: list[layers.Layer] = []


def pop_dynamic_layer_stack() -> CInterpreter:
    """Take the innermost layer off the stack."""
    layer = layers.top()
    if layer is None:
        raise RuntimeError("there is no transformation around this code")
    seen = CInterpreter(layer)
    layers.pop()
    return seen


def pop_dynamic_layer_stack_and_undo_to_depth(depth: int) -> None:
    """End the innermost transformations until so many are left."""
    while len(layers.stack()) > depth:
        layers.pop()


# -- wrapping --

# The layers of levels that are in use while no transformation runs.
_loose: dict[int, Batch] = {}


def _layer_at(level: int, kind: Any, make: Any) -> layers.Layer:
    stack = layers.stack()
    if 0 < level <= len(stack) and isinstance(stack[level - 1], kind):
        return stack[level - 1]
    made: layers.Layer = make()
    return made


def _add_batch_dim(tensor: Tensor, dim: int, level: int) -> Tensor:
    """A tensor that stands for each element of a batch within a level."""
    dim = dim % len(tensor._size_) if not -len(tensor._size_) <= dim < len(tensor._size_) else dim
    place = wrap_dim(dim, len(tensor._size_))

    def loose() -> Batch:
        return _loose.setdefault(level, Batch(tensor._size_[place]))

    return _layer_at(level, Batch, loose).wrap(tensor, place)


def _remove_batch_dim(tensor: Tensor, level: int, batch_size: int, out_dim: int) -> Tensor:
    """The whole batch that a tensor stands for, its dimension at a place of the result."""
    layer = _layer_at(level, Batch, lambda: _loose.get(level))
    meaning = None if layer is None else layer.meaning(tensor)
    if meaning is None:
        # It is the same for all.
        made = view.unsqueeze(tensor, 0)
        made = view.expand(made, [batch_size, *tensor._size_])
        return view.movedim_int(made, 0, wrap_dim(out_dim, len(made._size_))) if out_dim else made
    value, dim = meaning.value, meaning.dim
    assert dim is not None
    place = wrap_dim(out_dim, len(value._size_))
    return value if place == dim else view.movedim_int(value, dim, place)


def _unwrap_batched(tensor: Tensor, level: int) -> tuple[Tensor, int | None]:
    """What a tensor stands for within a level, and the dimension of the batch in it."""
    if is_batchedtensor(tensor):
        meaning = wrappers.meaning_of(tensor)
        if meaning.layer.level == level or _loose.get(level) is meaning.layer:
            return meaning.value, meaning.dim
    return tensor, None


def _wrap_for_grad(tensor: Tensor, level: int) -> Tensor:
    """A tensor that stands for another within a level, with a history of its own."""
    return _layer_at(level, Differentiation, Grad).wrap(tensor)


def _unwrap_for_grad(tensor: Tensor, level: int) -> Tensor:
    """What a tensor stands for within a level."""
    if is_gradtrackingtensor(tensor):
        meaning = wrappers.meaning_of(tensor)
        if meaning.layer.level in (level, -2):
            return meaning.value
    return tensor


def _wrap_functional_tensor(tensor: Tensor, level: int) -> Tensor:
    """A tensor that stands for another within a level, and is changed without the other being written."""
    return _layer_at(level, Functionalize, Functionalize).wrap(tensor)


def _unwrap_functional_tensor(tensor: Tensor, add_back_views: bool) -> Tensor:
    """What a tensor stands for now."""
    if not is_functionaltensor(tensor):
        return tensor
    layer = wrappers.meaning_of(tensor).layer
    found: Tensor = layer.value(tensor)
    return found


def _propagate_functional_input_mutation(unwrapped: Tensor, wrapped: Tensor) -> None:
    """Write what an argument has become to the argument itself."""
    if not is_functionaltensor(wrapped):
        return
    value = wrappers.meaning_of(wrapped).layer.value(wrapped)
    if value is unwrapped:
        return
    if value._storage_ is unwrapped._storage_:
        # Nothing was written: it is another view of what it was.
        view.as_strided_(unwrapped, value._size_, value._stride_, value._offset_)
        return
    if value._size_ != unwrapped._size_:
        copy.resize_(unwrapped, list(value._size_))
    copy.copy_(unwrapped, value, False)


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    """Whether a tensor stands for another one."""
    return wrappers.is_wrapped(tensor)


def is_batchedtensor(tensor: Any) -> bool:
    """Whether a tensor stands for the elements of a batch."""
    return wrappers.is_batched(tensor)


def is_gradtrackingtensor(tensor: Any) -> bool:
    """Whether a tensor stands for another one within a differentiation."""
    return wrappers.is_wrapped(tensor) and isinstance(
        wrappers.meaning_of(tensor).layer, Differentiation
    )


def is_functionaltensor(tensor: Any) -> bool:
    """Whether a tensor stands for another one within `functionalize`."""
    return wrappers.is_wrapped(tensor) and wrappers.meaning_of(tensor).layer.kind == "Functionalize"


def is_legacy_batchedtensor(tensor: Any) -> bool:
    return False


def maybe_get_level(tensor: Any) -> int:
    """The level that a tensor is wrapped for: -1 for a plain one, -2 for one whose level has ended."""
    return wrappers.meaning_of(tensor).layer.level if wrappers.is_wrapped(tensor) else -1


def maybe_get_bdim(tensor: Any) -> int:
    """The dimension of the batch in what a tensor stands for; -1 if it stands for none."""
    if not is_batchedtensor(tensor):
        return -1
    dim = wrappers.meaning_of(tensor).dim
    assert dim is not None
    return dim


def get_unwrapped(tensor: Tensor) -> Tensor:
    """What a tensor stands for."""
    if not wrappers.is_wrapped(tensor):
        raise RuntimeError("No wrappers present!")
    return wrappers.value_of(tensor)


def dlevel(tensor: Tensor) -> int:
    """The level of a tensor within differentiations: 0 for a plain one, -1 once it has ended."""
    if not is_gradtrackingtensor(tensor):
        return 0
    layer = wrappers.meaning_of(tensor).layer
    return layer.level if layer.alive else -1


def is_dead_tensor_wrapper(tensor: Any) -> bool:
    """Whether a tensor is wrapped for a differentiation that has ended."""
    return is_gradtrackingtensor(tensor) and not wrappers.meaning_of(tensor).layer.alive


def unwrap_if_dead(tensor: Tensor) -> Tensor:
    """What a tensor stands for if what it was wrapped for has ended; otherwise itself."""
    found: Tensor = layers.living(tensor)
    return found


def dump_tensor(tensor: Tensor) -> None:
    print(repr(tensor))


def dump_dls() -> None:
    print([(layer.kind, layer.level) for layer in layers.stack()])


# -- settings --

_allowed = {"inplace_requires_grad": False, "single_level_autograd_function": False}


def get_inplace_requires_grad_allowed() -> bool:
    return _allowed["inplace_requires_grad"]


def set_inplace_requires_grad_allowed(allowed: bool) -> None:
    _allowed["inplace_requires_grad"] = allowed


def get_single_level_autograd_function_allowed() -> bool:
    return _allowed["single_level_autograd_function"]


def set_single_level_autograd_function_allowed(allowed: bool) -> None:
    _allowed["single_level_autograd_function"] = allowed


def _set_vmap_fallback_enabled(enabled: bool) -> None:
    """Let `vmap` go through the batch where an operator has no rule, or raise."""
    loop.Settings.enabled = enabled


def _is_vmap_fallback_enabled() -> bool:
    return loop.Settings.enabled


def _set_vmap_fallback_warning_enabled(enabled: bool) -> None:
    loop.Settings.warns = enabled


# -- shapes of batches --


def reshape_dim_into(source: int, target: int, tensor: Tensor) -> Tensor:
    """One dimension as the slow part of another one."""
    source = wrap_dim(source, len(tensor._size_))
    target = wrap_dim(target, len(tensor._size_) - 1)
    moved = view.movedim_int(tensor, source, target)
    size = moved._size_
    return view.reshape(
        moved, [*size[:target], size[target] * size[target + 1], *size[target + 2 :]]
    )


def reshape_dim_outof(source: int, size: int, tensor: Tensor) -> Tensor:
    """A dimension as two, the first of a given size."""
    source = wrap_dim(source, len(tensor._size_))
    have = tensor._size_
    if size and have[source] % size:
        raise RuntimeError(
            f"dimension {source} of size {have[source]} cannot be cut into {size} parts"
        )
    rest = have[source] // size if size else 0
    return view.reshape(tensor, [*have[:source], size, rest, *have[source + 1 :]])
