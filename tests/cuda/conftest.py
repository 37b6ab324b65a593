"""Tests of CUDA without a GPU: the interpreter and the stand-in are found by these tests."""

import gc
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def what_was_there_before_is_not_searched():
    """Collections at the end of tests look at what the test has made, not at all that the process has loaded."""
    yield gc.freeze
    gc.unfreeze()


@pytest.fixture
def with_stand_in(monkeypatch, what_was_there_before_is_not_searched):
    """A function that puts a stand-in in the place of the driver, for the test."""
    import stand_in_libraries
    from stand_in import StandIn

    from rushlight.engine.core import device as devices
    from rushlight.engine.cuda import (
        caching,
        context,
        cufft,
        driver,
        libraries,
        pinned,
        streams,
    )

    what_was_there_before_is_not_searched()

    def forget():
        gc.collect()
        context.stop()
        for room in (caching, cufft, pinned, streams):
            room.forget()

    def use(**settings):
        forget()
        monkeypatch.delitem(devices._KEYS, "cuda", raising=False)
        made = StandIn(**settings)
        driver.use(made)
        stood_in = stand_in_libraries.in_place(made)
        for name in libraries.KNOWN:
            # A library itself has no use for the stand-in's memory.
            libraries._loaded[name] = stood_in.get(name)
        return made

    yield use
    forget()
    driver.use(None)
    for name in libraries.KNOWN:
        libraries.use(name, None)
    monkeypatch.undo()
    for table in (devices._KEYS, devices._with_numbers, devices.memories):
        table.pop("cuda", None)


@pytest.fixture
def cuda(request):
    """A stand-in that runs everything at once; the driver itself with ``RUSHLIGHT_TEST_DEVICE=cuda``."""
    if os.environ.get("RUSHLIGHT_TEST_DEVICE") != "cuda":
        return request.getfixturevalue("with_stand_in")()
    from rushlight.engine.cuda import driver

    found = driver.find()
    assert found is not None, "there is no driver"
    return found
