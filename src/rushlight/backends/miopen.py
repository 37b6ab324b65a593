"""MIOpen, which is not there."""

from __future__ import annotations

immediate = False
