"""The Mersenne Twister (MT19937) and the streams of numbers that PyTorch draws from it.

A generator is a block of memory that these functions advance: a header of 64-bit words, then the
624 words of the twister, 32 bits each. All functions run with the interpreter lock held, so that
threads that share a generator take turns.
"""

from __future__ import annotations

from rushlight.engine.native.c_maths import ceil, cos, exp, fma, log, log1p, sin, sqrt, tan
from rushlight.engine.native.lowlevel import (
    Module,
    load,
    load32,
    load_float,
    store,
    store32,
    store_float,
    to_float,
)

module = Module("mersenne")

WORDS = 624
_SHIFT = 397
_LOW = 0xFFFFFFFF
_UPPER = 0x80000000
_LOWER = 0x7FFFFFFF
_TWIST = 0x9908B0DF

# The header: the seed; 625 less the words that were used; the words that were used; whether half a
# pair of normals waits, and that half; what states carry for other users of the format.
SEED, LEFT, NEXT, HALF_WAITS, HALF = 0, 8, 16, 24, 32
CARRIED = 40
STATE = 72
BLOCK_BYTES = STATE + 4 * WORDS

_PI = 3.141592653589793
_TO_UNIT = 2.0**-53


@module.entry
def start(generator: int, seed: int) -> None:
    """Fill the state from a seed, of which the low 32 bits count."""
    word = seed & _LOW
    state = generator + STATE
    store32(state, word)
    for j in range(1, WORDS):
        word = (1812433253 * (word ^ (word >> 30)) + j) & _LOW
        store32(state + j * 4, word)
    store(generator + SEED, seed)
    store(generator + LEFT, 1)
    store(generator + NEXT, 0)
    store(generator + HALF_WAITS, 0)


@module.entry
def write_words(generator: int, target: int) -> None:
    """Write the words of the state, with 64 bits each."""
    state = generator + STATE
    for j in range(WORDS):
        store(target + j * 8, load32(state + j * 4) & _LOW)


@module.entry
def read_words(generator: int, source: int) -> None:
    """Continue with the words that `write_words` wrote."""
    state = generator + STATE
    for j in range(WORDS):
        store32(state + j * 4, load(source + j * 8))


@module.function
def twisted(word: int, following: int, distant: int) -> int:
    """The next state's word from three of the present one."""
    joined = (word & _UPPER) | (following & _LOWER)
    return distant ^ (joined >> 1) ^ (-(joined & 1) & _TWIST)


@module.function
def twist(generator: int) -> None:
    """The next 624 words. Three stretches, in each of which no word depends on a near one."""
    state = generator + STATE
    for j in range(WORDS - _SHIFT):
        here = j * 4
        store32(
            state + here,
            twisted(
                load32(state + here),
                load32(state + (here + 4)),
                load32(state + (here + 4 * _SHIFT)),
            ),
        )
    for j in range(WORDS - _SHIFT, WORDS - 1):
        here = j * 4
        store32(
            state + here,
            twisted(
                load32(state + here),
                load32(state + (here + 4)),
                load32(state + (here - 4 * (WORDS - _SHIFT))),
            ),
        )
    last = 4 * (WORDS - 1)
    store32(
        state + last,
        twisted(load32(state + last), load32(state), load32(state + 4 * (_SHIFT - 1))),
    )
    store(generator + LEFT, WORDS + 1)
    store(generator + NEXT, 0)


@module.function
def tempered(word: int) -> int:
    """What the generator gives out for a word of its state."""
    word = word & _LOW
    word = word ^ (word >> 11)
    word = word ^ ((word << 7) & 0x9D2C5680)
    word = word ^ ((word << 15) & 0xEFC60000)
    return word ^ (word >> 18)


@module.function
def draw(generator: int, target: int, count: int) -> None:
    """Write the next ``count`` 32-bit words."""
    while count > 0:
        if load(generator + LEFT) == 1:
            twist(generator)
        here = load(generator + LEFT) - 1
        if here > count:
            here = count
        source = generator + STATE + 4 * load(generator + NEXT)
        for j in range(here):
            store32(target + j * 4, tempered(load32(source + j * 4)))
        store(generator + LEFT, load(generator + LEFT) - here)
        store(generator + NEXT, load(generator + NEXT) + here)
        target += 4 * here
        count -= here


@module.function
def word(generator: int) -> int:
    """The next 32-bit word."""
    if load(generator + LEFT) == 1:
        twist(generator)
    position = load(generator + NEXT)
    store(generator + LEFT, load(generator + LEFT) - 1)
    store(generator + NEXT, position + 1)
    return tempered(load32(generator + STATE + 4 * position))


@module.function
def uniform(generator: int) -> float:
    """The next number in [0, 1) of 53 bits: two words, the first is the upper one."""
    upper = word(generator)
    return to_float((upper & 0x1FFFFF) << 32 | word(generator)) * _TO_UNIT


@module.function
def uniforms(generator: int, target: int, count: int) -> None:
    """`uniform` for many: the words go where the numbers will be."""
    draw(generator, target, 2 * count)
    for j in range(count):
        here = j * 8
        upper = load32(target + here) & 0x1FFFFF
        bits = upper << 32 | (load32(target + (here + 4)) & _LOW)
        store_float(target + here, to_float(bits) * _TO_UNIT)


