"""Warnings about behaviour that changed long ago, which programs may switch."""

from __future__ import annotations


class Warning:
    """A warning that can be switched on."""

    def __init__(self) -> None:
        self.enabled = False

    def set_enabled(self, value: bool) -> None:
        self.enabled = bool(value)

    def get_enabled(self) -> bool:
        return self.enabled


broadcast_warning = Warning()
keepdim_warning = Warning()
