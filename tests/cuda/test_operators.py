"""Samples of every family of operators on the stand-in, beside the CPU.

Each family's samples are gone through in steps, so that some of all kinds are tried; `every_operator.py` tries all of
them.
"""

from __future__ import annotations

import pytest

from tests.cuda import every_operator

# Every so manyth sample, by family, and how many of these have no kernel: only to become fewer.
FAMILIES = {
    "comparison": (2, 0), "copy": (2, 0), "creation": (3, 0), "distances": (1, 0), "indexing": (4, 0),
    "joining": (4, 0), "losses": (4, 0), "matrix": (6, 0), "nested": (1, 0), "pointwise": (23, 0),
    "reduction": (9, 0), "resampling": (2, 0), "rows": (3, 0), "view": (13, 0), "windows": (4, 0),
    "fourier": (5, 0), "linalg": (6, 0), "searching": (2, 5), "sampling": (4, 0), "sparse": (1, 0),
}  # fmt: skip
# The same for gradients.
BACKWARD = {"indexing": 9, "linalg": 11, "losses": 7, "pointwise": 31, "rows": 7, "windows": 5}


@pytest.mark.parametrize("family", FAMILIES)
def test_samples_are_what_they_are_on_the_host(cuda, family):
    step, known = FAMILIES[family]
    _, wrong, absent = every_operator.tally(every_operator.plain_cases(family)[::step])
    assert not wrong, "\n".join(f"{title}: {why}" for title, why in wrong.items())
    assert len(absent) <= known, absent


@pytest.mark.parametrize("family", BACKWARD)
def test_gradients_are_what_they_are_on_the_host(cuda, family):
    cases = every_operator.plain_cases(family)[:: BACKWARD[family]]
    count, wrong, absent = every_operator.tally(cases, every_operator.backward_outcome)
    assert not wrong, "\n".join(f"{title}: {why}" for title, why in wrong.items())
    assert not absent and count[every_operator.RIGHT]
