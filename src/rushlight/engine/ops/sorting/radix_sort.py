"""Sorting a row by digits, in words that hold a key and its place.

A row becomes words of eight bytes: the part of the key in which keys differ above, the place below.
If there is no room for all of that part, its lowest bits are left out, and the few words that look
alike are put in order afterwards. Words that fit into the second cache are sorted from the lowest digit
up. More of them are first distributed by a few of the highest bits, since writing to many places
that no cache holds is what costs most. Equal keys stay in order either way.

Threads share a long row: each counts and moves a part of it, and the counts of all parts say where
each part's words go; then they share the pieces. The result does not depend on how many they are.
"""

from __future__ import annotations

from rushlight.engine.native.lowlevel import (
    invoke,
    leading_zeros,
    load,
    load32,
    stack,
    store,
    store32,
)
from rushlight.engine.ops.sorting.keys import (
    FLOAT32,
    FLOAT64,
    INT32,
    element_of,
    key_at,
    lost_bits,
    module,
    width_of,
    write_keys,
)

# So many words, and as many spare ones, stay in the second cache.
_CACHED = 1 << 16
# A digit of few words has few bits, since all its values are gone through.
_FEW_WORDS = 1 << 12
_FEW_BITS = 8
_MOST_BITS = 11
_BUCKETS = 1 << _MOST_BITS
# The highest bits by which more words are distributed.
_TOP_BITS = 6
_PIECES = 1 << _TOP_BITS
# Into how many parts a row may be cut, and what each of them notes.
MOST_SHARES = 32
_NOTES = 4
_COUNTS, _ALL_NOTES = MOST_SHARES * _PIECES, MOST_SHARES * _NOTES
# Keys are looked at again while they are in the first cache.
_BLOCK = 1 << 11
_SMALLEST = -(1 << 63)
# So far a word may go back among those that look alike; else the row is sorted in another way.
_MOST_STEPS = 64


class ROW:
    """Positions of what is known about the row that is being sorted, in bytes."""

    source = 0  # its elements, how many there are, their type, and what turns the order around
    length = 8
    kind = 16
    flip = 24
    words = 32  # memory for the words, and as much again
    spare = 40
    values = 48  # where the sorted elements and their places go
    places = 56
    least = 64  # the smallest key, how many bits below words leave out, the bits of a place
    left_out = 72
    place_bits = 80
    key_bits = 88
    lost = 96  # whether elements do not follow from their keys
    rough = 104  # whether keys differ in bits that are left out
    failed = 112  # whether too many of them then look alike
    notes = 120
    count = 16  # how many words these are


class PIECE:
    """Positions of what is known about words that are being distributed, in bytes."""

    row = 0
    words = 8
    spare = 16
    first = 24  # the position of the first of them in the row, and how many there are
    length = 32
    low = 40  # the bits that are still to be sorted by
    shift = 48
    bits = 56
    parts = 64
    counts = 72  # for each part and value of the digit
    starts = 80  # where the words of each value begin
    alone = 88  # larger pieces were sorted before
    count = 12


@module.function
def bit_length(value: int) -> int:
    return 64 - leading_zeros(value)


@module.function
def in_parts(region: int, job: int, context: int, parts: int) -> None:
    """Do a job for each part, by threads if ``region`` sets them to work."""
    if region != 0:
        invoke(region, job, context, parts)
    else:
        for part in range(parts):
            invoke(job, context, part, parts)


# -- words from elements, and back --


@module.function
def write_share_of_keys(row: int, part: int, parts: int) -> int:
    """Write one part's keys; note the least, the largest, and what bits differ or are lost."""
    length = load(row + ROW.length)
    kind = load(row + ROW.kind)
    flip = load(row + ROW.flip)
    source = load(row + ROW.source)
    first = length * part // parts
    last = length * (part + 1) // parts
    least = ~_SMALLEST
    largest = _SMALLEST
    start = key_at(source, 0, kind) ^ flip
    differing = 0
    lost = 0
    while first < last:
        count = last - first
        if count > _BLOCK:
            count = _BLOCK
        keys = load(row + ROW.words) + first * 8
        here = source + first * width_of(kind)
        write_keys(here, count, kind, flip, keys)
        lost = lost | lost_bits(here, count, kind, flip, keys)
        for k in range(count):
            key = load(keys + k * 8)
            least = key if key < least else least
            largest = key if key > largest else largest
            differing = differing | (key ^ start)
        first += count
    notes = load(row + ROW.notes) + part * _NOTES * 8
    store(notes, least)
    store(notes + 8, largest)
    store(notes + 16, differing)
    store(notes + 24, lost)
    return 0


