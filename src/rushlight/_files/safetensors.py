"""Files of the safetensors format: a header in JSON that says where each tensor's bytes lie, and the bytes.

Eight bytes say how long the header is. A header of others is believed only where it can be true: types are known,
sizes and bytes belong together, and lie in the file.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import rushlight
from rushlight import Tensor

_MOST_HEADER = 100_000_000
_LENGTH = struct.Struct("<Q")
_METADATA = "__metadata__"
TYPES = {
    "BOOL": rushlight.bool, "U8": rushlight.uint8, "I8": rushlight.int8, "I16": rushlight.int16, "I32": rushlight.int32,
    "I64": rushlight.int64, "U16": rushlight.uint16, "U32": rushlight.uint32, "U64": rushlight.uint64,
    "F16": rushlight.float16, "BF16": rushlight.bfloat16, "F32": rushlight.float32, "F64": rushlight.float64,
    "F8_E4M3": rushlight.float8_e4m3fn, "F8_E5M2": rushlight.float8_e5m2, "C64": rushlight.complex64,
}  # fmt: skip
_NAMES = {kind: name for name, kind in TYPES.items()}


class Entry(NamedTuple):
    """A tensor of a file: its type, its size, and its first byte in the file."""

    dtype: rushlight.dtype
    shape: tuple[int, ...]
    start: int


class Header(NamedTuple):
    """What a file says of itself: its tensors, and texts by names."""

    entries: dict[str, Entry]
    metadata: dict[str, str]


def read_header(stream: Any) -> Header:
    """The header of a file that is open; a ValueError says what is wrong with it."""
    size = stream.seek(0, 2)
    stream.seek(0)
    first = stream.read(_LENGTH.size)
    if len(first) < _LENGTH.size:
        raise ValueError(f"no safetensors file: it has {len(first)} bytes")
    (length,) = _LENGTH.unpack(first)
    begin = _LENGTH.size + length
    if length > _MOST_HEADER or begin > size:
        raise ValueError(f"a header of {length} bytes in a safetensors file of {size}")
    try:
        given = json.loads(stream.read(length))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the header of a safetensors file is no JSON: {error}") from None
    if not isinstance(given, dict):
        raise ValueError("the header of a safetensors file is no table")
    metadata = given.pop(_METADATA, {})
    if not isinstance(metadata, dict):
        raise ValueError("the metadata of a safetensors file are no table")
    entries = {name: _entry(name, value, begin, size) for name, value in given.items()}
    return Header(entries, metadata)


def _entry(name: str, value: Any, begin: int, size: int) -> Entry:
    try:
        dtype, shape = TYPES[value["dtype"]], tuple(value["shape"])
        start, end = value["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{name}: a safetensors file says {value!r} of it") from None
    if not all(type(n) is int and n >= 0 for n in (*shape, start, end)):
        raise ValueError(
            f"{name}: a safetensors file gives it the size {shape}, bytes {start} to {end}"
        )
    if end - start != math.prod(shape) * dtype.itemsize or begin + end > size:
        raise ValueError(
            f"{name}: a safetensors file of {size} bytes gives it the size {shape} of {dtype}, in bytes {start} to {end} "
            f"behind {begin}"
        )
    return Entry(dtype, shape, begin + start)


def read(
    stream: Any, entry: Entry, offsets: Sequence[int] | None = None, lengths: Any = None
) -> Tensor:
    """A tensor of a file that is open, or a box of it: only the rows of the first dimension are read.

    Args:
        stream: the file
        entry: the tensor
        offsets: where the box begins; all of it, if not given
        lengths: how large the box is
    """
    shape, start = entry.shape, entry.start
    if offsets and shape:
        row = math.prod(shape[1:]) * entry.dtype.itemsize
        start, shape = start + offsets[0] * row, (lengths[0], *shape[1:])
    made = rushlight.empty(shape, dtype=entry.dtype)
    nbytes = math.prod(shape) * entry.dtype.itemsize
    stream.seek(start)
    found = stream.read(nbytes)
    if len(found) < nbytes:
        raise ValueError(f"a safetensors file ends {nbytes - len(found)} bytes too soon")
    if nbytes:
        flat = rushlight.frombuffer(bytearray(found), dtype=entry.dtype)
        made = flat.view(shape)
    for dim, (offset, length) in enumerate(zip(offsets or (), lengths or ())):
        made = made.narrow(dim, offset if dim else 0, length)
    return made


def header_bytes(
    wanted: Mapping[str, tuple[rushlight.dtype, Sequence[int]]], metadata: Mapping[str, str]
) -> bytes:
    """The header of a file that has tensors of these types and sizes, one behind the other."""
    found: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    start = 0
    for name, (dtype, shape) in wanted.items():
        if dtype not in _NAMES:
            raise ValueError(f"{name}: safetensors files have no tensors of type {dtype}")
        end = start + math.prod(shape) * dtype.itemsize
        found[name] = {
            "dtype": _NAMES[dtype],
            "shape": list(shape),
            "data_offsets": [start, end],
        }
        start = end
    text = json.dumps(found, separators=(",", ":")).encode()
    # What follows begins at a multiple of eight bytes.
    text += b" " * (-len(text) % 8)
    return _LENGTH.pack(len(text)) + text


def elements(tensor: Tensor) -> Any:
    """A tensor's bytes, in order."""
    flat = tensor.detach().cpu().contiguous().view(-1)
    return flat.view(rushlight.uint8).numpy() if flat.numel() else b""


def write(stream: Any, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write tensors, and texts by names, to a file that is open."""
    wanted = {name: (tensor.dtype, tensor.shape) for name, tensor in tensors.items()}
    stream.write(header_bytes(wanted, metadata))
    for tensor in tensors.values():
        stream.write(elements(tensor))
