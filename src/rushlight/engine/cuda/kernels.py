"""Kernels as PTX: loaded into a device when they are first launched there."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

from rushlight.engine.cuda import context, driver, launcher, streams, timeline
from rushlight.engine.native.forks import hold_over_fork

# What compilers call processors, by the least capability that runs their PTX, with the version it needs.
PROCESSORS = {
    (7, 0): ("sm_70", "+ptx80"), (7, 5): ("sm_75", "+ptx80"), (8, 0): ("sm_80", "+ptx80"),
    (8, 6): ("sm_86", "+ptx80"), (8, 9): ("sm_89", "+ptx80"), (9, 0): ("sm_90", "+ptx80"),
    (10, 0): ("sm_100", "+ptx86"), (12, 0): ("sm_120", "+ptx87"),
}  # fmt: skip
ENTRY = "KERNEL"

_lock = threading.Lock()
hold_over_fork(_lock)


def processor(device: int) -> tuple[str, str]:
    """The processor that kernels for a device are written for, and the features of that PTX."""
    found = context.properties(device)
    has = found["major"], found["minor"]
    fitting = [least for least in PROCESSORS if least <= has]
    if not fitting:
        raise RuntimeError(
            f"cuda:{device} ({found['name']}) has compute capability {has[0]}.{has[1]}; kernels are written "
            "for 7.0 and later"
        )
    return PROCESSORS[max(fitting)]


class Kernel:
    """A kernel for all devices.

    Args:
        label: what messages call it
        text: gives the PTX for a processor and its features
    """

    __slots__ = ("_handles", "label", "text")

    def __init__(self, label: str, text: Callable[[str, str], str]) -> None:
        self.label, self.text = label, text
        # By device, with the library that loaded it.
        self._handles: dict[int, tuple[object, int]] = {}

    def handle(self, device: int) -> int:
        """The driver's function on a device, whose context this thread is in."""
        found = self._handles.get(device)
        if found is None or found[0] is not driver.library:
            with _lock:
                module = driver.load_module(self.text(*processor(device)))
                found = driver.library, driver.function(module, ENTRY)
                self._handles[device] = found
        return found[1]

    def launch(
        self, device: int, blocks: int, width: int, words: Sequence[int], label: str = ""
    ) -> None:
        """Queue the kernel on the current stream of a device.

        Args:
            device: its number
            blocks: how many blocks of threads
            width: how many threads in each
            words: the parameters
            label: what messages call the launch, if not by the kernel's own label
        """
        label = label or self.label
        context.enter(device)
        stream = streams.current(device)
        handle = self.handle(device)
        launcher.recent.append(label)
        launcher.use_stream(device, stream.handle)
        try:
            with timeline.work(
                timeline.KERNEL, f"{label} kernel", stream, "cuLaunchKernel", grid=[blocks, 1, 1],
                block=[width, 1, 1],
            ):  # fmt: skip
                driver.launch(handle, blocks, width, words, stream.handle)
            if is_blocking():
                driver.synchronize_stream(stream.handle)
        except driver.CudaError as error:
            raise driver.CudaError(error.error_code, f"{error}, in {label}") from None


def is_blocking() -> bool:
    """Whether every launch is waited for."""
    return os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0")
