"""Random numbers from machine code: a kernel of the host's loops that queues a kernel which draws."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.cuda import driver, launcher
from rushlight.engine.cuda.generators import STATE, UNIT, CudaGenerator
from rushlight.engine.cuda.launcher import MOST_PARAMETERS, PLACE
from rushlight.engine.native.lowlevel import invoke, load, stack, store
from rushlight.engine.native.python_api import restore_thread, save_thread
from rushlight.engine.native.runtime import module


class DRAWING:
    """Positions of the words of a drawing, in bytes; then come the parameters behind the generator's."""

    function = 0  # the driver's `cuLaunchKernel`
    device = 8
    status = 16
    label = 24  # what messages call it, as a number
    kernel = 32
    blocks = 40
    width = 48
    generator = 56  # address of its words
    taken = 64  # how many numbers each thread's stream gives
    count = 72  # how many elements, and their size
    itemsize = 80
    numbers = 88  # how many parameters come behind
    first = 96


@module.entry
def queue_drawing(data: int, sizes: int, strides: int) -> int:
    """A kernel of the host's loops that fills operand 1 on a device with random numbers; operand 0 is the table."""
    table = load(data)
    status = load(table + DRAWING.status)
    place = launcher.place_on(load(table + DRAWING.device), status)
    if place == 0:
        return 0
    generator = load(table + DRAWING.generator)
    if load(generator + STATE.captured) != 0:
        store(status, 1)
        return 0
    content = stack(3)
    store(content, load(data + 8))
    store(content + 8, load(generator + STATE.seed))
    store(content + 16, load(generator + STATE.offset) // UNIT)
    parameters = stack(MOST_PARAMETERS)
    store(parameters, content)
    store(parameters + 8, table + DRAWING.count)
    store(parameters + 16, table + DRAWING.itemsize)
    store(parameters + 24, content + 8)
    store(parameters + 32, content + 16)
    for k in range(load(table + DRAWING.numbers)):
        store(parameters + 40 + k * 8, table + DRAWING.first + k * 8)
    launcher.note(load(table + DRAWING.label))
    # Before the lock is let go: nobody else begins at the same place.
    store(generator + STATE.offset, load(generator + STATE.offset) + load(table + DRAWING.taken))
    saved = save_thread()
    code = invoke(
        load(table + DRAWING.function), load(table + DRAWING.kernel), load(table + DRAWING.blocks), 1, 1,
        load(table + DRAWING.width), 1, 1, 0, load(place + PLACE.stream), parameters, 0,
    )  # fmt: skip
    restore_thread(saved)
    if code & 0xFFFFFFFF != 0:
        store(
            generator + STATE.offset, load(generator + STATE.offset) - load(table + DRAWING.taken)
        )
        store(status, 1)
    return 0


def table_of(
    generator: CudaGenerator, device: int, label: str, kernel: launcher.Kernel, taken: int,
    count: int, itemsize: int, numbers: Sequence[int], status: launcher.Status,
) -> launcher.Table:  # fmt: skip
    """The words of a drawing."""
    content = [
        driver.entry_point("cuLaunchKernel"), device, status.address, launcher.recent.number_of(label), *kernel,
        generator.words_address, taken, count, itemsize, len(numbers), *numbers,
    ]  # fmt: skip
    return launcher.Table(content, status)
