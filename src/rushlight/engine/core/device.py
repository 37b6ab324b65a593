"""Devices: where a tensor's data is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.engine.core import keys, state

# Every type of device and the dispatch key of its kernels. Backends add theirs with `register`.
_KEYS: dict[str, int] = {"cpu": keys.CPU, "meta": keys.META}
_OF_ABSENT = {"cuda": keys.CUDA, "xla": keys.XLA, "lazy": keys.LAZY}
# Types that PyTorch knows; naming one is not an error, using it is.
_KNOWN = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia",
    "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip
# Types that are no hardware of their own.
_NO_ACCELERATORS = ("cpu", "meta", "lazy")
_PATTERN = re.compile(r"([a-zA-Z_]+)(?::([0-9]|[1-9][0-9]*))?")
_renamed: dict[str, str] = {}
# Of types whose devices have numbers: what gives the number of the current one.
_with_numbers: dict[str, Callable[[], int]] = {}
_existing: dict[tuple[str, int | None], device] = {}
# By the text that stands for it, as it was given.
_by_text: dict[Any, device] = {}
_BY_CODE: list[device] = []


def _absent(kind: str) -> Exception:
    """The error for using a device that is not there."""
    if kind in ("cuda", "xpu", "mtia"):
        return AssertionError(f"Torch not compiled with {kind.upper()} enabled")
    if kind == "mps":
        return RuntimeError("PyTorch is not linked with support for mps devices")
    return RuntimeError(f"no backend for device type '{kind}' is available in this process")


class device:
    """A kind of device and, where there can be several, a number: ``device("cuda", 1)``.

    Devices of one kind and number are one object. ``code`` is a small number for generated code.
    """

    __slots__ = ("code", "index", "type")

    type: str
    index: int | None
    code: int

    def __new__(cls, type: Any = "cpu", index: int | None = None, **renamed: Any) -> device:
        if index is None and not renamed and type.__class__ is str and type in _by_text:
            return _by_text[type]
        if "device" in renamed:
            type = renamed.pop("device")
        if renamed:
            raise TypeError(f"device() got an unexpected keyword argument '{next(iter(renamed))}'")
        if isinstance(type, device):
            if index is not None:
                raise TypeError("device(): a device and an index were both given")
            return type
        if isinstance(type, int) and not isinstance(type, bool):
            type, index = _accelerator(), type
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, not {type.__class__.__name__}")
        kind, number = _parse(type)
        if number is not None and index is not None:
            raise RuntimeError(
                f"type (string) must not include an index because index was passed explicitly: {type}"
            )
        if index is not None and index < -1:
            raise RuntimeError(f"Device index must be non-negative, got {index}")
        if index is not None:
            return _make(kind, number if index == -1 else int(index))
        found = _by_text[type] = _make(kind, number)
        return found

    @property
    def key(self) -> int:
        """The dispatch key of this device's kernels."""
        if self.is_here:
            return _KEYS[self.type]
        raise _absent(self.type)

    @property
    def is_here(self) -> bool:
        """Whether there are kernels for the device."""
        if self.type not in _KEYS and self.type in when_used:
            when_used[self.type]()
        return self.type in _KEYS

    @property
    def key_if_absent(self) -> int:
        """The dispatch key of tensors that are said to be on this device, be it there or not."""
        return _KEYS.get(self.type) or _OF_ABSENT.get(self.type, keys.PRIVATE_USE_1)

    def __repr__(self) -> str:
        if self.index is None:
            return f"device(type='{self.type}')"
        return f"device(type='{self.type}', index={self.index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (device, (self.type,) if self.index is None else (self.type, self.index))

    def __enter__(self) -> device:
        state.push_default_device(self)
        return self

    def __exit__(self, *exception: object) -> None:
        state.pop_default_device()

    def __call__(self, function: Any) -> Any:
        import functools

        @functools.wraps(function)
        def on_device(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return on_device


def _parse(text: str) -> tuple[str, int | None]:
    match = _PATTERN.fullmatch(text)
    if not match:
        raise RuntimeError(f"Invalid device string: '{text}'")
    kind, number = match[1], match[2]
    kind = _renamed.get(kind, kind)
    if kind not in _KNOWN and kind not in _KEYS:
        for load in when_unknown:
            load()
    if kind not in _KNOWN and kind not in _KEYS:
        raise RuntimeError(
            f"Expected one of {', '.join(_KNOWN)} device type at start of device string: {kind}"
        )
    return kind, None if number is None else int(number)


def _make(kind: str, index: int | None) -> device:
    found = _existing.get((kind, index))
    if found is None:
        found = object.__new__(device)
        found.type, found.index, found.code = kind, index, len(_BY_CODE)
        _BY_CODE.append(found)
        _existing[kind, index] = found
    return found


def _accelerator() -> str:
    """The type meant by a bare number."""
    return next((kind for kind in _KEYS if kind not in _NO_ACCELERATORS), "cuda")


def from_code(code: int) -> device:
    return _BY_CODE[code]


def register(
    kind: str, key: int, has_numbers: bool = False, current: Callable[[], int] = lambda: 0
) -> None:
    """Make a device type usable: its tensors carry ``key``.

    Args:
        kind: the type
        key: the dispatch key of its kernels
        has_numbers: whether its tensors are on a device with a number, be it asked for or not
        current: the number that is meant where none is asked for
    """
    _KEYS[kind] = key
    if has_numbers:
        _with_numbers[kind] = current


def place(asked: device) -> device:
    """The device that tensors are on which are asked to be on some device."""
    if asked.index is None and asked.type in _with_numbers:
        return _make(asked.type, _with_numbers[asked.type]())
    return asked


def rename_private_use(name: str) -> None:
    """Let ``name`` stand for the device type ``privateuseone``."""
    if _renamed and name not in _renamed:
        raise RuntimeError(
            "torch.register_privateuse1_backend() has already been set! Current backend: "
            f"{next(iter(_renamed))}"
        )
    _renamed[name] = name
    _by_text.clear()
    register(name, keys.PRIVATE_USE_1)


def private_use_name() -> str:
    """What the device type ``privateuseone`` is called."""
    return next(iter(_renamed), "privateuseone")


class Block:
    """Bytes of a device, which are given back with the storage that has them."""

    __slots__ = ("address", "free")

    def __init__(self, address: int, free: Callable[[int], None]) -> None:
        self.free, self.address = free, address

    def __del__(self) -> None:
        # An interrupt may have come before there was anything to give back.
        if hasattr(self, "address"):
            self.free(self.address)


class Memory(NamedTuple):
    """Where the bytes of a device's tensors come from, and how they are moved from and to the host's."""

    allocate: Callable[[int], int]
    free: Callable[[int], None]
    read: Callable[[int, int, int], None]
    write: Callable[[int, int, int], None]
    # Whether the device's own kernel of ``copy_`` moves tensors from and to the host.
    copies_tensors: bool = False

    def block(self, nbytes: int, where: device) -> Any:
        """New bytes on a device, with their ``address``."""
        return Block(self.allocate(nbytes), self.free)


# Of devices other than the host, by type: a `Memory`, or what has the same members.
memories: dict[str, Any] = {}
# Called when a type is named that nobody knows: may load what adds it.
when_unknown: list[Callable[[], None]] = []
# Called when a device of a type is first used: makes it usable.
when_used: dict[str, Callable[[], None]] = {}


def set_memory(kind: str, memory: Any) -> None:
    """Say where tensors of a type of device have their bytes."""
    memories[kind] = memory


cpu = _make("cpu", None)
meta = _make("meta", None)
state.set_default_device(cpu)
assert cpu.code == 0 and meta.code == 1


def differ(one: device, other: device) -> RuntimeError:
    """The error for a call with tensors of two devices."""
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{one} and {other}!"
    )
