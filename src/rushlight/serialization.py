"""Tensors, modules and whatever Python can pickle, in files that PyTorch reads and writes too.

A file is a zip archive: a pickle of the objects, and a record with the bytes of each storage.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import io
import mmap as maps
import os
import pickle
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from rushlight import _utils
from rushlight._files import archive as _archive
from rushlight._files import pickles as _pickles
from rushlight._files.archive import ArchiveReader, ArchiveWriter
from rushlight.engine.core import device as devices
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import storage as storages
from rushlight.engine.core.device import device
from rushlight.engine.core.storage import UntypedStorage
from rushlight.engine.native import unfinished
from rushlight.storage import TypedStorage

__all__ = [
    "LoadEndianness",
    "SourceChangeWarning",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
]

DEFAULT_PROTOCOL = 2
# How many may save to one name at the same time.
_MOST_SAVING = 1000
_MAGIC = 0x1950A86A20F9469CFC6C
_LEGACY_VERSION = 1001
_VERSION = b"3\n"
_UNSAFE = (
    "\n\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in "
    "`torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to "
    "`False` will likely succeed, but it can result in arbitrary code execution. Do it only if you "
    "got the file from a trusted source."
)
Location = str | device | dict[str, Any] | Callable[[Any, str], Any] | None
# The names that programs import for annotations.
FILE_LIKE = str | os.PathLike[str] | IO[bytes]
MAP_LOCATION = Location


# -- the list of names that a file may use --
def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let `load` with ``weights_only`` make these classes and call these functions.

    Args:
        safe_globals: classes and functions; or pairs of one and its full name in files
    """
    _pickles.allow(list(safe_globals))


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` was given."""
    return _pickles.allowed_by_user()


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` was given."""
    _pickles.disallow(_pickles.allowed_by_user())


@contextlib.contextmanager
def _allowing(found: list[Any]) -> Iterator[None]:
    fresh = [item for item in found if item not in _pickles.allowed_by_user()]
    _pickles.allow(fresh)
    try:
        yield
    finally:
        _pickles.disallow(fresh)


class safe_globals:
    """A block in which `add_safe_globals` holds for a list.

    Args:
        safe_globals: see `add_safe_globals`
    """

    def __init__(self, safe_globals: list[Any]) -> None:
        self._block = _allowing(list(safe_globals))

    def __enter__(self) -> None:
        self._block.__enter__()

    def __exit__(self, *exception: Any) -> None:
        self._block.__exit__(*exception)


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a file that `load` with ``weights_only`` would refuse."""
    with _opened(f, "rb") as file:
        if not _archive.is_archive(file):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        return _pickles.unsafe_names_in(io.BytesIO(ArchiveReader(file).read("data.pkl")))


# -- where storages go --
_Tagger = Callable[[Any], str | None]
_Restorer = Callable[[Any, str], Any]
_packages: list[tuple[int, _Tagger, _Restorer]] = []


def register_package(priority: int, tagger: _Tagger, deserializer: _Restorer) -> None:
    """Add a kind of place that storages can be in.

    Args:
        priority: places of lower numbers are asked first
        tagger: gives the place's name for a storage, or None if it is not there
        deserializer: moves a storage to the named place, or gives None
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage: Any) -> str:
    """The name of the place that a storage is in."""
    for _, tagger, _ in _packages:
        found = tagger(storage)
        if found:
            return found
    raise RuntimeError(f"don't know how to determine data location of {type(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """A storage that was read, moved to a named place."""
    for _, _, restore in _packages:
        found = restore(storage, location)
        if found is not None:
            return found
    raise RuntimeError(
        f"don't know how to restore data location of {type(storage)} (tagged with {location})"
    )


def _on_cpu(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def _on_meta(storage: Any, location: str) -> Any:
    return storages.allocate(storage.nbytes(), devices.meta) if location == "meta" else None


def _on_gpu(storage: Any, location: str) -> Any:
    if location.startswith("cuda") and device(location).is_here:
        return storage.to(device=location)
    if location.startswith("cuda"):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False. If you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )
    return None


def _tag_of(kind: str) -> _Tagger:
    return lambda storage: str(storage.device) if storage.device.type == kind else None


register_package(10, _tag_of("cpu"), _on_cpu)
register_package(20, _tag_of("cuda"), _on_gpu)
register_package(30, _tag_of("meta"), _on_meta)


def _restorer(map_location: Location) -> _Restorer:
    """The function that moves a storage from the place where it was saved."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, place: default_restore_location(
            storage, map_location.get(place, place)
        )
    if isinstance(map_location, str | device):
        target = str(map_location)
        return lambda storage, place: default_restore_location(storage, target)

    def ask(storage: Any, place: str) -> Any:
        found = map_location(storage, place)
        return default_restore_location(storage, place) if found is None else found

    return ask


