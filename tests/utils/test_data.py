"""Data sets, samplers, batches, and the loader with and without workers."""

from __future__ import annotations

import collections
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import rushlight as torch
import rushlight.distributed as dist
from rushlight.utils import data


class Squares(data.Dataset[int]):
    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> int:
        return index * index


class Stream(data.IterableDataset[int]):
    """The numbers below ten, shared out among the workers."""

    def __iter__(self) -> Any:
        info = data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        return iter(range(first, 10, step))

    def __len__(self) -> int:
        return 10


class Draws(Squares):
    """Numbers from every random stream that a worker seeds."""

    def __getitem__(self, index: int) -> Any:
        return torch.rand(()).item(), random.random(), np.random.rand(), data.get_worker_info().seed


def values(loader: Any) -> list[Any]:
    return [batch.tolist() for batch in loader]


# -- data sets --
def test_datasets_of_datasets() -> None:
    x, y = torch.arange(6).reshape(3, 2), torch.tensor([7, 8, 9])
    pairs = data.TensorDataset(x, y)
    assert len(pairs) == 3 and pairs[1][0].tolist() == [2, 3] and pairs[1][1] == 8
    both = Squares() + data.Subset(Squares(), [3, 1])
    assert len(both) == 12 and both[9] == 81 and both[10] == 9 and both[-1] == 1
    assert list(Stream() + Stream())[8:12] == [8, 9, 0, 1] and len(Stream() + Stream()) == 20
    assert data.StackDataset(Squares(), range(10))[2] == (4, 2)
    named = data.StackDataset(a=Squares(), b=range(10))
    assert named[2] == {"a": 4, "b": 2} and named.__getitems__([1, 3])[1] == {"a": 9, "b": 3}


def test_datasets_check_what_they_get() -> None:
    with pytest.raises(AssertionError, match=r"Size mismatch between tensors"):
        data.TensorDataset(torch.ones(2), torch.ones(3))
    with pytest.raises(ValueError, match=r"Size mismatch between datasets"):
        data.StackDataset(range(2), range(3))
    with pytest.raises(AssertionError, match=r"should not be an empty iterable"):
        data.ConcatDataset([])
    with pytest.raises(ValueError, match=r"should not exceed dataset length"):
        data.ConcatDataset([range(3)])[-4]
    with pytest.raises(NotImplementedError, match=r"implement __getitem__"):
        data.Dataset()[0]


def test_random_split() -> None:
    parts = data.random_split(range(10), [0.55, 0.45], torch.Generator().manual_seed(1))
    assert [len(part) for part in parts] == [6, 4]
    assert sorted([*parts[0], *parts[1]]) == list(range(10))
    with pytest.raises(ValueError, match=r"Sum of input lengths"):
        data.random_split(range(10), [3, 3])
    with pytest.warns(UserWarning, match=r"Length of split at index 2 is 0"):
        data.random_split(range(2), [0.4, 0.4, 0.2])


