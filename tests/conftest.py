"""What tests of every folder share."""

import gc
import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# No test depends on timing, also on a busy machine.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_configure(config):
    """Hundreds of processes are started: where nobody keeps byte code, all would compile all modules."""
    if sys.flags.dont_write_bytecode and not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="rushlight-bytecode-")
        del os.environ["PYTHONDONTWRITEBYTECODE"]
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """None of the many objects that tests are made of is garbage: a third of the time is to look at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """The end looks for garbage ten times: once what the process has loaded is looked at."""
    gc.collect()
    gc.freeze()


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
