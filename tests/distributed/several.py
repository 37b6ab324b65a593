"""Runs a function in several processes that form a group."""

import os
import tempfile
import time
from datetime import timedelta

import rushlight as torch
import rushlight.distributed as dist
from rushlight import multiprocessing

LIMIT = 60


def _start(rank, size, folder, backend, seconds, function, args):
    torch.set_num_threads(1)
    dist.init_process_group(
        backend,
        init_method=f"file://{folder}/store",
        rank=rank,
        world_size=size,
        timeout=timedelta(seconds=seconds),
    )
    function(rank, size, *args)
    if dist.is_initialized():
        dist.destroy_process_group()


def run(size, function, *args, backend="gloo", seconds=20):
    """Call ``function(rank, size, *args)`` in so many processes; raises what one of them raises."""
    with tempfile.TemporaryDirectory() as folder:
        spawn(size, _start, size, folder, backend, seconds, function, args)


def spawn(size, function, *args, limit=LIMIT):
    """Call ``function(rank, *args)`` in so many processes, and end them if that takes too long."""
    context = multiprocessing.spawn(function, args, nprocs=size, join=False)
    end = time.monotonic() + limit
    try:
        while not context.join(timeout=max(0.1, end - time.monotonic())):
            if time.monotonic() > end:
                raise AssertionError(f"{function.__name__} took longer than {limit} seconds")
    finally:
        for process in context.processes:
            if process.is_alive():
                process.kill()
            process.join()


def shared_memory_names(processes):
    """The names in the system's shared memory that these processes have made."""
    starts = tuple(f"rushlight_{process}_" for process in processes)
    return [name for name in os.listdir("/dev/shm") if name.startswith(starts)]
