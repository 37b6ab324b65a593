"""Checkpoints: any values, any number of processes, and what is left when one is stopped."""

import io
import os
import pickle
import signal

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight import nn
from rushlight.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from rushlight.distributed.checkpoint import format_utils
from rushlight.distributed.checkpoint.default_planner import (
    _create_default_local_metadata,
    _validate_global_plan,
)
from rushlight.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    TensorProperties,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.planner import TensorWriteData, WriteItem, WriteItemType
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_state_dict,
)
from rushlight.distributed.checkpoint.state_dict_loader import _load_state_dict_from_keys
from rushlight.nn.parallel import DistributedDataParallel


def values():
    return {
        "weights": {
            "a": torch.arange(12.0).view(3, 4).t(),
            "b": torch.ones(2, dtype=torch.bfloat16),
        },
        "mixed": [torch.tensor(3), {"c": torch.zeros(0, 2)}],
        "part": torch.arange(10)[3:6],
        "epoch": 7,
        "rates": [0.1, 0.2],
        "name": "run",
    }


def emptied(value):
    if isinstance(value, torch.Tensor):
        return torch.zeros_like(value)
    if isinstance(value, dict):
        return {k: emptied(x) for k, x in value.items()}
    if isinstance(value, list) and isinstance(value[0], torch.Tensor):
        return [emptied(x) for x in value]
    return None


def check_equal(found, right):
    torch.testing.assert_close(found["weights"], right["weights"])
    torch.testing.assert_close(found["mixed"], right["mixed"])
    torch.testing.assert_close(found["part"], right["part"])
    assert [found[k] for k in ("epoch", "rates", "name")] == [7, [0.1, 0.2], "run"]


def test_what_is_saved_is_loaded(tmp_path):
    metadata = dcp.save(values(), checkpoint_id=tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".metadata", "__0_0.distcp"]
    assert metadata.planner_data["weights.a"] == ("weights", "a")
    held = emptied(values())
    dcp.load(held, checkpoint_id=tmp_path)
    check_equal(held, values())


def test_threads_and_files_for_each_item(tmp_path):
    for number, options in enumerate(
        ({"thread_count": 3}, {"single_file_per_rank": False, "thread_count": 2})
    ):
        path = tmp_path / str(number)
        dcp.save(values(), storage_writer=dcp.FileSystemWriter(path, **options))
        assert len(os.listdir(path)) > 3
        held = emptied(values())
        dcp.load(held, storage_reader=dcp.FileSystemReader(path))
        check_equal(held, values())


def test_some_names_only(tmp_path):
    dcp.save(values(), checkpoint_id=tmp_path)
    found = _load_state_dict_from_keys({"weights"}, checkpoint_id=tmp_path)
    torch.testing.assert_close(found, {"weights": values()["weights"]})
    with pytest.raises(
        dcp.CheckpointException, match=r"Missing key in checkpoint state_dict: other\."
    ):
        dcp.load({"other": torch.ones(1)}, checkpoint_id=tmp_path)
    with pytest.raises(dcp.CheckpointException, match="Size mismatch between saved"):
        dcp.load({"part": torch.ones(4)}, checkpoint_id=tmp_path)
    partial = {"part": torch.zeros(3, dtype=torch.int64), "other": torch.ones(1)}
    planner = dcp.DefaultLoadPlanner(allow_partial_load=True)
    dcp.load(partial, checkpoint_id=tmp_path, planner=planner)
    assert partial["part"].tolist() == [3, 4, 5] and partial["other"].tolist() == [1]


def test_files_of_torch_save(tmp_path):
    torch.save(values(), tmp_path / "one.pt")
    format_utils.torch_save_to_dcp(tmp_path / "one.pt", tmp_path / "parts")
    format_utils.dcp_to_torch_save(tmp_path / "parts", tmp_path / "again.pt")
    check_equal(torch.load(tmp_path / "again.pt"), values())


