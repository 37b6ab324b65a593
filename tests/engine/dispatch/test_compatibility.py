import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.engine.dispatch.compatibility import breaks, widens
from rushlight.engine.dispatch.schema import parse

TOOL = Path(__file__).parents[3] / "tools" / "schemas.py"
OLD = "f(Tensor self, int dim=0, *, float eps=1.0) -> Tensor"


def test_no_operator_breaks_programs_written_against_the_record():
    done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True)
    assert done.stdout.strip() == "compatible", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("new", "what"),
    [
        ("f(Tensor self, *, float eps=1.0) -> Tensor", "positional arguments"),
        ("f(Tensor self, int dim=0, *, float eps=1.0, int k) -> Tensor", "has no default"),
        ("f(Tensor self, str dim=0, *, float eps=1.0) -> Tensor", "was int and is str"),
        ("f(Tensor(a!) self, int dim=0, *, float eps=1.0) -> Tensor", "aliases differently"),
    ],
)
def test_breaks_are_named(new, what):
    assert any(what in line for line in breaks(parse(OLD), parse(new)))


def test_types_that_take_more():
    assert widens("int", "float") and widens("Tensor", "Tensor?") and widens("SymInt[]", "int[]")
    assert not widens("Tensor?", "Tensor") and not widens("float", "int")