# -- samplers --
def test_samplers() -> None:
    assert sorted(data.RandomSampler(range(7))) == list(range(7))
    assert len(list(data.RandomSampler(range(7), num_samples=20))) == 20
    drawn = list(data.RandomSampler(range(7), replacement=True, num_samples=70))
    assert len(drawn) == 70 and set(drawn) <= set(range(7))
    assert sorted(data.SubsetRandomSampler([5, 3])) == [3, 5]
    assert set(data.WeightedRandomSampler([0, 1, 0, 2], 30)) == {1, 3}
    batches = data.BatchSampler(range(5), 2, drop_last=False)
    assert list(batches) == [[0, 1], [2, 3], [4]] and len(batches) == 3
    assert list(data.BatchSampler(range(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match=r"positive integer"):
        data.BatchSampler(range(5), 0, False)
    with pytest.raises(ValueError, match=r"num_samples=0"):
        data.RandomSampler([])


@pytest.mark.parametrize("drop_last", [False, True])
def test_distributed_shares(drop_last: bool) -> None:
    shares = [
        list(data.DistributedSampler(range(10), 4, rank, drop_last=drop_last)) for rank in range(4)
    ]
    assert {len(share) for share in shares} == {2 if drop_last else 3}
    seen = {index for share in shares for index in share}
    assert len(seen) == (8 if drop_last else 10)


def test_distributed_shares_of_a_group() -> None:
    dist.init_process_group("fake", rank=2, world_size=5, store=dist.HashStore())
    try:
        sampler = data.DistributedSampler(range(10), shuffle=False)
    finally:
        dist.destroy_process_group()
    assert list(sampler) == [2, 7]
    with pytest.raises(ValueError, match="process group has not been initialized"):
        data.DistributedSampler(range(10))


# -- batches --
def test_collate() -> None:
    Point = collections.namedtuple("Point", "x y")
    batch = [
        {"i": 1, "f": 0.5, "s": "a", "p": Point(1, (2, 3)), "n": np.ones(2, dtype=np.float32)},
        {"i": 2, "f": 1.5, "s": "b", "p": Point(4, (5, 6)), "n": np.zeros(2, dtype=np.float32)},
    ]
    made = data.default_collate(batch)
    assert made["i"].dtype is torch.int64 and made["i"].tolist() == [1, 2]
    assert made["f"].dtype is torch.float64 and made["s"] == ["a", "b"]
    assert type(made["p"]) is Point and [t.tolist() for t in made["p"].y] == [[2, 5], [3, 6]]
    assert made["n"].dtype is torch.float32 and made["n"].shape == (2, 2)
    assert data.default_collate([np.float32(1), np.float32(2)]).dtype is torch.float32
    with pytest.raises(TypeError, match=r"must contain tensors.*object"):
        data.default_collate([object(), object()])
    with pytest.raises(RuntimeError, match=r"equal size"):
        data.default_collate([[1], [1, 2]])


def test_arrays_of_one_shape_are_joined_at_once():
    from rushlight.utils.data._utils import collate

    rows = [np.arange(3, dtype=np.float32) + k for k in range(4)]
    made = data.default_collate(rows)
    assert made.dtype is torch.float32
    assert made.tolist() == np.stack(rows).tolist()
    made += 1
    assert rows[0].tolist() == [0, 1, 2]
    assert data.default_collate([np.ones(2)[::-1], np.zeros(2)]).tolist() == [[1, 1], [0, 0]]
    with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
        data.default_collate([np.ones(2), np.ones(3)])
    lengths = {**collate.default_collate_fn_map, torch.Tensor: lambda batch, **_: len(batch)}
    assert collate.collate(rows, collate_fn_map=lengths) == 4


def test_convert() -> None:
    made = data.default_convert({"a": np.ones(2), "b": ("x", np.int32(3)), "c": np.array(["t"])})
    assert made["a"].tolist() == [1, 1] and made["b"][1].item() == 3
    assert isinstance(made["c"], np.ndarray)


# -- the loader --
@pytest.mark.parametrize("workers", [0, 2])
def test_batches_in_order(workers: int) -> None:
    loader = data.DataLoader(Squares(), batch_size=4, num_workers=workers)
    expected = [[0, 1, 4, 9], [16, 25, 36, 49], [64, 81]]
    assert values(loader) == expected == values(loader) and len(loader) == 3
    short = data.DataLoader(Squares(), batch_size=4, drop_last=True, num_workers=workers)
    assert values(short) == expected[:2]
    single = data.DataLoader(Squares(), batch_size=None, num_workers=workers)
    assert list(single) == [i * i for i in range(10)]
    chosen = data.DataLoader(Squares(), batch_sampler=[[1, 2], [3]], num_workers=workers)
    assert values(chosen) == [[1, 4], [9]]


def test_workers_shuffle_like_one_process() -> None:
    def shuffled(**options: Any) -> list[Any]:
        torch.manual_seed(3)
        return values(data.DataLoader(Squares(), batch_size=3, shuffle=True, **options))

    assert shuffled() == shuffled(num_workers=2) == shuffled(num_workers=2, persistent_workers=True)


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_streams(workers: int) -> None:
    loader = data.DataLoader(Stream(), batch_size=2, num_workers=workers)
    assert sorted(itertools.chain(*values(loader))) == list(range(10)) and len(loader) == 5
    with pytest.raises(ValueError, match=r"expected unspecified shuffle"):
        data.DataLoader(Stream(), shuffle=True)


def test_persistent_workers_stay() -> None:
    class Where(Squares):
        def __getitem__(self, index: int) -> int:
            return os.getpid()

    loader = data.DataLoader(Where(), num_workers=2, persistent_workers=True)
    passes = [list(itertools.chain(*values(loader))) for _ in range(2)]
    assert passes[0] == passes[1] and os.getpid() not in passes[0]
    first = iter(loader)
    next(first)
    assert list(itertools.chain(*values(loader))) == passes[0], (
        "a pass that is broken off leaves nothing behind"
    )


def test_worker_seeds_and_info() -> None:
    torch.manual_seed(9)
    base = torch.empty((), dtype=torch.int64).random_().item()
    torch.manual_seed(9)
    made = list(data.DataLoader(Draws(), num_workers=2, batch_size=None))
    assert {draw[3] for draw in made} == {base, base + 1}
    assert len({draw[0] for draw in made}) == len({draw[2] for draw in made}) == 10
    assert data.get_worker_info() is None


def test_a_workers_exception_arrives_with_its_traceback() -> None:
    class Breaks(Squares):
        def __getitem__(self, index: int) -> int:
            if index == 1:
                raise KeyError("there is no such thing")
            return index

    loader = iter(data.DataLoader(Breaks(), num_workers=2))
    assert next(loader) == 0
    with pytest.raises(
        KeyError, match=r"(?s)in DataLoader worker process 1.*Traceback.*no such thing"
    ):
        next(loader)
    assert next(loader) == 2


def test_a_failing_init_is_reported() -> None:
    def fail(worker: int) -> None:
        raise ValueError(f"worker {worker} cannot start")

    loader = data.DataLoader(Squares(), num_workers=1, worker_init_fn=fail)
    with pytest.raises(ValueError, match=r"worker 0 cannot start"):
        next(iter(loader))


def test_a_batch_that_cannot_travel_is_reported() -> None:
    loader = data.DataLoader(Squares(), num_workers=1, collate_fn=lambda batch: lambda: batch)
    with pytest.raises(Exception, match=r"(?s)DataLoader worker process 0.*pickle"):
        next(iter(loader))


def test_a_killed_worker_is_reported() -> None:
    class Dies(Squares):
        def __getitem__(self, index: int) -> int:
            if index == 4:
                os.kill(os.getpid(), signal.SIGKILL)
            return index

    loader = iter(data.DataLoader(Dies(), num_workers=2))
    with pytest.raises(RuntimeError, match=r"exited unexpectedly: it was killed by signal SIGKILL"):
        list(loader)
    assert list(loader) == []


def test_timeout() -> None:
    class Slow(Squares):
        def __getitem__(self, index: int) -> int:
            time.sleep(60)
            return index

    loader = iter(data.DataLoader(Slow(), num_workers=1, timeout=0.1))
    with pytest.raises(RuntimeError, match=r"timed out after 0.1 seconds"):
        next(loader)
    for member in loader.team:
        member.process.kill()


def test_workers_end_with_their_iterator() -> None:
    loader = iter(data.DataLoader(Squares(), num_workers=2))
    next(loader)
    processes = [member.process for member in loader.team]
    del loader
    assert not any(process.is_alive() for process in processes)


def test_big_batches_and_big_indices_do_not_block() -> None:
    class Rows(data.Dataset[Any]):
        def __getitem__(self, index: int) -> Any:
            return torch.zeros(1)

        def __getitems__(self, indices: Any) -> Any:
            return [torch.ones(200_000)]

    order = [list(range(100_000)) for _ in range(6)]
    loader = data.DataLoader(Rows(), batch_sampler=order, num_workers=1)
    assert [tuple(batch.shape) for batch in loader] == [(1, 200_000)] * 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "could only be specified in multiprocessing"),
        ({"persistent_workers": True}, "needs num_workers > 0"),
        ({"sampler": [0], "shuffle": True}, "mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "mutually exclusive"),
        ({"batch_size": None, "drop_last": True}, "disables auto-batching"),
        ({"multiprocessing_context": "fork"}, "can only be used with multi-process"),
        ({"num_workers": 1, "multiprocessing_context": "spoon"}, "valid start method"),
    ],
)
def test_arguments_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        data.DataLoader(Squares(), **options)


