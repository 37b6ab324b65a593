"""Runs a function in several processes that form a group.

The processes are kept from one test to the next: starting them, and planning the same calls in each anew, would take
longer than most tests do. A function that fails ends them, so what it left behind troubles nobody.
"""

import atexit
import functools
import os
import pickle
import sys
import tempfile
import time
import traceback
from datetime import timedelta
from multiprocessing import connection, get_context

import rushlight as torch
import rushlight.distributed as dist
from rushlight import multiprocessing

LIMIT = 60
PRELOADED = ["pytest", "rushlight.distributed.checkpoint", "rushlight.distributed.tensor"]


def run(size, function, *args, backend="gloo", seconds=20, limit=4 * LIMIT):
    """Call ``function(rank, size, *args)`` in so many processes of a group; raises if it fails in one of them."""
    with tempfile.TemporaryDirectory() as folder:
        call(size, _in_group, size, folder, backend, seconds, function, args, limit=limit)


def _in_group(rank, size, folder, backend, seconds, function, args):
    dist.set_debug_level_from_env()
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


def call(size, function, *args, limit=LIMIT):
    """Call ``function(rank, *args)`` in so many of the processes that are kept."""
    try:
        kept = _kept()
        kept.enlarge(size)
        kept.call(size, function, args, limit)
    except BaseException:
        end()
        raise


@functools.cache
def _kept():
    return Kept()


@atexit.register
def end():
    """End the processes that are kept; the next call starts others."""
    _kept().end()


class Kept:
    """Processes that call functions one after the other."""

    def __init__(self):
        self.processes, self.pipes = [], []

    def enlarge(self, size):
        context = _forks()
        for rank in range(len(self.processes), size):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(rank, theirs))
            process.start()
            theirs.close()
            self.processes.append(process)
            self.pipes.append(ours)

    def call(self, size, function, args, limit):
        for pipe in self.pipes[:size]:
            pipe.send((sys.path, dict(os.environ), pickle.dumps((function, args))))
        waiting, deadline = set(range(size)), time.monotonic() + limit
        while waiting:
            pipes = {self.pipes[rank]: rank for rank in waiting}
            ready = connection.wait(list(pipes), max(0.0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"{function.__name__} took longer than {limit} seconds")
            for pipe in ready:
                self.check(pipes[pipe], pipe)
                waiting.remove(pipes[pipe])

    def check(self, rank, pipe):
        """Raise if a process failed, or is there no more."""
        try:
            failed = pipe.recv()
        except EOFError:
            self.processes[rank].join()
            status = self.processes[rank].exitcode
            raise AssertionError(f"process {rank} ended with status {status}") from None
        if failed:
            raise AssertionError(f"in process {rank}:\n\n{failed}")

    def end(self):
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            process.kill()
            process.join()
        self.processes, self.pipes = [], []


def _serve(rank, pipe):
    """What a process that is kept does, until nobody is at the other end."""
    torch.set_num_threads(1)
    numbers = torch.get_rng_state()
    while True:
        try:
            path, environment, given = pipe.recv()
        except EOFError:
            return
        sys.path[:] = path
        os.environ.clear()
        os.environ.update(environment)
        torch.set_rng_state(numbers)
        failed = None
        try:
            function, args = pickle.loads(given)
            function(rank, *args)
        except BaseException:
            failed = traceback.format_exc()
        pipe.send(failed)


def start(size, function, *args):
    """Let so many new processes call ``function(rank, *args)``; what is given back waits for them."""
    _forks()
    return multiprocessing.start_processes(
        _with_surroundings,
        (dict(os.environ), function, args),
        size,
        False,
        start_method="forkserver",
    )


def _forks():
    """Makes processes out of one that has imported what they need."""
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def _with_surroundings(rank, environment, function, args):
    os.environ.clear()
    os.environ.update(environment)
    function(rank, *args)


def spawn(size, function, *args, limit=LIMIT):
    """Call ``function(rank, *args)`` in so many new processes, and end them if that takes too long."""
    context = start(size, function, *args)
    deadline = time.monotonic() + limit
    try:
        while not context.join(timeout=max(0.1, deadline - time.monotonic())):
            if time.monotonic() > deadline:
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
