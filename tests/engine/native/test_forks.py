"""A forked child inherits no lock of a thread that it lacks, and no module that such a thread has half imported."""

import os
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from rushlight.engine.native import forks

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
SLOW = """
import threading
begun.set()
may_end.wait()
whole = True
"""


def status_of_child(function):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if function() else 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def slow_module(tmp_path, monkeypatch):
    """The name of a module of this package whose import waits in its midst, and the two events."""
    import rushlight

    begun, may_end = threading.Event(), threading.Event()
    (tmp_path / "slow_to_import.py").write_text(
        "from builtins import _slow_to_import\nbegun, may_end = _slow_to_import\n" + SLOW
    )
    import builtins

    monkeypatch.setattr(builtins, "_slow_to_import", (begun, may_end), raising=False)
    monkeypatch.setattr(rushlight, "__path__", [*rushlight.__path__, str(tmp_path)])
    yield "rushlight.slow_to_import", begun, may_end
    sys.modules.pop("rushlight.slow_to_import", None)
    rushlight.__dict__.pop("slow_to_import", None)


def test_a_fork_waits_until_modules_are_whole(slow_module):
    name, begun, may_end = slow_module
    importing = threading.Thread(target=__import__, args=(name,))
    importing.start()
    begun.wait()
    ending = threading.Timer(0.2, may_end.set)
    ending.start()
    assert status_of_child(lambda: __import__(name).slow_to_import.whole) == 0
    importing.join()
    ending.join()


def test_an_import_without_end_does_not_keep_forks(slow_module, monkeypatch):
    name, begun, may_end = slow_module
    monkeypatch.setattr(forks, "_PATIENCE", 0.05)
    importing = threading.Thread(target=__import__, args=(name,))
    importing.start()
    begun.wait()
    assert status_of_child(lambda: True) == 0
    assert importing.is_alive()
    may_end.set()
    importing.join()


def test_a_module_may_fork_while_it_is_imported(tmp_path, monkeypatch):
    import rushlight

    (tmp_path / "forks_itself.py").write_text(
        "import os\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0)\n"
        "status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
    )
    monkeypatch.setattr(rushlight, "__path__", [*rushlight.__path__, str(tmp_path)])
    waits = []
    monkeypatch.setattr(
        forks, "time", SimpleNamespace(monotonic=time.monotonic, sleep=waits.append)
    )
    assert __import__("rushlight.forks_itself").forks_itself.status == 0
    assert not waits
    del sys.modules["rushlight.forks_itself"], rushlight.forks_itself


def test_a_thread_with_a_lock_may_import_before_the_process_forks(slow_module):
    name, begun, may_end = slow_module
    lock = threading.Lock()
    forks.hold_over_fork(lock)

    def work():
        with lock:
            __import__(name)

    working = threading.Thread(target=work)
    working.start()
    begun.wait()
    ending = threading.Timer(0.2, may_end.set)
    ending.start()
    try:
        assert (
            status_of_child(
                lambda: __import__(name).slow_to_import.whole and lock.acquire(timeout=0)
            )
            == 0
        )
        working.join()
        assert lock.acquire(timeout=0)
    finally:
        forks._locks.remove(lock)
    ending.join()


def test_the_import_lock_is_free_afterwards():
    import _imp

    assert status_of_child(lambda: not _imp.lock_held()) == 0
    assert not _imp.lock_held()


class SlowFinder:
    """Looks for a module for a while, and finds none."""

    name = "rushlight.slow_to_find"

    def __init__(self):
        self.begun, self.may_end = threading.Event(), threading.Event()

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            self.begun.set()
            self.may_end.wait()


def test_a_fork_waits_for_a_module_that_is_being_looked_for(monkeypatch):
    finder = SlowFinder()
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])

    def looks_in_vain():
        with pytest.raises(ModuleNotFoundError):
            __import__(finder.name)
        return True

    looking = threading.Thread(target=looks_in_vain)
    looking.start()
    finder.begun.wait()
    ending = threading.Timer(0.2, finder.may_end.set)
    ending.start()
    assert status_of_child(looks_in_vain) == 0
    looking.join()
    ending.join()
