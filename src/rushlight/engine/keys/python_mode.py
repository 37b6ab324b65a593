"""PythonMode: a dispatch mode of this thread is asked instead of what lies below."""

from __future__ import annotations

from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.modes import ask_mode

registry.register_fallback("PythonMode", ask_mode)
