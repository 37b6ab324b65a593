"""What classes of tensors tell an exporter of programs; there is none yet."""

from rushlight._export import wrappers

__all__ = ["wrappers"]
