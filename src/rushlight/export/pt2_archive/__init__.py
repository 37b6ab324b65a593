"""The files of exported programs: an archive of a JSON file and the bytes of tensors."""

from __future__ import annotations

import io
import json
import os
from typing import Any

import rushlight
from rushlight._export.serde.names import DTYPES
from rushlight._export.serde.reading import device_of, program_of
from rushlight._export.serde.serialize import deserialize_torch_artifact, serialize_torch_artifact
from rushlight._export.serde.writing import program_as_json, tensor_as_json
from rushlight._files.archive import ArchiveReader, ArchiveWriter
from rushlight.nn import Parameter

__all__ = ["load", "save"]

_MODEL = "model"
_EXTRA = "extra/"


def save(
    ep: Any,
    f: Any,
    *,
    extra_files: dict[str, Any] | None = None,
    opset_version: dict[str, int] | None = None,
    pickle_protocol: int = 2,
) -> None:
    """Write a program to a file; `rushlight.export.save`."""
    from rushlight.export.exported_program import ExportedProgram

    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    ep.validate()
    told = json.dumps(program_as_json(ep), allow_nan=False)
    if hasattr(f, "write"):
        _write(f, "archive", ep, told, extra_files or {}, pickle_protocol)
        return
    path = os.fspath(f)
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, "wb") as target:
        _write(target, name, ep, told, extra_files or {}, pickle_protocol)


def _write(
    target: Any, name: str, ep: Any, told: str, extra_files: dict[str, Any], protocol: int
) -> None:
    buffer = io.BytesIO() if not _can_seek(target) else target
    with ArchiveWriter(buffer, name) as archive:
        archive.write("archive_format", b"pt2")
        archive.write("byteorder", b"little")
        _write_tensors(archive, "weights", "weight", ep.state_dict)
        _write_tensors(archive, "constants", "tensor", ep.constants)
        archive.write(f"models/{_MODEL}.json", told.encode())
        if ep.example_inputs is not None:
            examples = serialize_torch_artifact(ep.example_inputs, protocol)
            archive.write(f"data/sample_inputs/{_MODEL}.pt", examples)
        for file, content in extra_files.items():
            archive.write(_EXTRA + file, content.encode() if isinstance(content, str) else content)
        archive.write("archive_version", b"0")
        archive.write("version", b"3\n")
    if buffer is not target:
        target.write(buffer.getvalue())


def _can_seek(target: Any) -> bool:
    return bool(getattr(target, "seekable", lambda: False)())


def _write_tensors(
    archive: ArchiveWriter, folder: str, prefix: str, tensors: dict[str, Any]
) -> None:
    """The bytes of tensors, each storage once, and a file that says which is where."""
    paths: dict[int, str] = {}
    config = {}
    for name, tensor in tensors.items():
        storage = tensor.detach().cpu().untyped_storage()
        key = tensor._storage_.__hash__()
        if key not in paths:
            paths[key] = f"{prefix}_{len(paths)}"
            archive.write(f"data/{folder}/{paths[key]}", bytes(storage))
        config[name] = {
            "path_name": paths[key],
            "is_param": isinstance(tensor, Parameter),
            "use_pickle": False,
            "tensor_meta": tensor_as_json(tensor),
        }
    archive.write(
        f"data/{folder}/{_MODEL}_{folder}_config.json", json.dumps({"config": config}).encode()
    )


def load(
    f: Any,
    *,
    extra_files: dict[str, Any] | None = None,
    expected_opset_version: dict[str, int] | None = None,
) -> Any:
    """Read a program from a file; `rushlight.export.load`."""
    if hasattr(f, "read"):
        return _read(f, extra_files)
    with open(os.fspath(f), "rb") as source:
        return _read(source, extra_files)


def _read(source: Any, extra_files: dict[str, Any] | None) -> Any:
    archive = ArchiveReader(source)
    if not archive.has("archive_format") or archive.read("archive_format") != b"pt2":
        raise ValueError("the file has no exported program: it is no archive of the format pt2")
    for file in extra_files or {}:
        assert extra_files is not None
        extra_files[file] = archive.read(_EXTRA + file).decode()
    example_file = f"data/sample_inputs/{_MODEL}.pt"
    examples = (
        deserialize_torch_artifact(archive.read(example_file))
        if archive.has(example_file)
        else None
    )
    return program_of(
        json.loads(archive.read(f"models/{_MODEL}.json")),
        _read_tensors(archive, "weights"),
        _read_tensors(archive, "constants"),
        examples or None,
    )


def _read_tensors(archive: ArchiveReader, folder: str) -> dict[str, Any]:
    file = f"data/{folder}/{_MODEL}_{folder}_config.json"
    if not archive.has(file):
        return {}
    storages: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for name, payload in json.loads(archive.read(file))["config"].items():
        path = f"data/{folder}/{payload['path_name']}"
        if payload["use_pickle"]:
            if payload.get("tensor_meta") is None:
                raise NotImplementedError(
                    f"{name} is no tensor: objects of TorchScript's classes cannot be read"
                )
            value = rushlight.load(io.BytesIO(archive.read(path)), weights_only=True)
        else:
            if path not in storages:
                storages[path] = archive.read(path)
            value = _tensor(storages, path, payload["tensor_meta"])
        is_param, wants = payload["is_param"], payload["tensor_meta"]["requires_grad"]
        found[name] = Parameter(value, requires_grad=wants) if is_param else value
    return found


_DTYPES = {number: dtype for dtype, number in DTYPES.items()}


def _tensor(storages: dict[str, Any], path: str, told: dict[str, Any]) -> Any:
    """A tensor over the bytes of a storage; those of one storage share it."""
    held = storages[path]
    if isinstance(held, bytes):
        held = storages[path] = _storage(held)
    made = rushlight.empty(0, dtype=_DTYPES[told["dtype"]])
    sizes, strides = ([n["as_int"] for n in told[k]] for k in ("sizes", "strides"))
    made.set_(held, told["storage_offset"]["as_int"], sizes, strides)
    device = device_of(told["device"])
    return made if device.type == "cpu" else made.to(device)


def _storage(content: bytes) -> Any:
    """A storage with bytes of its own."""
    if not content:
        return rushlight.empty(0, dtype=rushlight.uint8).untyped_storage()
    return rushlight.frombuffer(bytearray(content), dtype=rushlight.uint8).untyped_storage()
