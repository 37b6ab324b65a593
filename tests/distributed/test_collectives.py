"""Every collective against what one process computes from the same inputs."""

import functools
import operator
import warnings

import pytest
from several import run

import rushlight as torch
import rushlight.distributed as dist

Op = dist.ReduceOp
TYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
    torch.int8, torch.uint8, torch.bool, torch.complex64, torch.complex128,
]  # fmt: skip
# one element, less than a chunk, several chunks for some types
SHAPES = [(1,), (3, 5), (70_001,), (0,)]


def made(rank, shape, dtype, salt=0):
    """A rank's tensor, which every rank can make."""
    generator = torch.Generator().manual_seed(rank + 100 * salt)
    if dtype is torch.bool:
        return torch.rand(shape, generator=generator) > 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) + rank
    return torch.randint(0, 4, shape, generator=generator).to(dtype)


def of_all(size, shape, dtype, salt=0):
    return [made(q, shape, dtype, salt) for q in range(size)]


def close(found, wanted):
    tolerance = {torch.float16: 2e-2, torch.bfloat16: 1e-1}.get(wanted.dtype, 1e-5)
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


def combined(op, tensors):
    dtype = tensors[0].dtype
    if dtype is torch.bool:
        how = operator.and_ if op in (Op.PRODUCT, Op.MIN, Op.BAND) else operator.or_
        how = operator.xor if op is Op.BXOR else how
        return functools.reduce(how, tensors)
    functions = {
        Op.SUM: torch.add, Op.AVG: torch.add, Op.PRODUCT: torch.mul, Op.MIN: torch.minimum,
        Op.MAX: torch.maximum, Op.BAND: torch.bitwise_and, Op.BOR: torch.bitwise_or,
        Op.BXOR: torch.bitwise_xor,
    }  # fmt: skip
    wide = [t.float() if dtype in (torch.float16, torch.bfloat16) else t for t in tensors]
    result = functools.reduce(functions[op], wide)
    if op is Op.AVG:
        mode = None if dtype.is_floating_point or dtype.is_complex else "trunc"
        result = torch.div(result, len(tensors), rounding_mode=mode)
    return result.to(dtype)


def ops_of(dtype):
    if dtype.is_complex:
        return [Op.SUM, Op.AVG, Op.PRODUCT]
    if dtype.is_floating_point:
        return [Op.SUM, Op.AVG, Op.PRODUCT, Op.MIN, Op.MAX]
    bitwise = [Op.BAND, Op.BOR, Op.BXOR]
    return [Op.SUM, Op.PRODUCT, Op.MIN, Op.MAX, *bitwise] + [Op.AVG] * (dtype is not torch.bool)


