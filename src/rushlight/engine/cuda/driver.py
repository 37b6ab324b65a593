"""The driver's C interface (``libcuda``), loaded when it is first needed.

`library` is what is called: the driver itself, or an object with functions of the same names, which take the
same arguments of `ctypes`. Each wrapper here is one call; all of them raise what the driver reports.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from typing import Any

from rushlight.engine.core.errors import AcceleratorError
from rushlight.engine.cuda.launcher import recent

NAMES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")

OUT_OF_MEMORY = 2
# Errors of kernels, which are seen by whatever is called next.
LATE = (700, 701, 702, 710, 714, 715, 716, 717, 718, 719)
NOT_READY = 600
PEER_ACCESS_ALREADY_ENABLED = 704

# `CUdevice_attribute`
ATTRIBUTES = {
    "max_threads_per_block": 1, "max_shared_memory_per_block": 8, "warp_size": 10, "clock_rate": 13,
    "multi_processor_count": 16, "integrated": 18, "memory_clock_rate": 36, "memory_bus_width": 37,
    "l2_cache_size": 38, "max_threads_per_multi_processor": 39, "pci_bus_id": 33, "pci_device_id": 34,
    "pci_domain_id": 50, "major": 75, "minor": 76, "is_multi_gpu_board": 84,
    "shared_memory_per_multiprocessor": 81, "regs_per_multiprocessor": 82,
    "shared_memory_per_block_optin": 97,
}  # fmt: skip

# The sizes of `cuModuleLoadDataEx`'s texts, and the options that say where they go.
LOG_BYTES = 8192
_LOG_BUFFER, _LOG_SIZE = 5, 6

EVENT_DISABLE_TIMING, EVENT_BLOCKING_SYNC, EVENT_INTERPROCESS = 2, 1, 4
STREAM_NON_BLOCKING = 1

library: Any = None
_looked = False


class CudaError(AcceleratorError):
    """What the driver says has gone wrong; ``error_code`` is its number."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error_code = code


def find() -> Any:
    """The driver's library; None if this machine has none."""
    global library, _looked
    if library is None and not _looked:
        _looked = True
        for name in NAMES:
            try:
                library = ctypes.CDLL(name)
                break
            except OSError:
                continue
    return library


def use(replacement: Any) -> None:
    """Call another object from now on in the place of the driver's library; None looks for it anew."""
    global library, _looked
    library, _looked = replacement, False


def call(name: str, *arguments: Any) -> None:
    """Call a function of the driver; an error is raised with its name."""
    code = getattr(library, name)(*arguments)
    if code:
        raise failure(code, name)


def entry_point(name: str) -> int:
    """The address of a function of the driver."""
    return int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)


def failure(code: int, name: str) -> CudaError:
    """The error for what a function of the driver has returned."""
    symbol, meaning = describe(code)
    text = f"CUDA error: {meaning} ({symbol}, reported by {name})"
    if code in LATE and len(recent):
        text += (
            f". Kernels run later than they are asked for; the last ones were {', '.join(recent)}. With "
            "CUDA_LAUNCH_BLOCKING=1 in the environment each is waited for, and the error names the one that failed"
        )
    return CudaError(code, text)


def describe(code: int) -> tuple[str, str]:
    """The driver's name for an error, and what it means."""
    found = []
    for function in ("cuGetErrorName", "cuGetErrorString"):
        text = ctypes.c_char_p()
        failed = getattr(library, function)(ctypes.c_int(code), ctypes.byref(text))
        found.append(f"error {code}" if failed or text.value is None else text.value.decode())
    return found[0], found[1]


def _word(name: str, *arguments: Any, kind: Any = ctypes.c_void_p) -> Any:
    """What a function puts into the place that its first argument points to."""
    place = kind()
    call(name, ctypes.byref(place), *arguments)
    return place.value or 0


def _pointer(value: int) -> Any:
    return ctypes.c_void_p(value)


def _size(value: int) -> Any:
    return ctypes.c_size_t(value)


# -- devices --


