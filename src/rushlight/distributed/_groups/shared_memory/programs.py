"""What one rank does in each collective, as a program of copies, posts, waits and kernels.

Data goes in chunks that fit a slot. In a *round*, a rank posts: that what it has to give in this round lies in
its slot, and that it has read all it wanted of the rounds before. So before a slot is written again, its writer
waits until everybody has posted the round after the slot was last used; there are two slots, in turns, and
nobody waits there unless somebody is slow.

A program begins by writing the signature of the call, which the others compare with their own.
"""

from __future__ import annotations

import array
from collections.abc import Sequence
from typing import NamedTuple

from rushlight.distributed._groups.shared_memory import layout as layouts
from rushlight.distributed._groups.shared_memory import reducing, running
from rushlight.distributed._groups.shared_memory.layout import Layout

# Registers: nothing, the segment, the round at which the program begins, the slots that it uses in even and
# in odd chunks, where signatures lie, the signature; then the places of inputs and outputs.
ZERO, SEGMENT, ROUND, EVEN_SLOTS, ODD_SLOTS, TURN, SIGNATURE, FIRST_PLACE = range(8)
_ALIGNMENT = 64


class Place(NamedTuple):
    """A place in memory: a register and an offset."""

    register: int
    offset: int = 0

    def after(self, nbytes: int) -> Place:
        """The place so many bytes behind."""
        return Place(self.register, self.offset + nbytes)


class Reduction(NamedTuple):
    """How elements are combined: see `reducing`."""

    name: str
    memory: str
    itemsize: int
    divisor: int = 1


class Program:
    """The instructions of one rank, and how many rounds and chunks they take."""

    def __init__(self, rank: int, layout: Layout) -> None:
        self.rank, self.layout = rank, layout
        self.words = array.array("q")
        self.rounds = self.chunks = 0
        # Lists of operands, which instructions point to.
        self._tables: list[array.array[int]] = []
        self._others = [q for q in range(layout.size) if q != rank]
        # Of which round it is known that all others have posted it.
        self._known = -1
        self._begin()

    # -- instructions --
    def _add(self, operation: int, first: Place, second: Place, last: int = 0) -> None:
        self.words.extend((operation, *first, *second, last))

    def copy(self, target: Place, source: Place, nbytes: int) -> None:
        """Copy bytes; a place onto itself costs nothing."""
        if nbytes > 0:
            self._add(running.COPY, target, source, nbytes)

    def reduce(
        self, reduction: Reduction, target: Place, sources: Sequence[Place], nbytes: int
    ) -> None:
        """Combine as many bytes of each source; the target may be one of them."""
        if nbytes <= 0:
            return
        if len(sources) == 1 and reduction.divisor == 1:
            self.copy(target, sources[0], nbytes)
            return
        most = reducing.MOST_SOURCES
        rest = list(sources)
        # The target is not to be written before it is read, if it is a source of a later step.
        if target in rest:
            rest.remove(target)
            rest.insert(0, target)
        while True:
            now, rest = rest[:most], rest[most:]
            divisor = 1 if rest else reduction.divisor
            kernel = reducing.kernel(reduction.name, reduction.memory, len(now), divisor)
            table = array.array("q", [word for place in (target, *now) for word in place])
            self._tables.append(table)
            self.words.extend((
                running.CALL, ZERO, table.buffer_info()[0], len(now) + 1,
                nbytes // reduction.itemsize, kernel,
            ))  # fmt: skip
            if not rest:
                return
            rest.insert(0, target)

    def _posted_by(self, rank: int) -> Place:
        return Place(SEGMENT, self.layout.of_rank(rank, layouts.POSTED))

    def _wait_all(self, rounds: int) -> None:
        """Wait until all others have posted so many rounds of this program."""
        if rounds > self._known:
            for q in self._others:
                self._add(running.WAIT, self._posted_by(q), Place(ROUND, rounds), q)
            self._known = rounds

    def _begin(self) -> None:
        self._wait_all(0)
        mine = self.layout.of_rank(self.rank, layouts.SIGNATURES)
        self._add(running.WRITE, Place(TURN, mine), Place(SIGNATURE))

    def _check(self, rank: int) -> None:
        if self.rounds == 1:
            place = Place(TURN, self.layout.of_rank(rank, layouts.SIGNATURES))
            self._add(running.CHECK, place, Place(SIGNATURE), rank)

    # -- rounds --
    def slot(self, rank: int, offset: int = 0) -> Place:
        """The slot of a rank in the present chunk."""
        register = ODD_SLOTS if self.chunks & 1 else EVEN_SLOTS
        return Place(register, self.layout.slot(rank) + offset)

    def before_writing(self) -> None:
        """Wait until nobody reads any more what was in the slot of the present chunk."""
        self._wait_all(self.rounds)

    def post(self) -> None:
        """End what this rank does before others may read: begin a round."""
        self.rounds += 1
        self._add(running.POST, self._posted_by(self.rank), Place(ROUND, self.rounds))

    def wait_for(self, rank: int) -> None:
        """Wait until a rank has begun the present round."""
        if rank != self.rank:
            self._add(running.WAIT, self._posted_by(rank), Place(ROUND, self.rounds), rank)
            self._check(rank)

    def wait_for_all(self) -> None:
        """Wait until all have begun the present round."""
        for q in self._others:
            self.wait_for(q)
        self._known = self.rounds

    def next_chunk(self) -> None:
        """Go on to the other slot."""
        self.chunks += 1


