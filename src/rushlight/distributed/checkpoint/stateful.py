"""Objects that know their own state."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["Stateful", "StatefulT"]


@runtime_checkable
class Stateful(Protocol):
    """What can be in a state dict without being a tensor: its state is asked for, and given back."""

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up a state.

        Args:
            state_dict: what :meth:`state_dict` gave, with what was loaded
        """


StatefulT = TypeVar("StatefulT", bound=Stateful)
