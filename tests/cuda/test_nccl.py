"""The backend ``nccl`` on a stand-in of the library: ranks are threads, each with a device."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

import rushlight as torch
import rushlight.distributed as dist
from rushlight.engine.cuda import libraries, nccl

SECONDS = timedelta(seconds=20)
Op = dist.ReduceOp


@pytest.fixture
def library(with_stand_in):
    from stand_in_nccl import Communication

    made = Communication(with_stand_in(devices=3))
    libraries.use("nccl", made)
    return made


def on_ranks(size, run):
    """What a function of a backend and its rank's device gives on each rank."""
    from rushlight.distributed._groups.nccl import NCCLBackend

    store, found, failed = dist.HashStore(), [None] * size, []

    def one(rank):
        try:
            with torch.cuda.device(rank):
                group = dist.ProcessGroup(store, rank, size)
                backend = NCCLBackend(store, rank, size, SECONDS)
                group._register_backend("cuda", group.NCCL, backend)
                found[rank] = run(group, rank)
                group.shutdown()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(rank,)) for rank in range(size)]
    torch.ones(1, device="cuda")
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return found


def there(rank, values, **settings):
    return torch.tensor(values, device=f"cuda:{rank}", **settings)


TYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int32, torch.int64,
]  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
def test_sums_of_all_types(library, kind):
    def run(group, rank):
        x = there(rank, [1, 2, 3 + rank], dtype=kind)
        version = x._version
        group.allreduce([x]).wait()
        assert x._version > version
        return x.tolist()

    assert on_ranks(2, run) == [[2, 4, 7]] * 2


def test_operations(library):
    def run(group, rank):
        found = []
        for op in (Op.SUM, Op.AVG, Op.PRODUCT, Op.MIN, Op.MAX, dist._make_nccl_premul_sum(0.5)):
            x = there(rank, [2.0, float(rank)])
            group.allreduce([x], dist.AllreduceOptions(reduceOp=op)).wait()
            found.append(x.tolist())
        z = there(rank, [1 + 1j * rank])
        group.allreduce([z]).wait()
        flags = there(rank, [True, rank == 0, False])
        group.allreduce([flags]).wait()
        for op in (Op.BAND, Op.BOR, Op.BXOR):
            with pytest.raises(ValueError, match=f"Cannot use ReduceOp.{op.name} with NCCL"):
                group.allreduce([there(rank, [1])], dist.AllreduceOptions(reduceOp=op))
        with pytest.raises(ValueError, match="does not support complex"):
            group.allreduce([z], dist.AllreduceOptions(reduceOp=Op.MAX))
        return [*found, z.tolist(), flags.tolist()]

    wanted = [[4, 1], [2, 0.5], [4, 0], [2, 0], [2, 1], [2, 0.5], [2 + 1j], [True, True, False]]
    assert on_ranks(2, run) == [wanted] * 2


def test_collectives(library):
    def run(group, rank):
        own = there(rank, [rank, 10 + rank])
        every = [torch.empty_like(own) for _ in range(3)]
        group.allgather([every], [own]).wait()
        whole = torch.empty(6, dtype=torch.int64, device=own.device)
        group._allgather_base(whole, own).wait()
        first = there(rank, [rank])
        group.broadcast([first], root=2).wait()
        total = own.clone()
        group.reduce([total], root=1).wait()
        part = torch.empty(2, dtype=torch.int64, device=own.device)
        group._reduce_scatter_base(part, whole).wait()
        parts = [there(rank, [k]) for k in range(3)]
        one = torch.empty(1, dtype=torch.int64, device=own.device)
        group.reduce_scatter([one], [parts]).wait()
        given = [there(rank, [10 * rank + k]) for k in range(3)]
        taken = [torch.empty_like(x) for x in given]
        group.alltoall(taken, given).wait()
        gathered = [torch.empty_like(own) for _ in range(3)]
        group.gather([gathered] if rank == 0 else [], [own], root=0).wait()
        piece = torch.empty(1, dtype=torch.int64, device=own.device)
        group.scatter([piece], [given] if rank == 1 else [], root=1).wait()
        group.barrier().wait()
        return [
            [x.tolist() for x in every], whole.tolist(), first.tolist(), total.tolist() if rank == 1 else None,
            part.tolist(), one.tolist(), [x.tolist() for x in taken],
            [x.tolist() for x in gathered] if rank == 0 else None, piece.tolist(),
        ]  # fmt: skip

    for rank, found in enumerate(on_ranks(3, run)):
        rows = [[k, 10 + k] for k in range(3)]
        flat = [n for row in rows for n in row]
        assert found == [
            rows, flat, [2], [3, 33] if rank == 1 else None, [3 * n for n in rows[rank]], [3 * rank],
            [[10 * k + rank] for k in range(3)], rows if rank == 0 else None, [10 + rank],
        ]  # fmt: skip


