"""Lazy tensors whose sizes change from step to step: one graph with symbols serves them."""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight import _lazy, nn
from rushlight._dynamo import config as dynamo_config
from rushlight._lazy import computation, config, ir_cache, metrics
from rushlight._lazy.running import recorder
from rushlight._lazy.sizes import may_be_sizes, numbers_in, with_numbers


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(config, "strict", True)
    recorder.cut()
    ir_cache.reset()
    metrics.reset()


def counts(*names):
    return tuple(metrics.counter_value(name) for name in names)


def compilations():
    return counts("UncachedCompile", "SymbolicCompile")


def rows(n, m):
    return torch.arange(float(n * m)).view(n, m).sin()


# Each takes matrices of n by m and m by n.
PROGRAMS = {
    "pointwise": lambda x, y: (x * 2 + y.t()).relu(),
    "reductions": lambda x, y: x.sum(-1) * y.amax(0) + x.mean(),
    "mean by hand": lambda x, y: x.sum() / x.numel() - y.sum() / len(y),
    "products": lambda x, y: torch.softmax(x @ y, -1),
    "views": lambda x, y: x.reshape(-1)[: y.numel() // 2].exp() + y.view(-1)[y.numel() // 2 * -1 :][0],
    "joined": lambda x, y: torch.cat([x, y.t(), x[:, :1].expand(x.shape)], 0)[1:, ::2],
    "places": lambda x, y: x + torch.arange(x.size(1), device=x.device) / x.size(0),
    "made": lambda x, y: torch.zeros(x.size(0), 2 * x.size(1), device=x.device).add_(1).cumsum(1),
    "triangles": lambda x, y: (x @ y).tril().masked_fill(torch.eye(len(x), device=x.device) > 0, 3),
    "windows": lambda x, y: nn.functional.avg_pool1d(nn.functional.pad(x, (1, 1)), 2, 1),
    "taken": lambda x, y: x.index_select(0, torch.arange(len(x), device=x.device).flip(0)).sort(-1)[0],
    "norms": lambda x, y: nn.functional.layer_norm(x, x.shape[1:]) @ y,
}  # fmt: skip


def written(x, y):
    made = x.clone()
    made[0] = y[:, 0]
    made[:, -1] *= 2
    return made.add_(y.t())


PROGRAMS["written"] = written
NUMBERS = st.integers(1, 9)


@pytest.mark.parametrize("name", PROGRAMS)
@settings(
    max_examples=4, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(sizes=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=8))
def test_random_sizes_give_what_the_cpu_gives(name, sizes):
    program = PROGRAMS[name]
    for n, m in sizes:
        x, y = rows(n, m), rows(m, n).cos()
        made = program(x.to("lazy"), y.to("lazy")).cpu()
        expected = program(x, y)
        assert made.shape == expected.shape and made.dtype == expected.dtype
        assert torch.allclose(made, expected, atol=1e-5), (n, m)
    assert counts("UncompiledGraph", "FixedSizes") == (0, 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_second_size_is_the_last_that_is_compiled(name):
    program = PROGRAMS[name]
    for k in range(6):
        program(rows(3 + k, 20 + 2 * k).to("lazy"), rows(20 + 2 * k, 3 + k).to("lazy")).cpu()
    assert compilations() == (2, 1), metrics.metrics_report()
    assert counts("CachedCompile") == (4,)


def test_only_what_varied_is_a_symbol():
    w = rows(7, 3).to("lazy")
    for n in (4, 5, 6):
        (rows(n, 7).to("lazy") @ w).cpu()
    static, symbolic = recorder.graphs
    assert static.sizes is None
    assert [str(fake.shape[1]) for fake in symbolic.sizes.fakes] == ["7", "3"]
    assert len(symbolic.sizes.symbols) == 1
    # Another width is another place.
    for m in (8, 9):
        (rows(5, m).to("lazy") @ rows(m, 3).to("lazy")).cpu()
    assert compilations() == (3, 2)
    assert len(list(recorder.graphs)[-1].sizes.symbols) == 2


def test_sizes_of_one_have_graphs_of_their_own():
    for n in (3, 1, 4, 1, 5):
        x = rows(n, 4)
        assert torch.equal((x.to("lazy") * 2 + 1).cpu(), x * 2 + 1)
    assert compilations() == (3, 1)


def test_what_must_be_equal_is_asked_again():
    def program(x, y):
        return (x + 1).sum() + (y * 2).sum()

    # Both sizes are equal where the graph is made, as it is with `torch.compile`.
    for n, m in ((2, 2), (3, 3), (4, 4), (4, 5), (6, 7)):
        x, y = rows(n, 2), rows(m, 3)
        made = program(x.to("lazy"), y.to("lazy"))
        assert torch.allclose(made.cpu(), program(x, y))
    assert compilations() == (3, 2)


def test_a_training_loop_whose_last_batch_is_smaller():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
    models = [model, copy.deepcopy(model).to("lazy")]
    steps = [torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9) for m in models]
    for n in (6, 6, 4, 6, 6, 5, 7, 6, 3):
        x, target = rows(n, 4), torch.arange(n) % 3
        losses = []
        for m, step in zip(models, steps):
            device = next(m.parameters()).device
            loss = nn.functional.cross_entropy(m(x.to(device)), target.to(device))
            step.zero_grad()
            loss.backward()
            step.step()
            losses.append(loss)
        _lazy.mark_step()
        assert torch.allclose(losses[1].cpu(), losses[0], atol=1e-5)
    # The first step makes the momenta.
    assert compilations() == (3, 1)


def test_numbers_of_calls_vary_as_sizes_do():
    x = rows(3, 4)
    for k in (2, 3, 4, 5, 9):
        assert torch.allclose((x.to("lazy") * k + k).cpu(), x * k + k)
    assert compilations() == (2, 1)
    metrics.reset()
    for k in (0, 1, True):
        assert torch.equal(
            torch.where(x > 0, x, k), torch.where(x.to("lazy") > 0, x.to("lazy"), k).cpu()
        )


def test_fractions_may_vary_with_sizes():
    for k, n in enumerate((3, 4, 5, 6)):
        x = rows(n, 2)
        rate = 0.5 + k / 8
        assert torch.allclose((x.to("lazy") * rate).sum(0).cpu(), (x * rate).sum(0))
    assert compilations() == (2, 1)


def test_the_switch_of_compiled_functions_counts():
    with dynamo_config.patch(automatic_dynamic_shapes=False):
        for n in (3, 4, 5):
            (rows(n, 2).to("lazy") + 1).cpu()
    assert compilations() == (3, 0)


def test_what_has_no_rule_for_symbols_has_a_graph_for_each_size(monkeypatch):
    def refuse(*args, **kwargs):
        raise RuntimeError("no symbols here\nand more")

    monkeypatch.setattr("rushlight._lazy.running.OpenSizes", refuse)
    for n in (3, 4, 5, 4):
        x = rows(n, 2)
        assert torch.equal((x.to("lazy") + 1).cpu(), x + 1)
    assert compilations() == (3, 0) and counts("FixedSizes", "CachedCompile") == (2, 1)
    assert (
        "Reason: FixedSizes: RuntimeError: no symbols here\n  Times: 2" in metrics.metrics_report()
    )


def test_many_sizes_forget_none_of_the_others(monkeypatch):
    monkeypatch.setattr(config, "most_graphs", 2)
    with dynamo_config.patch(automatic_dynamic_shapes=False):
        for n in (3, 4, 5, 5, 4, 3):
            (rows(n, 2).to("lazy") + 1).cpu()
    assert compilations() == (4, 0) and len(list(recorder.graphs)) == 2


def test_graphs_that_are_named_run_with_their_sizes():
    for n in (3, 4, 5):
        x = rows(n, 2).to("lazy")
        y = x * 2 + n
        name = computation.get_graph_hash([y])
        _, inputs = computation.get_tensors_ts_device_data_node([y])
        (made,) = computation.run_cached_graph(name, inputs)
        assert torch.equal(made, rows(n, 2) * 2 + n)
        _lazy.mark_step()


def test_numbers_of_arguments():
    assert may_be_sizes(torch.ops.aten.view.default) == (False, True)
    assert may_be_sizes(torch.ops.aten.sum.dim_IntList)[1] is False
    value = [1, (2, None), True, 2.5]
    assert [*numbers_in(value)] == [1, 2]
    assert with_numbers(value, iter("ab")) == ["a", ("b", None), True, 2.5]
