"""Backends of programs, the fake one, and what happens when something goes wrong."""

import gc
import os
import signal
import time
from datetime import timedelta

import pytest
from several import run, shared_memory_names, spawn, start

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp


@pytest.fixture(autouse=True)
def no_group_is_left():
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


# -- backends --


def test_the_fake_backend():
    dist.init_process_group("fake", rank=1, world_size=8, store=dist.HashStore())
    mine = torch.arange(3.0)
    assert dist.all_reduce(mine, async_op=True).wait()
    assert mine.tolist() == [0, 1, 2]
    whole = torch.empty(24)
    dist.all_gather_into_tensor(whole, mine)
    assert whole.tolist() == [0, 1, 2] * 8
    part = torch.empty(3)
    dist.reduce_scatter_tensor(part, torch.arange(24.0))
    assert part.tolist() == [3, 4, 5]
    assert dist.new_group([1, 3]).size() == 2
    dist.barrier()


def test_backends_that_are_not_there():
    for name in ("nccl", "xccl", "ucc"):
        with pytest.raises(RuntimeError, match=rf"{name} built in.*'gloo'.*'mpi'"):
            dist.init_process_group(name, rank=0, world_size=1, store=dist.HashStore())
        assert not dist.is_initialized()
    with pytest.raises(ValueError, match="Unknown backend: magic"):
        dist.init_process_group("magic", rank=0, world_size=1, store=dist.HashStore())
    assert not dist.is_nccl_available() and dist.is_gloo_available() and dist.is_available()


def test_the_device_of_a_process_is_an_accelerator():
    for device in (torch.device("cpu"), torch.device("cpu", 0), "cuda"):
        with pytest.raises(ValueError, match="must be an accelerator with an index, got c"):
            dist.init_process_group(
                "gloo", rank=0, world_size=1, store=dist.HashStore(), device_id=device
            )
        assert not dist.is_initialized()


def test_pairs_of_devices_and_backends():
    dist.init_process_group("cpu:gloo,cuda:nccl", rank=0, world_size=1, store=dist.HashStore())
    assert dist.get_backend_config() == "cpu:gloo,cuda:nccl"
    dist.all_reduce(torch.ones(2))
    dist.destroy_process_group()
    dist.init_process_group(rank=0, world_size=1, store=dist.HashStore())
    assert dist.get_backend() == "gloo"


class Doubling(dist.ProcessGroup):
    """A program's own group, whose sums are twice what is given."""

    def __init__(self, rank, size):
        super().__init__(rank, size)
        self.asked = []

    def getBackendName(self):
        return "doubling"

    def allreduce(self, tensors, opts=None):
        self.asked.append(opts.reduceOp)
        tensors[0].mul_(2)
        work = dist.Work()
        work.wait = lambda timeout=None: True
        return work


def test_a_group_of_a_program():
    dist.Backend.register_backend("doubling", lambda store, rank, size, t: Doubling(rank, size))
    assert dist.Backend.DOUBLING == "doubling" and dist.Backend("DOUBLING") == "doubling"
    assert dist.is_backend_available("doubling")
    dist.init_process_group("doubling", rank=0, world_size=1, store=dist.HashStore())
    mine = torch.ones(2)
    dist.all_reduce(mine)
    assert mine.tolist() == [2, 2]
    assert dist.group.WORLD.asked == [dist.ReduceOp.SUM]
    assert dist.group.WORLD.name() == "doubling"
    with pytest.raises(RuntimeError, match="no backend"):
        dist.barrier()


def test_reduce_ops():
    op = dist.ReduceOp
    assert op(op.SUM) == op.SUM and op.SUM != op.MAX and str(op.SUM) == "RedOpType.SUM"
    assert op(op.AVG).op is op.AVG and len({op.SUM, op.SUM, op.MIN}) == 2
    factor = dist._make_nccl_premul_sum(2.0)
    assert factor.op is op.PREMUL_SUM and factor.factor == 2.0


# -- what is wrong with a call --