def test_an_older_checkpoint_stays_until_the_new_one_is_whole(tmp_path):
    dcp.save({"x": torch.ones(3)}, checkpoint_id=tmp_path)

    class Full(dcp.DefaultSavePlanner):
        def resolve_data(self, item):
            raise OSError("no space left")

    with pytest.raises(dcp.CheckpointException, match="no space left"):
        dcp.save({"x": torch.zeros(3)}, checkpoint_id=tmp_path, planner=Full())
    held = {"x": torch.zeros(3)}
    dcp.load(held, checkpoint_id=tmp_path)
    assert held["x"].tolist() == [1, 1, 1]
    dcp.save({"x": torch.full((3,), 2.0)}, checkpoint_id=tmp_path)
    dcp.load(held, checkpoint_id=tmp_path)
    assert held["x"].tolist() == [2, 2, 2]
    # The files of the ones before are gone.
    assert len(os.listdir(tmp_path)) == 2


def test_metadata_is_data(tmp_path):
    dcp.save({"x": torch.ones(3)}, checkpoint_id=tmp_path)

    class Evil:
        def __reduce__(self):
            return os.system, ("true",)

    (tmp_path / ".metadata").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(dcp.CheckpointException, match="nothing that it needs"):
        dcp.load({"x": torch.ones(3)}, checkpoint_id=tmp_path)


def test_asynchronous_saves_keep_what_was_there(tmp_path):
    x = torch.ones(1000)
    future = dcp.async_save({"x": x}, checkpoint_id=tmp_path)
    x.zero_()
    future.result()
    held = {"x": torch.zeros(1000)}
    dcp.load(held, checkpoint_id=tmp_path)
    assert held["x"].sum() == 1000


def test_faults_of_plans_are_found():
    def chunk(offset, size):
        return ChunkStorageMetadata(torch.Size((offset,)), torch.Size((size,)))

    def faults(*chunks):
        tensor = TensorStorageMetadata(TensorProperties(), torch.Size((6,)), list(chunks))
        return _validate_global_plan([], Metadata({"x": tensor}))

    assert faults(chunk(0, 3), chunk(3, 3)) == []
    assert any("lies over" in fault for fault in faults(chunk(0, 4), chunk(3, 2)))
    assert any("not within" in fault for fault in faults(chunk(0, 3), chunk(3, 4)))
    assert any("have 3 of 6" in fault for fault in faults(chunk(0, 3)))


class Rows:
    """Some rows of a tensor: what a class of tensors in parts tells of itself."""

    def __init__(self, whole, first, last):
        self.whole, self.first, self.part = whole.shape, first, whole[first:last].clone()

    def size(self):
        return self.whole

    def chunk(self):
        return ChunkStorageMetadata(torch.Size((self.first, 0)), self.part.size())

    def __create_write_items__(self, fqn, value):
        data = TensorWriteData(
            self.chunk(), TensorProperties.create_from_tensor(self.part), self.whole
        )
        index = dcp.metadata.MetadataIndex(fqn, self.chunk().offsets)
        return [WriteItem(index, WriteItemType.SHARD, tensor_data=data)]

    def __create_chunk_list__(self):
        return [self.chunk()]


class PlannerOfRows:
    def lookup_object(self, index):
        found = self.state_dict[index.fqn]
        return found.part if isinstance(found, Rows) else super().lookup_object(index)

    def lookup_tensor(self, index):
        return self.state_dict[index.fqn].part


class SavesRows(PlannerOfRows, dcp.DefaultSavePlanner):
    pass


class LoadsRows(PlannerOfRows, dcp.DefaultLoadPlanner):
    pass


WHOLE = torch.arange(28.0).view(7, 4)


def borders(rank, size):
    return rank * 7 // size, (rank + 1) * 7 // size


def save_parts(rank, size, path):
    state = {"rows": Rows(WHOLE, *borders(rank, size)), "same": torch.ones(5), "step": 3}
    dcp.save(state, checkpoint_id=path, planner=SavesRows())
    dist.barrier()
    # What all have is written once.
    held = os.listdir(path)
    assert len(held) == size + 1, held


def load_parts(rank, size, path):
    first, last = borders(rank, size)
    state = {"rows": Rows(torch.zeros(7, 4), first, last)}
    dcp.load(state, checkpoint_id=path, planner=LoadsRows())
    torch.testing.assert_close(state["rows"].part, WHOLE[first:last])


def test_other_numbers_of_processes(tmp_path):
    run(3, save_parts, tmp_path)
    run(2, load_parts, tmp_path)
    alone = {"rows": torch.zeros(7, 4), "same": torch.zeros(5), "step": 0}
    dcp.load(alone, checkpoint_id=tmp_path)
    torch.testing.assert_close(alone["rows"], WHOLE)
    assert alone["same"].sum() == 5 and alone["step"] == 3


