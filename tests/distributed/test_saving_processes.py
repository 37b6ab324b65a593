"""Checkpoints that a process of its own saves."""

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight.distributed.checkpoint import _async_process_executor as executor
from rushlight.distributed.checkpoint.state_dict_saver import AsyncCheckpointerType
from rushlight.distributed.tensor import Shard, distribute_tensor

PROCESS = AsyncCheckpointerType.PROCESS


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    executor.end_all()


def test_it_saves_what_was_there(tmp_path):
    x = torch.arange(6.0)
    futures = []
    for step in range(2):
        state = {"x": x, "step": step}
        futures.append(
            dcp.async_save(
                state, checkpoint_id=tmp_path / str(step), async_checkpointer_type=PROCESS
            )
        )
        x.add_(1)
    assert len({saver.process.pid for saver in executor._savers.values()}) == 1
    for step, future in enumerate(futures):
        assert "x" in future.result(60).state_dict_metadata
        held = {"x": torch.zeros(6), "step": -1}
        dcp.load(held, checkpoint_id=tmp_path / str(step))
        assert held["step"] == step and torch.equal(held["x"], torch.arange(6.0) + step)


def test_what_goes_wrong_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    future = dcp.async_save(
        {"x": torch.ones(1)}, checkpoint_id=tmp_path / "file", async_checkpointer_type=PROCESS
    )
    with pytest.raises(dcp.CheckpointException, match="FileExistsError"):
        future.result(60)
    (saver,) = executor._savers.values()
    saver.process.kill()
    saver.process.join()
    future = dcp.async_save({}, checkpoint_id=tmp_path / "other", async_checkpointer_type=PROCESS)
    future.result(60)


def in_parts(rank, size, folder):
    mesh = dist.init_device_mesh("cpu", (size,))
    whole = torch.arange(10.0).view(5, 2)
    state = {"x": distribute_tensor(whole, mesh, [Shard(0)]), "rank": rank}
    dcp.async_save(state, checkpoint_id=folder, async_checkpointer_type=PROCESS).result(60)
    dist.barrier()
    held = {"x": torch.zeros(5, 2)}
    dcp.load(held, checkpoint_id=folder)
    assert torch.equal(held["x"], whole)
    executor.end_all()


def test_parts_of_several_processes(tmp_path):
    run(2, in_parts, str(tmp_path))
