"""The older names of `torch.library`, as far as packages import them from here."""

from __future__ import annotations

from rushlight._names.absent import absent_functions

globals().update(absent_functions(__name__, ["get_ctx"], "sizes that depend on data"))