@module.function
def choose_bits(row: int, parts: int) -> None:
    """Find how words are made, from what was noted of the keys."""
    notes = load(row + ROW.notes)
    least = load(notes)
    largest = load(notes + 8)
    differing = load(notes + 16)
    lost = load(notes + 24)
    for _ in range(1, parts):
        notes += _NOTES * 8
        least = load(notes) if load(notes) < least else least
        largest = load(notes + 8) if load(notes + 8) > largest else largest
        differing = differing | load(notes + 16)
        lost = lost | load(notes + 24)
    place_bits = bit_length(load(row + ROW.length) - 1)
    left_out = bit_length(differing & -differing) - 1 if differing != 0 else 0
    same_bits = left_out
    span = (largest >> left_out) - (least >> left_out)
    while span < 0 or bit_length(span) + place_bits > 63:
        left_out += 1
        span = (largest >> left_out) - (least >> left_out)
    rough = left_out > same_bits
    store(row + ROW.least, least)
    store(row + ROW.left_out, left_out)
    store(row + ROW.place_bits, place_bits)
    store(row + ROW.key_bits, bit_length(span))
    store(row + ROW.rough, rough)
    store(row + ROW.failed, 0)
    store(row + ROW.lost, lost | rough)


@module.function
def join_share_of_places(row: int, part: int, parts: int) -> int:
    """Make words of one part's keys."""
    length = load(row + ROW.length)
    words = load(row + ROW.words)
    left_out = load(row + ROW.left_out)
    least = load(row + ROW.least) >> left_out
    place_bits = load(row + ROW.place_bits)
    for k in range(length * part // parts, length * (part + 1) // parts):
        key = (load(words + k * 8) >> left_out) - least
        store(words + k * 8, key << place_bits | k)
    return 0


@module.function
def key_in(row: int, word: int) -> int:
    """The key that a word of a row stands for, if all keys agree in the bits that are left out."""
    least = load(row + ROW.least)
    left_out = load(row + ROW.left_out)
    upper = (word >> load(row + ROW.place_bits)) + (least >> left_out)
    return (upper << left_out | least & ((1 << left_out) - 1)) ^ load(row + ROW.flip)


@module.function
def write_elements(row: int, words: int, count: int, values: int) -> None:
    """Write the elements that follow from words."""
    kind = load(row + ROW.kind)
    if kind == FLOAT32:
        for k in range(count):
            store32(values + k * 4, element_of(key_in(row, load(words + k * 8)), FLOAT32))
    elif kind == FLOAT64:
        for k in range(count):
            store(values + k * 8, element_of(key_in(row, load(words + k * 8)), FLOAT64))
    elif kind == INT32:
        for k in range(count):
            store32(values + k * 4, element_of(key_in(row, load(words + k * 8)), INT32))
    else:
        for k in range(count):
            store(values + k * 8, key_in(row, load(words + k * 8)))


@module.function
def take_elements(row: int, words: int, count: int, values: int) -> None:
    """Write the elements whose places words hold."""
    source = load(row + ROW.source)
    mask = (1 << load(row + ROW.place_bits)) - 1
    if width_of(load(row + ROW.kind)) == 4:
        for k in range(count):
            store32(values + k * 4, load32(source + (load(words + k * 8) & mask) * 4))
    else:
        for k in range(count):
            store(values + k * 8, load(source + (load(words + k * 8) & mask) * 8))


@module.function
def settle(row: int, words: int, count: int) -> None:
    """Put words that look alike in order of their whole keys."""
    source = load(row + ROW.source)
    kind = load(row + ROW.kind)
    flip = load(row + ROW.flip)
    place_bits = load(row + ROW.place_bits)
    mask = (1 << place_bits) - 1
    start = 0
    for k in range(1, count):
        word = load(words + k * 8)
        if (word ^ load(words + k * 8 - 8)) >> place_bits != 0:
            start = k
            continue
        key = key_at(source, word & mask, kind) ^ flip
        hole = k
        while hole > start:
            before = load(words + hole * 8 - 8)
            if key_at(source, before & mask, kind) ^ flip <= key:
                break
            store(words + hole * 8, before)
            hole -= 1
        store(words + hole * 8, word)
        if k - hole > _MOST_STEPS:
            store(row + ROW.failed, 1)
            return


@module.function
def write_results(row: int, words: int, first: int, count: int) -> None:
    """Write the elements and the places of sorted words, from a position in the row on."""
    if load(row + ROW.rough) != 0:
        settle(row, words, count)
    values = load(row + ROW.values) + first * width_of(load(row + ROW.kind))
    places = load(row + ROW.places) + first * 8
    mask = (1 << load(row + ROW.place_bits)) - 1
    for k in range(count):
        store(places + k * 8, load(words + k * 8) & mask)
    if load(row + ROW.lost) != 0:
        take_elements(row, words, count, values)
    else:
        write_elements(row, words, count, values)


# -- few words, from the lowest digit up --


@module.function
def move_by_digit(words: int, target: int, count: int, shift: int, bits: int, counts: int) -> None:
    """Move words in order of one digit, equal ones as they were."""
    mask = (1 << bits) - 1
    for b in range(mask + 1):
        store(counts + b * 8, 0)
    for k in range(count):
        slot = counts + ((load(words + k * 8) >> shift) & mask) * 8
        store(slot, load(slot) + 1)
    at = target
    for b in range(mask + 1):
        size = load(counts + b * 8) * 8
        store(counts + b * 8, at)
        at += size
    for k in range(count):
        word = load(words + k * 8)
        slot = counts + ((word >> shift) & mask) * 8
        at = load(slot)
        store(slot, at + 8)
        store(at, word)


@module.function
def sort_few(words: int, spare: int, count: int, low: int, high: int) -> int:
    """Sort words by some of their bits; they end up there or in the spare memory: where."""
    counts = stack(_BUCKETS)
    most = _FEW_BITS if count < _FEW_WORDS else _MOST_BITS
    source = words
    target = spare
    shift = low
    while shift < high:
        passes = (high - shift + most - 1) // most
        bits = (high - shift + passes - 1) // passes
        move_by_digit(source, target, count, shift, bits, counts)
        other = source
        source = target
        target = other
        shift += bits
    return source


# -- many words, distributed by the highest bits --


@module.function
def count_share(piece: int, part: int, parts: int) -> int:
    """How often each value of the highest digit occurs in one part."""
    length = load(piece + PIECE.length)
    words = load(piece + PIECE.words)
    shift = load(piece + PIECE.shift)
    mask = (1 << load(piece + PIECE.bits)) - 1
    counts = load(piece + PIECE.counts) + part * _PIECES * 8
    for b in range(mask + 1):
        store(counts + b * 8, 0)
    for k in range(length * part // parts, length * (part + 1) // parts):
        slot = counts + ((load(words + k * 8) >> shift) & mask) * 8
        store(slot, load(slot) + 1)
    return 0


@module.function
def sum_counts(piece: int, parts: int) -> None:
    """Turn the counts of all parts into where their words go; note where each value's begin."""
    counts = load(piece + PIECE.counts)
    starts = load(piece + PIECE.starts)
    at = 0
    for b in range(1 << load(piece + PIECE.bits)):
        store(starts + b * 8, at)
        for part in range(parts):
            slot = counts + (part * _PIECES + b) * 8
            count = load(slot)
            store(slot, at)
            at += count
    store(starts + (8 << load(piece + PIECE.bits)), at)


@module.function
def move_share(piece: int, part: int, parts: int) -> int:
    """Move one part's words to the places of their highest digits."""
    length = load(piece + PIECE.length)
    words = load(piece + PIECE.words)
    spare = load(piece + PIECE.spare)
    shift = load(piece + PIECE.shift)
    mask = (1 << load(piece + PIECE.bits)) - 1
    counts = load(piece + PIECE.counts) + part * _PIECES * 8
    for k in range(length * part // parts, length * (part + 1) // parts):
        word = load(words + k * 8)
        slot = counts + ((word >> shift) & mask) * 8
        at = load(slot)
        store(slot, at + 1)
        store(spare + at * 8, word)
    return 0


@module.function
def sort_value(piece: int, value: int, region: int, parts: int) -> None:
    """Sort the words of one value of the highest digit by the bits below it."""
    starts = load(piece + PIECE.starts)
    first = load(starts + value * 8)
    count = load(starts + value * 8 + 8) - first
    sort_piece(
        load(piece + PIECE.row),
        load(piece + PIECE.spare) + first * 8,
        load(piece + PIECE.words) + first * 8,
        load(piece + PIECE.first) + first,
        count,
        load(piece + PIECE.shift),
        region,
        parts,
    )


@module.function
def size_of_value(piece: int, value: int) -> int:
    starts = load(piece + PIECE.starts)
    return load(starts + value * 8 + 8) - load(starts + value * 8)


@module.function
def sort_small_value(piece: int, value: int, values: int) -> int:
    """`sort_value` for one thread, unless that was done before."""
    if size_of_value(piece, value) <= load(piece + PIECE.alone):
        sort_value(piece, value, 0, 1)
    return 0


@module.function
def sort_piece(
    row: int, words: int, spare: int, first: int, count: int, high: int, region: int, parts: int
) -> int:
    """Sort words by their key's bits below ``high`` and write what they stand for."""
    low = load(row + ROW.place_bits)
    if count <= _CACHED or high <= low:
        write_results(row, sort_few(words, spare, count, low, high), first, count)
        return 0
    piece = stack(PIECE.count)
    bits = _TOP_BITS if high - low > _TOP_BITS else high - low
    store(piece + PIECE.row, row)
    store(piece + PIECE.words, words)
    store(piece + PIECE.spare, spare)
    store(piece + PIECE.first, first)
    store(piece + PIECE.length, count)
    store(piece + PIECE.shift, high - bits)
    store(piece + PIECE.bits, bits)
    store(piece + PIECE.counts, stack(_COUNTS))
    store(piece + PIECE.starts, stack(_PIECES + 1))
    in_parts(region, count_share, piece, parts)
    sum_counts(piece, parts)
    in_parts(region, move_share, piece, parts)
    # a value that has most of the words is itself worth sharing
    alone = count // parts
    store(piece + PIECE.alone, alone)
    values = 1 << bits
    for value in range(values):
        if size_of_value(piece, value) > alone:
            sort_value(piece, value, region, parts)
    in_parts(region, sort_small_value, piece, values)
    return 0


@module.function
def prepare_words(region: int, row: int, parts: int) -> None:
    """Make the words of a row."""
    store(row + ROW.notes, stack(_ALL_NOTES))
    in_parts(region, write_share_of_keys, row, parts)
    choose_bits(row, parts)
    in_parts(region, join_share_of_places, row, parts)


@module.function
def sort_row(region: int, row: int, parts: int) -> int:
    """Sort a row and write its elements and places; 0 if too many keys differ in low bits only."""
    prepare_words(region, row, parts)
    sort_piece(
        row,
        load(row + ROW.words),
        load(row + ROW.spare),
        0,
        load(row + ROW.length),
        load(row + ROW.place_bits) + load(row + ROW.key_bits),
        region,
        parts,
    )
    return load(row + ROW.failed) == 0


@module.function
def sort_different(row: int) -> int:
    """`sort_row` for one thread and a row that fits into the cache; nothing is done and the answer
    is 0 if two keys are equal, or look alike."""
    prepare_words(0, row, 1)
    low = load(row + ROW.place_bits)
    length = load(row + ROW.length)
    high = low + load(row + ROW.key_bits)
    words = sort_few(load(row + ROW.words), load(row + ROW.spare), length, low, high)
    alike = 0
    for k in range(1, length):
        alike = alike | ((load(words + k * 8) ^ load(words + k * 8 - 8)) >> low == 0)
    if alike != 0:
        return 0
    write_results(row, words, 0, length)
    return 1
