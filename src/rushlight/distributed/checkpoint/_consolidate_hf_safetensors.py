"""From files with parts of tensors to files with whole ones."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import rushlight as torch
from rushlight import distributed as dist
from rushlight._files import safetensors
from rushlight.distributed.checkpoint._hf_utils import (
    SUFFIX,
    _gen_file_name,
    _metadata_fn,
    offsets_in,
)

__all__ = ["consolidate_safetensors_files", "consolidate_safetensors_files_on_every_rank"]


class Part(NamedTuple):
    """A part of a tensor: the file, where in that, and where it begins in the whole."""

    path: Path
    entry: safetensors.Entry
    offset: list[int]


def _parts_in(folder: str) -> dict[str, list[Part]]:
    """The parts of each tensor in a folder's files."""
    found: dict[str, list[Part]] = {}
    for path in sorted(Path(folder).glob(f"*{SUFFIX}")):
        with path.open("rb") as stream:
            header = safetensors.read_header(stream)
        offsets = offsets_in(header)
        for name, entry in header.entries.items():
            found.setdefault(name, []).append(Part(path, entry, offsets[name]))
    return found


def _size(parts: list[Part]) -> tuple[int, ...]:
    """The size of the whole."""
    ends = [[o + n for o, n in zip(part.offset, part.entry.shape)] for part in parts]
    return tuple(map(max, zip(*ends))) if ends[0] else ()


def _whole(name: str, parts: list[Part], shape: tuple[int, ...]) -> torch.Tensor:
    made = torch.empty(shape, dtype=parts[0].entry.dtype)
    count = 0
    for path, entry, offset in parts:
        target = made
        for dim, (start, length) in enumerate(zip(offset, entry.shape)):
            target = target.narrow(dim, start, length)
        with path.open("rb") as stream:
            target.copy_(safetensors.read(stream, entry))
        count += math.prod(entry.shape)
    if count < made.numel():
        raise ValueError(f"{name}: files have {count} of its {made.numel()} elements")
    return made


def _write_whole(path: Path, names: list[str], parts: dict[str, list[Part]]) -> int:
    """Write a file of whole tensors; how many bytes these have."""
    sizes = {name: _size(parts[name]) for name in names}
    wanted = {name: (parts[name][0].entry.dtype, sizes[name]) for name in names}
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as stream:
        stream.write(safetensors.header_bytes(wanted, {"format": "pt"}))
        for name in names:
            stream.write(safetensors.elements(_whole(name, parts[name], sizes[name])))
    temporary.replace(path)
    return sum(math.prod(shape) * dtype.itemsize for dtype, shape in wanted.values())


def _files(mapping: dict[str, int], largest: int) -> Iterator[tuple[str, list[str]]]:
    """The files that a mapping of tensors to numbers stands for, with the names of their tensors."""
    for number in sorted(set(mapping.values())):
        names = [name for name, index in mapping.items() if index == number]
        yield _gen_file_name(number, largest), names


def _consolidate(
    input_dir: str, output_dir: str, mapping: dict[str, int], largest: int, num_threads: int
) -> tuple[dict[str, str], int]:
    """Write files; which tensor is in which, and how many bytes they have in all."""
    parts = _parts_in(input_dir)
    missing = sorted(set(mapping) - set(parts))
    if missing:
        raise ValueError(f"no file in {input_dir} has {missing[0]}, nor {len(missing) - 1} others")
    Path(output_dir).mkdir(parents=True, exist_ok=True)
    files = list(_files(mapping, largest))

    def write(given: tuple[str, list[str]]) -> int:
        return _write_whole(Path(output_dir) / given[0], given[1], parts)

    with ThreadPoolExecutor(max(1, num_threads)) as threads:
        total = sum(threads.map(write, files))
    return {name: file for file, names in files for name in names}, total


def write_index(path: Any, weight_map: dict[str, str], total_size: int) -> None:
    """Write which tensor is in which file."""
    text = {"metadata": {"total_size": total_size}, "weight_map": weight_map}
    path.write(json.dumps(text, indent=2))


def consolidate_safetensors_files(
    input_dir: str,
    output_dir: str,
    fqn_to_index_mapping: dict[str, int],
    num_threads: int = 1,
) -> None:
    """Write the tensors whose parts lie in files to other files, as wholes.

    Args:
        input_dir: the folder with parts
        output_dir: the folder for wholes
        fqn_to_index_mapping: for each tensor the number of its file, from 1 on
        num_threads: write so many files at once
    """
    largest = max(fqn_to_index_mapping.values(), default=1)
    found = _consolidate(input_dir, output_dir, fqn_to_index_mapping, largest, num_threads)
    with (Path(output_dir) / _metadata_fn).open("w") as stream:
        write_index(stream, *found)


def consolidate_safetensors_files_on_every_rank(
    input_dir: str,
    output_dir: str,
    fqn_to_index_mapping: dict[str, int],
    num_threads: int = 1,
    process_group: Any = None,
) -> None:
    """The same, with the files shared among processes.

    Args:
        input_dir: the folder with parts
        output_dir: the folder for wholes
        fqn_to_index_mapping: for each tensor the number of its file, from 1 on
        num_threads: each process writes so many files at once
        process_group: the processes
    """
    together = dist.is_initialized()
    rank = dist.get_rank(process_group) if together else 0
    size = dist.get_world_size(process_group) if together else 1
    numbers = sorted(set(fqn_to_index_mapping.values()))[rank::size]
    own = {name: index for name, index in fqn_to_index_mapping.items() if index in numbers}
    largest = max(fqn_to_index_mapping.values(), default=1)
    found = _consolidate(input_dir, output_dir, own, largest, num_threads)
    every: list[Any] = [found]
    if together:
        every = [None] * size
        dist.all_gather_object(every, found, group=process_group)
    if rank == 0:
        weight_map = {name: file for files, _ in every for name, file in files.items()}
        with (Path(output_dir) / _metadata_fn).open("w") as stream:
            write_index(stream, weight_map, sum(total for _, total in every))
    if together:
        dist.barrier(process_group)
