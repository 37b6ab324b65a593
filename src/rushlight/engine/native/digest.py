"""The digests that compiled code is kept under."""

from __future__ import annotations

try:
    # `hashlib` loads all of OpenSSL besides, which takes longer than what a small program compiles.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

SIZE = 16


def digest(data: bytes) -> bytes:
    """What tells data apart, in 16 bytes."""
    return blake2b(data, digest_size=SIZE).digest()
