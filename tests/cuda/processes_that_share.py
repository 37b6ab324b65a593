"""What other processes do in `test_shared_with_processes.py`: each has a stand-in of its own."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler

from stand_in import StandIn

import rushlight as torch
from rushlight.engine.cuda import driver


def double(get, put, seed) -> None:
    """Double what arrives, and say what it was."""
    driver.use(StandIn(shared=True, seed=seed))
    while True:
        found = get.get()
        if found is None:
            break
        put.put([x.tolist() for x in found])
        found[0].mul_(2)
        del found
        # The sender is told when the memory is used no more.
        put.put(torch.cuda.memory_allocated())


def keep(get, put) -> None:
    """Keep what arrives until something else does; say where views of one storage are."""
    driver.use(StandIn(shared=True))
    first, again = get.get(), get.get()
    opened = driver.library.calls.count("cuIpcOpenMemHandle_v2")
    put.put((opened, first.data_ptr() == again.data_ptr() - 8, first.is_shared(), again.tolist()))
    try:
        ForkingPickler.dumps(first)
    except RuntimeError as error:
        put.put(str(error))
    get.get()
    # What is left goes back when the process ends.


def wait_for_event(get, put) -> None:
    """Wait for an event of the other process."""
    driver.use(StandIn(shared=True))
    event = torch.cuda.Event.from_ipc_handle(0, get.get())
    put.put(event.query())
    get.get()
    put.put(event.query())
    event.synchronize()
