"""Parameters."""

from __future__ import annotations

import gc

import pytest

import rushlight as torch


def test_a_parameter_over_memory_that_others_view_is_made_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A new tensor has no views, so nobody looks for them among all objects: checkpoints have many."""

    def refused(*_: object) -> None:
        raise AssertionError("a look at every object")

    whole = torch.arange(12.0)
    part = whole[2:8]
    alias = part.data
    held = [part.view(2, 3), alias.view(3, 2), whole.view(3, 4)]
    monkeypatch.setattr(gc, "get_referrers", refused)
    made = torch.nn.Parameter(alias)
    assert made.requires_grad
    assert made.is_leaf
    made.sum().backward()
    assert made.grad.tolist() == [1.0] * 6
    assert not any(view.requires_grad for view in held)
    monkeypatch.undo()
    view = made.data.view(6)
    assert not view.requires_grad
