"""The older names of `torch.library`, as far as packages import them from here."""

from __future__ import annotations

from rushlight._library.fake_impl import get_ctx

__all__ = ["get_ctx"]
