"""What can go wrong when launchers meet."""

from __future__ import annotations

__all__ = [
    "RendezvousClosedError",
    "RendezvousConnectionError",
    "RendezvousError",
    "RendezvousGracefulExitError",
    "RendezvousStateError",
    "RendezvousTimeoutError",
]


class RendezvousError(Exception):
    """Launchers could not meet."""


class RendezvousClosedError(RendezvousError):
    """The program has ended: nobody meets any more."""


class RendezvousTimeoutError(RendezvousError):
    """Not enough launchers came in time."""


class RendezvousConnectionError(RendezvousError):
    """The store where launchers meet cannot be reached."""


class RendezvousStateError(RendezvousError):
    """What the store says makes no sense."""


class RendezvousGracefulExitError(RendezvousError):
    """A launcher is not wanted any more, and ends without an error."""
