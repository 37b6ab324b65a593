"""A stand-in for the driver: functions of the same names, served by ordinary memory and the interpreter.

What is queued on a stream runs in the stream's order, and not before somebody waits for it or the stand-in
chooses to; between streams it chooses at random, so that missing synchronisation shows. Copies from memory of
the host that may move read it at once, as the real driver does.
"""

from __future__ import annotations

import atexit
import ctypes
import mmap
import os
import random
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from ptx_interpreter import BASE, BadAddress, Deadlock, Memory, Module, Trap, launch

NAMES = {
    1: ("CUDA_ERROR_INVALID_VALUE", "invalid argument"),
    2: ("CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
    208: ("CUDA_ERROR_ALREADY_MAPPED", "resource already mapped"),
    201: ("CUDA_ERROR_INVALID_CONTEXT", "invalid device context"),
    218: ("CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"),
    400: ("CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"),
    500: ("CUDA_ERROR_NOT_FOUND", "named symbol not found"),
    600: ("CUDA_ERROR_NOT_READY", "device not ready"),
    700: ("CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
    719: ("CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"),
    900: ("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"),
    901: ("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"),
    902: ("CUDA_ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"),
    903: ("CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"),
    904: ("CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"),
    905: ("CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"),
    906: ("CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream"),
    907: ("CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"),
}  # fmt: skip
ATTRIBUTES = {1: 1024, 8: 49152, 10: 32, 16: 2, 39: 2048, 75: 9, 76: 0, 38: 1 << 20, 97: 232448}
NOT_READY = 600
PUT_OFF = {1: "cuStreamSynchronize"}
PAGE = 4096
_SHARED, _PRIVATE, _FIXED, _ANONYMOUS = 1, 2, 0x10, 0x20
_mmap = ctypes.CDLL(None).mmap
_mmap.restype = ctypes.c_void_p


_LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)  # fmt: skip
_COPY = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_uint64] * 4)
_CALLED = {
    "cuMemcpyHtoDAsync_v2": _COPY, "cuMemcpyDtoHAsync_v2": _COPY, "cuMemcpyAsync": _COPY,
    "cuStreamSynchronize": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64),
    "cuCtxSetCurrent": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64),
    "cuStreamIsCapturing": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64),
    "cuEventRecord": ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_uint64] * 2),
    "cuStreamWaitEvent": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint),
}  # fmt: skip


class ByAddress:
    """A function that is called from Python with ctypes' values, and by its address."""

    def __init__(self, kind: Any, function: Any) -> None:
        self._as_parameter_ = kind(function)
        self.function = function

    def __call__(self, *arguments: Any) -> int:
        return self.function(*arguments)  # type: ignore[no-any-return]


