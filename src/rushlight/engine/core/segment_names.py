"""The names of shared segments, and the process that removes them.

A name in ``/dev/shm`` outlives the processes that use it, and a process that is killed cannot clean
up. So the first process that makes a name starts a *keeper* (`name_keeper.py`). Everybody who holds
a name is connected to its keeper; the keeper removes a name when no process holds it and none is on
its way, and all that are left when nobody is connected any more.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading

from rushlight.engine.native.records import dataclass

_PROGRAM = os.path.join(os.path.dirname(__file__), "name_keeper.py")
_LIMIT = 4096
KNOWN = b"1"

# Removing a tensor may release a name at any time, also while this thread asks something.
_lock = threading.RLock()
_connections: dict[bytes, socket.socket] = {}
_own_keeper: bytes | None = None


def _start_keeper() -> bytes:
    """Start a keeper; the socket listens before the keeper runs, so nobody needs to wait."""
    address = f"\0rushlight-{os.getpid()}-{os.urandom(8).hex()}".encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(128)
        number = listener.fileno()
        subprocess.run(
            [sys.executable, "-I", "-S", _PROGRAM, str(number)],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    return address


def _connect(keeper: bytes) -> socket.socket:
    found = _connections.get(keeper)
    if found is None:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            made.connect(keeper)
        except OSError:
            made.close()
            raise
        found = _connections[keeper] = made
    return found


def _ask(keeper: bytes, verb: str, path: str) -> bool:
    """Tell a keeper something and wait until it is done; whether it knows the name."""
    with _lock:
        try:
            connection = _connect(keeper)
            connection.send(f"{verb} {path}".encode())
            return connection.recv(_LIMIT) == KNOWN
        except OSError:
            _forget(keeper)
            return False


def _forget(keeper: bytes) -> None:
    """Drop the connection to a keeper that is gone."""
    connection = _connections.pop(keeper, None)
    if connection is not None:
        connection.close()


@dataclass
class HeldName:
    """A name that a process holds: whose keeper has it, and which process that is."""

    keeper: bytes
    path: str
    process: int

    def hold_here(self) -> bool:
        """Whether this process holds the name; one that its parent held is asked for first."""
        if self.process != os.getpid():
            if not _ask(self.keeper, "join", self.path):
                return False
            self.process = os.getpid()
        return True

    def publish(self) -> None:
        """The name is sent to another process: it stays until that has taken it."""
        if not _ask(self.keeper, "send", self.path):
            raise RuntimeError(f"the shared memory object <{self.path}> has been removed")

    def release(self) -> None:
        """This process does not hold the name any more; what its parent holds is not its own."""
        if self.process != os.getpid():
            return
        with _lock:
            connection = _connections.get(self.keeper)
            if connection is None:
                return
            try:
                connection.send(f"drop {self.path}".encode())
            except OSError:
                _forget(self.keeper)


def hold_new(path: str) -> HeldName:
    """A name that is about to be made."""
    global _own_keeper
    with _lock:
        if _own_keeper is None or not _ask(_own_keeper, "make", path):
            _own_keeper = _start_keeper()
            if not _ask(_own_keeper, "make", path):
                raise RuntimeError("the process that removes shared segments does not answer")
        return HeldName(_own_keeper, path, os.getpid())


def hold_sent(keeper: bytes, path: str) -> HeldName:
    """A name that another process has published and sent here."""
    if not _ask(keeper, "take", path):
        raise RuntimeError(f"unable to open shared memory object <{path}>: it has been removed")
    return HeldName(keeper, path, os.getpid())


def _leave_to_parent() -> None:
    """In a forked process: the connections are the parent's, who is to be seen when it ends."""
    global _lock
    _lock = threading.RLock()
    for connection in _connections.values():
        connection.close()
    _connections.clear()


os.register_at_fork(after_in_child=_leave_to_parent)
