"""Switches of tracing."""

from __future__ import annotations

# Whether passes write messages about what they do.
disable_progress = True
# Whether messages say more.
verbose_progress = False
