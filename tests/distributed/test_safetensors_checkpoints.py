"""Checkpoints in safetensors' files, and in file systems of fsspec."""

import io
import json
import struct

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight._files import safetensors
from rushlight.distributed.tensor import Replicate, Shard, distribute_tensor

TENSORS = {
    "a": torch.arange(12.0).view(4, 3),
    "b": torch.tensor(3, dtype=torch.int64),
    "c": torch.ones(2, 0),
    "d": torch.arange(6, dtype=torch.bfloat16).view(2, 3).t(),
    "e": torch.tensor([True, False]),
}


def empty():
    return {name: torch.zeros_like(t) for name, t in TENSORS.items()}


def check(found):
    torch.testing.assert_close(found, TENSORS)


def test_files_have_what_was_written():
    stream = io.BytesIO()
    safetensors.write(stream, TENSORS, {"format": "pt"})
    header = safetensors.read_header(stream)
    assert header.metadata == {"format": "pt"} and list(header.entries) == list(TENSORS)
    check({name: safetensors.read(stream, entry) for name, entry in header.entries.items()})
    box = safetensors.read(stream, header.entries["a"], [1, 1], [2, 2])
    assert torch.equal(box, TENSORS["a"][1:3, 1:3])
    # What others would read.
    (length,) = struct.unpack("<Q", stream.getvalue()[:8])
    said = json.loads(stream.getvalue()[8 : 8 + length])
    assert said["a"] == {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}
    assert (8 + length) % 8 == 0


def file_of(entry, data=b"\0" * 8):
    text = json.dumps(entry).encode() if not isinstance(entry, bytes) else entry
    return io.BytesIO(struct.pack("<Q", len(text)) + text + data)


@pytest.mark.parametrize(
    "stream, message",
    [
        (io.BytesIO(b"123"), "it has 3 bytes"),
        (io.BytesIO(struct.pack("<Q", 1 << 60)), "a header of"),
        (file_of(b"[1"), "no JSON"),
        (file_of([1]), "no table"),
        (file_of({"__metadata__": 3}), "metadata"),
        (file_of({"a": 3}), "a: a safetensors file says 3"),
        (file_of({"a": {"dtype": "X", "shape": [], "data_offsets": [0, 4]}}), "a: a safetensors file says"),
        (file_of({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}), "the size"),
        (file_of({"a": {"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]}}), "the size"),
        (file_of({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}), "bytes 0 to 8"),
        (file_of({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}), "bytes 0 to 12"),
        (file_of({"a": {"dtype": "F32", "shape": [1 << 62], "data_offsets": [0, 1 << 64]}}), "the size"),
    ],
)  # fmt: skip
def test_files_of_others_are_not_believed(stream, message):
    with pytest.raises(ValueError, match=message):
        safetensors.read_header(stream)


def test_one_process(tmp_path):
    mapping = {"a": 1, "b": 2, "c": 2, "d": 1, "e": 2}
    dcp.save(
        TENSORS, storage_writer=dcp.HuggingFaceStorageWriter(str(tmp_path), mapping, thread_count=2)
    )
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    assert index["weight_map"]["a"] == "model-00001-of-00002.safetensors"
    assert index["metadata"]["total_size"] == 48 + 8 + 12 + 2
    found = empty()
    dcp.load(found, storage_reader=dcp.HuggingFaceStorageReader(str(tmp_path), thread_count=2))
    check(found)
    with pytest.raises(dcp.CheckpointException, match="n is no tensor"):
        dcp.save({"n": "text"}, storage_writer=dcp.HuggingFaceStorageWriter(str(tmp_path)))


def parts(rank, size, folder):
    mesh = dist.init_device_mesh("cpu", (size,))
    mine = {
        "a": distribute_tensor(TENSORS["a"], mesh, [Shard(0)]),
        "d": distribute_tensor(TENSORS["d"], mesh, [Shard(1)]),
        "b": distribute_tensor(TENSORS["b"], mesh, [Replicate()]),
    }
    writer = dcp.HuggingFaceStorageWriter(
        folder, {"a": 1, "d": 2, "b": 2}, save_distributed=True, enable_consolidation=True
    )
    dcp.save(mine, storage_writer=writer)
    wanted = {name: TENSORS[name] for name in mine}
    for path in (folder, f"{folder}/sharded"):
        found = {name: torch.zeros_like(t) for name, t in wanted.items()}
        dcp.load(found, storage_reader=dcp.HuggingFaceStorageReader(path))
        torch.testing.assert_close(found, wanted)
    placed = {"a": distribute_tensor(torch.zeros(4, 3), mesh, [Shard(1)])}
    dcp.load(placed, storage_reader=dcp.HuggingFaceStorageReader(f"{folder}/sharded"))
    torch.testing.assert_close(placed["a"].full_tensor(), TENSORS["a"])


def test_parts_of_several_processes(tmp_path):
    run(2, parts, str(tmp_path))
    names = sorted(path.name for path in (tmp_path / "sharded").iterdir())
    assert "shard-00001-model-00001-of-00002.safetensors" in names


def test_file_systems_of_fsspec():
    pytest.importorskip("fsspec")
    from rushlight.distributed.checkpoint._fsspec_filesystem import FsspecReader, FsspecWriter

    path = "memory://checkpoint"
    assert FsspecWriter.validate_checkpoint_id(path)
    for _ in range(2):
        dcp.save({**TENSORS, "n": 3}, storage_writer=FsspecWriter(path))
    found = {**empty(), "n": 0}
    dcp.load(found, storage_reader=FsspecReader(path))
    assert found.pop("n") == 3
    check(found)
