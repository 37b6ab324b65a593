"""Check sums are those of zlib."""

import random
import zlib

import pytest

from rushlight.engine.native import checksum


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 127, 128, 129, 191, 1000, 4096, 65537])
def test_sums_are_those_of_zlib(length: int) -> None:
    rng = random.Random(length)
    data = memoryview(bytearray(rng.randbytes(length)))
    for before in (0, 1, rng.getrandbits(32), 0xFFFFFFFF):
        assert checksum.crc32(data, before) == zlib.crc32(data, before)
    half = length // 2
    assert checksum.crc32(data[half:], checksum.crc32(data[:half])) == zlib.crc32(data)


def test_without_the_instruction_zlib_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksum, "_fold", lambda: None)
    data = memoryview(bytearray(b"abc" * 1000))
    assert checksum.crc32(data, 5) == zlib.crc32(data, 5)