def test_shares_that_differ_and_tensors_of_other_layouts(library):
    def run(group, rank):
        device = f"cuda:{rank}"
        x = torch.arange(6.0, device=device).view(2, 3).t()
        group.allreduce([x]).wait()
        every = [torch.empty(k + 1, device=device) for k in range(2)]
        group.allgather([every], [torch.full((rank + 1,), float(rank), device=device)]).wait()
        given = torch.arange(3.0, device=device) + 10 * rank
        taken = torch.empty(2 * (rank + 1), device=device)
        group.alltoall_base(taken, given, [rank + 1] * 2, [1, 2]).wait()
        return [x.tolist(), [e.tolist() for e in every], taken.tolist()]

    found = on_ranks(2, run)
    assert found[0][0] == [[0, 6], [2, 8], [4, 10]] and found[1][1] == [[0], [1, 1]]
    assert found[0][2] == [0, 10] and found[1][2] == [1, 2, 11, 12]


def test_messages_that_are_made_together(library):
    def run(group, rank):
        x, y = there(rank, [rank + 1.0]), torch.empty(1, device=f"cuda:{rank}")
        group._start_coalescing(x.device)
        group.send([x], 1 - rank, 0)
        received = group.recv([y], 1 - rank, 0)
        group._end_coalescing(x.device).wait()
        assert received._source_rank() == 1 - rank
        with pytest.raises(RuntimeError, match="recv from any rank"):
            group.recv_anysource([y], 0)
        return y.item()

    assert on_ranks(2, run) == [2, 1]


def test_a_collective_waits_for_what_was_queued_and_is_waited_for(library):
    def run(group, rank):
        x = torch.ones(4, device=f"cuda:{rank}")
        work = group.allreduce([x])
        assert work.result()[0] is x and work.get_future().wait()[0] is x
        work.wait(SECONDS)
        assert work.is_completed()
        x.mul_(2)
        return x.tolist()

    assert on_ranks(2, run) == [[4] * 4] * 2
    calls = library.driver.calls
    assert "cuStreamWaitEvent" in calls and "cuEventRecord" in calls


def test_what_the_library_reports_is_raised(library):
    def run(group, rank):
        x = torch.ones(1, device="cuda:0")
        work = group.allreduce([x])
        library.failing_later = 6
        with pytest.raises(dist.DistBackendError, match=r"NCCL error 6.*what is numbered 6"):
            work.wait()
        library.failing_later, library.failing = 0, 5
        with pytest.raises(dist.DistBackendError, match="NCCL error 5, reported by ncclAllReduce"):
            group.allreduce([x])
        library.failing = 0
        with pytest.raises(RuntimeError, match="are to be on a GPU, not on cpu"):
            group._get_backend("cuda").allreduce([torch.ones(1)])
        with pytest.raises(ValueError, match="tensors are on cuda:0, this one is on cuda:1"):
            group.allreduce([torch.ones(1, device="cuda:1")])

    on_ranks(1, run)


def test_a_program_of_one_process(library):
    assert dist.is_nccl_available() and nccl.version() == (2, 23, 4)
    dist.init_process_group(
        "nccl", rank=0, world_size=1, store=dist.HashStore(), device_id=torch.device("cuda:0")
    )
    try:
        assert dist.get_backend() == "nccl"
        x = torch.ones(3, device="cuda")
        dist.all_reduce(x)
        assert dist.all_reduce(x, async_op=True).wait() and x.tolist() == [1, 1, 1]
        found = [None]
        dist.all_gather_object(found, {"rank": 0})
        dist.broadcast_object_list(found)
        assert found == [{"rank": 0}]
        dist.barrier(device_ids=[0])
        model = torch.nn.parallel.DistributedDataParallel(
            torch.nn.Linear(2, 2).cuda(), device_ids=[0]
        )
        model(torch.ones(1, 2, device="cuda")).sum().backward()
        assert model.module.bias.grad.tolist() == [1, 1]
        assert "ncclAllReduce" in library.calls
    finally:
        dist.destroy_process_group()
    dist.init_process_group(rank=0, world_size=1, store=dist.HashStore())
    try:
        before = library.calls.count("ncclAllReduce")
        dist.all_reduce(torch.ones(1))
        assert library.calls.count("ncclAllReduce") == before
        dist.all_reduce(torch.ones(1, device="cuda"))
        assert library.calls.count("ncclAllReduce") == before + 1
    finally:
        dist.destroy_process_group()
