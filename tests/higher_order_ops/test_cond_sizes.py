"""`cond` whose functions give results of different sizes: these are symbols without values."""

import pytest

import rushlight as torch
from rushlight._subclasses import FakeTensorMode
from rushlight.fx.experimental.symbolic_shapes import ShapeEnv


def both(one, other):
    """What a traced call gives whose functions give tensors of these sizes and strides."""
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        pred = mode.from_tensor(torch.tensor(True))
        made = torch.cond(
            pred, lambda: torch.empty_strided(*one), lambda: torch.empty_strided(*other)
        )
        return str(tuple(made.size())), str(tuple(made.stride()))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (((3,), (1,)), ((4,), (1,)), ("(u0,)", "(1,)")),
        (((5, 5), (1, 5)), ((4, 5), (1, 4)), ("(u0, 5)", "(1, u0)")),
        (((2, 3, 2), (0, 2, 1)), ((2, 3, 4), (0, 4, 1)), ("(2, 3, u0)", "(0, u0, 1)")),
    ],
)
def test_sizes_that_differ(one, other, expected):
    assert both(one, other) == expected


def test_what_lies_otherwise():
    with pytest.raises(RuntimeError, match="they lie in memory in different ways"):
        both(((2, 3), (3, 1)), ((2, 4), (1, 2)))
    with pytest.raises(RuntimeError, match="different types or numbers of dimensions"):
        both(((2, 3), (3, 1)), ((2,), (1,)))


def test_sizes_that_are_numbers():
    with FakeTensorMode(), pytest.raises(RuntimeError, match="they have different sizes"):
        pred = torch.empty((), dtype=torch.bool)
        torch.cond(pred, lambda: torch.empty(2), lambda: torch.empty(3))