def wrong_calls(rank, size):
    one = torch.ones(2)
    with pytest.raises(TypeError, match=r"of type torch\.Tensor"):
        dist.all_reduce([one])
    with pytest.raises(TypeError, match=r"List\[torch\.Tensor\]"):
        dist.all_gather(one, one)
    with pytest.raises(ValueError, match="dtypes"):
        dist.all_gather([one.long()] * size, one)
    with pytest.raises(ValueError, match="world_size times"):
        dist.all_gather_into_tensor(torch.ones(3), one)
    with pytest.raises(ValueError, match=r"one for each rank, got 1"):
        dist.all_gather([one], one)
    with pytest.raises(RuntimeError, match="divide equally"):
        dist.all_to_all_single(torch.ones(size + 1), torch.ones(size + 1))
    with pytest.raises(ValueError, match="gather_list"):
        dist.gather(one, None if rank == 0 else [one])
    with pytest.raises(RuntimeError, match="CPU"):
        dist.group.WORLD._get_backend("cpu").allreduce([torch.ones(2, device="meta")])
    dist.barrier()


def test_wrong_calls():
    run(2, wrong_calls)


def mismatch(rank, size):
    with pytest.raises(RuntimeError, match=f"rank {1 - rank} makes another call"):
        dist.all_reduce(torch.ones(2 + rank))
    with pytest.raises(RuntimeError, match="the group is broken"):
        dist.barrier()


def test_calls_that_do_not_match():
    run(2, mismatch)


def mismatch_in_detail(rank, size):
    calls = [
        lambda: dist.all_reduce(torch.ones(2 + rank)),
        lambda: dist.all_reduce(torch.ones(2, dtype=(torch.int32, torch.float32)[rank])),
        lambda: dist.barrier() if rank else dist.broadcast(torch.ones(2), 0),
    ]
    said = [
        (r"OpType=ALLREDUCE, .*TensorShape=\[\[2\]\]", r"TensorShape=\[\[3\]\]"),
        ("TensorDtypes=torch.int32", "TensorDtypes=torch.float32"),
        ("OpType=BROADCAST", "OpType=BARRIER"),
    ]
    for call, (first, second) in zip(calls, said):
        with pytest.raises(RuntimeError, match="Detected mismatch") as raised:
            call()
        raised.match(first)
        raised.match(second)
        raised.match("but Rank")
    # nothing is broken by what was not begun
    dist.all_reduce(torch.ones(3))


def test_calls_that_do_not_match_in_detail(monkeypatch):
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "DETAIL")
    run(2, mismatch_in_detail)


def too_late(rank, size):
    if rank == 0:
        start = time.monotonic()
        with pytest.raises(RuntimeError, match=r"Timed out waiting 500ms for rank 1"):
            dist.all_reduce(torch.ones(2))
        assert time.monotonic() - start < 5
    else:
        time.sleep(1.5)


def test_a_rank_that_comes_too_late():
    run(2, too_late, seconds=0.5)


def monitored(rank, size):
    if rank == 0:
        with pytest.raises(RuntimeError, match=r"\[Rank 0\]: .*monitoredBarrier.*rank 1"):
            dist.monitored_barrier(timeout=timedelta(seconds=0.4))
    else:
        time.sleep(1.2)


def test_a_monitored_barrier():
    run(2, monitored)


# -- ranks that are killed --


def killed(rank, size, phase, folder):
    def end():
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    if phase == "start":
        end()
    if phase == "store":
        dist.FileStore(f"{folder}/store", size)
        end()
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size,
        timeout=timedelta(seconds=1 if phase in ("start", "store") else 20),
    )  # fmt: skip
    big = torch.ones(3_000_000)
    if phase == "collective":
        dist.all_reduce(big)
        end()
        dist.all_reduce(big)
    if phase == "within":
        work = dist.all_reduce(torch.ones(60_000_000), async_op=True)
        time.sleep(0.02 if rank == 1 else 0)
        end()
        work.wait()
    if phase == "message":
        end()
        dist.recv(big, 1)
    if phase == "backward":
        killed_in_backward(end)
    if phase == "save":
        dcp.save(
            {f"of {rank}": torch.ones(9)}, checkpoint_id=f"{folder}/saved", planner=Ending(end)
        )
    raise AssertionError("the error did not come")


