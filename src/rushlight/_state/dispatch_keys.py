"""Dispatch keys under PyTorch's names, and blocks that add or take away some of them."""

from __future__ import annotations

from rushlight.engine.core import keys, state
from rushlight.engine.dispatch.key_sets import DispatchKey, DispatchKeySet

__all__ = ["DisableTorchDispatch", "DispatchKey", "DispatchKeySet", "ExcludeKeys", "IncludeKeys"]


class ExcludeKeys(state.excluding):
    """Take a set of keys out of every operator call of this thread."""

    __slots__ = ()

    def __init__(self, keyset: DispatchKeySet) -> None:
        super().__init__(keyset.bits)


class IncludeKeys(state.including):
    """Add a set of keys to every operator call of this thread."""

    __slots__ = ()

    def __init__(self, keyset: DispatchKeySet) -> None:
        super().__init__(keyset.bits)


class DisableTorchDispatch(state.excluding):
    """Ask neither dispatch modes nor classes with `__torch_dispatch__` in this thread."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(keys.PYTHON_MODE)

    def __enter__(self) -> None:
        super().__enter__()
        state.thread.dispatch_disabled += 1

    def __exit__(self, *exception: object) -> None:
        state.thread.dispatch_disabled -= 1
        super().__exit__(*exception)
