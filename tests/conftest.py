"""What tests of every folder share."""

import gc

import pytest


@pytest.fixture
def no_garbage():
    """For tests that count bytes: tensors of earlier tests must not be collected meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
