"""`max-autotune`: what is tried, what is chosen, what is kept. No test depends on time: clocks are fakes."""

from __future__ import annotations

import contextlib
import itertools
import logging
import operator
import subprocess
import sys
import textwrap

import pytest

import rushlight as torch
from rushlight import _logging
from rushlight._command.explain.compiled import explain_compiled
from rushlight._functorch import config as functorch_config
from rushlight._inductor import autotuning, choices, config
from rushlight._inductor.kernels import Kernel
from rushlight._inductor.lowering import lower
from rushlight._inductor.product_kernels import Multiplied
from rushlight.engine.native import object_cache
from rushlight.fx.experimental.proxy_tensor import make_fx


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    with config.patch(fx_graph_cache=False), functorch_config.patch(enable_autograd_cache=False):
        torch._dynamo.reset()
        yield
        torch._dynamo.reset()


@pytest.fixture
def told():
    """The choices that are made."""
    found = []
    autotuning.listeners.append(found.append)
    yield found
    autotuning.listeners.remove(found.append)


@contextlib.contextmanager
def fastest(monkeypatch, *names):
    """A block in which alternatives of these names take a second, others two, and measuring takes no time."""
    with monkeypatch.context() as patch:

        def seconds_of(name, run, repeats):
            run()
            return 1.0 if name in names else 2.0

        patch.setattr(autotuning, "seconds_of", seconds_of)
        patch.setattr(autotuning, "clock", lambda: 0.0)
        yield


def program(x, w):
    y = torch.relu(x @ w) * 2 + 1
    return torch.softmax(y, -1)


def graph_of(function, *args):
    return make_fx(function, tracing_mode="fake")(*args)


@pytest.mark.parametrize("best", ["fused", "apart"])
def test_both_ways_of_a_loop_are_right(monkeypatch, told, best):
    x, w = torch.randn(9, 40), torch.randn(40, 30)
    with fastest(monkeypatch, best):
        made = torch.compile(program, mode="max-autotune")(x, w)
    assert torch.allclose(made, program(x, w), atol=1e-6)
    assert [c.chosen for c in told if "fused" in c.seconds] == [best]


def test_what_is_apart_is_no_kernel(monkeypatch):
    args = torch.randn(9, 40), torch.randn(40, 30)
    graph = graph_of(program, *args)
    with fastest(monkeypatch, "apart", "by sizes"):
        lowered = lower(graph, chooser=choices.Choices())
    assert not any(isinstance(n.target, Kernel) for n in lowered.graph.nodes)
    assert torch.equal(lowered(*args), graph(*args))


WAYS = [
    "A copied", "A not copied", "B copied", "B not copied", "B transposed before", "threads share rows",
    "threads share columns", "one thread",
]  # fmt: skip


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_all_ways_of_products_give_the_same_bits(monkeypatch, two_threads, way, dtype):
    def product(x, w, v, b):
        return x @ w, torch.addmm(b, x, v.t()), torch.bmm(x.view(2, 35, 600), w.expand(2, 600, 31))

    args = [
        torch.randn(*size, dtype=dtype) for size in ((70, 600), (600, 31), (300, 600), (300,))
    ]  # fmt: skip
    graph = graph_of(product, *args)
    with fastest(monkeypatch, way):
        lowered = lower(graph, chooser=choices.Choices())
    for made, expected in zip(lowered(*args), graph(*args)):
        assert torch.equal(made, expected)
    chosen = [n.target for n in lowered.graph.nodes if isinstance(n.target, Multiplied)]
    assert chosen


def test_each_way_is_found_somewhere(two_threads):
    from rushlight.engine.ops.kinds import planned

    found = set()
    for rows, columns, turned in itertools.product((8, 300), (8, 300), (False, True)):
        right = torch.randn(columns, 600).t() if turned else torch.randn(600, columns)
        found |= {*planned.kernels["aten::mm"].rule(torch.randn(rows, 600), right).other_ways()}
    assert found == {*WAYS}


def test_one_tensor_may_be_both_factors(monkeypatch, two_threads):
    x = torch.randn(64, 64)
    graph = graph_of(lambda x: x @ x, x)
    with fastest(monkeypatch, "one thread"):
        lowered = lower(graph, chooser=choices.Choices())
    assert torch.equal(lowered(x), x @ x)
    y = torch.randn(40, 40)
    assert torch.equal(lowered(y), y @ y)


