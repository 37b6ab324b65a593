"""Exported programs as bytes: a JSON file, and tensors beside it."""

from __future__ import annotations

import io
import json
from typing import Any

import rushlight
from rushlight._export.serde.names import SerializeError
from rushlight._export.serde.reading import program_of
from rushlight._export.serde.records import Record, as_record
from rushlight._export.serde.writing import program_as_json
from rushlight.engine.native.records import dataclass

__all__ = [
    "ExportedProgramSerializer",
    "SerializeError",
    "SerializedArtifact",
    "deserialize",
    "deserialize_torch_artifact",
    "serialize",
    "serialize_torch_artifact",
]


@dataclass
class SerializedArtifact:
    """A program as bytes.

    Args:
        exported_program: the JSON file
        state_dict: parameters and buffers
        constants: other tensors
        example_inputs: what the program was exported with
    """

    exported_program: bytes
    state_dict: bytes
    constants: bytes
    example_inputs: bytes


@dataclass
class _SerializedProgram:
    """A program's file before it is bytes.

    Args:
        exported_program: what the file says
        state_dict: parameters and buffers
        constants: other tensors
        example_inputs: what the program was exported with
    """

    exported_program: Record
    state_dict: bytes
    constants: bytes
    example_inputs: bytes


class ExportedProgramSerializer:
    """Tells what the file of a program says.

    Args:
        opset_version: accepted
        pickle_protocol: of the tensors
    """

    def __init__(self, opset_version: Any = None, pickle_protocol: int = 2) -> None:
        self.pickle_protocol = pickle_protocol

    def serialize(self, exported_program: Any) -> _SerializedProgram:
        """The file of a program, as objects."""
        exported_program.validate()
        return _SerializedProgram(
            as_record(program_as_json(exported_program)), *self._tensors(exported_program)
        )

    def _tensors(self, program: Any) -> tuple[bytes, bytes, bytes]:
        held = program.state_dict, program.constants, program.example_inputs
        state, constants, inputs = (serialize_torch_artifact(x, self.pickle_protocol) for x in held)
        return state, constants, inputs


def serialize_torch_artifact(artifact: Any, pickle_protocol: int = 2) -> bytes:
    """Tensors, and containers of them, as bytes; nothing of nothing."""
    if artifact is None:
        return b""
    buffer = io.BytesIO()
    rushlight.save(artifact, buffer, pickle_protocol=pickle_protocol)
    return buffer.getvalue()


def deserialize_torch_artifact(serialized: Any) -> Any:
    """What bytes of `serialize_torch_artifact` have."""
    if isinstance(serialized, (dict, tuple)):
        return serialized
    if len(serialized) == 0:
        return {}
    return rushlight.load(io.BytesIO(serialized), weights_only=True)


def serialize(
    exported_program: Any, opset_version: Any = None, pickle_protocol: int = 2, **unused: Any
) -> SerializedArtifact:
    """A program as bytes."""
    exported_program.validate()
    return SerializedArtifact(
        json.dumps(program_as_json(exported_program), allow_nan=False).encode(),
        *ExportedProgramSerializer(pickle_protocol=pickle_protocol)._tensors(exported_program),
    )


def deserialize(
    artifact: SerializedArtifact, expected_opset_version: Any = None, **unused: Any
) -> Any:
    """The program of bytes."""
    return program_of(
        json.loads(artifact.exported_program),
        deserialize_torch_artifact(artifact.state_dict),
        deserialize_torch_artifact(artifact.constants),
        deserialize_torch_artifact(artifact.example_inputs) or None,
    )
