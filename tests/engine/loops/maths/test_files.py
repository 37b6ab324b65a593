"""The functions are where the package says that they are."""

import pytest

from rushlight.engine.loops import maths


def test_every_name_is_found():
    names = [name for name in dir(maths) if not name.startswith("_")]
    assert {"exp", "sin_cos", "zeta", "complex_functions", "integers"} <= set(names)
    for name in maths.FUNCTIONS:
        function = getattr(maths, name)
        assert function.__name__ == name
        assert getattr(maths, name) is function


def test_other_names_are_errors():
    with pytest.raises(AttributeError, match="has no attribute 'no'"):
        maths.no  # noqa: B018
