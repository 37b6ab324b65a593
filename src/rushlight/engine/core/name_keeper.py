"""A process of its own: removes the names of shared segments when nobody needs them.

Run with the number of a listening socket. Every packet is a verb and a path:

- ``make``: the sender is about to make this name, and holds it;
- ``send``: the name is on its way to somebody; ``take``: it has arrived at the sender;
- ``join``: the sender, a forked process, has the segment and wants to hold the name too;
- ``drop``: the sender does not hold it any more. This one gets no answer.

The answer says whether the name is known. A process that ends, however that happens, drops all it
holds. When nobody is left, so is everything.

Only processes of the same user are heard, and only about names that are made here: nobody may have
other files removed.

The file is run without the package, which would take longer to start than to do its work.
"""

import contextlib
import os
import selectors
import signal
import socket
import struct
import sys
from collections import Counter

_LIMIT = 4096
# How long to wait for the first process, in seconds: it may have been killed meanwhile.
_PATIENCE = 60.0
_OURS = "/dev/shm/rushlight_"
_CREDENTIALS = "iii"


class Names:
    """Who holds which name."""

    def __init__(self) -> None:
        self.holders: dict[str, Counter[int]] = {}
        self.sent: Counter[str] = Counter()

    def hear(self, who: int, verb: str, path: str) -> bool:
        """Note what a process says; whether the name is known."""
        if not path.startswith(_OURS) or ".." in path:
            return False
        if verb == "make":
            self.holders.setdefault(path, Counter())
        if path not in self.holders:
            return False
        if verb == "send":
            self.sent[path] += 1
        elif verb == "drop":
            self.drop(who, path, 1)
        else:
            self.holders[path][who] += 1
            self.sent[path] -= verb == "take"
        return True

    def drop(self, who: int, path: str, times: int) -> None:
        """One holder less."""
        held = self.holders[path]
        held[who] -= times
        if held[who] <= 0:
            del held[who]
        if not held and self.sent[path] <= 0:
            self.remove(path)

    def remove(self, path: str) -> None:
        """Remove a name, unless its maker did not come to make it."""
        del self.holders[path]
        self.sent.pop(path, None)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)

    def leave(self, who: int) -> None:
        """A process has ended."""
        for path, held in list(self.holders.items()):
            if who in held:
                self.drop(who, path, held[who])

    def remove_all(self) -> None:
        """Nobody is left."""
        for path in list(self.holders):
            self.remove(path)


def accept(listener: socket.socket) -> socket.socket | None:
    """The next connection, if it is of a process of this user."""
    connection, _ = listener.accept()
    size = struct.calcsize(_CREDENTIALS)
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _, user, _ = struct.unpack(_CREDENTIALS, told)
    if user == os.getuid():
        return connection
    connection.close()
    return None


def serve(listener: socket.socket) -> None:
    """Listen until the last process has ended."""
    names, poll = Names(), selectors.DefaultSelector()
    poll.register(listener, selectors.EVENT_READ)
    connected, begun = 0, False
    while True:
        ready = poll.select(None if connected else _PATIENCE)
        for key, _ in ready:
            if key.fileobj is listener:
                connection = accept(listener)
                if connection is not None:
                    poll.register(connection, selectors.EVENT_READ)
                    connected, begun = connected + 1, True
            elif not answer(names, key.fd, key.fileobj):  # type: ignore[arg-type]
                poll.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
                connected -= 1
        # A stranger who came too early is no reason to leave.
        if not connected and (begun or not ready):
            break
    names.remove_all()


def answer(names: Names, who: int, connection: socket.socket) -> bool:
    """Read one packet and answer it; false at the end of the connection."""
    try:
        packet = connection.recv(_LIMIT)
    except ConnectionError:
        # The process was killed with an answer waiting.
        packet = b""
    if not packet:
        names.leave(who)
        return False
    verb, _, path = packet.decode().partition(" ")
    known = names.hear(who, verb, path)
    if verb != "drop":
        # Whether somebody still listens, the next packet shows.
        with contextlib.suppress(ConnectionError):
            connection.send(b"1" if known else b"0")
    return True


def main(number: int) -> None:
    """Serve in a process that no terminal and no parent waits for."""
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    serve(socket.socket(fileno=number))


if __name__ == "__main__":
    main(int(sys.argv[1]))