class Ending(dcp.DefaultSavePlanner):
    """Calls a function when the first tensor is about to be written."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def resolve_data(self, item):
        self.function()
        return super().resolve_data(item)


class Between(torch.nn.Module):
    """Calls a function when the gradients of what comes after are there, and those before are not."""

    def forward(self, x):
        if self.function is not None:
            x.register_hook(lambda gradient: self.function())
        return x


def killed_in_backward(end):
    between = Between()
    layers = torch.nn.Sequential(torch.nn.Linear(4, 300), between, torch.nn.Linear(300, 300))
    model = torch.nn.parallel.DistributedDataParallel(layers, bucket_cap_mb=0.1)
    for between.function in (None, end):
        model(torch.ones(2, 4)).sum().backward()


PHASES = ["start", "store", "collective", "within", "message", "backward", "save"]


@pytest.mark.parametrize("phase", PHASES)
def test_a_killed_rank_is_named(phase, tmp_path):
    # far longer than the timeout of the group, also on a busy machine
    end = time.monotonic() + 150
    context = start(3, _said, 3, phase, str(tmp_path))
    for process in context.processes:
        process.join(max(0.0, end - time.monotonic()))
        assert not process.is_alive(), "a rank hangs"
    for rank in (0, 2):
        said = (tmp_path / f"said by {rank}").read_text()
        assert "rank 1" in said or phase in ("start", "store"), said
        assert "did not come" not in said
    assert not shared_memory_names([process.pid for process in context.processes])


def _said(rank, size, phase, folder):
    try:
        killed(rank, size, phase, folder)
    except Exception as error:
        with open(f"{folder}/said by {rank}", "w") as file:
            file.write(str(error))


def interrupted(rank, folder):
    # Whoever started this process may have interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    open(f"{folder}/ready {rank}", "w").close()
    if rank == 0:
        try:
            dist.barrier()
        except KeyboardInterrupt:
            open(f"{folder}/interrupted", "w").close()
    else:
        while not os.path.exists(f"{folder}/interrupted"):
            time.sleep(0.02)


def test_control_c_ends_a_wait(tmp_path):
    context = start(2, interrupted, str(tmp_path))
    while not (tmp_path / "ready 0").exists() or not (tmp_path / "ready 1").exists():
        # raises if one of them has failed
        assert not context.join(timeout=0.02)
    time.sleep(0.1)
    os.kill(context.processes[0].pid, signal.SIGINT)
    for process in context.processes:
        process.join(10)
        assert process.exitcode == 0


def many_groups(rank, size, count):
    def memory():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def make(how_many):
        for _ in range(how_many):
            group = dist.new_group([0, 1])
            dist.all_reduce(torch.ones(1000), group=group)
            dist.destroy_process_group(group)

    make(20)
    # all keys, while nobody makes a group
    dist.barrier()
    keys = dist.distributed_c10d._get_default_store().num_keys()
    dist.barrier()
    descriptors, before = len(os.listdir("/proc/self/fd")), memory()
    make(count)
    assert memory() - before < 8 << 20
    assert len(os.listdir("/proc/self/fd")) <= descriptors
    dist.barrier()
    assert dist.distributed_c10d._get_default_store().num_keys() == keys
    dist.barrier()


def test_groups_come_and_go(every_sample):
    run(2, many_groups, 1000 if every_sample else 300)


def test_nothing_has_a_name(tmp_path):
    spawn(2, _looks, str(tmp_path))


def _looks(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    dist.all_reduce(torch.ones(5))
    every = [None, None]
    dist.all_gather_object(every, os.getpid())
    assert not shared_memory_names(every)
    dist.barrier()