class Stopped(dcp.DefaultSavePlanner):
    def resolve_data(self, item):
        if dist.get_rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().resolve_data(item)


def stopped_while_saving(rank, size, path):
    state = {"a": torch.zeros(1000), f"of {rank}": torch.zeros(9)}
    dcp.save(state, checkpoint_id=path, planner=Stopped())


def test_a_process_that_is_killed_while_it_saves_loses_nothing(tmp_path):
    dcp.save({"a": torch.ones(1000)}, checkpoint_id=tmp_path)
    with pytest.raises(Exception, match=r"SIGKILL|process"):
        run(2, stopped_while_saving, tmp_path, seconds=5)
    held = {"a": torch.zeros(1000)}
    dcp.load(held, checkpoint_id=tmp_path)
    assert held["a"].sum() == 1000


def network():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))


def trained(model, optimizer, steps=2):
    for k in range(steps):
        optimizer.zero_grad()
        model(torch.arange(6.0).view(2, 3) + k).square().sum().backward()
        optimizer.step()


@pytest.mark.parametrize("flat", [False, True])
def test_states_by_names(flat):
    options = StateDictOptions(flatten_optimizer_state_dict=flat)
    model, other = network(), network()
    optimizers = [torch.optim.AdamW(m.parameters(), lr=0.1) for m in (model, other)]
    trained(model, optimizers[0])
    held, state = get_state_dict(model, optimizers[0], options=options)
    assert "state.0.weight.exp_avg" in state if flat else "0.weight" in state["state"]
    set_state_dict(
        other, optimizers[1], model_state_dict=held, optim_state_dict=state, options=options
    )
    trained(model, optimizers[0])
    trained(other, optimizers[1])
    torch.testing.assert_close(model.state_dict(), other.state_dict())


def test_wrappers_leave_no_trace_in_names():
    model = nn.Sequential(torch.compile(network()), network())
    names = list(get_model_state_dict(model))
    assert names == list(nn.Sequential(network(), network()).state_dict())
    found = set_model_state_dict(model, get_model_state_dict(model))
    assert found.missing_keys == [] and found.unexpected_keys == []
    model[0].requires_grad_(False)
    kept = get_model_state_dict(model, options=StateDictOptions(ignore_frozen_params=True))
    assert "0.0.weight" not in kept and "1.0.weight" in kept
    fresh = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    before = {k: v.clone() for k, v in model.state_dict().items()}
    assert "1.0.weight" in get_optimizer_state_dict(model, fresh)["state"]
    torch.testing.assert_close(model.state_dict(), before)


def test_wrappers_that_rename_by_themselves():
    model = nn.Sequential(checkpoint_wrapper(network()), network())
    held = get_model_state_dict(model)
    assert list(held) == list(nn.Sequential(network(), network()).state_dict())
    other = nn.Sequential(checkpoint_wrapper(network()), network())
    found = set_model_state_dict(other, held)
    assert found.missing_keys == [] and found.unexpected_keys == []
    torch.testing.assert_close(other.state_dict(), model.state_dict())


def resume(rank, size, path):
    torch.manual_seed(0)
    model = DistributedDataParallel(network())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    trained(model, optimizer)
    held, state = get_state_dict(model, optimizer)
    dcp.save({"model": held, "optimizer": state}, checkpoint_id=path)
    trained(model, optimizer)
    right = get_model_state_dict(model)

    again = DistributedDataParallel(network())
    optimizer = torch.optim.Adam(again.parameters(), lr=0.5)
    held, state = get_state_dict(again, optimizer)
    loaded = {"model": held, "optimizer": state}
    dcp.load(loaded, checkpoint_id=path)
    set_state_dict(
        again, optimizer, model_state_dict=loaded["model"], optim_state_dict=loaded["optimizer"]
    )
    trained(again, optimizer)
    torch.testing.assert_close(get_model_state_dict(again), right)


def test_training_goes_on_from_a_checkpoint(tmp_path):
    run(2, resume, tmp_path)


def test_metadata_of_one_process():
    made = _create_default_local_metadata({"x": torch.ones(2, 3), "y": 1})
    assert made.state_dict_metadata["x"].size == (2, 3)
    stream = io.BytesIO()
    torch.save(torch.ones(1), stream)
    assert isinstance(made, Metadata)
