"""What a function finds besides its arguments, kept so that a second call finds the same."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import rushlight
from rushlight.amp import autocast


class Surroundings:
    """The random numbers, if they are to be kept, and the types that autocast chooses."""

    def __init__(self, keeps_random_numbers: bool) -> None:
        self.random = rushlight.get_rng_state() if keeps_random_numbers else None
        self.lower_type = rushlight.get_autocast_dtype("cpu")
        self.is_casting = rushlight.is_autocast_enabled("cpu")
        self.keeps_casts = rushlight.is_autocast_cache_enabled()

    @contextlib.contextmanager
    def again(self) -> Iterator[None]:
        """Within the block all is as it was; after it, all goes on as before the block."""
        before = None if self.random is None else rushlight.get_rng_state()
        if self.random is not None:
            rushlight.set_rng_state(self.random)
        try:
            with autocast("cpu", self.lower_type, self.is_casting, self.keeps_casts):
                yield
        finally:
            if before is not None:
                rushlight.set_rng_state(before)
