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


@pytest.fixture
def quick_collections():
    """For tests that collect garbage many times: what there is before them is not looked at."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def no_garbage():
    """For tests that count bytes: tensors of earlier tests must not be collected meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
