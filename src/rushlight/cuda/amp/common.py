"""Whether half precision makes sense."""

from rushlight.cuda.amp import amp_definitely_not_available

__all__ = ["amp_definitely_not_available"]
