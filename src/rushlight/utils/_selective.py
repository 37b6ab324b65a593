"""Checkpoints that keep the results of some operators instead of computing them again."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight
from rushlight.engine.core import tensor as tensors
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.dispatch.operator import Operator, OperatorPacket
from rushlight.utils._pytree import tree_map

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
]


class CheckpointPolicy(enum.IntEnum):
    """What is done with an operator's results. All tensors are in the host's memory already."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_RECOMPUTED = (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)

# Operators that no policy is asked about: they tell of sizes, or keep what a node needs.
SAC_IGNORED_OPS = {
    rushlight.ops.aten.detach.default,
    rushlight.ops.aten.sym_size.default,
    rushlight.ops.aten.sym_stride.default,
    rushlight.ops.aten.sym_storage_offset.default,
    rushlight.ops.aten.sym_numel.default,
}


class SelectiveCheckpointContext:
    """What a policy is told beside the operator and its arguments.

    Args:
        is_recompute: whether the computation is run for the second time
    """

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


def _shares(op: Operator) -> bool:
    """Whether results share memory with arguments: then there is nothing to keep."""
    return op.schema.is_view or bool(op.schema.mutated)


class _Kept(NamedTuple):
    """A tensor, and its version when it was kept."""

    val: Any
    version: int


# Stands for a result that is computed again.
_AGAIN = object()


def _keep(item: Any) -> Any:
    if not isinstance(item, Tensor):
        return item
    kept: Any = item.detach()
    return _Kept(kept, kept._version)


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The first run: asks the policy about every call, and keeps what it says."""

    def __init__(self, policy: Callable[..., Any], storage: dict[Any, list[Any]]) -> None:
        self.policy = policy
        self.storage = storage

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in SAC_IGNORED_OPS:
            return func(*args, **kwargs)
        context = SelectiveCheckpointContext(is_recompute=False)
        answer = self.policy(context, func, *args, **kwargs)
        if isinstance(answer, bool):
            answer = CheckpointPolicy.MUST_SAVE if answer else CheckpointPolicy.PREFER_RECOMPUTE
        result = func(*args, **kwargs)
        again = answer in _RECOMPUTED or _shares(func)
        self.storage[func].append(_AGAIN if again else tree_map(_keep, result))
        return result


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The second run: gives what was kept, in the order of the first."""

    def __init__(self, storage: dict[Any, list[Any]], mutation: bool) -> None:
        self.storage = storage
        self.mutation = mutation

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        if func not in self.storage:
            raise RuntimeError(f"{func} encountered during backward, but not found in storage")
        if not self.storage[func]:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any "
                "region computed under selective activation checkpoint."
            )
        kept = self.storage[func].pop(0)
        if kept is _AGAIN:
            return func(*args, **(kwargs or {}))
        return tree_map(self._given_back, kept, is_leaf=lambda item: isinstance(item, _Kept))

    def _given_back(self, item: Any) -> Any:
        if not isinstance(item, _Kept):
            return item
        if item.val._version != item.version and not self.mutation:
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated"
            )
        return tensors.same_elements(item.val)


def _policy_of(given: Any) -> Callable[..., Any]:
    """The policy itself, or one that keeps the results of listed operators."""
    if isinstance(given, list):
        for op in given:
            if isinstance(op, Operator):
                continue
            hint = ""
            if isinstance(op, OperatorPacket):
                hint = (
                    " Please update the OpOverloadPacket to a specific OpOverload.For example, if "
                    f"you have `torch.ops.{op}`, change it to `torch.ops.{op}.default`."
                )
            raise ValueError(
                f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}.{hint}"
            )
        listed = set(given)
        return lambda context, op, *args, **kwargs: op in listed
    if callable(given):
        return given
    raise TypeError("policy_fn_or_list must be either a function or a list of ops.")


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """The two contexts that `checkpoint` wants from its ``context_fn``.

    Args:
        policy_fn_or_list: operators whose results are kept; or a function of a
            `SelectiveCheckpointContext`, an operator and its arguments, which gives a
            `CheckpointPolicy`, or True for what is kept
        allow_cache_entry_mutation: kept results may have been changed in place
    """
    policy = _policy_of(policy_fn_or_list)
    storage: dict[Any, list[Any]] = defaultdict(list)
    caching = _CachingTorchDispatchMode(policy, storage)
    return caching, _CachedTorchDispatchMode(storage, allow_cache_entry_mutation)
