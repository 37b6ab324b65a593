"""Timing of statements: what is counted, not how long it takes."""

import rushlight as torch
from rushlight.utils import benchmark


def test_runs_are_counted():
    made = []
    timer = benchmark.Timer("made.append(1)", globals={"made": made}, label="appending")
    measured = timer.timeit(25)
    assert len(made) == 25 and measured.number_per_run == 25 and len(measured.times) == 1
    assert measured.mean == measured.median == measured.times[0] and "appending" in repr(measured)


def test_threads_are_set_meanwhile():
    seen = []
    names = {"seen": seen, "torch": torch}
    before = torch.get_num_threads()
    benchmark.Timer("seen.append(torch.get_num_threads())", globals=names).timeit(2)
    assert seen == [1, 1] and torch.get_num_threads() == before


def test_statistics():
    measured = benchmark.Measurement(2, [2.0, 4.0, 6.0])
    assert measured.times == [1.0, 2.0, 3.0] and measured.median == 2.0 and measured.iqr == 1.0


def test_it_runs_until_the_time_is_over():
    measured = benchmark.Timer("x = 1 + 1").blocked_autorange(min_run_time=0.02)
    assert sum(measured.raw_times) >= 0.02