def initialise() -> int:
    """Start the driver; how many devices there are."""
    call("cuInit", ctypes.c_uint(0))
    return int(_word("cuDeviceGetCount", kind=ctypes.c_int))


def driver_version() -> int:
    return int(_word("cuDriverGetVersion", kind=ctypes.c_int))


def device(ordinal: int) -> int:
    return int(_word("cuDeviceGet", ctypes.c_int(ordinal), kind=ctypes.c_int))


def device_name(which: int) -> str:
    text = ctypes.create_string_buffer(256)
    call("cuDeviceGetName", text, ctypes.c_int(256), ctypes.c_int(which))
    return text.value.decode()


def device_uuid(which: int) -> bytes:
    found = (ctypes.c_ubyte * 16)()
    call("cuDeviceGetUuid_v2", found, ctypes.c_int(which))
    return bytes(found)


def total_memory(which: int) -> int:
    return int(_word("cuDeviceTotalMem_v2", ctypes.c_int(which), kind=ctypes.c_size_t))


def attribute(which: int, name: str) -> int:
    number = ctypes.c_int(ATTRIBUTES[name])
    return int(_word("cuDeviceGetAttribute", number, ctypes.c_int(which), kind=ctypes.c_int))


def primary_context(which: int) -> int:
    return int(_word("cuDevicePrimaryCtxRetain", ctypes.c_int(which)))


def set_context(context: int) -> None:
    call("cuCtxSetCurrent", _pointer(context))


def synchronize_context() -> None:
    call("cuCtxSynchronize")


def priority_range() -> tuple[int, int]:
    """The lowest and the highest priority of streams; smaller numbers come first."""
    least, greatest = ctypes.c_int(), ctypes.c_int()
    call("cuCtxGetStreamPriorityRange", ctypes.byref(least), ctypes.byref(greatest))
    return least.value, greatest.value


def can_access_peer(one: int, other: int) -> bool:
    arguments = ctypes.c_int(one), ctypes.c_int(other)
    return bool(_word("cuDeviceCanAccessPeer", *arguments, kind=ctypes.c_int))


def reach_peer(context: int) -> None:
    """Let the current context's device use another one's memory by itself."""
    code = library.cuCtxEnablePeerAccess(_pointer(context), ctypes.c_uint(0))
    if code not in (0, PEER_ACCESS_ALREADY_ENABLED):
        raise failure(code, "cuCtxEnablePeerAccess")


# -- kernels --


def load_module(text: str) -> int:
    """A module from PTX. What the driver's compiler says about a text that it refuses is in the error."""
    log = ctypes.create_string_buffer(LOG_BYTES)
    options = (ctypes.c_int * 2)(_LOG_BUFFER, _LOG_SIZE)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), LOG_BYTES)
    place = ctypes.c_void_p()
    source = ctypes.create_string_buffer(text.encode())
    code = library.cuModuleLoadDataEx(
        ctypes.byref(place), source, ctypes.c_uint(2), options, values
    )
    if code:
        error = failure(code, "cuModuleLoadDataEx")
        said = log.value.decode(errors="replace").strip()
        raise CudaError(code, f"{error}: {said}" if said else str(error))
    return int(place.value or 0)


def function(module: int, name: str) -> int:
    return int(_word("cuModuleGetFunction", _pointer(module), ctypes.c_char_p(name.encode())))


def launch(
    function: int, blocks: int, width: int, words: Sequence[int], stream: int, shared: int = 0
) -> None:
    """Queue a kernel whose parameters take eight bytes each, on a grid of one dimension."""
    count = len(words)
    content = (ctypes.c_uint64 * count)(*words)
    start = ctypes.addressof(content)
    places = (ctypes.c_void_p * count)(*range(start, start + 8 * count, 8))
    one = ctypes.c_uint(1)
    call(
        "cuLaunchKernel", _pointer(function), ctypes.c_uint(blocks), one, one, ctypes.c_uint(width),
        one, one, ctypes.c_uint(shared), _pointer(stream), places, None,
    )  # fmt: skip


