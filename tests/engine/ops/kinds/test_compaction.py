"""When results whose size elements decide are planned for machine code."""

import pytest

import rushlight as torch
from rushlight.engine.ops.kinds import compaction

CALLS = {
    "nonzero": lambda x: (x > 1).nonzero(),
    "columns": lambda x: torch.where(x > 1),
    "rows": lambda x: x[x > 1],
    "runs": torch.unique_consecutive,
    "repeats": lambda x: x.repeat_interleave(x),
    "classes": torch.nn.functional.one_hot,
}


@pytest.mark.parametrize("name", CALLS)
def test_the_second_call_is_planned(name, monkeypatch):
    plan, planned = compaction.Sized, []
    monkeypatch.setattr(compaction, "Sized", lambda *a, **k: planned.append(a) or plan(*a, **k))
    x = torch.arange(23) % 7
    results = []
    for count in (0, 1, 1):
        results.append(CALLS[name](x))
        assert len(planned) == count
    torch.testing.assert_close(results[2], results[0])