@pytest.mark.parametrize("best", ["keep least", "keep more", "compute more again"])
def test_every_cut_gives_the_same_gradients(monkeypatch, told, best):
    def loss(x, w):
        y = torch.nn.functional.gelu(x @ w * 2 + 1)
        return (torch.softmax(y, -1) @ w.t()).sigmoid().square().sum()

    x, w = torch.randn(12, 24, requires_grad=True), torch.randn(24, 30, requires_grad=True)
    expected = torch.autograd.grad(loss(x, w), (x, w))
    with fastest(monkeypatch, best, "fused", "by sizes"):
        made = torch.autograd.grad(torch.compile(loss, mode="max-autotune")(x, w), (x, w))
    for a, b in zip(made, expected):
        assert torch.allclose(a, b, atol=1e-5)
    (cut,) = [c for c in told if c.what == "what is kept for gradients"]
    assert cut.chosen in (best, "keep least")


def test_a_trial_draws_no_numbers(monkeypatch):
    def noisy(x):
        y = torch.nn.functional.dropout(x, 0.5) * x.sin()
        return torch.softmax(y, -1).sum()

    x = torch.randn(30, 40, requires_grad=True)
    torch.manual_seed(5)
    expected = noisy(x)
    torch.manual_seed(5)
    with fastest(monkeypatch, "apart", "keep more"):
        made = torch.compile(noisy, mode="max-autotune")(x)
    assert torch.allclose(made, expected)


# -- what is kept --


def choose_once(monkeypatch, told, best):
    told.clear()
    with fastest(monkeypatch, best):
        graph = graph_of(program, torch.randn(9, 40), torch.randn(40, 30))
        lower(graph, chooser=choices.Choices(products=False))
    return told[-1]


def test_what_was_chosen_is_kept_on_disk(monkeypatch, told):
    assert choose_once(monkeypatch, told, "apart").source == "measured"
    known = choose_once(monkeypatch, told, "fused")
    assert (known.chosen, known.source) == ("apart", "from disk")
    assert known.seconds == {"fused": 2.0, "apart": 1.0}


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"chosen": "apart"}', b'{"chosen": "?", "seconds": {}}', b"\xff"]
)
def test_what_makes_no_sense_is_measured_again(monkeypatch, told, content):
    names = []
    store = object_cache.store

    def noted(name, code):
        names.append(name)
        store(name, content if code.startswith(b'{"chosen"') else code)

    with monkeypatch.context() as patch:
        patch.setattr(object_cache, "store", noted)
        choose_once(monkeypatch, told, "apart")
    found = choose_once(monkeypatch, told, "fused")
    assert (found.chosen, found.source) == ("fused", "measured")


def test_a_damaged_file_is_measured_again(monkeypatch, told, tmp_path):
    choose_once(monkeypatch, told, "apart")
    damaged = 0
    for file in tmp_path.rglob("*.o"):
        if b'{"chosen"' in file.read_bytes():
            file.write_bytes(file.read_bytes()[:-3] + b"...")
            damaged += 1
    assert damaged == 1
    assert choose_once(monkeypatch, told, "fused").source == "measured"


@pytest.mark.parametrize("what", ["sizes", "threads", "alternatives"])
def test_what_decides_is_in_the_name(monkeypatch, what):
    graph = graph_of(program, torch.randn(9, 40), torch.randn(40, 30))
    x, w = torch.randn(9, 40), torch.randn(40, 30)
    names = ["fused", "apart"]
    before = autotuning._file_of("loop", graph, [x, w], names)
    assert autotuning._file_of("loop", graph, [x, w], names) == before
    if what == "sizes":
        x = torch.randn(10, 40)
    if what == "threads":
        monkeypatch.setattr(autotuning.threads, "get_size", lambda: 77)
    if what == "alternatives":
        names.append("another")
    assert autotuning._file_of("loop", graph, [x, w], names) != before


PROCESS = """
import rushlight as torch
from rushlight._inductor import autotuning
autotuning.listeners.append(lambda choice: print(choice.source))
def program(x, w):
    return torch.softmax(torch.relu(x @ w) * 2 + 1, -1)
x, w = torch.ones(9, 40), torch.ones(40, 30)
torch.compile(program, mode="max-autotune-no-cudagraphs")(x, w)
torch.compile(program, mode="max-autotune")(x, w)
"""


def test_a_second_process_measures_nothing():
    run = [sys.executable, "-c", textwrap.dedent(PROCESS)]
    said = [
        subprocess.run(run, capture_output=True, text=True, check=True).stdout for _ in range(2)
    ]  # fmt: skip
    assert "measured" in said[0] and "measured" not in said[1]


# -- bounds, and what is told --