# -- memory --


def allocate(nbytes: int) -> int:
    """New memory of the device; 0 if there is no room."""
    place = ctypes.c_uint64()
    code = library.cuMemAlloc_v2(ctypes.byref(place), _size(nbytes))
    if code == OUT_OF_MEMORY:
        return 0
    if code:
        raise failure(code, "cuMemAlloc_v2")
    return int(place.value)


_NUMBER_OF_DEVICE = 9


def device_of_address(address: int) -> int:
    """The number of the device that memory belongs to."""
    arguments = ctypes.c_int(_NUMBER_OF_DEVICE), ctypes.c_uint64(address)
    return int(_word("cuPointerGetAttribute", *arguments, kind=ctypes.c_int))


_FOR_ALL_STREAMS = 1


def allocate_managed(nbytes: int) -> int:
    """New memory that the driver moves to who uses it; 0 if there is no room."""
    place = ctypes.c_uint64()
    flags = ctypes.c_uint(_FOR_ALL_STREAMS)
    code = library.cuMemAllocManaged(ctypes.byref(place), _size(nbytes), flags)
    if code == OUT_OF_MEMORY:
        return 0
    if code:
        raise failure(code, "cuMemAllocManaged")
    return int(place.value)


def free(address: int) -> None:
    call("cuMemFree_v2", ctypes.c_uint64(address))


def memory_info() -> tuple[int, int]:
    """How much of the device's memory is free, and how much there is."""
    free_bytes, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cuMemGetInfo_v2", ctypes.byref(free_bytes), ctypes.byref(total))
    return free_bytes.value, total.value


def copy_to_device(address: int, host: int, nbytes: int, stream: int) -> None:
    arguments = ctypes.c_uint64(address), _pointer(host), _size(nbytes), _pointer(stream)
    call("cuMemcpyHtoDAsync_v2", *arguments)


def copy_to_host(host: int, address: int, nbytes: int, stream: int) -> None:
    arguments = _pointer(host), ctypes.c_uint64(address), _size(nbytes), _pointer(stream)
    call("cuMemcpyDtoHAsync_v2", *arguments)


def copy_within(target: int, source: int, nbytes: int, stream: int) -> None:
    """Copy between places on devices, which may be different ones."""
    arguments = ctypes.c_uint64(target), ctypes.c_uint64(source), _size(nbytes), _pointer(stream)
    call("cuMemcpyAsync", *arguments)


def fill(address: int, value: int, nbytes: int, stream: int) -> None:
    arguments = ctypes.c_uint64(address), ctypes.c_ubyte(value), _size(nbytes), _pointer(stream)
    call("cuMemsetD8Async", *arguments)


def fill_word(address: int, value: int, stream: int) -> None:
    """Write four bytes."""
    arguments = ctypes.c_uint64(address), ctypes.c_uint(value), _size(1), _pointer(stream)
    call("cuMemsetD32Async", *arguments)


def allocate_host(nbytes: int) -> int:
    """Memory of the host that stays where it is, for copies that nobody waits for."""
    return int(_word("cuMemHostAlloc", _size(nbytes), ctypes.c_uint(0)))


def free_host(address: int) -> None:
    call("cuMemFreeHost", _pointer(address))


# -- addresses, and memory for them --

_PINNED, _ON_DEVICE, _READ_AND_WRITE = 1, 1, 3


class _Location(ctypes.Structure):
    """`CUmemLocation`."""

    _fields_ = (("type", ctypes.c_int), ("id", ctypes.c_int))


class _PageKind(ctypes.Structure):
    """`CUmemAllocationProp`."""

    _fields_ = (
        ("type", ctypes.c_int), ("handle_types", ctypes.c_int), ("location", _Location),
        ("windows_facts", ctypes.c_void_p), ("flags", ctypes.c_ubyte * 8),
    )  # fmt: skip


class _Access(ctypes.Structure):
    """`CUmemAccessDesc`."""

    _fields_ = (("location", _Location), ("flags", ctypes.c_int))


