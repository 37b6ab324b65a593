"""Results that may not be there yet."""

from __future__ import annotations

import threading

import pytest

from rushlight.futures import Future, collect_all, wait_all


def test_waiting_for_another_thread() -> None:
    future: Future[int] = Future()
    assert not future.done()
    with pytest.raises(RuntimeError, match="not done"):
        future.value()
    threading.Timer(0.01, future.set_result, (3,)).start()
    assert future.wait() == 3 and future.done() and future.value() == 3
    with pytest.raises(RuntimeError, match="only be marked completed once"):
        future.set_result(4)


def test_what_follows() -> None:
    future: Future[int] = Future()
    seen = []
    future.add_done_callback(lambda done: seen.append(done.value()))
    double = future.then(lambda done: done.value() * 2)
    broken = future.then(lambda done: done.value() // 0)
    future.set_result(5)
    future.add_done_callback(lambda done: seen.append(-done.value()))
    assert seen == [5, -5] and double.wait() == 10
    with pytest.raises(ZeroDivisionError):
        broken.wait()


def test_several() -> None:
    futures = [Future[int]() for _ in range(3)]
    whole = collect_all(futures)
    for k, future in enumerate(futures):
        assert not whole.done()
        future.set_result(k)
    assert [f.value() for f in whole.wait()] == [0, 1, 2] == wait_all(futures)
    assert collect_all([]).wait() == []
    failing: Future[int] = Future()
    failing.set_exception(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        wait_all([failing])