def test_measuring_ends(monkeypatch, told):
    now = itertools.count(step=0.4)
    with monkeypatch.context() as patch:
        patch.setattr(autotuning, "clock", lambda: next(now))
        graph = graph_of(program, torch.randn(9, 40), torch.randn(40, 30))
        chooser = choices.Choices()
        lower(graph, chooser=chooser)
    assert chooser.measurements.left <= 0
    assert told[-1].source == "no time was left to measure"
    # What was not measured as a whole is not kept.
    assert choose_once(monkeypatch, told, "apart").source == "measured"


def test_a_little_faster_is_not_enough(monkeypatch, told):
    graph = graph_of(program, torch.randn(9, 40), torch.randn(40, 30))
    with monkeypatch.context() as patch:
        patch.setattr(autotuning, "seconds_of", lambda name, *_: 0.98 if name == "apart" else 1)
        patch.setattr(autotuning, "clock", lambda: 0.0)
        lower(graph, chooser=choices.Choices(products=False))
    assert told[0].chosen == "fused"


def test_what_cannot_be_tried_is_as_the_model_says(monkeypatch, told):
    def broken(name, run, repeats):
        raise RuntimeError("the matrix is singular")

    graph = graph_of(program, torch.randn(9, 40), torch.randn(40, 30))
    monkeypatch.setattr(autotuning, "seconds_of", broken)
    lower(graph, chooser=choices.Choices(products=False))
    assert told[0].source == "not measured: RuntimeError: the matrix is singular"
    assert told[0].chosen == "fused"


def test_settings_for_parts(monkeypatch, two_threads, told):
    graph = graph_of(program, torch.randn(9, 40), torch.randn(40, 30))
    for setting, kinds in (
        ("max_autotune_pointwise", {"fused"}),
        ("max_autotune_gemm", {"by sizes"}),
    ):
        told.clear()
        with fastest(monkeypatch), config.patch({setting: True}):
            lower(graph, chooser=choices.chooser())
        assert {next(iter(c.seconds)) for c in told} == kinds
    assert choices.chooser() is None


def test_logs_and_reports_tell_choices(monkeypatch, caplog):
    x, w = torch.randn(9, 40), torch.randn(40, 30)
    with fastest(monkeypatch, "fused"), caplog.at_level(logging.DEBUG, logger="torch.__autotuning"):
        torch.compile(program, mode="max-autotune")(x, w)
    assert "fused 1e+06 us, apart 2e+06 us" in caplog.text
    _logging.set_logs(autotuning=True)
    _logging.set_logs()
    with fastest(monkeypatch, "fused"), config.patch(max_autotune=True):
        text = explain_compiled(program, x, w, times=False)
    assert "== forward: measured choices ==" in text
    assert ": fused (" in text


def test_arguments_of_trials_are_like_those_that_will_come():
    for value in (
        torch.ones(3, 4).t(),
        torch.ones(5, dtype=torch.bool),
        torch.ones(1, 3).expand(4, 3),
    ):
        made = autotuning.scratch_like(value)
        assert (made.size(), made.stride(), made.dtype) == (
            value.size(),
            value.stride(),
            value.dtype,
        )
    assert autotuning.scratch_like(torch.ones(3, dtype=torch.int64)).tolist() == [0, 0, 0]
    assert operator.eq(autotuning.scratch_like(2.5), 2.5)


@pytest.mark.parametrize("best", ["apart", "one thread", "threads share columns", "keep more"])
def test_sizes_that_vary(monkeypatch, two_threads, best):
    compiled = torch.compile(program, mode="max-autotune", dynamic=True)
    w = torch.randn(40, 30, requires_grad=True)
    for rows in (9, 17, 64, 1, 3):
        x = torch.randn(rows, 40)
        with fastest(monkeypatch, best):
            made = compiled(x, w)
            (grad,) = torch.autograd.grad(made.square().sum(), w)
        (expected,) = torch.autograd.grad(program(x, w).square().sum(), w)
        assert torch.allclose(made, program(x, w), atol=1e-6)
        assert torch.allclose(grad, expected, atol=1e-5)


def test_trials_are_remembered_calls(monkeypatch):
    """What is measured is what programs will run: from memory, not in Python."""
    x, w = torch.randn(9, 40), torch.randn(40, 30)
    seen = {}

    def seconds_of(name, run, repeats):
        for _ in range(3):
            run()
        calls = []
        sys.setprofile(lambda frame, event, arg: calls.append(frame.f_code.co_name))
        try:
            run()
        finally:
            sys.setprofile(None)
        seen[name] = "forward" in calls
        return 1.0

    monkeypatch.setattr(autotuning, "seconds_of", seconds_of)
    monkeypatch.setattr(autotuning, "clock", lambda: 0.0)
    lower(graph_of(program, x, w), chooser=choices.Choices())
    assert seen and not any(seen.values()), seen
