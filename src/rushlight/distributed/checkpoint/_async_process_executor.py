"""Saving by a process of its own: the program goes on without sharing its interpreter with what is written.

Each process of a group starts one, when it first saves so; together these are a group, too. What is saved comes through
memory that both share.
"""

from __future__ import annotations

import atexit
import pickle
import shutil
import tempfile
import threading
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import connection
from typing import Any

from rushlight import distributed as dist
from rushlight import multiprocessing
from rushlight.distributed.checkpoint.api import CheckpointException

__all__: list[str] = []


class Saver:
    """A process that saves what it is sent, one after the other.

    Args:
        group: the processes of the program that save together; None for this one alone
    """

    def __init__(self, group: Any) -> None:
        rank = 0 if group is None else dist.get_rank(group)
        size = 1 if group is None else dist.get_world_size(group)
        place = [tempfile.mkdtemp(prefix="rushlight_saving_") if rank == 0 else None]
        if group is not None:
            dist.broadcast_object_list(place, group=group, group_src=0)
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(theirs, rank, size, f"file://{place[0]}/store"), daemon=True
        )
        self.process.start()
        theirs.close()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        # The process that has made the folder takes it away.
        self.folder = place[0] if rank == 0 else None

    def submit(self, staged: Any, options: dict[str, Any]) -> Future[Any]:
        """A future of what `save` gives for a state dict, or for a future of one."""
        return self.thread.submit(self._saved, staged, options)

    def _saved(self, staged: Any, options: dict[str, Any]) -> Any:
        held = staged.result() if isinstance(staged, Future) else staged
        try:
            self.pipe.send((held, options))
            failed, result = self.pipe.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            raise RuntimeError(
                f"the process that saves checkpoints ended with status {self.process.exitcode}"
            ) from None
        if failed is not None:
            raise _raised(failed, result)
        return result

    def end(self) -> None:
        """End the process when it has saved what it was sent."""
        self.thread.shutdown()
        self.pipe.close()
        self.process.join()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def _raised(text: str, error: Any) -> BaseException:
    """The exception that the other process had, with its traceback there as a note."""
    found: BaseException = error if isinstance(error, BaseException) else RuntimeError(text)
    found.add_note(f"In the process that saves checkpoints:\n{text}")
    return found


def _serve(pipe: connection.Connection[Any, Any], rank: int, size: int, address: str) -> None:
    """What the process does, until nobody is at the other end."""
    from rushlight.distributed.checkpoint.state_dict_saver import save

    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=size)
    while True:
        try:
            state_dict, options = pipe.recv()
        except EOFError:
            break
        try:
            answer: Any = None, save(state_dict, **options)
        except (Exception, CheckpointException) as error:
            answer = traceback.format_exc(), _sendable(error)
        pipe.send(answer)
        del state_dict, answer
    dist.destroy_process_group()


def _sendable(error: BaseException) -> BaseException | None:
    """An exception, if it can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return None
    return error


_savers: dict[Any, Saver] = {}
_lock = threading.Lock()


def saver_of(group: Any) -> Saver:
    """The process that saves for this one in a group; all processes of the group ask for theirs."""
    with _lock:
        found = _savers.get(group)
        # Of several, all would have to start another one.
        if found is None or (group is None and not found.process.is_alive()):
            found = _savers[group] = Saver(group)
        return found


@atexit.register
def end_all() -> None:
    """Let what was sent be saved, and end the processes."""
    while _savers:
        _savers.popitem()[1].end()
