"""Tensors copied deeply, and taken apart for pickles; `_utils` has what puts them together again."""

from __future__ import annotations

import copyreg
from typing import Any

from rushlight import _utils
from rushlight.engine.calls import copy as copies
from rushlight.engine.core import keys, quantized, sparse, state
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor


def only_wraps(source: Tensor) -> bool:
    """Whether a tensor has a class of its own and no memory: its class says what it consists of."""
    storage = source._storage_
    return bool(source._keys_ & keys.PYTHON and storage._nbytes and not storage._ptr)


def deep_copy(source: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy with a storage of its own, shared only with other copies of the same storage."""
    import copy

    if id(source) in memo:
        found: Tensor = memo[id(source)]
        return found
    meta = source._autograd_
    if meta is not None and meta.node is not None:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if only_wraps(source):
        with state.recording(False):
            made = copies.clone(source)
        if type(made) is not type(source):
            raise RuntimeError(
                f"The default implementation of __deepcopy__() for wrapper subclasses only works for "
                f"subclass types that properly implement clone(): that of {type(source).__name__} "
                f"gives a {type(made).__name__}"
            )
    elif sparse.is_sparse(source):
        made = copies.clone(copies.detach(source))
    else:
        storage = copy.deepcopy(source._storage_, memo)
        made = tensors.from_storage(
            storage, source._dtype_, source._size_, source._stride_, source._offset_, type(source)
        )
        made._keys_ = source._keys_ & ~(keys.INFERENCE | keys.AUTOGRAD)
        if quantized.is_quantized(source):
            from rushlight.engine.ops.quantized.parts import copied

            quantized.describe(made, copied(quantized.quantizer_of(source)))
    memo[id(source)] = made
    if source.requires_grad:  # type: ignore[attr-defined]
        made.requires_grad_()  # type: ignore[attr-defined]
    if meta is not None and meta.grad is not None:
        made.grad = copy.deepcopy(meta.grad, memo)  # type: ignore[attr-defined]
    attributes = copy.deepcopy(_state_of(source), memo)
    if attributes:
        made.__setstate__(attributes)  # type: ignore[attr-defined]
    return made


def warn_of_hooks(source: Tensor) -> None:
    """Hooks stay behind, unless they say that they may."""
    hooks = None if source._autograd_ is None else source._autograd_.hooks
    for hook in (hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            import warnings

            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you "
                "can decorate the function with @torch.utils.hooks.unserializable_hook to suppress "
                "this warning",
                stacklevel=2,
            )


def reduce_tensor(source: Tensor) -> Any:
    """How a tensor is pickled: its storage, which may be shared, its geometry and attributes."""
    warn_of_hooks(source)
    if sparse.is_sparse(source):
        return _reduce_sparse(source)
    if only_wraps(source):
        rebuild, arguments = wrapper_parts(source)
        return rebuild, arguments, _state_of(source) or None
    if quantized.is_quantized(source):
        return _utils.rebuild_quantized, quantized_parts(source), _state_of(source) or None
    flags = source._keys_ & (keys.CONJUGATE | keys.NEGATIVE)
    parts = (
        source._storage_,
        source._dtype_,
        tuple(source._size_),
        source._stride_,
        source._offset_,
    )
    requires_grad = bool(source.requires_grad)  # type: ignore[attr-defined]
    state = _state_of(source)
    return _utils.rebuild_tensor, (type(source), *parts, flags, requires_grad), state or None


def wrapper_parts(source: Tensor) -> tuple[Any, tuple[Any, ...]]:
    """The function and the arguments that give a tensor without memory back, without attributes."""
    return _utils._rebuild_wrapper_subclass, (
        type(source), source._dtype_, tuple(source._size_), source._stride_, source._offset_,
        source.layout, source._storage_.device, bool(source.requires_grad),  # type: ignore[attr-defined]
    )  # fmt: skip


def quantized_parts(source: Tensor) -> tuple[Any, ...]:
    """What a quantized tensor consists of, and what its numbers mean."""
    return (
        source._storage_, source._dtype_, source._offset_, tuple(source._size_),
        tuple(source._stride_), meaning_of(source),
    )  # fmt: skip


def meaning_of(source: Tensor) -> tuple[Any, ...]:
    """A quantizer as files have it: its scheme and what that needs."""
    found = quantized.quantizer_of(source)
    if isinstance(found, quantized.PerTensor):
        return found.scheme, found.scale, found.zero_point
    return found.scheme, found.scales, found.zero_points, found.axis


def _reduce_sparse(source: Tensor) -> Any:
    """How a sparse tensor is pickled: its parts."""
    parts = sparse.parts_of(source)
    requires_grad = bool(source.requires_grad)  # type: ignore[attr-defined]
    given = (parts.layout, tuple(parts.named().values()), tuple(source._size_), parts.coalesced)
    return _utils.rebuild_sparse, (*given, requires_grad), _state_of(source) or None


def _state_of(source: Tensor) -> Any:
    """What a subclass says about itself, or the attributes of the object."""
    own = type(source).__getstate__
    if own is not object.__getstate__:
        return own(source)
    slots = {
        name: getattr(source, name)
        for name in copyreg._slotnames(type(source))  # type: ignore[attr-defined]
        if name not in tensors.objects.TENSOR_SLOTS and hasattr(source, name)
    }
    attributes = {k: v for k, v in vars(source).items() if k != quantized.NAME}
    return (attributes, slots) if slots else attributes
