"""Every overload has a call function in the module of its family."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.engine import calls
from rushlight.engine.calls import pointwise
from rushlight.engine.dispatch import operator
from rushlight.engine.dispatch.source import identifier


def test_every_overload_is_found_by_its_name() -> None:
    for full_name, (_, family, *_) in operator.index().items():
        if not full_name.startswith("aten::"):
            # Programs call those by their names in `ops`, and nobody else does.
            continue
        name = identifier(full_name.removeprefix("aten::"))
        assert calls._overload(name, family) == full_name.removeprefix("aten::"), full_name


def test_functions_are_made_once_and_listed() -> None:
    assert pointwise.add_Tensor is pointwise.add_Tensor
    assert pointwise.add_Tensor(torch.ones(2), torch.ones(2), 3).tolist() == [4, 4]
    assert {"add_Tensor", "abs_", "abs_out"} <= set(dir(pointwise))
    assert "cat" not in dir(pointwise)


def test_names_that_are_none() -> None:
    with pytest.raises(AttributeError, match=r"calls.pointwise' has no attribute 'cat'"):
        pointwise.cat  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'dentistry'"):
        calls.dentistry  # noqa: B018


def test_remembered_functions_are_repeated_by_machine_code() -> None:
    from rushlight.engine.calls import remembered

    function = remembered.pointwise.add_Tensor
    assert function is operator.operator("aten::add.Tensor").remembered_call
    assert remembered.pointwise is not pointwise and dir(remembered.pointwise) == dir(pointwise)
    for k in range(5):
        assert function(torch.full((2,), k), torch.ones(2), 3).tolist() == [k + 3, k + 3]
    with pytest.raises(AttributeError, match=r"calls.remembered' has no attribute 'dentistry'"):
        remembered.dentistry  # noqa: B018
