"""Factory operators.

A file is loaded when an operator of it is first asked for.
"""

from __future__ import annotations

from rushlight.engine.dispatch import registry
from rushlight.engine.generated.kernel_files import PACKETS

registry.load_when_needed(__package__, PACKETS["creation"])
