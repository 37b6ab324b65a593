"""Every collective with each type, layout and group, against what one process computes from the same inputs."""

import functools
import itertools

from several import run
from test_collectives import TYPES, TYPES_OF_KINDS, close, combined, made, ops_of

import rushlight as torch
import rushlight.distributed as dist

SHAPE = (3, 4)


def strided(tensor):
    wide = torch.empty((*tensor.shape[:-1], 2 * tensor.shape[-1]), dtype=tensor.dtype)
    return wide[..., ::2].copy_(tensor)


def shifted(tensor):
    """Does not begin where its storage does."""
    return torch.empty(tensor.numel() + 1, dtype=tensor.dtype)[1:].view(tensor.shape).copy_(tensor)


LAYOUTS = {
    "contiguous": torch.Tensor.clone,
    "transposed": lambda tensor: tensor.t().contiguous().t(),
    "strided": strided,
    "shifted": shifted,
}


class Case:
    """A type, a layout and a group, and what its ranks give.

    Args:
        ranks: of the group
        rank: this one
        arranged: gives a tensor's values another layout
    """

    def __init__(self, group, ranks, rank, dtype, arranged):
        self.group, self.ranks, self.dtype, self.arranged = group, ranks, dtype, arranged
        self.rank, self.at, self.size = rank, ranks.index(rank), len(ranks)

    def of(self, rank, salt=0):
        """What a rank gives (to the one in place ``salt``)."""
        return made(rank, SHAPE, self.dtype, salt)

    @functools.cached_property
    def mine(self):
        return self.of(self.rank)

    def of_all(self, salt=0):
        return [self.of(rank, salt) for rank in self.ranks]

    def given(self):
        return self.arranged(self.mine)

    def empty(self, rows=SHAPE[0]):
        """For results; what is there before shows if it stays."""
        return self.arranged(torch.ones((rows, SHAPE[1])).to(self.dtype))

    def empties(self):
        return [self.empty() for _ in self.ranks]


# -- what moves elements --


def broadcast(case):
    mine = case.given()
    dist.broadcast(mine, case.ranks[-1], group=case.group)
    assert torch.equal(mine, case.of(case.ranks[-1]))


def all_gather(case):
    out = case.empties()
    dist.all_gather(out, case.given(), group=case.group)
    assert all(map(torch.equal, out, case.of_all()))


def all_gather_into_tensor(case):
    out = case.empty(SHAPE[0] * case.size)
    dist.all_gather_into_tensor(out, case.given(), group=case.group)
    assert torch.equal(out, torch.cat(case.of_all()))


def gather(case):
    last = case.ranks[-1]
    out = case.empties() if case.rank == last else None
    dist.gather(case.given(), out, dst=last, group=case.group)
    assert out is None or all(map(torch.equal, out, case.of_all()))


def scatter(case):
    first, out = case.ranks[0], case.empty()
    every = [case.arranged(t) for t in case.of_all()] if case.rank == first else None
    dist.scatter(out, every, src=first, group=case.group)
    assert torch.equal(out, case.mine)


def all_to_all(case):
    out, sent = case.empties(), [case.arranged(case.of(case.rank, q)) for q in range(case.size)]
    dist.all_to_all(out, sent, group=case.group)
    assert all(map(torch.equal, out, case.of_all(case.at)))


def all_to_all_single(case):
    out = case.empty(SHAPE[0] * case.size)
    sent = torch.cat([case.of(case.rank, q) for q in range(case.size)])
    dist.all_to_all_single(out, case.arranged(sent), group=case.group)
    assert torch.equal(out, torch.cat(case.of_all(case.at)))


def messages(case):
    """To the next rank, from the one before."""
    following, before = (case.ranks[(case.at + step) % case.size] for step in (1, -1))
    out = case.empty()
    ops = [
        dist.P2POp(dist.isend, case.given(), following, case.group),
        dist.P2POp(dist.irecv, out, before, case.group),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    assert torch.equal(out, case.of(before))


# -- what combines them --


def all_reduce(case, op):
    mine = case.given()
    dist.all_reduce(mine, op, group=case.group)
    close(mine, combined(op, case.of_all()))


def reduce(case, op):
    mine, last = case.given(), case.ranks[-1]
    dist.reduce(mine, last, op, group=case.group)
    close(mine, combined(op, case.of_all()) if case.rank == last else case.mine)


def reduce_scatter(case, op):
    out, sent = case.empty(), [case.arranged(case.of(case.rank, q)) for q in range(case.size)]
    dist.reduce_scatter(out, sent, op, group=case.group)
    close(out, combined(op, case.of_all(case.at)))


def reduce_scatter_tensor(case, op):
    out, sent = case.empty(), torch.cat([case.of(case.rank, q) for q in range(case.size)])
    dist.reduce_scatter_tensor(out, case.arranged(sent), op, group=case.group)
    close(out, combined(op, case.of_all(case.at)))


def all_reduce_coalesced(case, op):
    tensors = [case.given(), case.arranged(case.of(case.rank, 1))]
    dist.all_reduce_coalesced(tensors, op, group=case.group)
    for salt, tensor in enumerate(tensors):
        close(tensor, combined(op, case.of_all(salt)))


MOVES = [
    broadcast, all_gather, all_gather_into_tensor, gather, scatter, all_to_all, all_to_all_single, messages,
]  # fmt: skip
REDUCTIONS = [all_reduce, reduce, reduce_scatter, reduce_scatter_tensor, all_reduce_coalesced]


def groups_of(size):
    """All, the first and the last, and all but the first."""
    every = {tuple(range(size)), (0, size - 1), tuple(range(1, size))}
    return {ranks: dist.new_group(ranks) for ranks in sorted(every) if len(ranks) > 1}


def combinations(rank, size, every=True):
    """Try them: with all types and ways to combine, or with one type of each kind, and one way."""
    count = 0
    for ranks, group in groups_of(size).items():
        if rank not in ranks:
            continue
        for dtype, layout in itertools.product(TYPES if every else TYPES_OF_KINDS, LAYOUTS):
            case = Case(group, ranks, rank, dtype, LAYOUTS[layout])
            calls = [(move,) for move in MOVES]
            ops = ops_of(dtype)
            calls += itertools.product(REDUCTIONS, ops if every else ops[:1])
            for function, *op in calls:
                try:
                    function(case, *op)
                except Exception as error:
                    error.add_note(f"{function.__name__} {op} {dtype} {layout} in {ranks}")
                    raise
                count += 1
    return count


def test_combinations(every_sample):
    for size in (2, 3, 4) if every_sample else (3,):
        run(size, combinations, every_sample)
