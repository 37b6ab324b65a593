"""Tensors in memory that several processes share."""

import gc
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import pytest

import rushlight as torch
import rushlight.multiprocessing as mp
from rushlight.multiprocessing._parents import end_with_parent, started
from rushlight.utils.data import DataLoader, Dataset

STRATEGIES = ["file_descriptor", "file_system"]
SEGMENTS = Path("/dev/shm")


def segments() -> set[str]:
    """The names of segments that this process has made, or processes that have ended."""

    def counts(path):
        maker = path.name.split("_")[1]
        return maker == str(os.getpid()) or not Path("/proc", maker).exists()

    return {path.name for path in SEGMENTS.glob("rushlight_*") if counts(path)}


def wait_until(holds) -> bool:
    """Whether something becomes true soon."""
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


@pytest.fixture(params=STRATEGIES)
def strategy(request):
    """Each way of sharing; nothing may be left behind."""
    before, old = segments(), mp.get_sharing_strategy()
    mp.set_sharing_strategy(request.param)
    yield request.param
    mp.set_sharing_strategy(old)
    assert wait_until(lambda: segments() <= before)


def sent(value):
    """What arrives when a value is sent through a pipe."""
    ours, theirs = mp.Pipe()
    ours.send(value)
    return theirs.recv()


def run(target, *args, method="fork"):
    """Call a function in another process, which has to end well."""
    process = mp.get_context(method).Process(target=target, args=args)
    process.start()
    process.join(60)
    assert process.exitcode == 0


def test_names_and_strategies():
    assert mp.get_all_sharing_strategies() == set(STRATEGIES)
    assert mp.get_sharing_strategy() == "file_descriptor"
    with pytest.raises(AssertionError, match="invalid sharing strategy 'telepathy'"):
        mp.set_sharing_strategy("telepathy")
    assert torch.multiprocessing is mp
    for name in mp.__all__:
        assert getattr(mp, name) is not None, name
    assert mp.cpu_count() > 0 and mp.get_context("spawn").get_start_method() == "spawn"


def test_share_memory(strategy):
    x = torch.arange(6.0).reshape(2, 3)
    row = x[1]
    assert not x.is_shared() and x.untyped_storage().resizable()
    assert x.share_memory_() is x and x.is_shared() and row.is_shared()
    row.zero_()
    assert x.tolist() == [[0, 1, 2], [0, 0, 0]]
    assert not x.untyped_storage().resizable() and not x.clone().is_shared()
    address = x.data_ptr()
    assert x.share_memory_().data_ptr() == address
    assert torch.empty(0).share_memory_().is_shared()
    assert torch.ones(3).storage().share_memory_().is_shared()
    with pytest.raises(RuntimeError, match="only available on CPU"):
        torch.ones(3, device="meta").share_memory_()
    made = torch.UntypedStorage._new_shared(8)
    assert made.is_shared() and made.tolist() == [0] * 8


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.tensor([1.0, float("nan")]),
        lambda: torch.tensor(3, dtype=torch.int16),
        lambda: torch.empty(0, 4),
        lambda: torch.ones(2, device="meta"),
        lambda: torch.tensor([True, False]),
        lambda: torch.tensor([1 + 2j]).conj(),
        lambda: torch.arange(12, dtype=torch.bfloat16).reshape(3, 4)[::2, 1:].T,
    ],
    ids=["nan", "zero-dim", "empty", "meta", "bool", "conjugate", "strided"],
)
def test_what_is_sent_arrives(make, strategy):
    x = make()
    y = sent(x)
    assert (y.dtype, y.shape, y.stride(), y.device) == (x.dtype, x.shape, x.stride(), x.device)
    assert y.is_conj() == x.is_conj() and y.storage_offset() == x.storage_offset()
    if x.device.type == "cpu":
        assert torch.equal(y.nan_to_num(7), x.nan_to_num(7))
    if x.nbytes and x.device.type == "cpu":
        assert x.is_shared() and y.is_shared()
        y.fill_(1)
        assert (x == 1).all()