@module.function
def normal(generator: int) -> float:
    """The next normal number. They come in pairs; the second of a pair waits in the generator."""
    if load(generator + HALF_WAITS) != 0:
        store(generator + HALF_WAITS, 0)
        return load_float(generator + HALF)
    angle = 2.0 * _PI * uniform(generator)
    radius = sqrt(-2.0 * log1p(-uniform(generator)))
    store_float(generator + HALF, radius * sin(angle))
    store(generator + HALF_WAITS, 1)
    return radius * cos(angle)


@module.function
def normal_block(target: int, mean: float, deviation: float) -> None:
    """Turn 16 uniform numbers into normal ones: the first eight go with the last eight."""
    for j in range(8):
        near = target + j * 8
        radius = sqrt(-2.0 * log(1.0 - load_float(near)))
        angle = 2.0 * _PI * load_float(near + 64)
        store_float(near, fma(radius * cos(angle), deviation, mean))
        store_float(near + 64, fma(radius * sin(angle), deviation, mean))


# -- kernels: operand 0 is the target, operand 1 the generator, then come numbers; the size counts --


@module.entry
def draw_kernel(pointers: int, sizes: int, strides: int) -> int:
    """The next 32-bit words."""
    draw(load(pointers + 8), load(pointers), load(sizes))
    return 0


@module.function
def number(pointers: int, position: int) -> float:
    """A kernel's operand that is a double."""
    return load_float(load(pointers + position * 8))


@module.function
def normals(pointers: int, sizes: int, strides: int) -> int:
    """Normal numbers one by one, as PyTorch draws few or scattered ones."""
    target = load(pointers)
    mean = number(pointers, 2)
    deviation = number(pointers, 3)
    for j in range(load(sizes)):
        store_float(target + j * 8, fma(normal(load(pointers + 8)), deviation, mean))
    return 0


@module.function
def normal_blocks(pointers: int, sizes: int, strides: int) -> int:
    """At least 16 normal numbers, by blocks; the last 16 are drawn anew if the blocks leave a rest."""
    target = load(pointers)
    generator = load(pointers + 8)
    count = load(sizes)
    mean = number(pointers, 2)
    deviation = number(pointers, 3)
    uniforms(generator, target, count)
    for block in range(count // 16):
        normal_block(target + 128 * block, mean, deviation)
    if count % 16 != 0:
        rest = target + 8 * (count - 16)
        uniforms(generator, rest, 16)
        normal_block(rest, mean, deviation)
    return 0


@module.function
def log_normals(pointers: int, sizes: int, strides: int) -> int:
    target = load(pointers)
    mean = number(pointers, 2)
    deviation = number(pointers, 3)
    for j in range(load(sizes)):
        store_float(target + j * 8, exp(fma(normal(load(pointers + 8)), deviation, mean)))
    return 0


@module.function
def exponentials(pointers: int, sizes: int, strides: int) -> int:
    target = load(pointers)
    scale = -1.0 / number(pointers, 2)
    uniforms(load(pointers + 8), target, load(sizes))
    for j in range(load(sizes)):
        store_float(target + j * 8, scale * log1p(-load_float(target + j * 8)))
    return 0


@module.function
def slopes(pointers: int, sizes: int, strides: int) -> int:
    """Operands: slopes (written), elements, the generator, the least slope, by how much the largest is more.

    Those of elements above 0 are 1, and none is drawn for them.
    """
    target = load(pointers)
    least = number(pointers, 3)
    more = number(pointers, 4)
    for j in range(load(sizes)):
        slope = 1.0
        if load_float(load(pointers + 8) + j * 8) <= 0.0:
            slope = uniform(load(pointers + 16)) * more + least
        store_float(target + j * 8, slope)
    return 0


@module.function
def cauchys(pointers: int, sizes: int, strides: int) -> int:
    target = load(pointers)
    median = number(pointers, 2)
    scale = number(pointers, 3)
    uniforms(load(pointers + 8), target, load(sizes))
    for j in range(load(sizes)):
        angle = _PI * (load_float(target + j * 8) - 0.5)
        store_float(target + j * 8, fma(scale, tan(angle), median))
    return 0


@module.function
def geometrics(pointers: int, sizes: int, strides: int) -> int:
    """How many trials up to the first success."""
    target = load(pointers)
    scale = log1p(-number(pointers, 2))
    uniforms(load(pointers + 8), target, load(sizes))
    for j in range(load(sizes)):
        store_float(target + j * 8, ceil(log(load_float(target + j * 8)) / scale))
    return 0


@module.function
def permutation(pointers: int, sizes: int, strides: int) -> int:
    """The numbers below the count in random order, as int64."""
    target = load(pointers)
    count = load(sizes)
    for j in range(count):
        store(target + j * 8, j)
    for j in range(count - 1):
        here = target + j * 8
        there = here + 8 * (word(load(pointers + 8)) % (count - j))
        value = load(here)
        store(here, load(there))
        store(there, value)
    return 0
