"""What modules of devices that are not there have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def raising(error: type[Exception], text: str, names: list[str]) -> dict[str, Callable[..., Any]]:
    """Functions that raise, by name."""

    def make(name: str) -> Callable[..., Any]:
        def absent(*args: Any, **kwargs: Any) -> NoReturn:
            raise error(text.format(name=name))

        absent.__name__ = absent.__qualname__ = name
        absent.__doc__ = "Raises: the device is not there."
        return absent

    return {name: make(name) for name in names}


def constant(value: Any, names: list[str]) -> dict[str, Callable[..., Any]]:
    """Functions that always give the same, by name: what is true of no device."""

    def make(name: str) -> Callable[..., Any]:
        def same(*args: Any, **kwargs: Any) -> Any:
            return value

        same.__name__ = same.__qualname__ = name
        same.__doc__ = f"{value}: the device is not there."
        return same

    return {name: make(name) for name in names}


class AbsentDevice:
    """A block on a device that is not there. One with a negative index changes nothing."""

    error = "PyTorch was compiled without CUDA support"

    def __init__(self, device: Any = -1) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if not (self.idx is None or (isinstance(self.idx, int) and self.idx < 0)):
            raise RuntimeError(self.error)

    def __exit__(self, *exception: object) -> None:
        """Nothing was changed."""


class StreamBlock:
    """A block on a stream; there are none, so only None is possible."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        """Nothing changes."""

    def __exit__(self, *exception: object) -> None:
        """Nothing was changed."""
