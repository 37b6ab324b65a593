"""Views, changes in place and versions do what PyTorch does: its outcomes are recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import rushlight as torch

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