def reserve_addresses(nbytes: int) -> int:
    """A run of addresses that have no memory yet."""
    zeros = _size(0), ctypes.c_uint64(0), ctypes.c_ulonglong(0)
    return int(_word("cuMemAddressReserve", _size(nbytes), *zeros, kind=ctypes.c_uint64))


def release_addresses(address: int, nbytes: int) -> None:
    call("cuMemAddressFree", ctypes.c_uint64(address), _size(nbytes))


def create_page(device: int, nbytes: int) -> int:
    """Memory of a device without an address; 0 if there is no room."""
    kind = _PageKind(_PINNED, 0, _Location(_ON_DEVICE, device))
    place = ctypes.c_ulonglong()
    flags = ctypes.c_ulonglong(0)
    code = library.cuMemCreate(ctypes.byref(place), _size(nbytes), ctypes.byref(kind), flags)
    if code == OUT_OF_MEMORY:
        return 0
    if code:
        raise failure(code, "cuMemCreate")
    return place.value


def release_page(handle: int) -> None:
    call("cuMemRelease", ctypes.c_ulonglong(handle))


def map_page(address: int, nbytes: int, handle: int) -> None:
    """Have memory at an address."""
    given = ctypes.c_uint64(address), _size(nbytes), _size(0), ctypes.c_ulonglong(handle)
    call("cuMemMap", *given, ctypes.c_ulonglong(0))


def unmap_page(address: int, nbytes: int) -> None:
    call("cuMemUnmap", ctypes.c_uint64(address), _size(nbytes))


def allow_access(address: int, nbytes: int, devices: Sequence[int]) -> None:
    """Let devices use memory that was mapped."""
    said = [_Access(_Location(_ON_DEVICE, k), _READ_AND_WRITE) for k in devices]
    content = (_Access * len(said))(*said)
    call("cuMemSetAccess", ctypes.c_uint64(address), _size(nbytes), content, _size(len(said)))


# -- memory and events of several processes --


class _Handle(ctypes.Structure):
    """`CUipcMemHandle` and `CUipcEventHandle`."""

    _fields_ = (("content", ctypes.c_ubyte * 64),)


_LAZY_PEER_ACCESS = 1


def start_of_segment(address: int) -> int:
    """Where the memory begins that the driver gave and an address lies in."""
    start, size = ctypes.c_uint64(), ctypes.c_size_t()
    place = ctypes.c_uint64(address)
    call("cuMemGetAddressRange_v2", ctypes.byref(start), ctypes.byref(size), place)
    return start.value


def handle_of_memory(address: int) -> bytes:
    """What another process opens memory of the driver by, from where that begins."""
    made = _Handle()
    call("cuIpcGetMemHandle", ctypes.byref(made), ctypes.c_uint64(address))
    return bytes(made)


def open_memory(handle: bytes) -> int:
    """Where another process's memory is from now on."""
    given = _Handle.from_buffer_copy(handle)
    flags = ctypes.c_uint(_LAZY_PEER_ACCESS)
    return int(_word("cuIpcOpenMemHandle_v2", given, flags, kind=ctypes.c_uint64))


def close_memory(address: int) -> None:
    call("cuIpcCloseMemHandle", ctypes.c_uint64(address))


def handle_of_event(event: int) -> bytes:
    made = _Handle()
    call("cuIpcGetEventHandle", ctypes.byref(made), _pointer(event))
    return bytes(made)


def open_event(handle: bytes) -> int:
    """Another process's event."""
    return int(_word("cuIpcOpenEventHandle", _Handle.from_buffer_copy(handle)))


# -- streams and events --


def create_stream(priority: int) -> int:
    flags = ctypes.c_uint(STREAM_NON_BLOCKING)
    return int(_word("cuStreamCreateWithPriority", flags, ctypes.c_int(priority)))


def destroy_stream(stream: int) -> None:
    call("cuStreamDestroy_v2", _pointer(stream))


def synchronize_stream(stream: int) -> None:
    call("cuStreamSynchronize", _pointer(stream))


