"""The thread pool: numbers of threads, forks, many callers."""

import os
import subprocess
import sys
import threading

import pytest

import rushlight as torch

SIZE = 3_000_000


@pytest.fixture(autouse=True)
def same_number_of_threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def source():
    return torch.arange(SIZE).to(torch.float32) * 1e-6


def test_numbers_of_threads():
    for number in (1, 2, 5, 2):
        torch.set_num_threads(number)
        assert torch.get_num_threads() == number
        assert (torch.ones(SIZE) + 1).sum().item() == 2 * SIZE
    with pytest.raises(RuntimeError, match="positive"):
        torch.set_num_threads(0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.exp(),
        lambda x: x.sum(),
        lambda x: x.reshape(1000, -1).sum(0),
        lambda x: x.reshape(1000, -1).sum(1),
        lambda x: x.mean(),
        lambda x: x.reshape(100, -1).softmax(1),
        lambda x: x.reshape(-1, 100).t() + 1,
        lambda x: x.cumsum(0),
        lambda x: x.var(),
        lambda x: x.max(),
    ],
)
def test_results_do_not_depend_on_the_number(source, call):
    found = []
    for number in (1, 2, 3):
        torch.set_num_threads(number)
        found.append(call(source))
    assert torch.equal(found[0], found[1]) and torch.equal(found[0], found[2])


def test_many_callers(source):
    expected = [((source + n).sum().item(), (source * n)[12345].item()) for n in range(8)]
    failures = []

    def work(n):
        for _ in range(10):
            if ((source + n).sum().item(), (source * n)[12345].item()) != expected[n]:
                failures.append(n)
            small = torch.full((n + 2,), float(n))
            if (small + small).tolist() != [2.0 * n] * (n + 2):
                failures.append(-n)

    callers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not failures


FORKING = """
import os, signal
import rushlight as torch
torch.set_num_threads(2)
x = torch.ones(3_000_000)
assert (x + 1).sum().item() == 6_000_000
for _ in range(5):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        ok = all((x + n).sum().item() == 3_000_000 * (n + 1) for n in range(5))
        ok = ok and torch.get_num_threads() == 2
        ok = ok and x.cos()[0].item() < 1 and x.double().sum().item() == 3_000_000
        os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (x + 1).sum().item() == 6_000_000
print("fine")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_children():
    done = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "fine\n", done.stderr


def test_forks_while_others_compute():
    script = """
import os, signal, threading
import rushlight as torch
x = torch.ones(3_000_000)
assert (x * 2).sum().item() == 6_000_000
stop = False
def busy():
    while not stop:
        x + 1
workers = [threading.Thread(target=busy, daemon=True) for _ in range(2)]
for w in workers: w.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if (x * 2).sum().item() == 6_000_000 else 1)
    assert os.waitpid(child, 0)[1] == 0
stop = True
for w in workers: w.join()
print("fine")
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "fine\n", done.stderr


def test_first_calls_from_many_threads():
    script = """
import threading
import rushlight as torch
x = torch.arange(1000.0)
gate, failures = threading.Barrier(8), []
def work(n):
    gate.wait()
    try:
        assert (x * n + 1).sum().item() == 499500 * n + 1000
        assert torch.cat([x, x])[1500].item() == 500 and x.t()[3].item() == 3
    except BaseException as error:
        failures.append(error)
workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for w in workers: w.start()
for w in workers: w.join()
print(failures)
"""
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
        )
        assert done.stdout == "[]\n", done.stdout + done.stderr


@pytest.mark.parametrize("name", ["set_num_threads", "set_num_interop_threads"])
def test_numbers_of_threads_are_checked(name: str) -> None:
    choose = getattr(torch, name)
    for wrong, error, words in (
        (0, RuntimeError, f"{name} expects a positive integer"),
        (-1, RuntimeError, f"{name} expects a positive integer"),
        (2**65, ValueError, "Overflow when unpacking long"),
        (True, RuntimeError, f"{name} expects an int, but got bool"),
        (1.5, RuntimeError, f"{name} expects an int, but got float"),
    ):
        with pytest.raises(error, match=words):
            choose(wrong)


def test_more_threads_than_are_useful_are_not_started() -> None:
    program = (
        "import os, threading, rushlight as torch\n"
        "torch.set_num_threads(100000)\n"
        "assert torch.get_num_threads() == 100000\n"
        "assert (torch.ones(1 << 20) + 1).sum().item() == 2 << 20\n"
        "print(len(os.listdir('/proc/self/task')) if os.path.isdir('/proc/self/task') else 1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) <= max(16, 2 * (os.cpu_count() or 1)) + 4


def test_the_surroundings_say_how_many_threads() -> None:
    program = "import rushlight as torch; print(torch.get_num_threads())"
    for value, wanted in (("3", "3"), ("2,1", "2"), ("", None), ("x", None)):
        surroundings = {**os.environ, "OMP_NUM_THREADS": value, "MKL_NUM_THREADS": ""}
        done = subprocess.run(
            [sys.executable, "-c", program], env=surroundings, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        usual = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
        assert done.stdout.strip() == (wanted or str(usual))
