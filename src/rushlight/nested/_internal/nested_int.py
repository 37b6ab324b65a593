"""Nested integers: sizes that stand for lengths that differ."""

from rushlight.engine.core.nested_ints import Node as NestedIntNode

__all__ = ["NestedIntNode"]