# -- files --
def _is_path(f: Any) -> bool:
    return isinstance(f, str | Path | os.PathLike)


@contextlib.contextmanager
def _opened(f: Any, mode: str) -> Iterator[Any]:
    """A file by its path, or a file object as it is."""
    if _is_path(f):
        with open(f, mode) as file:
            yield file
        return
    missing = [name for name in ("read", "seek", "tell") if not hasattr(f, name)]
    if missing:
        raise AttributeError(
            f"'{type(f).__name__}' object has no attribute '{missing[0]}'. You can only torch.load "
            "from a file that is seekable. Please pre-load the data into a buffer like io.BytesIO "
            "and try to load from it instead."
        )
    yield f


@contextlib.contextmanager
def _replaced(path: str) -> Iterator[Any]:
    """A file to write that takes the place of an old one when it is complete."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    place = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        handle, temporary = _claimed(name, place)
        with open(handle, "wb") as file:
            try:
                yield file
                file.flush()
                if os.path.exists(path):
                    os.chmod(handle, os.stat(path).st_mode & 0o7777)
                os.replace(temporary, name, src_dir_fd=place, dst_dir_fd=place)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=place)
                raise
    finally:
        os.close(place)


def _claimed(name: str, place: int) -> tuple[int, str]:
    """A descriptor of a file beside the one to be saved, and its name.

    A process that was killed while it saved leaves such a file; the next one to save takes it over.
    """
    for number in range(_MOST_SAVING):
        mark = f".{number}" if number else ""
        claimed = unfinished.claim(f"{name}{mark}.unfinished", place)
        if claimed is not None:
            return claimed
    raise RuntimeError(f"{name} is being saved {_MOST_SAVING} times at once already")


# -- saving --
def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object to a file. A file at a path is replaced only when the new one is complete.

    Args:
        obj: the object, with any tensors in it; storages that tensors share are written once
        f: a path, or a file object open for writing bytes
        pickle_module: whose pickler writes the object
        pickle_protocol: the version of its format
    """
    target: contextlib.AbstractContextManager[Any]
    if _is_path(f):
        name = os.path.splitext(os.path.basename(os.fspath(f)))[0]
        target = _replaced(os.fspath(f))
    elif hasattr(f, "write"):
        name, target = "archive", contextlib.nullcontext(f)
    else:
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, "
            f"but got {type(f)}"
        )
    with target as file:
        if _use_new_zipfile_serialization:
            with ArchiveWriter(file, name) as archive:
                says_order = not _disable_byteorder_record
                _save_archive(obj, archive, pickle_module, pickle_protocol, says_order)
        else:
            _save_legacy(obj, file, pickle_module, pickle_protocol)


class _StoragesOut:
    """The storages that a pickler met, with the ids that it wrote for them."""

    def __init__(self) -> None:
        self.found: dict[int, UntypedStorage] = {}
        self.numbers: dict[int, int] = {}
        self.kinds: dict[int, dtypes.dtype] = {}

    def describe(self, obj: TypedStorage | UntypedStorage) -> tuple[Any, ...]:
        """The class, number, place and length of a storage; it will be written."""
        held = obj.untyped()
        named = isinstance(obj, TypedStorage) and obj.dtype in _pickles.NAMED_STORAGES
        kind = obj.dtype if named else dtypes.uint8  # type: ignore[union-attr]
        cls = _pickles.NAMED_STORAGES[kind] if named else UntypedStorage
        if held.nbytes() and self.kinds.setdefault(held._cdata, kind) is not kind:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different "
                "types"
            )
        number = self.numbers.setdefault(held._cdata, len(self.numbers))
        self.found[number] = held
        return cls, str(number), location_tag(held), held.nbytes() // kind.itemsize


