"""The default random number generator: its seed and its state."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.engine.core import generator as generators
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.tensor import Tensor

__all__ = [
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def __getattr__(name: str) -> Any:
    if name == "default_generator":
        return generators.default_generator()
    raise AttributeError(f"module 'rushlight.random' has no attribute '{name}'")


def manual_seed(seed: int) -> Generator:
    """Start the streams of a seed on all devices; gives the host's default generator."""
    generators.seed_everything(int(seed))
    return generators.default_generator().manual_seed(int(seed))


def seed() -> int:
    """Start a stream that nobody can foresee; gives its seed."""
    return generators.default_generator().seed()


def initial_seed() -> int:
    """The seed that the default generator's stream started with."""
    return generators.default_generator().initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's place in its stream, as a tensor of bytes."""
    return generators.default_generator().get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Continue from a state that `get_rng_state` gave."""
    generators.default_generator().set_state(new_state)


@contextlib.contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """A block after which the default generator goes on as if the block had drawn nothing."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