def test_views_keep_sharing(strategy):
    x = torch.zeros(4)
    first, second = sent((x[:2], x[2:]))
    assert first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
    again = sent(x)
    assert again.data_ptr() == x.data_ptr() == sent(again).data_ptr()
    again[3] = 5
    assert x[3] == 5 and second[1] == 5


def test_storages(strategy):
    x = torch.zeros(3)
    typed, untyped = sent((x.storage(), x.untyped_storage()))
    assert typed.dtype is torch.float32 and isinstance(untyped, torch.UntypedStorage)
    typed[1] = 2
    assert x.tolist() == [0, 2, 0] and untyped.nbytes() == 12


def test_leaves_and_parameters():
    x = torch.ones(2, requires_grad=True)
    parameter = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    got, other = sent((x, parameter))
    assert type(got) is torch.Tensor and got.requires_grad and got.is_leaf
    assert isinstance(other, torch.nn.Parameter) and not other.requires_grad
    for refused in (x * 2, (x * 2)[0]):
        with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
            ForkingPickler.dumps(refused)
    assert sent((x * 2).detach()).tolist() == [2, 2]


class Marked(torch.Tensor):
    """A subclass, which travels with its attributes."""


def test_subclasses_share_too():
    x = torch.zeros(2).as_subclass(Marked)
    x.mark = "here"
    y = sent(x)
    assert type(y) is Marked and y.mark == "here"
    y.add_(1)
    assert x.tolist() == [1, 1]


def test_an_ordinary_pickle_copies():
    x = torch.zeros(2).share_memory_()
    y = pickle.loads(pickle.dumps(x))
    y.add_(1)
    assert x.tolist() == [0, 0] and not y.is_shared()


def _serve(requests, answers):
    view = requests.get()
    view.mul_(2)
    fresh = torch.full((3,), 7.0)
    answers.put((view, fresh))
    # The sender of a descriptor has to live until the receiver has it.
    assert requests.get() == "done"
    assert fresh.tolist() == [7, 8, 7]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_queues(method, strategy):
    context = mp.get_context(method)
    requests, answers = context.Queue(), context.Queue()
    process = context.Process(target=_serve, args=(requests, answers))
    process.start()
    x = torch.arange(4.0)
    requests.put(x[1:3])
    view, fresh = answers.get(timeout=60)
    assert x.tolist() == [0, 2, 4, 3] and view.data_ptr() == x[1:].data_ptr()
    fresh[1] = 8
    requests.put("done")
    process.join(60)
    assert process.exitcode == 0


