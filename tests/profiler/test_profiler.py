"""Recorded operators: names, counts, nesting, schedules and traces."""

import json

import pytest

import rushlight as torch
from rushlight.profiler import ProfilerAction, profile, record_function, schedule


def test_operators_are_counted():
    x = torch.ones(3)
    with profile(record_shapes=True) as recorded:
        for _ in range(3):
            torch.relu(x)
        x.sum()
    counts = {average.key: average.count for average in recorded.key_averages()}
    assert counts["aten::relu"] == 3 and counts["aten::sum"] == 1
    first = next(e for e in recorded.events() if e.name == "aten::relu")
    assert first.input_shapes == [[3]] and first.cpu_time_total > 0
    table = recorded.key_averages().table(sort_by="cpu_time_total", row_limit=1)
    assert "aten::" in table and "Self CPU time total" in table


def test_nothing_is_recorded_outside():
    with profile() as recorded:
        pass
    torch.relu(torch.ones(1))
    assert recorded.events() == []


def test_blocks_hold_what_is_called_within():
    with profile() as recorded, record_function("mine"):
        torch.relu(torch.ones(2))
    block = next(e for e in recorded.events() if e.name == "mine")
    inside = [e for e in recorded.events() if e.name == "aten::relu"]
    assert inside[0] in block.cpu_children and inside[0].cpu_parent is block
    assert block.time_range.start <= inside[0].time_range.start
    assert block.self_cpu_time_total < block.cpu_time_total


def test_traces(tmp_path):
    with profile() as recorded:
        torch.relu(torch.ones(2))
    recorded.add_metadata("note", "here")
    path = tmp_path / "trace.json"
    recorded.export_chrome_trace(str(path))
    document = json.loads(path.read_text())
    assert document["note"] == "here"
    assert any(e["name"] == "aten::relu" and e["ph"] == "X" for e in document["traceEvents"])
    folder = tmp_path / "traces"
    handler = torch.profiler.tensorboard_trace_handler(str(folder), use_gzip=True)
    with profile(on_trace_ready=handler):
        torch.relu(torch.ones(2))
    assert len(list(folder.glob("*.pt.trace.json.gz"))) == 1


def test_schedules():
    plan = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    actions = [plan(step) for step in range(7)]
    none, record = ProfilerAction.NONE, ProfilerAction.RECORD
    last = ProfilerAction.RECORD_AND_SAVE
    assert actions == [none, none, ProfilerAction.WARMUP, record, last, none, none]
    with pytest.raises(AssertionError):
        schedule(wait=0, warmup=0, active=0)


def test_steps_of_a_schedule():
    handed = []
    x = torch.ones(1)
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda p: handed.append([e.name for e in p.events()]),
    ) as recorded:
        for _ in range(9):
            torch.relu(x)
            recorded.step()
    assert len(handed) == 2
    assert [n.partition("#")[0] for n in handed[0]] == ["ProfilerStep", "aten::relu"] * 2
    assert handed[0][0] == "ProfilerStep#2" and handed[1][0] == "ProfilerStep#6"


def test_whether_a_profiler_records():
    assert torch.profiler.kineto_available()
    assert not torch.autograd._profiler_enabled()
    with profile() as recorded:
        assert torch.autograd._profiler_enabled()
        torch.relu(torch.ones(1))
        torch.autograd._disable_profiler()
        assert not torch.autograd._profiler_enabled()
        torch.relu(torch.ones(1))
    assert [e.name for e in recorded.events()].count("aten::relu") == 1


def test_the_schedule_that_records_all():
    assert torch.profiler.profiler._default_schedule_fn(3) is ProfilerAction.RECORD


def test_the_profiler_of_the_older_namespace(tmp_path):
    older = torch.autograd.profiler.profile
    with older(record_shapes=True, use_kineto=True) as recorded, record_function("outer"):
        made = torch.ones(2) * 2
        with record_function("inner"):
            made - 1
    names = [event.name for event in recorded.function_events]
    wanted = ["outer", "aten::mul", "inner", "aten::sub"]
    assert [name for name in names if name in wanted] == wanted
    assert recorded.total_average().count == len(names) == len(recorded.function_events)
    assert "outer" in str(recorded) and "TEST" in recorded.table(header="TEST", row_limit=2)
    shown = recorded.table(top_level_events_only=True)
    assert "outer" in shown and "aten::sub" not in shown
    recorded.export_chrome_trace(str(tmp_path / "trace.json"))
    assert len(json.loads((tmp_path / "trace.json").read_text())) == len(names)
    with pytest.raises(RuntimeError, match="not reentrant"):
        recorded.__enter__()
    with older(enabled=False) as nothing:
        torch.ones(2)
    assert nothing is None
    with pytest.raises(RuntimeError, match="didn't finish"):
        str(older().function_events)


def test_events_within_events():
    from rushlight.autograd.profiler_util import EventList, FunctionEvent

    times = [(1, 0, 10), (1, 2, 6), (1, 3, 4), (1, 7, 12), (0, 3, 4)]
    events = EventList(
        FunctionEvent(k, "f", thread, start, end) for k, (thread, start, end) in enumerate(times)
    )
    events._populate_cpu_children()
    # What ends later than another event did not take place within it.
    assert [[c.id for c in e.cpu_children] for e in events] == [[1], [2], [], [], []]
    assert events[0].self_cpu_time_total == 6 and events[2].cpu_parent is events[1]
    assert events.key_averages()[0].count == 5
