"""Forward mode: tensors with tangents."""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.autograd.grad_mode import Decorating
from rushlight.engine.autograd import forward
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import state, wrapped
from rushlight.engine.core.tensor import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
           "unpack_dual"]  # fmt: skip

_current_level = -1


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, which may be None."""

    primal: Tensor
    tangent: Tensor | None


def enter_dual_level() -> int:
    """Begin to compute tangents; gives the level's number."""
    global _current_level
    _current_level = forward.enter_level()
    return _current_level


def exit_dual_level(*, level: int | None = None) -> None:
    """End a level: its tangents are forgotten."""
    global _current_level
    if level is None:
        level = _current_level
    if level != _current_level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is "
            "not supported."
        )
    forward.exit_level(level)
    _current_level = level - 1


def _level_or_innermost(level: int | None) -> int:
    return _current_level if level is None else level


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A view of the tensor that has a tangent."""
    if _level_or_innermost(level) < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for name, item in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(item, Tensor) or item._dtype_.category < dtypes.FLOATING:
            kind = item._dtype_ if isinstance(item, Tensor) else type(item).__name__
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {kind}")
    if tensor._size_ != tangent._size_:
        raise RuntimeError(
            f"Expected tangent of the size {list(tensor._size_)} of the primal, but got "
            f"{list(tangent._size_)}"
        )
    if tensor._dtype_ is not tangent._dtype_:
        raise RuntimeError(
            f"Expected tangent of the dtype {tensor._dtype_} of the primal, but got {tangent._dtype_}"
        )
    if any(map(wrapped.is_batched, (tensor, tangent))):
        raise RuntimeError(
            "Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on "
            "out= or view ops."
        )
    if forward.tangent_of(tensor) is not None:
        raise RuntimeError(
            "forward AD: make_dual was given a primal that has a tangent already at this level"
        )
    made = forward.alias(tensor)
    if state.thread.inference:
        made._base = None
    forward.set_tangent(made, forward.laid_like(made, tangent))
    forward.metas.meta_of(made).is_dual = True
    return made


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor without its tangent, and the tangent."""
    if _level_or_innermost(level) < 0:
        return UnpackedDualTensor(tensor, None)
    tangent = forward.tangent_of(tensor)
    return UnpackedDualTensor(forward.primal(tensor), tangent)


class dual_level(Decorating):
    """A block in which tangents are computed."""

    def __enter__(self) -> int:  # type: ignore[override]
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


def _is_fwd_grad_enabled() -> bool:
    """Whether tangents are computed within levels."""
    return forward.enabled


class _set_fwd_grad_enabled(Decorating):
    """Compute tangents within the block, or do not."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._previous = forward.enabled
        forward.enable(mode)

    def clone(self) -> _set_fwd_grad_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        forward.enable(self._previous)