def _chunks(nbytes: int, chunk: int) -> list[tuple[int, int]]:
    """Where the chunks of so many bytes begin, and how long they are; at least one."""
    return [(at, min(chunk, nbytes - at)) for at in range(0, nbytes, chunk)] or [(0, 0)]


def _share(nbytes: int, ranks: int) -> int:
    """So many bytes for each of the ranks, cut where the memory is aligned."""
    return -(-nbytes // (ranks * _ALIGNMENT)) * _ALIGNMENT


def _piece(p: Program) -> int:
    """How many bytes of a slot each rank gets."""
    return p.layout.slot_bytes // p.layout.size // _ALIGNMENT * _ALIGNMENT


def _parts(at: int, share: int, nbytes: int) -> int:
    return max(0, min(share, nbytes - at))


# -- the collectives; each one is called with the places of its inputs and outputs --


def barrier(p: Program) -> None:
    """Nobody goes on before all have come."""
    p.post()
    p.wait_for_all()


# With so many ranks, or so few bytes, each rank combines everything by itself.
_FEW_RANKS, _FEW_BYTES = 2, 8192


def all_reduce(p: Program, source: Place, target: Place, nbytes: int, how: Reduction) -> None:
    """Everybody gets what all contributed, combined in the order of ranks."""
    size, rank = p.layout.size, p.rank
    by_shares = size > _FEW_RANKS and nbytes > _FEW_BYTES
    for at, length in _chunks(nbytes, p.layout.slot_bytes):
        p.before_writing()
        p.copy(p.slot(rank), source.after(at), length)
        p.post()
        p.wait_for_all()
        if not by_shares:
            p.reduce(how, target.after(at), [p.slot(q) for q in range(size)], length)
        else:
            _reduce_shares(p, target.after(at), length, how)
        p.next_chunk()


def _reduce_shares(p: Program, target: Place, length: int, how: Reduction) -> None:
    """Each rank combines its share, in its own slot, where the others find it."""
    size, rank = p.layout.size, p.rank
    share = _share(length, size)
    mine = rank * share
    sources = [p.slot(q, mine) for q in range(size)]
    p.reduce(how, p.slot(rank, mine), sources, _parts(mine, share, length))
    p.post()
    for q in _from_here(rank, size):
        p.wait_for(q)
        at = q * share
        p.copy(target.after(at), p.slot(q, at), _parts(at, share, length))


def _from_here(rank: int, size: int) -> list[int]:
    """All ranks, this one first: so that not all read the same slot at a time."""
    return [(rank + k) % size for k in range(size)]


def reduce(
    p: Program, source: Place, target: Place, nbytes: int, how: Reduction, root: int
) -> None:
    """One rank gets what all contributed."""
    for at, length in _chunks(nbytes, p.layout.slot_bytes):
        p.before_writing()
        p.copy(p.slot(p.rank), source.after(at), length)
        p.post()
        if p.rank == root:
            p.wait_for_all()
            slots = [p.slot(q) for q in range(p.layout.size)]
            p.reduce(how, target.after(at), slots, length)
        p.next_chunk()


def broadcast(p: Program, place: Place, nbytes: int, root: int) -> None:
    """Everybody gets what one rank has."""
    for at, length in _chunks(nbytes, p.layout.slot_bytes):
        if p.rank == root:
            p.before_writing()
            p.copy(p.slot(root), place.after(at), length)
        p.post()
        if p.rank != root:
            p.wait_for(root)
            p.copy(place.after(at), p.slot(root), length)
        p.next_chunk()


def all_gather(p: Program, source: Place, targets: Sequence[Place], lengths: Sequence[int]) -> None:
    """Everybody gets what each rank has; ``lengths`` says how many bytes."""
    rank = p.rank
    for at, _ in _chunks(max(lengths), p.layout.slot_bytes):
        p.before_writing()
        here = [_parts(at, p.layout.slot_bytes, n) for n in lengths]
        p.copy(p.slot(rank), source.after(at), here[rank])
        p.post()
        p.copy(targets[rank].after(at), source.after(at), here[rank])
        for q in _from_here(rank, p.layout.size)[1:]:
            p.wait_for(q)
            p.copy(targets[q].after(at), p.slot(q), here[q])
        p.next_chunk()


def gather(
    p: Program, source: Place, targets: Sequence[Place], lengths: Sequence[int], root: int
) -> None:
    """One rank gets what each rank has; only it needs targets."""
    for at, _ in _chunks(max(lengths), p.layout.slot_bytes):
        p.before_writing()
        here = [_parts(at, p.layout.slot_bytes, n) for n in lengths]
        if p.rank != root:
            p.copy(p.slot(p.rank), source.after(at), here[p.rank])
        p.post()
        if p.rank == root:
            p.copy(targets[root].after(at), source.after(at), here[root])
            for q in _from_here(root, p.layout.size)[1:]:
                p.wait_for(q)
                p.copy(targets[q].after(at), p.slot(q), here[q])
        p.next_chunk()


def scatter(
    p: Program, sources: Sequence[Place], target: Place, lengths: Sequence[int], root: int
) -> None:
    """Each rank gets a piece of what one rank has; that one writes the slots of all."""
    for at, _ in _chunks(max(lengths), p.layout.slot_bytes):
        here = [_parts(at, p.layout.slot_bytes, n) for n in lengths]
        if p.rank == root:
            p.before_writing()
            for q in _from_here(root, p.layout.size)[1:]:
                p.copy(p.slot(q), sources[q].after(at), here[q])
        p.post()
        if p.rank == root:
            p.copy(target.after(at), sources[root].after(at), here[root])
        else:
            p.wait_for(root)
            p.copy(target.after(at), p.slot(p.rank), here[p.rank])
        p.next_chunk()


def reduce_scatter(
    p: Program, sources: Sequence[Place], target: Place, lengths: Sequence[int], how: Reduction
) -> None:
    """Each rank gets its piece of what all contributed; a slot has a part for each rank."""
    size, rank = p.layout.size, p.rank
    piece = _piece(p)
    for at, _ in _chunks(max(lengths), piece):
        p.before_writing()
        here = [_parts(at, piece, n) for n in lengths]
        for q in range(size):
            p.copy(p.slot(rank, q * piece), sources[q].after(at), here[q])
        p.post()
        p.wait_for_all()
        slots = [p.slot(q, rank * piece) for q in range(size)]
        p.reduce(how, target.after(at), slots, here[rank])
        p.next_chunk()


def all_to_all(
    p: Program,
    sources: Sequence[Place],
    targets: Sequence[Place],
    sent: Sequence[int],
    received: Sequence[int],
    longest: int,
) -> None:
    """Each rank gets a piece from each.

    Args:
        p: where to write the instructions
        sources: the piece for each rank
        targets: where each rank's piece goes
        sent: how long the pieces are
        received: how long those that come are
        longest: how long the longest of all ranks' is
    """
    size, rank = p.layout.size, p.rank
    piece = _piece(p)
    for at, _ in _chunks(longest, piece):
        p.before_writing()
        for q in _from_here(rank, size)[1:]:
            p.copy(p.slot(rank, q * piece), sources[q].after(at), _parts(at, piece, sent[q]))
        p.post()
        p.copy(targets[rank].after(at), sources[rank].after(at), _parts(at, piece, sent[rank]))
        for q in _from_here(rank, size)[1:]:
            p.wait_for(q)
            part = _parts(at, piece, received[q])
            p.copy(targets[q].after(at), p.slot(q, rank * piece), part)
        p.next_chunk()
