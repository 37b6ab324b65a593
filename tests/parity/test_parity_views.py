"""The recorded outcomes of `tests/autograd/view_cases.py` are PyTorch's."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

CASES_AT = Path(__file__).parents[1] / "autograd"
sys.path.insert(0, str(CASES_AT))
from view_cases import CASES, outcome  # noqa: E402

RECORDED = json.loads((CASES_AT / "view_outcomes.json").read_text())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_outcome(name: str) -> None:
    assert outcome(torch, CASES[name]) == RECORDED[name]