def test_attributes_are_fixed_and_pinning_warns() -> None:
    loader = data.DataLoader(Squares(), pin_memory=True)
    with pytest.raises(ValueError, match=r"should not be set after DataLoader is initialized"):
        loader.batch_size = 3
    with pytest.warns(UserWarning, match=r"no accelerator is found"):
        iter(loader)


class Doubled(data.TensorDataset):
    def __getitem__(self, index: Any) -> Any:
        return tuple(2 * tensor for tensor in super().__getitem__(index))


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_of_tensors_are_what_their_samples_are(workers):
    x, y = torch.arange(60.0).reshape(10, 2, 3).transpose(1, 2), torch.arange(10)
    whole = data.TensorDataset(x, y)
    part = data.Subset(data.Subset(whole, [9, 0, -3, 4, 4]), [4, 0, 2])
    for dataset in (whole, part, Doubled(x, y), data.Subset(Doubled(x, y), [3, 1])):
        got = list(data.DataLoader(dataset, 2, num_workers=workers))
        samples = [dataset[i] for i in range(len(dataset))]
        wanted = [data.default_collate(samples[i : i + 2]) for i in range(0, len(samples), 2)]
        assert len(got) == len(wanted)
        for batch, right in zip(got, wanted):
            assert type(batch) is type(right) is list
            assert all(torch.equal(a, b) for a, b in zip(batch, right, strict=True))
            assert all(a.is_contiguous() for a in batch)


