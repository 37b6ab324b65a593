"""Views, changes in place and versions do what PyTorch does: its outcomes are recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.engine.autograd import meta as metas

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from view_cases import CASES, outcome  # noqa: E402

RECORDED = json.loads((HERE / "view_outcomes.json").read_text())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_outcome(name: str) -> None:
    assert outcome(torch, CASES[name]) == RECORDED[name]


def test_all_outcomes_are_recorded() -> None:
    assert set(RECORDED) == set(CASES)
    assert len(CASES) >= 60


def test_a_write_through_the_only_view_looks_for_no_others(monkeypatch: Any) -> None:
    looks: list[Any] = []
    monkeypatch.setattr(metas.gc, "get_referrers", lambda item: looks.append(item) or [])
    values = torch.ones(3, requires_grad=True)
    whole = torch.zeros(2, 3)
    whole[0] = values * 2
    (values * 2).repeat(2, 2)
    assert not looks
    whole.sum().backward()
    assert values.grad.tolist() == [2.0, 2.0, 2.0]
    whole = torch.zeros(2, 3)
    row = whole[1]
    whole[0] = values
    assert len(looks) == 1
    assert looks[0] is whole
    del row
