"""What the call cache notes of a call, as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from expecttest import assert_expected_inline

import rushlight as torch
from rushlight.engine.core import state, symbolic
from rushlight.engine.dispatch.call_cache.recorder import recording
from rushlight.nn import functional as F

X = torch.arange(12.0).reshape(3, 4)
W = torch.ones(4, requires_grad=True)


def steps_of(call: Callable[..., Any], *tensors: torch.Tensor) -> str:
    """The steps of a call: their kinds, and which tensors each one takes: those given, or made before."""
    recording.steps = []
    # Whatever other tests have called, it is made in Python here.
    state.busy(+1)
    try:
        call(*tensors)
        steps = list(recording.steps)
    finally:
        state.busy(-1)
        recording.steps = None
    known = [*tensors]
    lines = []
    for step in steps:
        operands = [x for x in getattr(step, "operands", ()) if isinstance(x, torch.Tensor)]
        places = [next((f"%{k}" for k, t in enumerate(known) if t is x), "?") for x in operands]
        made = getattr(step, "made", None)
        line = f"{type(step).__name__}({', '.join(places)})"
        if isinstance(made, torch.Tensor) and all(made is not t for t in known):
            line = f"%{len(known)} = {line}"
            known.append(made)
        lines.append(line)
    return "\n".join(lines)


def test_one_plan() -> None:
    assert_expected_inline(steps_of(torch.add, X, X), """%2 = Produced(%0, %0)""")


def test_a_composite_of_views_and_plans() -> None:
    assert_expected_inline(
        steps_of(torch.diff, X),
        """\
%1 = View(%0)
%2 = View(%0)
%3 = Produced(%1, %2)""",
    )
    assert_expected_inline(steps_of(lambda x: F.layer_norm(x, (4,)), X), """Produced(%0)""")


def test_a_call_with_a_history() -> None:
    assert_expected_inline(
        steps_of(torch.mul, X, W),
        """\
%2 = Produced(%0, %1)
Record(%0, %1)""",
    )


def test_a_change_in_place_with_a_history() -> None:
    assert_expected_inline(
        steps_of(lambda x, w: x.mul_(w), W * 1, W),
        """\
Shadow()
%2 = Produced(?)
Record(%0)
Changed(%0, %1)
Mapped(%0, %0, %1)
Record(%2, %1)""",
    )


def test_symbolic_sizes() -> None:
    with symbolic.Trace([6, 4], [True, True]) as trace:
        n, m = trace.inputs
        shown = [trace.text(x) for x in (n * m + 2 * n, (n + 1) // 2, symbolic.minimum(n, m - 1))]
        assert bool(n > m)
    assert_expected_inline(
        "\n".join([*shown, *trace.guard_texts]),
        """\
s0*s1 + 2*s0
((s0 + 1)//2)
Min(s0, s1 - 1)
s1 < s0""",
    )
