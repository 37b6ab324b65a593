"""Philox4x32-10: four words from a place in a stream and a key, without any state in between."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.engine.loops.expr import Value, convert, mulhi

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
# Both halves of these make a number in (0, 1].
UNIT_32 = 2.0**-32


def philox(counter: Sequence[Value], key: Sequence[Value]) -> list[Value]:
    """Four words of 32 bits.

    Args:
        counter: four words: the place in the stream (two), and which stream it is (two)
        key: two words: the seed
    """
    a, b, c, d = counter
    first, second = key
    for _ in range(ROUNDS):
        low_a, high_a = a * MULTIPLIERS[0], mulhi(a, MULTIPLIERS[0])
        low_c, high_c = c * MULTIPLIERS[1], mulhi(c, MULTIPLIERS[1])
        a, b, c, d = high_c ^ b ^ first, low_c, high_a ^ d ^ second, low_a
        first, second = first + KEY_STEPS[0], second + KEY_STEPS[1]
    return [a, b, c, d]


def unit_singles(words: Sequence[Value]) -> list[Value]:
    """A number in (0, 1] of each word."""
    return [convert(w, "f32") * UNIT_32 + UNIT_32 / 2 for w in words]


def unit_doubles(words: Sequence[Value]) -> list[Value]:
    """A number in (0, 1] of every two words, of which 53 bits count."""
    step = 2.0**-53
    found = []
    for low, high in zip(words[::2], words[1::2]):
        whole = convert(low, "u64") ^ (convert(high, "u64") << 21)
        found.append(convert(whole, "f64") * step + step / 2)
    return found
