"""Saving the state dicts of several processes as one checkpoint."""

from __future__ import annotations

import inspect
import os
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum
from typing import Any

from rushlight import distributed as dist
from rushlight.distributed.checkpoint._async_process_executor import saver_of
from rushlight.distributed.checkpoint._storage_utils import _storage_setup
from rushlight.distributed.checkpoint.default_planner import DefaultSavePlanner
from rushlight.distributed.checkpoint.metadata import STATE_DICT_TYPE, Metadata
from rushlight.distributed.checkpoint.planner import SavePlan, SavePlanner
from rushlight.distributed.checkpoint.staging import AsyncStager, DefaultStager
from rushlight.distributed.checkpoint.stateful import Stateful
from rushlight.distributed.checkpoint.storage import StorageWriter, WriteResult
from rushlight.distributed.checkpoint.utils import _DistWrapper
from rushlight.engine.native.records import dataclass

__all__ = ["AsyncCheckpointerType", "AsyncSaveResponse", "async_save", "save", "save_state_dict"]


class AsyncCheckpointerType(Enum):
    """What saves while the program goes on."""

    THREAD = "thread"
    PROCESS = "process"


def save_state_dict(
    state_dict: STATE_DICT_TYPE,
    storage_writer: StorageWriter,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: SavePlanner | None = None,
) -> Metadata:
    """The older form of :func:`save`."""
    warnings.warn(
        "'save_state_dict' is deprecated and will be removed in future versions. Please use 'save' instead.",
        FutureWarning,
        stacklevel=2,
    )
    storage_writer.reset()
    return _save_state_dict(
        state_dict, storage_writer, process_group, coordinator_rank, no_dist, planner
    )


def save(
    state_dict: STATE_DICT_TYPE,
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:
    """Save a checkpoint: all processes of a group call this with what each of them has.

    Args:
        state_dict: tensors, whole or in parts, objects with states of their own, and anything that `torch.save` takes
        checkpoint_id: the folder, if no storage is given
        storage_writer: where it goes
        planner: decides what is written
        process_group: the processes; all by default
        no_dist: whether this process saves alone
        use_collectives: whether the processes plan together
    """
    alone = no_dist or not dist.is_initialized()
    writer = _storage_setup(storage_writer, checkpoint_id)
    return _save_state_dict(
        _stateful_to_state_dict(state_dict), writer, process_group, no_dist=alone, planner=planner,
        use_collectives=use_collectives,
    )  # fmt: skip


@dataclass
class AsyncSaveResponse:
    """What an asynchronous save will have done: copied, then written."""

    staging_completion: Any
    upload_completion: Any


def async_save(
    state_dict: STATE_DICT_TYPE,
    *,
    checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: StorageWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: Any = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD,
    async_stager: AsyncStager | None = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Any:
    """Copy a state dict, and save the copy while the program goes on.

    Args:
        state_dict: as for :func:`save`
        checkpoint_id: as for :func:`save`
        storage_writer: as for :func:`save`
        planner: as for :func:`save`
        process_group: processes that do nothing else in this group meanwhile
        async_checkpointer_type: a thread saves, or a process
        async_stager: makes the copy
        no_dist: as for :func:`save`
        use_collectives: as for :func:`save`

    Returns:
        a future of what :func:`save` gives
    """
    if async_stager is None:
        # Writers may copy by themselves.
        is_stager = isinstance(storage_writer, AsyncStager)
        async_stager = storage_writer if is_stager else DefaultStager()  # type: ignore[assignment]
    assert async_stager is not None
    options: dict[str, Any] = {
        "checkpoint_id": checkpoint_id, "storage_writer": storage_writer, "planner": planner, "no_dist": no_dist,
        "use_collectives": use_collectives,
    }  # fmt: skip
    staged = async_stager.stage(_stateful_to_state_dict(state_dict))
    if async_checkpointer_type is AsyncCheckpointerType.PROCESS:
        together = dist.is_initialized() and not no_dist
        saver = saver_of((process_group or dist.group.WORLD) if together else None)
        uploaded = saver.submit(staged, options)
    else:
        uploaded = _saved_by_thread(staged, process_group, options)
    if isinstance(staged, Future):
        return AsyncSaveResponse(staging_completion=staged, upload_completion=uploaded)
    if async_stager.should_synchronize_after_execute:
        async_stager.synchronize_staging()
    return uploaded


def _saved_by_thread(staged: Any, process_group: Any, options: dict[str, Any]) -> Future[Metadata]:
    thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")

    def upload() -> Metadata:
        held = staged.result() if isinstance(staged, Future) else staged
        return save(held, process_group=process_group, **options)

    uploaded = thread.submit(upload)
    thread.shutdown(wait=False)
    return uploaded


def _stateful_to_state_dict(state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
    return {
        key: value.state_dict() if isinstance(value, Stateful) else value
        for key, value in state_dict.items()
    }


def _save_state_dict(
    state_dict: STATE_DICT_TYPE,
    storage_writer: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
    use_collectives: bool = True,
) -> Metadata:
    if not use_collectives and not no_dist:
        raise NotImplementedError(
            "torch.distributed.checkpoint.save: several processes do not save without collectives yet"
        )
    together = _DistWrapper(process_group, not no_dist, coordinator_rank)
    planner = planner or DefaultSavePlanner()
    metadata: Metadata | None = None

    def plan_alone() -> SavePlan:
        meta = storage_writer.storage_meta()
        if "storage_meta" in inspect.signature(planner.set_up_planner).parameters:
            planner.set_up_planner(
                state_dict=state_dict, storage_meta=meta, is_coordinator=together.is_coordinator
            )
        else:
            # Planners of programs that are older than the argument.
            planner.set_up_planner(state_dict, together.is_coordinator)
        _set_up(storage_writer, together)
        return storage_writer.prepare_local_plan(planner.create_local_plan())  # type: ignore[no-any-return]

    def plan_together(plans: list[SavePlan]) -> list[SavePlan]:
        nonlocal metadata
        plans, metadata = planner.create_global_plan(plans)
        return storage_writer.prepare_global_plan(plans)  # type: ignore[no-any-return]

    central = together.reduce_scatter("plan", plan_alone, plan_together)

    def write() -> list[WriteResult]:
        written = storage_writer.write_data(planner.finish_plan(central), planner)
        written.wait()
        return written.value()  # type: ignore[no-any-return]

    def finish(results: list[list[WriteResult]]) -> Metadata:
        assert metadata is not None
        storage_writer.finish(metadata=metadata, results=results)
        return metadata

    return together.all_reduce("write", write, finish)  # type: ignore[no-any-return]


def _set_up(storage_writer: Any, together: _DistWrapper) -> None:
    """Tell a writer who it is; older ones want to know less."""
    takes = inspect.signature(storage_writer.set_up_storage_writer).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in takes.values()):
        storage_writer.set_up_storage_writer(
            together.is_coordinator, rank=together.rank, use_collectives=True
        )
    else:
        storage_writer.set_up_storage_writer(together.is_coordinator)
