"""When Python looks for cyclic garbage."""

import gc
import sys
import types

import pytest

from rushlight._state.garbage import importing


@pytest.fixture(autouse=True)
def no_searches():
    gc.collect()
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