def _save_archive(
    obj: Any, archive: ArchiveWriter, pickle_module: Any, protocol: int, says_order: bool
) -> None:
    out = _StoragesOut()
    content = io.BytesIO()
    _pickles.make_pickler(
        content, protocol, lambda held: ("storage", *out.describe(held)), pickle_module
    ).dump(obj)
    archive.write("data.pkl", content.getbuffer())
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", str(_archive.ALIGNMENT).encode())
    if says_order:
        archive.write("byteorder", sys.byteorder.encode())
    for number, held in out.found.items():
        if held.device.type != "meta":
            archive.write(f"data/{number}", _archive.storage_view(held))
    archive.write("version", _VERSION)
    archive.write(".data/serialization_id", _content_number(content.getbuffer()))


def _content_number(content: Any) -> bytes:
    """A decimal number of 40 digits that stands for the content."""
    number = int.from_bytes(hashlib.blake2b(content, digest_size=16).digest(), "big")
    return f"{number:040d}".encode()


def _save_legacy(obj: Any, file: Any, pickle_module: Any, protocol: int) -> None:
    """Write the format from before the archives: pickles, then the storages, one after another."""
    out = _StoragesOut()
    facts = {
        "protocol_version": _LEGACY_VERSION,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    for header in (_MAGIC, _LEGACY_VERSION, facts):
        pickle.dump(header, file, protocol=protocol)
    lengths: dict[int, int] = {}

    def storage_id(held: Any) -> tuple[Any, ...]:
        described = out.describe(held)
        lengths[int(described[1])] = described[3]
        return ("storage", *described, None)

    _pickles.make_pickler(file, protocol, storage_id, pickle_module).dump(obj)
    pickle.dump([str(number) for number in out.found], file, protocol=protocol)
    for number, held in out.found.items():
        file.write(struct.pack("<q", lengths[number]))
        file.write(_archive.storage_view(held))


# -- loading --
_mmap_flags = maps.MAP_PRIVATE
_skip = threading.local()


def get_default_mmap_options() -> int:
    """The flags with which `load` maps files."""
    return _mmap_flags


class LoadEndianness(enum.Enum):
    """In which order a file's bytes are read, where the file does not say it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class SourceChangeWarning(Warning):
    """A module's source is not what it was when it was saved."""


class _Options:
    """Options of the whole process."""

    endianness: LoadEndianness | None = None
    compute_crc32 = True


def get_default_load_endianness() -> LoadEndianness | None:
    """In which order files' bytes are read that do not say it; None: this machine's."""
    return _Options.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Choose in which order files' bytes are read that do not say it."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _Options.endianness = endianness


def get_crc32_options() -> bool:
    """Whether `save` writes check sums of records."""
    return _Options.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Choose whether `save` writes check sums; it always does, for readers that check them."""
    _Options.compute_crc32 = compute_crc32


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[int, ...], error_if_malformed: bool = True
) -> bool:
    """Whether a module's version is at least this one."""
    try:
        own = tuple(
            kind(part)
            for kind, part in zip(map(type, req_version_tuple), module.__version__.split("."))
        )
        return own >= req_version_tuple
    except (AttributeError, TypeError, ValueError) as problem:
        message = f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared with tuple {req_version_tuple}"
        if error_if_malformed:
            raise RuntimeError(message) from problem
        warnings.warn(f"{message}, but continuing assuming that requirement is met", stacklevel=2)
        return True


def normalize_storage_type(storage_type: Any) -> Any:
    """The class in the namespace of a storage's class."""
    import rushlight

    return getattr(rushlight, storage_type.__name__)


def storage_to_tensor_type(storage: Any) -> Any:
    """The class of tensors that belongs to a storage's class."""
    import rushlight

    return getattr(rushlight, type(storage).__name__.replace("Storage", "Tensor"))


class set_default_mmap_options:
    """Choose the flags with which `load` maps files; as a block, until its end.

    Args:
        flags: ``mmap.MAP_PRIVATE``, so that changes stay in memory, or ``mmap.MAP_SHARED``
    """

    def __init__(self, flags: int) -> None:
        global _mmap_flags
        if flags not in (maps.MAP_PRIVATE, maps.MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE "
                f"or mmap.MAP_SHARED, but got {flags}"
            )
        self.previous, _mmap_flags = _mmap_flags, flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        global _mmap_flags
        _mmap_flags = self.previous


@contextlib.contextmanager
def skip_data(materialize_fake_tensors: bool = False) -> Iterator[None]:
    """A block in which `load` makes storages without reading their bytes."""
    previous = getattr(_skip, "active", False)
    _skip.active = True
    try:
        yield
    finally:
        _skip.active = previous


def load(
    f: Any,
    map_location: Location = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what `save` wrote, here or in PyTorch.

    Args:
        f: a path, or a seekable file object
        map_location: where storages go: a device, a dict of devices, or a function of the storage
            and the place it was in
        pickle_module: whose unpickler reads the object; only with ``weights_only=False``
        weights_only: read tensors and plain containers only, and run no code of the file
        mmap: map the storages' bytes from the file instead of reading them
    """
    weights_only = True if weights_only is None else weights_only
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    if mmap and not _is_path(f):
        raise ValueError("f must be a file path in order to use the mmap argument")
    pickle_load_args.setdefault("encoding", "utf-8")

    def read_pickle(file: Any, persistent_load: Any) -> Any:
        if not weights_only:
            return _pickles.make_unpickler(
                file, persistent_load, pickle_module or pickle, **pickle_load_args
            ).load()
        try:
            return _pickles.RestrictedUnpickler(file, persistent_load).load()
        except pickle.UnpicklingError as error:
            raise pickle.UnpicklingError(f"Weights only load failed. {error}{_UNSAFE}") from None

    # The bytes of a legacy file come after its objects, so that indices are looked at last.
    with _opened(f, "rb") as file, _utils.checking_at_the_end():
        if _archive.is_archive(file):
            mapped = _mapped(f) if mmap else None
            return _load_archive(ArchiveReader(file), _restorer(map_location), read_pickle, mapped)
        if mmap:
            raise RuntimeError(
                "mmap can only be used with files saved with "
                "`torch.save(_use_new_zipfile_serialization=True), please torch.save your "
                "checkpoint with this option in order to use mmap."
            )
        return _load_legacy(file, _restorer(map_location), read_pickle, weights_only)


def _mapped(path: Any) -> UntypedStorage:
    """All of a file as a storage."""
    shared = _mmap_flags == maps.MAP_SHARED
    return UntypedStorage.from_file(os.fspath(path), shared, os.path.getsize(path))


def _storage_kind(named: Any) -> Any:
    """The element type of a storage class in a persistent id; None for bytes."""
    if named is UntypedStorage:
        return None
    kind = getattr(named, "dtype", None)
    if not isinstance(kind, dtypes.dtype):
        raise pickle.UnpicklingError(f"{named} is not a class of storages")
    return kind


def _as_named(held: UntypedStorage, kind: dtypes.dtype | None) -> Any:
    return held if kind is None else TypedStorage(wrap_storage=held, dtype=kind, _internal=True)


def _load_archive(
    archive: ArchiveReader,
    restore: _Restorer,
    read_pickle: Callable[[Any, Any], Any],
    mapped: UntypedStorage | None,
) -> Any:
    if archive.has("constants.pkl"):
        raise RuntimeError(
            "this is an archive of TorchScript: it holds a program, which cannot be loaded yet"
        )
    swaps = _byte_order(archive) != sys.byteorder
    loaded: dict[str, Any] = {}

    def persistent_load(key: Any) -> Any:
        _, named, number, place, count = key
        kind = _storage_kind(named)
        if number not in loaded:
            nbytes = count * (kind.itemsize if kind else 1)
            held = _read(archive, number, nbytes, mapped, place)
            if swaps and kind is not None and place != "meta":
                held = held.clone() if mapped is not None else held
                held.byteswap(kind)
            loaded[number] = restore(held, place)
        return _as_named(loaded[number], kind)

    return read_pickle(io.BytesIO(archive.read("data.pkl")), persistent_load)


def _byte_order(archive: ArchiveReader) -> str:
    """In which order a file's bytes are: what it says, else what the program chose, else little."""
    if archive.has("byteorder"):
        said = archive.read("byteorder").decode()
        if said not in ("little", "big"):
            raise ValueError(f"Unknown endianness type: {said}")
        return said
    chosen = _Options.endianness
    if chosen is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if chosen is LoadEndianness.BIG else "little"


def _read(
    archive: ArchiveReader, number: str, nbytes: int, mapped: UntypedStorage | None, place: str
) -> UntypedStorage:
    """The storage of a record."""
    if place == "meta":
        return UntypedStorage(nbytes, device="meta")
    record = f"data/{number}"
    present = archive.size(record)
    if present != nbytes:
        raise RuntimeError(f"record {record} has {present} bytes instead of {nbytes}")
    if getattr(_skip, "active", False):
        return UntypedStorage(nbytes)
    if mapped is not None:
        start = archive.offset(record)
        if start + nbytes > mapped.nbytes():
            raise RuntimeError(f"PytorchStreamReader failed reading zip archive: {record}: cut off")
        piece: UntypedStorage = mapped[start : start + nbytes]
        return piece
    made = UntypedStorage(nbytes)
    archive.read_into(record, _archive.storage_view(made))
    return made


def _load_legacy(
    file: Any, restore: _Restorer, read_pickle: Callable[[Any, Any], Any], weights_only: bool
) -> Any:
    def no_storage(key: Any) -> Any:
        raise pickle.UnpicklingError("unsupported persistent id encountered")

    start = file.tell()
    try:
        magic = read_pickle(file, no_storage)
    except (pickle.UnpicklingError, EOFError, ValueError) as error:
        file.seek(start)
        if not file.read(1):
            raise EOFError("Ran out of input") from None
        raise type(error)(f"{error}") from None
    if magic != _MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = read_pickle(file, no_storage)
    if version != _LEGACY_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    read_pickle(file, no_storage)
    storages_in = _LegacyStorages(restore)
    made = read_pickle(file, storages_in.persistent_load)
    storages_in.fill(file, read_pickle(file, no_storage))
    return made


class _LegacyStorages:
    """The storages of a legacy file: made when the pickle names them, filled afterwards."""

    def __init__(self, restore: _Restorer) -> None:
        self.restore = restore
        self.read: dict[str, UntypedStorage] = {}
        self.placed: dict[str, Any] = {}
        self.places: dict[str, str] = {}
        self.itemsize: dict[str, int] = {}

    def persistent_load(self, key: Any) -> Any:
        if key[0] == "module":
            return key[1]
        _, named, number, place, count, view = key
        kind = _storage_kind(named)
        itemsize = kind.itemsize if kind else 1
        if number not in self.read:
            self.read[number] = UntypedStorage(count * itemsize)
            self.itemsize[number] = itemsize
            self.places[number] = place
            self.placed[number] = self.restore(self.read[number], place)
        held = self.placed[number]
        if view is not None:
            _, offset, length = view
            if not 0 <= offset <= offset + length <= count:
                raise RuntimeError(f"a view of {length} elements at {offset} of {count}")
            held = held[offset * itemsize : (offset + length) * itemsize]
        return _as_named(held, kind)

    def fill(self, file: Any, order: Any) -> None:
        """Read the bytes, which come in the given order."""
        if set(order) != set(self.read):
            raise RuntimeError("the storages of the file are not those that its objects need")
        for number in order:
            held, itemsize = self.read[number], self.itemsize[number]
            header = file.read(8)
            if len(header) < 8 or struct.unpack("<q", header)[0] * itemsize != held.nbytes():
                raise RuntimeError(f"storage {number} has a wrong size; corrupt file?")
            content = file.read(held.nbytes())
            if len(content) != held.nbytes():
                raise RuntimeError(f"storage {number} is cut off; corrupt file?")
            _archive.copy_bytes(held, content)
            self._move(number)

    def _move(self, number: str) -> None:
        """A place of its own has to get the bytes again."""
        placed = self.placed[number]
        untyped = placed.untyped()
        if untyped is not self.read[number] and untyped.device.type == "cpu":
            untyped.copy_(self.read[number])