def _is_done(name: str, handle: int) -> bool:
    code = getattr(library, name)(_pointer(handle))
    if code not in (0, NOT_READY):
        raise failure(code, name)
    return bool(code == 0)


def is_stream_done(stream: int) -> bool:
    return _is_done("cuStreamQuery", stream)


EXTERNAL = 1


def wait_event(stream: int, event: int, flags: int = 0) -> None:
    """Let a stream go on only when an event has come."""
    call("cuStreamWaitEvent", _pointer(stream), _pointer(event), ctypes.c_uint(flags))


def create_event(flags: int) -> int:
    return int(_word("cuEventCreate", ctypes.c_uint(flags)))


def destroy_event(event: int) -> None:
    call("cuEventDestroy_v2", _pointer(event))


def record_event(event: int, stream: int) -> None:
    call("cuEventRecord", _pointer(event), _pointer(stream))


def record_external_event(event: int, stream: int) -> None:
    """Have a graph that is recorded from a stream record an event whenever it runs."""
    flags = ctypes.c_uint(EXTERNAL)
    call("cuEventRecordWithFlags", _pointer(event), _pointer(stream), flags)


def is_event_done(event: int) -> bool:
    return _is_done("cuEventQuery", event)


def synchronize_event(event: int) -> None:
    call("cuEventSynchronize", _pointer(event))


def elapsed_time(start: int, end: int) -> float:
    """Milliseconds between two events."""
    arguments = _pointer(start), _pointer(end)
    return float(_word("cuEventElapsedTime", *arguments, kind=ctypes.c_float))


# -- graphs --

RELAXED = 2


class relaxed:
    """A block in which this thread may ask for memory, and for events, while a stream is captured."""

    __slots__ = ("_mode",)

    def __enter__(self) -> None:
        self._mode = ctypes.c_int(RELAXED)
        call("cuThreadExchangeStreamCaptureMode", ctypes.byref(self._mode))

    def __exit__(self, *exception: object) -> None:
        call("cuThreadExchangeStreamCaptureMode", ctypes.byref(self._mode))


def begin_capture(stream: int, mode: int) -> None:
    call("cuStreamBeginCapture_v2", _pointer(stream), ctypes.c_int(mode))


def end_capture(stream: int) -> int:
    """The graph of what a stream was given since the capture began."""
    place = ctypes.c_void_p()
    call("cuStreamEndCapture", _pointer(stream), ctypes.byref(place))
    return int(place.value or 0)


def is_capturing(stream: int) -> bool:
    place = ctypes.c_int()
    call("cuStreamIsCapturing", _pointer(stream), ctypes.byref(place))
    return place.value == 1


def capture_of(stream: int) -> int:
    """The number of the capture that a stream is a part of; 0 if it is not captured."""
    status, number = ctypes.c_int(), ctypes.c_ulonglong()
    nothing = ctypes.c_void_p()
    call(
        "cuStreamGetCaptureInfo_v2", _pointer(stream), ctypes.byref(status), ctypes.byref(number), nothing, nothing,
        nothing,
    )  # fmt: skip
    return number.value if status.value else 0


def instantiate(graph: int) -> int:
    return int(_word("cuGraphInstantiateWithFlags", _pointer(graph), ctypes.c_ulonglong(0)))


def launch_graph(executable: int, stream: int) -> None:
    call("cuGraphLaunch", _pointer(executable), _pointer(stream))


def destroy_graph(graph: int) -> None:
    call("cuGraphDestroy", _pointer(graph))


def destroy_executable(executable: int) -> None:
    """End what `instantiate` has made."""
    call("cuGraphExecDestroy", _pointer(executable))


_ALL_FACTS = 1


def write_graph(graph: int, path: str) -> None:
    """Write what a graph does to a file, in the language of Graphviz."""
    call(
        "cuGraphDebugDotPrint",
        _pointer(graph),
        ctypes.c_char_p(path.encode()),
        ctypes.c_uint(_ALL_FACTS),
    )
