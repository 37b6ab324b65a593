"""Chains of loops of a device, as machine code runs them: loops of the host that queue them one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.engine.cuda import driver, launcher
from rushlight.engine.loops.device_loop import Queued, can_be_queued
from rushlight.engine.loops.plan import Loop, chain_words


class QueuedChain:
    """The words of a chain; made when a call is remembered, after its loops have run.

    Args:
        operands: how many operands there are
        links: the loops, each with the positions of its operands
    """

    def __init__(self, operands: int, links: Sequence[tuple[Queued, Sequence[int]]]) -> None:
        self.operands, self.links = operands, links
        self._made_for: Any = None
        self._address = 0
        self._status = launcher.Status()
        self._keep: Any = None

    @property
    def address(self) -> int:
        """Where the words are; 0 if machine code cannot queue the loops."""
        if not can_be_queued():
            return 0
        labels = [loop.label for loop, _ in self.links]
        if self._made_for != (driver.library, labels):
            self._address, self._keep = self._words()
            self._made_for = driver.library, labels
        return self._address

    @property
    def status(self) -> int:
        """Where the loops say that one of them has failed."""
        return self._status.address if self.address else 0

    def _words(self) -> tuple[int, Any]:
        links: list[tuple[Loop, Sequence[int]]] = []
        # Words that calls have been remembered with stay as they are.
        self._status = launcher.Status()
        for loop, positions in self.links:
            made = loop.launcher(self._status)
            if made is None:
                return 0, None
            # Operands that a loop holds itself are not among its arguments; machine code counts them.
            places = [*positions, *[0] * (len(made.loop.kinds) - len(positions))]
            links.append((made.loop, places))
        address, held = chain_words(self.operands, links)
        return address, (held, links)