def test_batches_of_tensors_with_gradients_have_them():
    x = torch.arange(6.0).requires_grad_()
    (batch,) = next(iter(data.DataLoader(data.TensorDataset(x * 1), 4)))
    batch.sum().backward()
    assert x.grad.tolist() == [1, 1, 1, 1, 0, 0]


def test_a_position_outside_of_the_tensors():
    loader = data.DataLoader(data.TensorDataset(torch.arange(3)), sampler=[0, 3], batch_size=2)
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        next(iter(loader))


def test_loaders_have_a_type_of_samples() -> None:
    class Pairs(data.DataLoader[int]):
        pass

    assert list(Pairs([1, 2, 3], batch_size=None)) == [1, 2, 3]
    assert list(data.DataLoader[int]([4, 5], batch_size=None)) == [4, 5]


INTERRUPTED = """
import contextlib, os, signal, sys
import rushlight as torch
from rushlight.utils.data import dataloader
from rushlight.multiprocessing import _parcels

class Data:
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.full((2,), float(index))

class Stop:
    # Interrupts this process at the n-th line that it runs of the loader's own code.
    def __init__(self):
        self.left, self.files = -1, (dataloader.__file__, _parcels.__file__)

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename not in self.files:
            return None
        if event == "line" and frame.f_code.co_name not in ("_stop", "_give_up", "dismiss", "_whole"):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self

stop = Stop()
expected = [[float(i)] * 2 for i in range(6)]

def read(loader):
    return [row for batch in loader for row in batch.tolist()]

def interrupted(loader, n):
    # Whether a pass was interrupted.
    stop.left = n
    sys.settrace(stop)
    try:
        read(loader)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False

kept = sys.argv[1] == "persistent"
n, count = int(sys.argv[2]), 0
while True:
    signal.alarm(60)
    loader = dataloader.DataLoader(Data(), batch_size=2, num_workers=1, persistent_workers=kept)
    if kept and n % 2:
        assert read(loader) == expected
    was = interrupted(loader, n)
    assert read(loader) == expected
    count += was
    if not was:
        break
    n += int(sys.argv[3])
print(count > 3)
"""


@pytest.mark.parametrize("kind", ["persistent", "new"])
def test_a_pass_can_be_interrupted_anywhere(kind):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, kind, "1", "17"],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0 and done.stdout == "True\n", done.stderr


BLOCKED = """
import os, signal
from rushlight.utils.data import DataLoader

came, tell = os.pipe()

class Data:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        os.write(tell, b"!")
        while True:
            signal.pause()

loader = DataLoader(Data(), num_workers=1, multiprocessing_context="fork")
batches = iter(loader)
os.read(came, 1)
# Fill the pipe to the worker, which reads nothing any more.
pipe = batches.team[0].requests.fileno()
os.set_blocking(pipe, False)
try:
    while True:
        os.write(pipe, b"x")
except BlockingIOError:
    os.set_blocking(pipe, True)
signal.alarm(60)
del batches
print("done")
"""


def test_workers_that_do_not_listen_are_ended():
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr


def test_words_that_seed_numpy_in_a_worker():
    from rushlight.utils.data._utils.worker import _generate_state

    assert _generate_state(0, 0) == [2968811710, 3677149159, 745650761, 2884920346]
    assert _generate_state(123456789012345678, 3)[0] == 3644766378


def test_types_of_arrays_that_have_no_tensors():
    from rushlight.utils.data._utils.collate import np_str_obj_array_pattern

    kinds = [np.array(x).dtype.str for x in (["a"], [b"a"], [object()], [1], [1.5])]
    found = [np_str_obj_array_pattern.search(kind) is not None for kind in kinds]
    assert found == [True, True, True, False, False]
