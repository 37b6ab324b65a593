"""The searching family: importing it registers all of its files."""

from __future__ import annotations

from rushlight.engine.ops.searching import buckets, statistics, triangles, uniques

__all__ = ["buckets", "statistics", "triangles", "uniques"]
