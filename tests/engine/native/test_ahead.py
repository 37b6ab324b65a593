"""Code that a thread compiles while Python goes on."""

import os
import threading

import pytest

from rushlight.engine.native import ahead, observe


@pytest.fixture
def threads_end():
    """Waits for the threads that a test has started."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join()


def test_another_thread_asks(monkeypatch, threads_end):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    asked_by: list[int] = []
    done = threading.Event()

    def ask() -> None:
        asked_by.append(threading.get_ident())
        done.set()

    ahead.compile_ahead(ask)
    assert done.wait(60)
    assert asked_by != [threading.get_ident()]


def test_an_error_is_left_to_who_needs_the_code(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    heard: list[object] = []
    monkeypatch.setattr(threading, "excepthook", heard.append)
    before = set(threading.enumerate())
    ahead.compile_ahead(lambda: 1 // 0)
    for thread in set(threading.enumerate()) - before:
        thread.join()
    assert heard == []


def test_there_may_be_no_more_threads(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def refused(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    asked: list[int] = []
    ahead.compile_ahead(lambda: asked.append(1))
    assert asked == []


@pytest.mark.parametrize("why", ["one processor", "somebody listens"])
def test_nobody_asks(monkeypatch, why):
    monkeypatch.setattr(os, "cpu_count", lambda: 1 if why == "one processor" else 2)
    asked: list[int] = []

    def call() -> None:
        before = set(threading.enumerate())
        ahead.compile_ahead(lambda: asked.append(1))
        assert set(threading.enumerate()) <= before

    if why == "somebody listens":
        with observe.listening(lambda kind, value: None):
            call()
    else:
        call()
    assert asked == []
