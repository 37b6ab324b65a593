"""Back ends under the names by which programs import them."""

from __future__ import annotations

from rushlight._dynamo.backends import common, debugging, registry

__all__ = ["common", "debugging", "registry"]