class Failed(Exception):
    """A call that returns an error."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def plain(argument: Any) -> Any:
    """The number in an argument; what a pointer refers to stays an object."""
    if isinstance(argument, ctypes.Array):
        return argument
    if hasattr(argument, "_obj"):
        return argument._obj
    value = getattr(argument, "value", argument)
    return 0 if value is None else value


# What modules are made of texts; kernels keep what was made of them when they first ran.
_KNOWN: dict[str, Module] = {}


class SharedRoom:
    """Memory and events that other processes' stand-ins can open, in a file.

    Args:
        nbytes: how much memory; behind it are the events
    """

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.path = f"/dev/shm/stand_in_{os.getpid()}_{os.urandom(4).hex()}"
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        os.ftruncate(descriptor, nbytes + PAGE)
        whole = mmap.mmap(descriptor, nbytes + PAGE)
        os.close(descriptor)
        atexit.register(self.remove)
        self.place = memoryview(whole)[:nbytes]
        self.counts = np.frombuffer(whole, np.int64, offset=nbytes).reshape(-1, 2)
        self.rows: list[Any] = []
        self.start = ctypes.addressof(ctypes.c_ubyte.from_buffer(whole))

    def remove(self) -> None:
        if os.path.exists(self.path):
            os.unlink(self.path)

    def event(self) -> Any:
        self.rows.append(self.counts[len(self.rows)])
        return self.rows[-1]

    def handle(self, start: int, nbytes: int) -> bytes:
        return struct.pack("<48sQQ", self.path.encode(), start, nbytes)

    def of_handle(self, handle: bytes) -> tuple[str, int, int]:
        """The file, the place in it and the size that a handle says; its own are refused, as by the driver."""
        path, start, nbytes = struct.unpack("<48sQQ", handle)
        name = path.rstrip(b"\0").decode(errors="replace")
        if name == self.path or not os.path.exists(name):
            raise Failed(1)
        return name, start, nbytes

    def map(self, at: int, path: str, start: int, nbytes: int) -> None:
        """Have a part of another's file in a part of this memory."""
        descriptor = os.open(path, os.O_RDWR)
        self._fixed(at, nbytes, _SHARED, descriptor, start)
        os.close(descriptor)

    def unmap(self, at: int, nbytes: int) -> None:
        self._fixed(at, nbytes, _PRIVATE | _ANONYMOUS, -1, 0)

    def _fixed(self, at: int, nbytes: int, flags: int, descriptor: int, start: int) -> None:
        where = ctypes.c_void_p(self.start + at)
        whole = ctypes.c_size_t(-(-nbytes // PAGE) * PAGE)
        _mmap(where, whole, 3, flags | _FIXED, descriptor, ctypes.c_long(start))


class Capture:
    """What becomes a graph: pieces of work, each with those before it.

    Args:
        origin: the stream that is captured; others join
    """

    def __init__(self, origin: int) -> None:
        self.origin = origin
        self.is_invalid = False
        self.nodes: list[tuple[Any, Any, frozenset[int]]] = []
        # What the next piece of a stream comes after.
        self.ends: dict[int, frozenset[int]] = {origin: frozenset()}

    def add(self, stream: int, kind: Any, run: Any) -> None:
        self.nodes.append((kind, run, self.ends[stream]))
        self.ends[stream] = frozenset([len(self.nodes) - 1])

    def wait(self, stream: int, others: frozenset[int]) -> None:
        self.ends[stream] = self.ends.get(stream, frozenset()) | others

    @property
    def is_joined(self) -> bool:
        """Whether all comes before the end of the stream that it began with."""
        before, new = set(), set(self.ends[self.origin])
        while new:
            before |= new
            new = {k for n in new for k in self.nodes[n][2]} - before
        return all(end <= before for end in self.ends.values())


class StandIn:
    """One process's driver.

    Args:
        nbytes: memory of each device
        devices: how many there are
        seed: which interleaving of streams is chosen; None runs everything at once
        shared: whether other processes can open its memory and its events
        places: how many times as many addresses as bytes there are
    """

    def __init__(
        self,
        nbytes: int = 1 << 26,
        devices: int = 1,
        seed: int | None = None,
        shared: bool = False,
        places: int = 1,
    ) -> None:
        self.shared = SharedRoom(nbytes) if shared else None
        self.memory = Memory(nbytes * places, None if self.shared is None else self.shared.place)
        self.nbytes = nbytes
        self.peers: set[tuple[int, int]] = set()
        self.owners: dict[int, int] = {}  # the devices that ranges belong to
        # Addresses that may get memory, pages without an address, and those with one.
        self.reserved: dict[int, int] = {}
        self.pages: dict[int, int] = {}
        self.mapped: dict[int, tuple[int, int]] = {}
        self.devices = devices
        self.chance = None if seed is None else random.Random(seed)
        self.streams: dict[int, deque[Any]] = {0: deque()}
        self.events: dict[int, Any] = {}  # how often recorded, how often come
        self.times: dict[int, float] = {}
        self.clock = 0.0
        # Streams that do not go on.
        self.hangs: set[int] = set()
        self.threads = threading.local()
        self.lock = threading.RLock()
        # The devices of streams and events; a device's default stream has a number below 0, the first one's 0.
        self.places_of: dict[int, int] = {0: 0}
        self.blocking: set[int] = set()
        self.captures: dict[int, Capture] = {}
        # Where events that were recorded last in a capture come.
        self.captured: dict[int, tuple[Capture, frozenset[int]]] = {}
        self.graphs: dict[int, list[Any]] = {}
        # Parts of devices, and descriptions of some that are not made yet.
        self.parts: dict[int, list[tuple[int, ...]]] = {}
        self.processors = 16
        self.modules: dict[int, tuple[Module, dict[str, int], int]] = {}
        self.functions: dict[int, tuple[Any, dict[str, int], int]] = {}
        self.pinned: dict[int, Any] = {}
        self.opened: dict[int, bytes] = {}  # segments of other processes
        self.sticky = 0
        self.cause: Exception | None = None
        self.last = 16
        self.calls: list[str] = []
        self.launched: list[str] = []
        self._known = _KNOWN
        # Machine code calls these by their addresses.
        self.cuLaunchKernel = _LAUNCH(self.__getattr__("cuLaunchKernel"))
        for name, kind in _CALLED.items():
            setattr(self, name, ByAddress(kind, self.__getattr__(name)))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)
        function = getattr(type(self), "_" + name, None)
        if function is None:
            raise AttributeError(f"the stand-in has no {name}")

        def call(*arguments: Any) -> int:
            with self.lock:
                return self._called(name, function, arguments)

        return call

    def _called(self, name: str, function: Any, arguments: tuple[Any, ...]) -> int:
        self.calls.append(name)
        if self.sticky and not name.startswith("cuGetError"):
            return self.sticky
        try:
            function(self, *map(plain, arguments))
            if self.chance is not None and not name.startswith("cuGetError"):
                self._go_on_somewhere()
        except Failed as failed:
            if failed.code == NOT_READY and self.chance is not None:
                self._go_on_somewhere()
            if 900 <= failed.code <= 907:
                for capture in self.captures.values():
                    capture.is_invalid = True
            return failed.code
        return self.sticky if "Synchronize" in name or "Query" in name else 0

    def handle(self) -> int:
        self.last += 16
        return self.last

    @property
    def device(self) -> int:
        """The device whose context the thread is in."""
        return max(getattr(self.threads, "context", 0) - 0x1000, 0)

    def stream(self, handle: int) -> int:
        """The number of a stream; the default one is that of the context."""
        found = handle or -self.device
        if not handle and found not in self.streams:
            self.streams[found], self.places_of[found] = deque(), self.device
        if found not in self.streams:
            raise Failed(400)
        return found

    # -- running what is queued --
    def queue(self, stream: int, kind: str, run: Callable[[], None], ready: Any = None) -> None:
        """Add to a stream; or to the graph that is captured from it."""
        stream = self.stream(stream)
        if stream in self.captures:
            self.captures[stream].add(stream, kind, run)
            return
        if stream <= 0 and self.blocking & self.captures.keys():
            raise Failed(906)
        self.streams[stream].append((run, ready))
        if self.chance is None:
            self._drain(stream)

    def _go_on_somewhere(self) -> None:
        """A few steps, each of a stream that chance names."""
        assert self.chance is not None
        for _ in range(self.chance.choice((0, 0, 1, 2))):
            ready = [s for s in self.streams if self._may_go_on(s)]
            if not ready:
                return
            self._one_step(self.chance.choice(ready))

    def _may_go_on(self, stream: int) -> bool:
        queue = self.streams[stream]
        return bool(queue) and stream not in self.hangs and (queue[0][1] is None or queue[0][1]())

    def _one_step(self, stream: int) -> None:
        run, _ = self.streams[stream].popleft()
        if self.sticky:
            return
        try:
            run()
        except BadAddress as error:
            self.sticky, self.cause = 700, error
        except (Trap, Deadlock) as error:
            self.sticky, self.cause = 719, error

    def _drain(self, stream: int) -> None:
        """Run a stream to its end, and of others what it waits for."""
        waited = 0
        while self.streams[stream]:
            if self._may_go_on(stream):
                self._one_step(stream)
                continue
            others = [s for s in self.streams if s != stream and self._may_go_on(s)]
            if not others and self.opened and waited < 1000:
                waited += 1
                time.sleep(0.01)  # for another process
                continue
            if not others:
                raise AssertionError("a stream waits for what will never come")
            self._one_step(others[0] if self.chance is None else self.chance.choice(others))

    def run_all(self) -> None:
        for stream in list(self.streams):
            self._drain(stream)

    def _cuProfilerStart(self) -> None:
        pass

    _cuProfilerStop = _cuProfilerStart

    # -- errors and devices --
    def _cuGetErrorName(self, code: int, place: Any) -> None:
        place.value = NAMES.get(code, (f"CUDA_ERROR_{code}", ""))[0].encode()

    def _cuGetErrorString(self, code: int, place: Any) -> None:
        place.value = NAMES.get(code, ("", f"error {code}"))[1].encode()

    def _cuInit(self, flags: int) -> None:
        pass

    def _cuDriverGetVersion(self, place: Any) -> None:
        place.value = 13000

    def _cuDeviceGetCount(self, place: Any) -> None:
        place.value = self.devices

    def _cuDeviceGet(self, place: Any, ordinal: int) -> None:
        place.value = ordinal

    def _cuDeviceGetName(self, place: Any, length: int, device: int) -> None:
        place.value = b"Stand-in"

    def _cuDeviceGetUuid_v2(self, place: Any, device: int) -> None:
        place[:] = bytes(range(16))

    def _cuDeviceTotalMem_v2(self, place: Any, device: int) -> None:
        place.value = self.nbytes

    def _cuDeviceGetAttribute(self, place: Any, which: int, device: int) -> None:
        place.value = ATTRIBUTES.get(which, 0)

    def _cuDevicePrimaryCtxRetain(self, place: Any, device: int) -> None:
        place.value = 0x1000 + device

    def _cuCtxSetCurrent(self, context: int) -> None:
        self.threads.context = context

    def _cuCtxSynchronize(self) -> None:
        self._no_capture()
        self.run_all()

    def _cuCtxGetStreamPriorityRange(self, least: Any, greatest: Any) -> None:
        least.value, greatest.value = 0, -5

    def _cuDeviceCanAccessPeer(self, place: Any, one: int, other: int) -> None:
        place.value = int(one != other)

    def _cuCtxEnablePeerAccess(self, peer: int, flags: int) -> None:
        pair = self.threads.context, peer
        if pair in self.peers:
            raise Failed(704)
        if self.threads.context == peer:
            raise Failed(201)
        self.peers.add(pair)

    def _no_capture(self) -> None:
        """Refuse what may not be asked while a stream is captured, unless the thread says that it knows."""
        if self.captures and getattr(self.threads, "mode", 0) != 2:
            raise Failed(900)

    # -- kernels --
    def _cuModuleLoadDataEx(
        self, place: Any, text: bytes, count: int, options: Any, values: Any
    ) -> None:
        source = text.value.decode()
        try:
            module = self._known.get(source) or Module(source)
        except ValueError as error:
            said = str(error).encode()
            ctypes.memmove(values[0], said, min(len(said), values[1] - 1))
            raise Failed(218) from error
        self._known[source] = module
        globals = {}
        for variable in module.variables:
            if variable.space in ("global", "const"):
                address = self.memory.allocate(max(variable.nbytes, 1))
                content = np.frombuffer(variable.content, np.uint8)
                self.memory.view(address, variable.nbytes)[:] = content
                globals[variable.name] = address
        place.value = self.handle()
        self.modules[place.value] = module, globals, self.device

    def _cuModuleGetFunction(self, place: Any, module: int, name: bytes) -> None:
        found, globals, device = self.modules[module]
        if name.decode() not in found.kernels:
            raise Failed(500)
        place.value = self.handle()
        self.functions[place.value] = found.kernels[name.decode()], globals, device

    def _cuLaunchKernel(self, function: int, *arguments: Any) -> None:
        blocks, _, _, width, _, _, shared, stream, places, _ = arguments
        kernel, globals, device = self.functions[function]
        if not 0 < width <= 1024 or blocks < 1:
            raise Failed(1)
        if not device == self.device == self.places_of[self.stream(stream)]:
            raise Failed(400)
        content = [
            ctypes.string_at(place, nbytes)
            for place, (_, _, nbytes) in zip(
                (ctypes.c_void_p * len(kernel.parameters)).from_address(places), kernel.parameters
            )
        ]

        def run() -> None:
            self.launched.append(kernel.name)
            launch(kernel, self.memory, blocks, width, content, shared, globals)

        self.queue(stream, "kernel", run)

    # -- memory --
    def _cuMemAlloc_v2(self, place: Any, nbytes: int) -> None:
        self._no_capture()
        if self._used() + nbytes > self.nbytes:
            raise Failed(2)
        place.value = self.memory.allocate(nbytes, 512 if self.shared is None else PAGE)
        if not place.value:
            raise Failed(2)
        self.owners[place.value] = self.device

    def _cuMemAllocManaged(self, place: Any, nbytes: int, flags: int) -> None:
        if flags != 1:
            raise Failed(1)
        self.managed = True
        place.value = self.memory.allocate(nbytes, 512)
        if not place.value:
            raise Failed(2)

    def _cuMemFree_v2(self, address: int) -> None:
        self._no_capture()
        self.run_all()
        try:
            self.memory.free(address)
        except BadAddress as error:
            raise Failed(1) from error

    def _used(self) -> int:
        in_ranges = sum(self.memory.lengths.get(start, 0) for start in self.reserved)
        return self.memory.used - in_ranges + sum(self.pages.values())

    # -- addresses and pages --
    def _cuMemAddressReserve(
        self, place: Any, nbytes: int, align: int, wanted: int, flags: int
    ) -> None:
        end = min(self.reserved, default=BASE + len(self.memory.bytes))
        place.value = end - nbytes
        if place.value < BASE + self.nbytes:
            raise Failed(2)
        self.reserved[place.value] = nbytes

    def _cuMemAddressFree(self, address: int, nbytes: int) -> None:
        if self.reserved.pop(address, None) != nbytes or address in self.memory.lengths:
            raise Failed(1)

    def _cuMemCreate(self, place: Any, nbytes: int, kind: Any, flags: int) -> None:
        if (kind.type, kind.location.type) != (1, 1) or nbytes % (2 << 20):
            raise Failed(1)
        if self._used() + nbytes > self.nbytes:
            raise Failed(2)
        place.value = self.handle()
        self.pages[place.value] = nbytes

    def _cuMemRelease(self, handle: int) -> None:
        if any(h == handle for _, h in self.mapped.values()):
            raise Failed(1)
        del self.pages[handle]

    def _cuMemMap(self, address: int, nbytes: int, offset: int, handle: int, flags: int) -> None:
        inside = any(a <= address and address + nbytes <= a + n for a, n in self.reserved.items())
        if not inside or self.pages[handle] != nbytes or address in self.mapped:
            raise Failed(1)
        self.mapped[address] = nbytes, handle

    def _cuMemSetAccess(self, address: int, nbytes: int, said: Any, count: int) -> None:
        if said[0].flags != 3 or said[0].location.type != 1:
            raise Failed(1)
        at = address
        while at < address + nbytes:
            at += self.mapped[at][0]
        # Kernels see one run from the start of the addresses on.
        start = max(a for a in self.reserved if a <= address)
        if start + self.memory.lengths.get(start, 0) != address:
            raise Failed(1)
        self.memory.extend(start, nbytes)

    def _cuMemUnmap(self, address: int, nbytes: int) -> None:
        size, _ = self.mapped.pop(address)
        start = max(a for a in self.reserved if a <= address)
        end = start + self.memory.lengths.get(start, 0)
        # Pages go from the end; those that nobody may use yet are behind it.
        if size != nbytes or address < end - nbytes:
            raise Failed(1)
        if end == address + nbytes:
            self.memory.extend(start, -nbytes)

    def _cuPointerGetAttribute(self, place: Any, which: int, address: int) -> None:
        inside = [a for a, n in self.memory.lengths.items() if a <= address < a + n]
        if which != 9 or not inside:
            raise Failed(1)
        place.value = self.owners.get(inside[0], 0)

    # -- other processes --
    def _cuMemGetAddressRange_v2(self, start: Any, size: Any, address: int) -> None:
        found = [a for a, n in self.memory.lengths.items() if a <= address < a + n]
        if not found:
            raise Failed(1)
        start.value, size.value = found[0], self.memory.lengths[found[0]]

    def _cuIpcGetMemHandle(self, place: Any, address: int) -> None:
        # Only what the driver gave has a handle, from its start.
        if self.shared is None or address not in self.memory.lengths:
            raise Failed(1)
        place.content[:] = self.shared.handle(address - BASE, self.memory.lengths[address])

    def _cuIpcOpenMemHandle_v2(self, place: Any, handle: Any, flags: int) -> None:
        if self.shared is None or flags != 1:
            raise Failed(1)
        room, start, nbytes = self.shared.of_handle(bytes(handle.content))
        if bytes(handle.content) in self.opened.values():
            raise Failed(208)  # a process has a segment once
        address = self.memory.allocate(nbytes, PAGE)
        self.shared.map(address - BASE, room, start, nbytes)
        place.value, self.opened[address] = address, bytes(handle.content)

    def _cuIpcCloseMemHandle(self, address: int) -> None:
        del self.opened[address]
        self.shared.unmap(address - BASE, self.memory.lengths[address])
        self.memory.free(address)

    def _cuIpcGetEventHandle(self, place: Any, event: int) -> None:
        if self.shared is None or not isinstance(self.events[event], np.ndarray):
            raise Failed(400)
        row = next(k for k, own in enumerate(self.shared.rows) if own is self.events[event])
        place.content[:] = self.shared.handle(self.shared.nbytes + 16 * row, 16)

    def _cuIpcOpenEventHandle(self, place: Any, handle: Any) -> None:
        room, start, nbytes = self.shared.of_handle(bytes(handle.content))
        whole = np.memmap(room, np.uint8, "r+")
        place.value = self.handle()
        self.events[place.value] = whole[start : start + nbytes].view(np.int64)

    def _cuMemGetInfo_v2(self, free: Any, total: Any) -> None:
        total.value = self.nbytes
        free.value = self.nbytes - self._used()

    def _is_pinned(self, host: int) -> bool:
        return any(a <= host < a + len(b) for a, b in self.pinned.items())

    def _cuMemcpyHtoDAsync_v2(self, address: int, host: int, nbytes: int, stream: int) -> None:
        if self._is_pinned(host):

            def run() -> None:
                self.memory.view(address, nbytes)[:] = _host(host, nbytes)
        else:
            content = _host(host, nbytes).copy()

            def run() -> None:
                self.memory.view(address, nbytes)[:] = content

        self.queue(stream, "copy", run)

    def _cuMemcpyDtoHAsync_v2(self, host: int, address: int, nbytes: int, stream: int) -> None:
        def run() -> None:
            _host(host, nbytes)[:] = self.memory.view(address, nbytes)

        self.queue(stream, "copy", run)
        if not self._is_pinned(host) and self.stream(stream) not in self.captures:
            self._drain(self.stream(stream))

    def _cuMemcpyAsync(self, target: int, source: int, nbytes: int, stream: int) -> None:
        def run() -> None:
            self.memory.view(target, nbytes)[:] = self.memory.view(source, nbytes).copy()

        self.queue(stream, "copy", run)

    def _cuMemsetD8Async(self, address: int, value: int, nbytes: int, stream: int) -> None:
        def run() -> None:
            self.memory.view(address, nbytes)[:] = value

        self.queue(stream, "fill", run)

    def _cuMemsetD32Async(self, address: int, value: int, count: int, stream: int) -> None:
        def run() -> None:
            self.memory.view(address, 4 * count).view(np.uint32)[:] = value

        self.queue(stream, "fill", run)

    def _cuMemHostAlloc(self, place: Any, nbytes: int, flags: int) -> None:
        block = (ctypes.c_ubyte * nbytes)()
        place.value = ctypes.addressof(block)
        self.pinned[place.value] = block

    def _cuMemHostRegister_v2(self, address: int, nbytes: int, flags: int) -> None:
        if address in self.pinned:
            raise Failed(1)
        self.pinned[address] = (ctypes.c_ubyte * nbytes).from_address(address)

    def _cuMemHostUnregister(self, address: int) -> None:
        self.run_all()
        if address not in self.pinned:
            raise Failed(1)
        del self.pinned[address]

    def _cuMemFreeHost(self, address: int) -> None:
        self.run_all()
        del self.pinned[address]

    # -- streams and events --
    def _cuStreamCreateWithPriority(self, place: Any, flags: int, priority: int) -> None:
        place.value = self._new_stream(flags)

    def _cuStreamCreate(self, place: int, flags: int) -> None:
        ctypes.c_void_p.from_address(place).value = self._new_stream(flags)

    def _new_stream(self, flags: int) -> int:
        made = self.handle()
        self.streams[made], self.places_of[made] = deque(), self.device
        if not flags & 1:
            self.blocking.add(made)
        return made

    def _cuStreamDestroy_v2(self, stream: int) -> None:
        self._drain(stream)
        del self.streams[stream]

    def _cuStreamSynchronize(self, stream: int) -> None:
        stream = self.stream(stream)
        if stream in self.captures:
            raise Failed(900)
        self._drain(stream)

    def _cuStreamQuery(self, stream: int) -> None:
        stream = self.stream(stream)
        if stream in self.captures:
            raise Failed(900)
        if self.streams[stream]:
            raise Failed(600)

    def _cuEventCreate(self, place: Any, flags: int) -> None:
        place.value = self.handle()
        if flags & 4 and not flags & 2:
            raise Failed(1)  # those of several processes have no time
        shared = self.shared is not None and flags & 4
        self.events[place.value] = self.shared.event() if shared else [0, 0]
        self.places_of[place.value] = self.device

    def _cuEventDestroy_v2(self, event: int) -> None:
        # Those that wait for it have it; the numbers stay.
        if event not in self.events:
            raise Failed(400)

    def _cuEventRecordWithFlags(self, event: int, stream: int, flags: int) -> None:
        stream = self.stream(stream)
        if flags != 1 or stream not in self.captures:
            raise Failed(1)
        # Recorded whenever the graph runs.
        self.captures[stream].add(stream, ("event", event), None)

    def _cuEventRecord(self, event: int, stream: int) -> None:
        record, stream = self.events[event], self.stream(stream)
        if self.places_of.get(event, self.places_of[stream]) != self.places_of[stream]:
            raise Failed(400)
        if stream in self.captures:
            capture = self.captures[stream]
            self.captured[event] = capture, capture.ends[stream]
            return
        self.captured.pop(event, None)
        record[0] += 1
        turn = record[0]

        def run() -> None:
            record[1] = max(record[1], turn)
            self.clock = max(self.clock + 1e-3, time.perf_counter() * 1e3)
            self.times[event] = self.clock

        self.queue(stream, "event", run)

    def _cuStreamWaitEvent(self, stream: int, event: int, flags: int) -> None:
        record, stream = self.events[event], self.stream(stream)
        capture = self.captures.get(stream)
        if flags:
            if capture is None:
                raise Failed(1)
            capture.add(stream, ("wait", event), None)
            return
        if event in self.captured:
            other, ends = self.captured[event]
            if other not in self.captures.values() or capture not in (None, other):
                raise Failed(902 if capture else 901)
            # A stream that waits for one that is captured is captured, too.
            self.captures[stream] = other
            other.wait(stream, ends)
            return
        wanted = record[0]
        if capture is not None:
            if wanted:
                raise Failed(905)
            return
        self.queue(stream, "wait", lambda: None, lambda: record[1] >= wanted)

    def _known_event(self, event: int) -> None:
        self._no_capture()
        if event in self.captured:
            raise Failed(907)

    def _cuEventQuery(self, event: int) -> None:
        self._known_event(event)
        if self.events[event][0] > self.events[event][1]:
            raise Failed(600)

    def _cuEventSynchronize(self, event: int) -> None:
        self._known_event(event)
        record = self.events[event]
        wanted = record[0]
        while record[1] < wanted:
            ready = [s for s in self.streams if self._may_go_on(s)]
            self._one_step(ready[0] if self.chance is None else self.chance.choice(ready))

    def _cuEventElapsedTime(self, place: Any, start: int, end: int) -> None:
        place.value = self.times[end] - self.times[start]

    # -- parts of a device --
    def _cuDeviceGetDevResource(self, device: int, place: Any, kind: int) -> None:
        place.type = kind
        place.words[:3] = (self.processors, 0, 0) if kind == 1 else (device, 8, 0)

    def _cuDevSmResourceSplitByCount(
        self, found: Any, groups: Any, given: Any, rest: Any, flags: int, least: int
    ) -> None:
        # Processors are given in pairs.
        found.type, found.words[0] = given.type, -(-least // 2) * 2
        groups.value = int(found.words[0] <= given.words[0])

    def _cuDevResourceGenerateDesc(self, place: Any, given: Any, count: int) -> None:
        place.value = self.handle()
        self.parts[place.value] = [(x.type, *x.words[:3]) for x in given]

    def _cuGreenCtxCreate(self, place: Any, described: int, device: int, flags: int) -> None:
        if flags != 1:
            raise Failed(1)
        place.value = self.handle()
        self.parts[place.value] = self.parts.pop(described)
        self.places_of[place.value] = device

    def _cuGreenCtxStreamCreate(self, place: Any, part: int, flags: int, priority: int) -> None:
        if flags != 1 or part not in self.parts:
            raise Failed(1)
        place.value = self._new_stream(flags)
        self.places_of[place.value] = self.places_of[part]

    def _cuGreenCtxDestroy(self, part: int) -> None:
        del self.parts[part]

    # -- graphs --
    def _cuStreamBeginCapture_v2(self, stream: int, mode: int) -> None:
        stream = self.stream(stream)
        if stream <= 0 or stream in self.captures:
            raise Failed(900)
        self.captures[stream] = Capture(stream)

    def _cuStreamEndCapture(self, stream: int, place: Any) -> None:
        capture = self.captures.get(self.stream(stream))
        if capture is None:
            raise Failed(901)
        if capture.origin != stream:
            raise Failed(903)
        self.captures = {s: c for s, c in self.captures.items() if c is not capture}
        if capture.is_invalid:
            raise Failed(901)
        if not capture.is_joined:
            raise Failed(904)
        place.value = self.handle()
        self.graphs[place.value] = capture.nodes

    def _cuThreadExchangeStreamCaptureMode(self, place: Any) -> None:
        before = getattr(self.threads, "mode", 0)
        self.threads.mode, place.value = place.value, before

    def _cuStreamIsCapturing(self, stream: int, place: Any) -> None:
        found = int(self.stream(stream) in self.captures)
        if isinstance(place, int):
            ctypes.c_int.from_address(place).value = found
        else:
            place.value = found

    def _cuStreamGetCaptureInfo_v2(
        self, stream: int, status: Any, number: Any, *others: Any
    ) -> None:
        capture = self.captures.get(self.stream(stream))
        status.value = 0 if capture is None else 1 + capture.is_invalid
        number.value = id(capture)

    def _cuGraphInstantiateWithFlags(self, place: Any, graph: int, flags: int) -> None:
        place.value = self.handle()
        self.graphs[place.value] = self.graphs[graph]

    def _cuGraphLaunch(self, executable: int, stream: int) -> None:
        nodes = self.graphs[executable]
        for k in self._order(nodes):
            kind, run, _ = nodes[k]
            if kind[0] == "event":
                self._cuEventRecord(kind[1], stream)
            elif kind[0] == "wait":
                self._cuStreamWaitEvent(stream, kind[1], 0)
            else:
                self.queue(stream, kind, run)

    def _order(self, nodes: list[Any]) -> list[int]:
        """An order in which a graph may run, which chance chooses."""
        order: list[int] = []
        while len(order) < len(nodes):
            ready = [
                k for k, (_, _, before) in enumerate(nodes) if k not in order and before <= {*order}
            ]
            order.append(ready[0] if self.chance is None else self.chance.choice(ready))
        return order

    def _cuGraphDebugDotPrint(self, graph: int, path: bytes, flags: int) -> None:
        with open(path, "w") as file:
            print("digraph", [str(kind) for kind, *_ in self.graphs[graph]], file=file)

    def _cuGraphExecDestroy(self, executable: int) -> None:
        del self.graphs[executable]

    _cuGraphDestroy = _cuGraphExecDestroy


def _host(address: int, nbytes: int) -> Any:
    """The host's memory at an address."""
    return np.ctypeslib.as_array((ctypes.c_ubyte * nbytes).from_address(address))
