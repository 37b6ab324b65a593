"""What processes agree on while they save or load, and where chunks are found."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

from rushlight import distributed as dist
from rushlight.distributed.checkpoint.api import (
    CheckpointException,
    _is_wrapped_exception,
    _wrap_exception,
)
from rushlight.distributed.checkpoint.metadata import MetadataIndex
from rushlight.engine.core.tensor import Tensor

__all__ = ["find_state_dict_object", "find_tensor_shard"]


def _get_failure_dict(results: Sequence[Any]) -> dict[int, Any]:
    return {rank: found for rank, found in enumerate(results) if _is_wrapped_exception(found)}


def _all_gather_keys(local_dict: dict[str, Any], group: Any = None) -> set[str]:
    """The keys that any process has."""
    found: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(found, list(local_dict), group=group)
    return {key for keys in found for key in keys}


class _DistWrapper:
    """Steps that processes take together. What one of them raises, all raise.

    Args:
        group: the processes
        use_dist: False for this process alone
        coordinator_rank: the one that looks at what all have done
    """

    def __init__(self, group: Any, use_dist: bool, coordinator_rank: int) -> None:
        self.group, self.use_dist, self.coordinator_rank = group, use_dist, coordinator_rank
        self.rank = dist.get_rank(group) if use_dist else 0
        self.is_coordinator = not use_dist or self.rank == coordinator_rank
        self.global_coordinator_rank = coordinator_rank
        if use_dist and group is not None:
            self.global_coordinator_rank = dist.get_global_rank(group, coordinator_rank)

    def get_rank(self) -> int:
        return self.rank

    def get_world_size(self) -> int:
        return dist.get_world_size(self.group) if self.use_dist else 1

    def broadcast_object(self, object: Any) -> Any:
        """What the coordinator has, everywhere."""
        held = [object]
        if self.use_dist:
            dist.broadcast_object_list(held, self.global_coordinator_rank, group=self.group)
        return held[0]

    def gather_object(self, object: Any) -> list[Any] | None:
        """What all have, at the coordinator."""
        if not self.use_dist:
            return [object]
        held = [None] * self.get_world_size() if self.is_coordinator else None
        dist.gather_object(object, held, self.global_coordinator_rank, group=self.group)
        return held

    def all_gather_object(self, object: Any) -> list[Any]:
        """What all have, everywhere."""
        if not self.use_dist:
            return [object]
        held: list[Any] = [None] * self.get_world_size()
        dist.all_gather_object(held, object, group=self.group)
        return held

    def scatter_object(self, object_list: list[Any] | None) -> Any:
        """What the coordinator has for each, at each."""
        if not self.use_dist:
            assert object_list is not None
            return object_list[0]
        held: list[Any] = [None]
        dist.scatter_object_list(
            held, object_list if self.is_coordinator else None,
            src=self.global_coordinator_rank, group=self.group,
        )  # fmt: skip
        return held[0]

    def reduce_scatter(
        self, step: str, map_fun: Callable[[], Any], reduce_fun: Callable[[list[Any]], list[Any]]
    ) -> Any:
        """Do something everywhere, let the coordinator look at all, and give each its part of what that finds."""
        found = self.gather_object(_attempted(map_fun))
        parts: list[Any] | None = None
        if found is not None:
            failures = _get_failure_dict(found)
            made = None if failures else _attempted(lambda: reduce_fun(found))
            if _is_wrapped_exception(made):
                failures = {self.rank: made}
            parts = [CheckpointException(step, failures)] * len(found) if failures else made
        return _given(self.scatter_object(parts))

    def all_reduce(
        self, step: str, map_fun: Callable[[], Any], reduce_fun: Callable[[list[Any]], Any]
    ) -> Any:
        """Do something everywhere, let the coordinator look at all, and give everybody what that finds."""
        found = self.gather_object(_attempted(map_fun))
        result: Any = None
        if found is not None:
            failures = _get_failure_dict(found)
            result = None if failures else _attempted(lambda: reduce_fun(found))
            if _is_wrapped_exception(result):
                failures = {self.rank: result}
            if failures:
                result = CheckpointException(step, failures)
        return _given(self.broadcast_object(result))

    def all_gather(self, step: str, map_fun: Callable[[], Any]) -> list[Any]:
        """Do something everywhere, and give everybody what all have found."""
        found = self.all_gather_object(_attempted(map_fun))
        failures = _get_failure_dict(found)
        if failures:
            raise CheckpointException(step, failures)
        return found

    def broadcast(self, step: str, map_fun: Callable[[], Any]) -> Any:
        """Do something at the coordinator, and give everybody what it finds."""
        found: Any = None
        if self.is_coordinator:
            found = _attempted(map_fun)
            if _is_wrapped_exception(found):
                found = CheckpointException(step, {self.rank: found})
        return _given(self.broadcast_object(found))

    def barrier(self) -> None:
        """Wait for all."""
        if self.use_dist:
            dist.barrier(group=self.group)


def _attempted(function: Callable[[], Any]) -> Any:
    """What a function gives; what it raises, as a value that can be sent."""
    try:
        return function()
    except Exception as error:
        return _wrap_exception(error)


def _given(found: Any) -> Any:
    if isinstance(found, CheckpointException):
        raise found
    return found


def find_tensor_shard(tensor: Any, index: MetadataIndex) -> Tensor:
    """The tensor that has the elements of a chunk here.

    Args:
        tensor: a tensor, whole or in parts
        index: names the chunk
    """
    if hasattr(tensor, "__get_tensor_shard__"):
        return tensor.__get_tensor_shard__(index)  # type: ignore[no-any-return]
    if index.offset is not None and any(index.offset):
        raise ValueError(
            f"FQN: '{index.fqn}' is not a DTensor or ShardedTensor, can't find offset: '{index.offset}'"
        )
    return tensor  # type: ignore[no-any-return]


def find_state_dict_object(state_dict: dict[str, Any], index: MetadataIndex) -> Any:
    """What stands under a name in a flat state dict; a chunk of it if the name says which.

    Args:
        state_dict: flat
        index: the name
    """
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    found = state_dict[index.fqn]
    if isinstance(found, Tensor):
        return find_tensor_shard(found, index)
    if index.offset is not None:
        raise ValueError(
            f"FQN: '{index.fqn}' is not a ShardedTensor, can't find by offset: '{index.offset}'"
        )
    return found


def _element_wise_add(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _element_wise_sub(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _create_file_view(file: Any, offset: int, length: int) -> io.BytesIO:
    """Part of a file, as a file."""
    file.seek(offset)
    return io.BytesIO(file.read(length))


def _normalize_device_info(device_type: str, device_id: int) -> str:
    """A device's name in a chunk's placement."""
    return "cpu" if device_type == "cpu" else f"{device_type}:{device_id}"
