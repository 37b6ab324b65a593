"""What tests of every folder share."""

import gc
import os
import random
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# No test depends on timing, also on a busy machine.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# What must pass tries the same inputs each time; ever new ones are for `--hypothesis-profile=searching`.
settings.register_profile("searching", patient)
settings.register_profile("same", patient, derandomize=True)
settings.load_profile("same")


def pytest_addoption(parser):
    parser.addoption(
        "--every-sample",
        action="store_true",
        help="sweep over all samples in all ways, where a fixed part of them is tried otherwise",
    )


@pytest.fixture
def every_sample(request):
    """Whether a sweep tries all that there is; else a fixed part that meets every operator or call."""
    return request.config.getoption("--every-sample")


@pytest.fixture
def learned_at_once(monkeypatch):
    """Classes of calls are learned from the second size on, as tests of what is learned want it."""
    monkeypatch.setattr("rushlight.engine.dispatch.call_cache.classes.few_calls", 0)


@pytest.fixture(autouse=True, scope="session")
def learned_at_once_in_sweeps(request):
    """Nights learn all that comes with a second size, in every test."""
    if request.config.getoption("--every-sample"):
        from rushlight.engine.dispatch.call_cache import classes

        classes.few_calls = 0


def pytest_sessionstart(session):
    """Numbers that the modules loaded so far contain are inputs, too, where ever new ones are searched for.

    What must pass would otherwise try others after tests that load more modules; to read the source of all
    of them takes a while besides.
    """
    if settings.get_current_profile_name() != "searching":
        providers.is_local_module_file = lambda path: False


def pytest_configure(config):
    """Hundreds of processes are started: where nobody keeps byte code, all would compile all modules.

    It is kept beside what pytest keeps, so that the next run has it too, and that of the tests.
    """
    if sys.flags.dont_write_bytecode and not hasattr(config, "workerinput"):
        folder = str(config.rootpath / ".pytest_cache" / "bytecode")
        del os.environ["PYTHONDONTWRITEBYTECODE"]
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        sys.dont_write_bytecode, sys.pycache_prefix = False, folder


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Random numbers of a test are the same whatever tests came before."""
    random.seed(0)
    np.random.seed(0)
    if "rushlight" in sys.modules:
        sys.modules["rushlight"].manual_seed(0)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """None of the many objects that tests are made of is garbage: a third of the time is to look at them.

    What tests make later is mostly kept, too: looks at all that there is, of seconds each, come a hundred
    times less often.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.set_threshold(*gc.get_threshold()[:2], 1000)
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each file is left to one of the processes that share the tests: what its tests have in common is learned once."""
    if config.getoption("dist") == "load":
        from scheduling import ByFile

        return ByFile(config, log)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """The end looks for garbage ten times: once what the process has loaded is looked at."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def new_objects_only():
    """Searches of all objects look only at what the test makes, not at all that the process has loaded."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def collect():
    """A function that collects what the test has made, and nothing older.

    A look at all that the process has loaded takes a second. Nor must tensors of earlier tests be
    collected while bytes are counted.
    """
    gc.disable()
    gc.collect(1)
    yield lambda: gc.collect(1)
    gc.enable()
