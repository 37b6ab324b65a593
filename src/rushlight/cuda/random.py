"""Random numbers of CUDA devices: each has a generator of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.cuda import _device
from rushlight.engine.core import device as devices
from rushlight.engine.core.generator import Generator
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.cuda import context, generators

__all__ = [
    "get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all",
    "set_rng_state", "set_rng_state_all",
]  # fmt: skip


def _generator(which: Any) -> generators.CudaGenerator:
    index = _device.index_of(which)
    context.check(index)
    return generators.default(index)


def manual_seed(seed: int) -> None:
    """Start the current device's stream of a seed; before any device is used, that of all."""
    if context.is_started():
        _generator(None).manual_seed(int(seed))
    else:
        generators.seed_all(int(seed))


def manual_seed_all(seed: int) -> None:
    """Start every device's stream of a seed."""
    generators.seed_all(int(seed))


def seed() -> None:
    """Start a stream on the current device that nobody can foresee."""
    if context.is_started():
        _generator(None).seed()
    else:
        generators.seed_all(generators.unforeseen())


def seed_all() -> None:
    """The same on every device."""
    generators.seed_all(generators.unforeseen())


def initial_seed() -> int:
    """The seed that the current device's stream started with."""
    return _generator(None).initial_seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """A device's place in its stream, as a tensor of bytes."""
    return _generator(device).get_state()


def get_rng_state_all() -> list[Tensor]:
    """The places of all devices."""
    return [_generator(index).get_state() for index in range(context.count())]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Continue from a state that `get_rng_state` gave."""
    if context.count():
        _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Continue on all devices."""
    for index, state in enumerate(new_states):
        set_rng_state(state, devices.device("cuda", index))


def _default_generators() -> tuple[Generator, ...]:
    """One for each device."""
    return tuple(generators.default(index) for index in range(context.count()))
