"""Loading a checkpoint into the state dicts of any number of processes."""

from __future__ import annotations

import os
import warnings
from typing import Any

from rushlight import distributed as dist
from rushlight.distributed.checkpoint._storage_utils import _storage_setup
from rushlight.distributed.checkpoint.default_planner import (
    DefaultLoadPlanner,
    _EmptyStateDictLoadPlanner,
)
from rushlight.distributed.checkpoint.planner import LoadPlan, LoadPlanner
from rushlight.distributed.checkpoint.stateful import Stateful
from rushlight.distributed.checkpoint.storage import StorageReader
from rushlight.distributed.checkpoint.utils import _all_gather_keys, _DistWrapper

__all__ = ["load", "load_state_dict"]


def load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: StorageReader,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: LoadPlanner | None = None,
) -> None:
    """The older form of :func:`load`."""
    warnings.warn(
        "'load_state_dict' is deprecated and will be removed in future versions. Please use 'load' instead.",
        FutureWarning,
        stacklevel=2,
    )
    storage_reader.reset()
    _load_state_dict(state_dict, storage_reader, process_group, coordinator_rank, no_dist, planner)


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: StorageReader | None = None,
    planner: LoadPlanner | None = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Load a checkpoint into a state dict: its tensors get other elements, what is no tensor is replaced.

    Args:
        state_dict: of the model that is there already, for example
        checkpoint_id: the folder, if no storage is given
        storage_reader: where it comes from
        planner: decides what is read
        process_group: the processes; all by default
        no_dist: whether this process loads alone
    """
    alone = no_dist or not dist.is_initialized()
    reader = _storage_setup(storage_reader, checkpoint_id, reader=True)
    keys = set(state_dict) if alone else _all_gather_keys(state_dict, process_group)
    if keys != set(state_dict):
        warnings.warn(
            f"processes load different keys: this one lacks {sorted(keys - set(state_dict))}",
            stacklevel=2,
        )
    # In one order everywhere: to ask for a state may take all processes.
    held = {
        key: value.state_dict() if isinstance(value, Stateful) else value
        for key, value in ((key, state_dict[key]) for key in sorted(keys & set(state_dict)))
    }
    _load_state_dict(held, reader, process_group, no_dist=alone, planner=planner)
    for key, found in held.items():
        value = state_dict[key]
        if isinstance(value, Stateful):
            value.load_state_dict(found)
        else:
            state_dict[key] = found


def _load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> None:
    together = _DistWrapper(process_group, not no_dist, coordinator_rank)
    planner = planner or DefaultLoadPlanner()

    def plan_alone() -> LoadPlan:
        metadata = storage_reader.read_metadata()
        planner.set_up_planner(state_dict, metadata, together.is_coordinator)
        storage_reader.set_up_storage_reader(metadata, together.is_coordinator)
        return storage_reader.prepare_local_plan(planner.create_local_plan())  # type: ignore[no-any-return]

    def plan_together(plans: list[LoadPlan]) -> list[LoadPlan]:
        return storage_reader.prepare_global_plan(planner.create_global_plan(plans))  # type: ignore[no-any-return]

    central = together.reduce_scatter("plan", plan_alone, plan_together)

    def read() -> None:
        storage_reader.read_data(planner.finish_plan(central), planner).wait()

    together.all_gather("read", read)


def _load_state_dict_from_keys(
    keys: set[str] | str | None = None,
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: StorageReader | None = None,
    process_group: Any = None,
) -> dict[str, Any]:
    """What a checkpoint has under some names, or all of it."""
    found: dict[str, Any] = {}
    _load_state_dict(
        found, _storage_setup(storage_reader, checkpoint_id, reader=True), process_group,
        no_dist=not dist.is_initialized(),
        planner=_EmptyStateDictLoadPlanner({keys} if isinstance(keys, str) else keys),
    )  # fmt: skip
    return found