def reductions(rank, size):
    for dtype in TYPES:
        for op in ops_of(dtype):
            for shape in SHAPES if op is Op.SUM else SHAPES[:2]:
                wanted = combined(op, of_all(size, shape, dtype))
                mine = made(rank, shape, dtype)
                dist.all_reduce(mine, op)
                close(mine, wanted)
                mine = made(rank, shape, dtype)
                dist.reduce(mine, size - 1, op)
                close(mine, wanted if rank == size - 1 else made(rank, shape, dtype))
                whole = torch.stack([made(rank, shape, dtype, salt) for salt in range(size)])
                out = torch.empty(shape, dtype=dtype)
                dist.reduce_scatter(out, list(whole), op)
                wanted = combined(op, of_all(size, shape, dtype, rank))
                close(out, wanted)
                out = torch.empty(shape, dtype=dtype)
                dist.reduce_scatter_tensor(out, whole, op)
                close(out, wanted)
    refused = [(torch.float32, Op.BAND), (torch.complex64, Op.MAX)]
    for dtype, op in refused:
        with pytest.raises(RuntimeError):
            dist.all_reduce(torch.ones(2, dtype=dtype), op)
    every = of_all(size, (5,), torch.float32)
    for factor in (0.5, torch.tensor([0.5])):
        mine = every[rank].clone()
        dist.all_reduce(mine, dist._make_nccl_premul_sum(factor))
        close(mine, sum(every) * 0.5)
    integers = torch.arange(4) + rank
    dist.all_reduce(integers)
    assert integers.tolist() == [size * k + size * (size - 1) // 2 for k in range(4)]


def moves(rank, size):
    for dtype in TYPES:
        for shape in SHAPES:
            every = of_all(size, shape, dtype)
            mine = made(rank, shape, dtype)
            dist.broadcast(mine, 1)
            assert torch.equal(mine, every[1])
            out = [torch.empty(shape, dtype=dtype) for _ in range(size)]
            dist.all_gather(out, every[rank])
            assert all(map(torch.equal, out, every))
            whole = torch.empty((size, *shape), dtype=dtype)
            dist.all_gather_into_tensor(whole, every[rank])
            assert torch.equal(whole, torch.stack(every))
            # the input may be a part of the output
            whole.zero_()[rank].copy_(every[rank])
            dist.all_gather_into_tensor(whole, whole[rank])
            assert torch.equal(whole, torch.stack(every))
            out = [torch.empty(shape, dtype=dtype) for _ in range(size)] if rank == 1 else None
            dist.gather(every[rank], out, dst=1)
            assert rank != 1 or all(map(torch.equal, out, every))
            mine = torch.empty(shape, dtype=dtype)
            dist.scatter(mine, every if rank == 1 else None, src=1)
            assert torch.equal(mine, every[rank])
            sent = [made(rank, shape, dtype, q) for q in range(size)]
            wanted = of_all(size, shape, dtype, rank)
            out = [torch.empty(shape, dtype=dtype) for _ in range(size)]
            dist.all_to_all(out, sent)
            assert all(map(torch.equal, out, wanted))
            whole = torch.empty((size, *shape), dtype=dtype)
            dist.all_to_all_single(whole, torch.stack(sent))
            assert torch.equal(whole, torch.stack(wanted))


def uneven(rank, size):
    long = 300_000
    every = [made(q, (long * q + 1, 2), torch.float32) for q in range(size)]
    out = [torch.empty_like(t) for t in every]
    dist.all_gather(out, every[rank])
    assert all(map(torch.equal, out, every))
    pieces = [made(rank, (q + 1,), torch.float32, q) for q in range(size)]
    out = torch.empty(rank + 1)
    dist.reduce_scatter(out, pieces)
    close(out, sum(of_all(size, (rank + 1,), torch.float32, rank)))
    # rank r gives q·(r+1) rows to rank q
    pieces = [made(rank, (q * (rank + 1), 3), torch.int32, q) for q in range(size)]
    wanted = [made(q, (rank * (q + 1), 3), torch.int32, rank) for q in range(size)]
    out = torch.empty(sum(len(t) for t in wanted), 3, dtype=torch.int32)
    dist.all_to_all_single(
        out, torch.cat(pieces), [len(t) for t in wanted], [len(t) for t in pieces]
    )
    assert torch.equal(out, torch.cat(wanted))
    lists = [torch.empty_like(t) for t in wanted]
    dist.all_to_all(lists, pieces)
    assert all(map(torch.equal, lists, wanted))


def layouts(rank, size):
    shape = (4, 6)
    every = of_all(size, shape, torch.float32)
    for view in (torch.Tensor.t, lambda t: t[:, ::2], lambda t: t.expand(2, *shape)[0][1:]):
        mine = view(every[rank].clone())
        dist.all_reduce(mine)
        close(mine, view(sum(every)))
    mine = every[rank].clone().t()
    dist.broadcast(mine, 0)
    assert torch.equal(mine, every[0].t())
    base = torch.zeros(size, *shape)
    dist.all_gather(list(base.transpose(1, 2).unbind()), every[rank].t())
    assert torch.equal(base, torch.stack(every))
    whole = torch.zeros(6, 4 * size)
    dist.all_gather_into_tensor(whole.t(), every[rank])
    assert torch.equal(whole.t(), torch.cat(every))
    conjugate = made(rank, (3,), torch.complex64).conj()
    dist.all_reduce(conjugate)
    close(conjugate, sum(of_all(size, (3,), torch.complex64)).conj())
    number = torch.tensor(float(rank))
    dist.all_reduce(number)
    assert number.item() == size * (size - 1) / 2
    weight = torch.nn.Parameter(torch.full((3,), float(rank)))
    before = weight._version
    dist.broadcast(weight.data if rank else weight, 0)
    assert weight.tolist() == [0, 0, 0] and (rank or weight._version == before)
    dist.all_reduce(weight)
    assert weight._version > before


def sparse(rank, size):
    every = []
    for q in range(size):
        indices = torch.tensor([[0, q, 3], [1, 0, q % 2]])
        every.append(torch.sparse_coo_tensor(indices, torch.arange(3.0) + q + 1, (5, 3)))
    mine = every[rank].clone()
    dist.all_reduce(mine)
    close(mine.to_dense(), sum(t.to_dense() for t in every))


def works(rank, size):
    tensors = [torch.full((k + 1,), float(rank)) for k in range(20)]
    given = [dist.all_reduce(t, async_op=True) for t in tensors]
    for k, work in enumerate(given):
        assert work.wait()
        assert work.is_completed() and work.is_success() and work.exception() is None
        assert tensors[k].tolist() == [size * (size - 1) / 2] * (k + 1)
        assert work.result()[0] is tensors[k]
    mine = torch.ones(5)
    future = dist.all_reduce(mine, async_op=True).get_future()
    assert future.then(lambda f: f.value()[0] * 2).wait().tolist() == [2.0 * size] * 5
    # one that is waited for comes after those that are going on
    a, b = torch.ones(100_000), torch.ones(2)
    work = dist.all_reduce(a, async_op=True)
    dist.all_reduce(b)
    assert work.is_completed() and a[0] == b[0] == size
    group = dist.group.WORLD
    work = group.allreduce([b])
    work.wait()
    assert b.tolist() == [size**2] * 2
    assert dist.barrier(async_op=True).wait()
    tensors = [torch.ones(3), torch.ones(2)]
    dist.all_reduce_coalesced(tensors)
    assert tensors[1].tolist() == [size] * 2
    with dist._coalescing_manager() as manager:
        for tensor in tensors:
            dist.all_reduce(tensor)
    assert tensors[0].tolist() == [size**2] * 3 and len(manager.works) == 1
    wide = [torch.empty(size * 2), torch.empty(size)]
    with dist._coalescing_manager(async_ops=True) as manager:
        dist.all_gather_into_tensor(wide[0], torch.full((2,), float(rank)))
        dist.all_gather_into_tensor(wide[1], torch.full((1,), float(rank)))
    manager.wait()
    assert wide[1].tolist() == list(range(size))


def messages(rank, size):
    following, before = (rank + 1) % size, (rank - 1) % size
    sent, got = torch.full((5,), float(rank)), torch.empty(5)
    ops = [dist.P2POp(dist.isend, sent, following), dist.P2POp(dist.irecv, got, before)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    assert got.tolist() == [before] * 5
    # large, both ways at a time
    large = made(rank, (1_000_003,), torch.float32)
    into = torch.empty_like(large)
    works = [dist.isend(large, following), dist.irecv(into, before)]
    for work in works:
        work.wait()
    assert torch.equal(into, made(before, (1_000_003,), torch.float32))
    # tags in another order than sent
    if rank == 0:
        for tag in range(5):
            dist.send(torch.tensor([tag]), 1, tag=tag)
        dist.send(torch.zeros(0), 1)
        dist.send(made(0, (4, 3), torch.bfloat16).t(), 1)
    elif rank == 1:
        for tag in (4, 0, 2, 3, 1):
            found = torch.empty(1, dtype=torch.int64)
            assert dist.recv(found, 0, tag=tag) == 0
            assert found.item() == tag
        dist.recv(torch.zeros(0), 0)
        found = torch.empty(3, 4, dtype=torch.bfloat16)
        dist.recv(found, 0)
        assert torch.equal(found, made(0, (4, 3), torch.bfloat16).t())
    dist.barrier()
    if rank:
        dist.send(torch.tensor([rank]), 0)
    else:
        found = torch.empty(1, dtype=torch.int64)
        senders = []
        for _ in range(size - 1):
            senders.append(dist.recv(found))
            assert found.item() == senders[-1]
        assert sorted(senders) == list(range(1, size))
    with pytest.raises(ValueError, match="destination rank"):
        dist.send(torch.ones(1), rank)


def objects(rank, size):
    value = {"rank": rank, "list": list(range(rank))}
    wanted = [{"rank": q, "list": list(range(q))} for q in range(size)]
    out = [None] * size
    dist.all_gather_object(out, value)
    assert out == wanted
    out = [None] * size if rank == 1 else None
    dist.gather_object(value, out, dst=1)
    assert rank != 1 or out == wanted
    shared = [value, "text", torch.arange(3)] if rank == 1 else [None] * 3
    dist.broadcast_object_list(shared, src=1)
    assert shared[:2] == [wanted[1], "text"] and shared[2].tolist() == [0, 1, 2]
    own = [None]
    dist.scatter_object_list(own, wanted if rank == 0 else None, src=0)
    assert own == [value]
    if rank == 0:
        dist.send_object_list(["a", 1], 1)
    elif rank == 1:
        got = [None, None]
        assert dist.recv_object_list(got, 0) == 0
        assert got == ["a", 1]


def groups(rank, size):
    assert dist.get_rank() == rank and dist.get_world_size() == size
    assert dist.get_backend() == "gloo" and dist.is_initialized()
    ranks = [0, size - 1]
    some = dist.new_group(ranks)
    assert dist.get_world_size(some) == (2 if rank in ranks else -1)
    mine = torch.tensor([float(rank)])
    if rank in ranks:
        dist.all_reduce(mine, group=some)
        assert mine.item() == size - 1
        dist.broadcast(mine.fill_(rank), size - 1, group=some)
        assert mine.item() == size - 1
        assert dist.get_process_group_ranks(some) == ranks
        assert dist.get_global_rank(some, 1) == size - 1
        assert dist.get_group_rank(some, size - 1) == 1
    else:
        assert some == dist.GroupMember.NON_GROUP_MEMBER
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert dist.all_reduce(mine, group=some) is None
        assert "does not belong to the given group" in str(caught[0].message)
    own, every = dist.new_subgroups(1)
    assert len(every) == size and dist.get_world_size(own) == 1
    dist.all_reduce(mine.fill_(7), group=own)
    assert mine.item() == 7
    part = dist.split_group(None, [list(range(size - 1)), [size - 1]])
    assert part.size() == (size - 1 if rank < size - 1 else 1)
    dist.all_reduce(mine.fill_(1), group=part)
    assert mine.item() == part.size()
    local = dist.new_group([rank], use_local_synchronization=True)
    dist.all_reduce(mine, group=local)
    dist.destroy_process_group(local)
    with pytest.raises(ValueError, match="not registered"):
        dist.all_reduce(mine, group=local)
    with pytest.raises(ValueError, match="twice"):
        dist.init_process_group("gloo")
    dist.monitored_barrier()
    dist.destroy_process_group()
    assert not dist.is_initialized()
    with pytest.raises(ValueError, match="has not been initialized"):
        dist.get_rank()


@pytest.mark.parametrize("size", [2, 3, 4])
def test_reductions(size):
    run(size, reductions)


@pytest.mark.parametrize("size", [2, 3])
def test_moves(size):
    run(size, moves)


def everything_else(rank, size):
    for part in (uneven, layouts, sparse, works, messages, objects, groups):
        part(rank, size)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_everything_else(size):
    run(size, everything_else)


def test_a_group_of_one():
    run(1, reductions_of_one)


def reductions_of_one(rank, size):
    mine = torch.arange(3.0)
    dist.all_reduce(mine)
    assert mine.tolist() == [0, 1, 2]
    out = [torch.empty(3)]
    dist.all_gather(out, mine)
    assert torch.equal(out[0], mine)
    objects = [None]
    dist.all_gather_object(objects, "x")
    assert objects == ["x"]
