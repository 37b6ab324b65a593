"""What tests of every folder share."""

import gc

import pytest
from hypothesis import HealthCheck, settings

# No test depends on timing, also on a busy machine.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
def no_garbage():
    """For tests that count bytes: tensors of earlier tests must not be collected meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()
