"""When Python looks for cyclic garbage."""

import gc
import os
import subprocess
import sys
import types

import pytest

from rushlight.engine.native.garbage import importing


@pytest.fixture(autouse=True)
def no_searches():
    """All that there is before a test is old in it; to search it would take seconds."""
    gc.freeze()
    gc.unfreeze()
    gc.disable()
    yield
    gc.enable()
    sys.modules.pop("a_module_of_this_test", None)


def is_young(thing: object) -> bool:
    return any(x is thing for generation in (0, 1) for x in gc.get_objects(generation))


def test_what_an_import_makes_is_old_at_once():
    with importing():
        made = [types.ModuleType("a_module_of_this_test")]
        sys.modules["a_module_of_this_test"] = made[0]
    assert not is_young(made)
    assert is_young([made])


def test_a_block_that_imports_nothing_ages_nothing():
    with importing():
        made = [object()]
    assert is_young(made)


def test_what_a_program_has_frozen_stays_so():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with importing():
            sys.modules["a_module_of_this_test"] = types.ModuleType("a_module_of_this_test")
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()


def test_a_failed_import_leaves_searches_on():
    gc.enable()
    with pytest.raises(ImportError), importing():
        import a_module_that_is_not_there  # noqa: F401
    assert gc.isenabled()


def end_of(program: str, tmp_path) -> str:
    """What a file says after a process has run a program that writes to it."""
    path = tmp_path / "said"
    beginning = f"import rushlight\npath = {str(path)!r}\n"
    subprocess.run([sys.executable, "-c", beginning + program], check=True)
    return path.read_text()


def test_a_file_in_a_cycle_is_written_at_exit(tmp_path):
    program = "class Log:\n    file = open(path, 'w')\nLog.file.write('all')"
    assert end_of(program, tmp_path) == "all"


def test_a_finalizer_in_a_cycle_runs_at_exit(tmp_path):
    program = """
class Node:
    def __init__(self):
        self.itself = self
    def __del__(self, open=open):
        with open(path, "a") as file:
            file.write("done")
kept = Node()
"""
    assert end_of(program, tmp_path) == "done"


def test_a_waiting_generator_is_closed_at_exit(tmp_path):
    program = """
def items(open=open, path=path):
    try:
        yield 1
    finally:
        with open(path, "w") as file:
            file.write("closed")
class Holder:
    waiting = items()
next(Holder.waiting)
"""
    assert end_of(program, tmp_path) == "closed"


@pytest.mark.parametrize("compiles", [False, True])
def test_nothing_is_searched_at_exit_if_nothing_waits_for_it(compiles, tmp_path):
    path = tmp_path / "said"
    program = f"""
import atexit, gc, sys
def tell():
    with open({str(path)!r}, "w") as file:
        file.write(str((gc.get_freeze_count() > 10_000, "llvmlite" in sys.modules)))
# What is registered first runs last.
atexit.register(tell)
import rushlight
rushlight.ones(2) + 1
"""
    surroundings = {**os.environ, "RUSHLIGHT_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(1 if compiles else 2):
        subprocess.run([sys.executable, "-c", program], check=True, env=surroundings)
    assert path.read_text() == str((True, compiles))
