"""Copies of state dicts, which are saved while the program goes on."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import rushlight
from rushlight.engine.core.tensor import Tensor

__all__ = ["AsyncStager", "BlockingAsyncStager", "DefaultStager", "StagingOptions"]


@runtime_checkable
class AsyncStager(Protocol):
    """Copies a state dict for :func:`async_save`."""

    _synchronize_after_execute: bool = True

    @property
    def should_synchronize_after_execute(self) -> bool:
        """Whether :meth:`synchronize_staging` is called before the program goes on."""
        return self._synchronize_after_execute

    def stage(self, state_dict: Any) -> Any:
        """A copy of a state dict that the program no longer changes, or a future of one."""
        raise NotImplementedError(f"{type(self).__name__} must implement stage method")

    def synchronize_staging(self) -> None:
        """Wait until the copy is whole."""

    def close(self) -> None:
        """Let go of what the copies need."""


class _Copies:
    """Copies of the tensors in a state dict.

    Args:
        is_kept: whether the next state dict is copied into the same memory
    """

    def __init__(self, is_kept: bool) -> None:
        self.is_kept = is_kept
        self.kept: dict[tuple[Any, ...], Tensor] = {}

    def of(self, value: Any, path: tuple[Any, ...] = ()) -> Any:
        if isinstance(value, Tensor):
            return self._of_tensor(value, path)
        if isinstance(value, dict):
            return {key: self.of(x, (*path, key)) for key, x in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self.of(x, (*path, k)) for k, x in enumerate(value))
        return value

    def _of_tensor(self, value: Any, path: tuple[Any, ...]) -> Any:
        held: Any = self.kept.get(path)
        if held is not None and held.shape == value.shape and held.dtype == value.dtype:
            with rushlight.no_grad():
                return held.copy_(value)
        made = value.detach().to("cpu", copy=True)
        if self.is_kept:
            self.kept[path] = made
        return made


class BlockingAsyncStager(AsyncStager):
    """Copies at once, and lets the program go on when it has.

    Args:
        cache_staged_state_dict: whether the copies' memory is used again
        type_check: accepted
    """

    _synchronize_after_execute: bool = False

    def __init__(self, cache_staged_state_dict: bool = False, type_check: bool = False) -> None:
        self.cache_staged_state_dict, self.type_check = cache_staged_state_dict, type_check
        self._copies = _Copies(cache_staged_state_dict)

    def stage(self, state_dict: Any) -> Any:
        return self._copies.of(state_dict)

    def synchronize_staging(self) -> None:
        pass

    def close(self) -> None:
        self._copies.kept.clear()


class StagingOptions:
    """How :class:`DefaultStager` copies; on the CPU all ways are one.

    Args:
        use_pinned_memory: accepted
        use_shared_memory: accepted
        use_async_staging: accepted; copies are whole when `stage` returns
        use_non_blocking_copy: accepted
    """

    def __init__(
        self,
        use_pinned_memory: bool = True,
        use_shared_memory: bool = True,
        use_async_staging: bool = True,
        use_non_blocking_copy: bool = True,
    ) -> None:
        self.use_pinned_memory, self.use_shared_memory = use_pinned_memory, use_shared_memory
        self.use_async_staging = use_async_staging
        self.use_non_blocking_copy = use_non_blocking_copy


class DefaultStager(BlockingAsyncStager):
    """The stager that is taken if none is given.

    Args:
        config: how it copies
    """

    def __init__(self, config: StagingOptions | None = None) -> None:
        super().__init__()
        self._config = config or StagingOptions()
