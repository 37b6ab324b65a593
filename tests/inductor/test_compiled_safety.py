"""Compiled programs under threads, forks, interrupts and kills, and in a second process."""

import faulthandler
import functools
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

import pytest

import rushlight as torch
from rushlight._lazy.running import Recorder, recorder
from rushlight._state import interrupts

WITH_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")


def make(number):
    """A program that no other test has compiled."""

    def program(x, w):
        y = torch.relu(x @ w) * (number + 0.5)
        return torch.softmax(y - y.mean(-1, keepdim=True), -1) + number

    return program


def example(rows):
    return torch.linspace(-1, 1, rows * 4).view(rows, 4), torch.linspace(0, 1, 12).view(4, 3)


def agrees(compiled, program, rows):
    x, w = example(rows)
    return torch.allclose(compiled(x, w), program(x, w), atol=1e-6)


def test_threads_compile_and_run_one_function():
    program = make(1)
    compiled = torch.compile(program)
    wrong, start = [], threading.Barrier(4)

    def work(number):
        start.wait()
        try:
            for k in range(12):
                if not agrees(compiled, program, 1 + (k + number) % 5):
                    wrong.append((number, k))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_train_by_compiled_functions():
    program = make(2)
    compiled = torch.compile(program)
    found, errors = {}, []

    def work(number):
        try:
            x, w = example(3)
            w = w.clone().requires_grad_()
            for _ in range(5):
                (compiled(x, w) ** 2).sum().backward()
            found[number] = w.grad
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    x, w = example(3)
    w = w.clone().requires_grad_()
    for _ in range(5):
        (program(x, w) ** 2).sum().backward()
    for grad in found.values():
        torch.testing.assert_close(grad, w.grad, rtol=1e-4, atol=1e-4)


def in_child(function):
    """Whether a function is true in a forked process, which must end in time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            faulthandler.dump_traceback_later(50, exit=True)
            status = 0 if function() else 2
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@WITH_FORK
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_runs_what_was_compiled_and_compiles_more():
    program, other = make(3), make(4)
    compiled = torch.compile(program)
    assert agrees(compiled, program, 2)
    assert in_child(
        lambda: (
            agrees(compiled, program, 2)
            and agrees(compiled, program, 5)
            and agrees(torch.compile(other), other, 3)
        )
    )
    assert agrees(compiled, program, 3)


def compiles_and_is_lazy(program, number):
    made = torch.ones(3, device="lazy") * 2 + number
    return agrees(torch.compile(program), program, 2) and made.tolist() == [2.0 + number] * 3


@WITH_FORK
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_another_thread_compiles():
    ended = threading.Event()
    wrong = []

    def work():
        number = 100
        while not ended.is_set():
            number += 1
            program = make(number)
            if not agrees(torch.compile(program), program, 2):
                wrong.append(number)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for k in range(4):
            time.sleep(0.02 * k)
            program = make(50 + k)
            assert in_child(functools.partial(compiles_and_is_lazy, program, k))
    finally:
        ended.set()
        thread.join()
    assert wrong == []


@pytest.fixture
def interruptible():
    """Interrupts raise, also where whoever started this process has them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


# An interrupt within a finalizer is shown and dropped.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
@pytest.mark.parametrize("device", ["cpu", "lazy"])
def test_interrupts_leave_compiled_functions_as_they_were(device, interruptible):
    before = signal.signal(signal.SIGALRM, lambda *unused: signal.raise_signal(signal.SIGINT))
    chance = random.Random(0)
    hits = 0
    try:
        for number in range(200, 225):
            program = make(number)
            compiled = torch.compile(program) if device == "cpu" else program

            def call(compiled=compiled):
                x, w = example(3)
                return compiled(x.to(device), w.to(device)).cpu()

            for _ in range(2):
                try:
                    signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-4, 0.06))
                    call()
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except KeyboardInterrupt:
                    hits += 1
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            x, w = example(3)
            torch.testing.assert_close(call(), program(x, w))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert hits > 0


def interrupted_in(monkeypatch, owner, name):
    """Let the next call of a method be interrupted when its work is done."""
    own = getattr(owner, name)

    def method(*args):
        made = own(*args)
        monkeypatch.setattr(owner, name, own)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(owner, name, method)


def test_an_interrupt_leaves_no_half_recorded_call(interruptible, monkeypatch):
    class Inputs(list):
        def append(self, item):
            super().append(item)

    x, w = (t.to("lazy") for t in example(3))
    recorder.cut()
    monkeypatch.setattr(recorder.trace, "inputs", Inputs())
    interrupted_in(monkeypatch, Inputs, "append")
    with pytest.raises(KeyboardInterrupt):
        x @ w
    assert torch.equal((x @ w).cpu(), torch.matmul(*example(3)))


def test_an_interrupted_cut_writes_once(interruptible, monkeypatch):
    x = torch.ones(3).to("lazy")
    x.add_(1)
    interrupted_in(monkeypatch, Recorder, "_compute")
    with pytest.raises(KeyboardInterrupt):
        x.tolist()
    assert x.tolist() == [2.0] * 3


def test_a_second_interrupt_does_not_wait(interruptible):
    seen = []
    with pytest.raises(KeyboardInterrupt), interrupts.deferred():
        signal.raise_signal(signal.SIGINT)
        seen.append("goes on")
        signal.raise_signal(signal.SIGINT)
        seen.append("never")
    assert seen == ["goes on"]
    with pytest.raises(KeyboardInterrupt), interrupts.deferred(), interrupts.deferred():
        signal.raise_signal(signal.SIGINT)
        seen.append("ended")
    assert seen[-1] == "ended"


PROGRAM = textwrap.dedent(
    """
    import rushlight as torch
    from rushlight.engine.native import machine

    count = 0
    own = machine._compile
    def counted(*args):
        global count
        count += 1
        return own(*args)
    machine._compile = counted

    def program(x, w):
        y = torch.relu(x @ w) * 7.125
        return torch.softmax(y - y.mean(-1, keepdim=True), -1)

    compiled = torch.compile(program)
    x = torch.linspace(-1, 1, 12).view(3, 4)
    w = torch.linspace(0, 1, 12).view(4, 3).requires_grad_()
    for _ in range(3):
        compiled(x, w).square().sum().backward()
    lazy = torch.linspace(0, 1, 5).to("lazy")
    made = (lazy.exp() * 3 - lazy).cpu()
    expected = program(x, w).square().sum()
    assert torch.allclose(compiled(x, w).square().sum(), expected)
    print(count)
    """
)


def start(folder):
    set_up = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=set_up, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def compiled_in(process):
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return int(out)


def test_a_second_process_compiles_nothing(tmp_path):
    assert compiled_in(start(tmp_path)) > 0
    assert compiled_in(start(tmp_path)) == 0


def test_kills_and_damage_cost_time_only(tmp_path):
    chance = random.Random(1)
    for k in range(3):
        process = start(tmp_path)
        time.sleep(0.4 + 0.4 * k)
        process.kill()
        process.communicate()
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    for path in chance.sample(files, min(len(files), 5)):
        content = bytearray(path.read_bytes())
        if content:
            content[chance.randrange(len(content))] ^= 0xFF
            path.write_bytes(content[: chance.choice([len(content), len(content) // 2])])
    both = [start(tmp_path), start(tmp_path)]
    for process in both:
        compiled_in(process)
    assert compiled_in(start(tmp_path)) == 0