def _add_one(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_model_is_shared(method, strategy):
    model = torch.nn.Linear(2, 1)
    before = [p.detach().clone() for p in model.parameters()]
    assert model.share_memory() is model
    run(_add_one, model, method=method)
    for parameter, old in zip(model.parameters(), before, strict=True):
        assert torch.equal(parameter.detach(), old + 1)


def _double(x):
    return x * 2


def test_pool(strategy):
    with mp.get_context("fork").Pool(2) as pool:
        made = pool.map(_double, [torch.ones(2), torch.ones(0), torch.tensor(3)])
    assert [x.tolist() for x in made] == [[2, 2], [], 6]


def _die_holding(x, connection):
    mine = torch.ones(100).share_memory_()
    connection.send("ready" if mine.is_shared() and x.is_shared() else "not shared")
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_child_leaves_nothing(strategy):
    before = segments()
    ours, theirs = mp.Pipe()
    x = torch.zeros(3).share_memory_()
    process = mp.get_context("fork").Process(target=_die_holding, args=(x, theirs))
    process.start()
    assert ours.recv() == "ready"
    process.join()
    assert process.exitcode == -signal.SIGKILL
    held = 1 if strategy == "file_system" else 0
    assert wait_until(lambda: len(segments() - before) == held)
    assert sent(x).data_ptr() == x.data_ptr()


_KILLED = """
import os, signal, sys
import rushlight as torch
import rushlight.multiprocessing as mp
from multiprocessing.reduction import ForkingPickler
mp.set_sharing_strategy("file_system")
x = torch.ones(3).share_memory_()
ForkingPickler.dumps(x)  # on its way to nobody
if os.fork() == 0:
    y = torch.ones(3).share_memory_()
    print(*[name for name in os.listdir("/dev/shm") if str(os.getppid()) in name], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_everybody_killed_leaves_nothing():
    ended = subprocess.run([sys.executable, "-c", _KILLED], capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    names = ended.stdout.split()
    assert names and all(name.startswith("rushlight_") for name in names)
    assert wait_until(lambda: not segments() & set(names))


def test_a_child_holds_what_its_parent_has_given_up():
    """The name of an inherited segment may be gone: then a child sends a copy."""
    mp.set_sharing_strategy("file_system")
    try:
        x = torch.ones(3).share_memory_()
        ours, theirs = mp.Pipe()
        go, wait = mp.Pipe()
        child = os.fork()
        if child == 0:
            wait.recv()
            theirs.send(x)
            os._exit(0)
        del x
        go.send("now")
        assert ours.recv().tolist() == [1, 1, 1]
        os.waitpid(child, 0)
    finally:
        mp.set_sharing_strategy("file_descriptor")


def test_a_removed_name_is_refused():
    x = torch.ones(2)
    place = x.untyped_storage()._share_filename_cpu_()
    first = torch.UntypedStorage._new_shared_filename_cpu(*place)
    assert first.nbytes() == 8
    del x, first
    with pytest.raises(RuntimeError, match="has been removed"):
        torch.UntypedStorage._new_shared_filename_cpu(*place)


def test_the_keeper_removes_nothing_else(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("x")
    x = torch.ones(2)
    keeper, _, _ = x.untyped_storage()._share_filename_cpu_()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stranger:
        stranger.connect(keeper)
        for path in (str(precious), f"/dev/shm/rushlight_/../..{precious}"):
            stranger.send(f"make {path}".encode())
            assert stranger.recv(10) == b"0"
    assert sent(x).tolist() == [1, 1] and precious.exists()


def test_too_large():
    with pytest.raises(RuntimeError, match="unable to allocate shared memory"):
        torch.UntypedStorage._new_using_filename_cpu(1 << 60)


# -- starting processes --
def _record(index, x):
    x[index] = index + 1


def _fail(index):
    if index == 1:
        raise ValueError("no such thing")
    time.sleep(60)


def _kill(index):
    os.kill(os.getpid(), signal.SIGKILL)


def _exit(index):
    sys.exit(3)


def test_spawn():
    x = torch.zeros(2)
    assert mp.spawn(_record, args=(x,), nprocs=2) is None
    assert x.tolist() == [1, 2]


def test_start_processes():
    x = torch.zeros(3).share_memory_()
    context = mp.start_processes(_record, args=(x,), nprocs=3, join=False, start_method="fork")
    assert len(context.pids()) == 3
    while not context.join(timeout=60):
        assert context.sentinels
    assert x.tolist() == [1, 2, 3]


def test_a_childs_exception_is_raised():
    with pytest.raises(mp.ProcessRaisedException) as caught:
        mp.start_processes(_fail, nprocs=2, start_method="fork")
    text = str(caught.value)
    assert text.startswith("\n\n-- Process 1 terminated with the following error:\nTraceback")
    assert text.endswith("ValueError: no such thing\n")
    assert caught.value.error_index == 1 and caught.value.error_pid > 0
    assert str(pickle.loads(pickle.dumps(caught.value))) == text


def test_a_childs_end_is_told():
    with pytest.raises(mp.ProcessExitedException, match="0 terminated with signal SIGKILL") as by:
        mp.start_processes(_kill, start_method="fork")
    assert (by.value.signal_name, by.value.exit_code) == ("SIGKILL", -9)
    with pytest.raises(mp.ProcessExitedException, match="0 terminated with exit code 3") as by:
        mp.start_processes(_exit, start_method="fork")
    assert by.value.signal_name is None


# -- the loader --
class Rows(Dataset):
    """Rows of one tensor, and a few parts of each."""

    def __init__(self, parts=1):
        self.rows, self.parts = torch.arange(40.0).reshape(20, 2), parts

    def __len__(self):
        return 20

    def __getitem__(self, index):
        return {part: self.rows[index] + part for part in range(self.parts)}


@pytest.mark.parametrize("parts", [1, 300])
def test_batches_come_in_shared_memory(parts, strategy):
    batches = list(DataLoader(Rows(parts), batch_size=5, num_workers=2))
    for got, wanted in zip(batches, DataLoader(Rows(parts), batch_size=5), strict=True):
        assert all(torch.equal(got[part], wanted[part]) for part in range(parts))
        assert got[0].is_shared()
    assert sent(batches[0][0]).tolist() == batches[0][0].tolist()


def test_kept_batches_need_no_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 40, hard))
    try:
        batches = list(DataLoader(Rows(6), batch_size=1, num_workers=1))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(batches) == 20 and batches[19][5].tolist() == [[43, 44]]


def test_too_many_descriptors_in_a_batch_are_reported(new_objects_only):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    loader = iter(DataLoader(Rows(200), batch_size=1, num_workers=1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 40, hard))
    try:
        with pytest.raises(RuntimeError, match="too many files are open"):
            next(loader)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    del loader
    # The error knows the frames that had the loader.
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= used


class Shared(Dataset):
    """Views of a tensor that the main process shares."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def test_spawned_workers():
    loader = DataLoader(Rows(), batch_size=10, num_workers=1, multiprocessing_context="spawn")
    batches = [batch[0] for batch in loader]
    assert all(batch.is_shared() for batch in batches)
    assert torch.equal(torch.cat(batches), Rows().rows)


def test_views_of_shared_data_stay_views(strategy):
    rows = torch.zeros(3, 2).share_memory_()
    for row in DataLoader(Shared(rows), batch_size=None, num_workers=1):
        row.add_(1)
    assert rows.tolist() == [[1, 1]] * 3


class Dies(Rows):
    """A worker is killed at the third sample."""

    def __getitem__(self, index):
        if index == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


def test_a_killed_worker_is_told_and_leaves_nothing(strategy):
    open_before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(RuntimeError, match="it was killed by signal SIGKILL"):
        list(DataLoader(Dies(), num_workers=2))
    assert len(os.listdir("/proc/self/fd")) <= open_before


def test_a_loader_that_is_left_leaves_nothing(strategy):
    for batch in DataLoader(Rows(), num_workers=2, prefetch_factor=4):
        assert batch[0].tolist() == [[0, 1]]
        break


def test_a_result_that_needs_gradients_is_refused():
    class Grown(Rows):
        def __getitem__(self, index):
            return torch.ones(2, requires_grad=True) * index

    with pytest.raises(RuntimeError, match="Cowardly refusing"):
        list(DataLoader(Grown(), num_workers=1))


def test_processes_that_a_thread_has_started_outlive_it():
    echo = "import sys; print(sys.stdin.readline().strip(), flush=True)"
    made = []

    def start():
        made.append(
            started(
                lambda: subprocess.Popen(
                    [sys.executable, "-c", echo],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    preexec_fn=lambda: end_with_parent(signal.SIGTERM, os.getppid()),
                )
            )
        )

    for _ in range(2):
        thread = threading.Thread(target=start)
        thread.start()
        thread.join()
    for process in made:
        assert process.communicate("still here") == ("still here\n", None)
        assert process.returncode == 0


def test_what_a_start_raises_is_its_callers():
    found = []

    def start():
        try:
            started(lambda: subprocess.Popen(["/no/such/program"]))
        except FileNotFoundError as error:
            found.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert len(found) == 1
