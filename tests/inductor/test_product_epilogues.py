"""Pointwise operators behind products: on each block of the result, with the same bits as behind the whole."""

import copy
import pickle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight import nn
from rushlight._command.explain.compiled import explain_compiled
from rushlight._inductor import autotuning, choices, config
from rushlight._inductor.lowering import lower
from rushlight._inductor.product_kernels import Multiplied
from rushlight.engine.ops.kinds import epilogues
from rushlight.engine.ops.windows import epilogues as of_images
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.nn import functional as F


@pytest.fixture(autouse=True)
def all_sizes(monkeypatch):
    """Small results gain, too."""
    monkeypatch.setattr(epilogues, "LARGE_BYTES", 1)
    monkeypatch.setattr(of_images, "LARGE_BYTES", 1)
    monkeypatch.setattr(epilogues, "FEWEST_COLUMNS", 2)
    with (
        config.patch(fx_graph_cache=False),
        torch._functorch.config.patch(enable_autograd_cache=False),
    ):
        torch._dynamo.reset()
        yield
    torch._dynamo.reset()


@pytest.fixture(params=[1, 2])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def lowered(function, *args):
    return lower(make_fx(function, tracing_mode="fake")(*args))


def joined(graph):
    """The products of a graph that have a loop behind them."""
    found = [n.target for n in graph.graph.nodes if isinstance(n.target, Multiplied)]
    return [kernel for kernel in found if kernel.behind is not None]


def check(function, *args, count=1, bits=True):
    """Compare a program with what becomes of it, again and again, and with the loop behind the whole product."""
    graph = lowered(function, *args)
    kernels = joined(graph)
    assert len(kernels) == count, graph.code
    expected = function(*args)
    for kernel in kernels:
        kernel.apart = None  # What follows must not need it.
    for _ in range(2):
        made = graph(*args)
        for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (made, expected))):
            assert a.size() == b.size() and a.stride() == b.stride() and a.dtype == b.dtype
            assert torch.equal(a, b) if bits else torch.allclose(a, b)
    return graph


X, W, B = torch.randn(70, 30), torch.randn(50, 30), torch.randn(50)


def test_activations_behind_layers(threads):
    def layer(activation):
        return lambda x, w, b: activation(F.linear(x, w, b))

    for activation in (F.relu, F.gelu, torch.tanh, F.silu, lambda y: F.hardtanh(y) * 2 - 1):
        check(layer(activation), X, W, B)


def test_what_is_read_besides(threads):
    residual, row, column = torch.randn(70, 50), torch.randn(1, 50), torch.randn(70, 1)
    check(lambda x, w, r: torch.relu(x @ w.t()) + r, X, W, residual)
    check(lambda x, w, r: (x @ w.t()) * r + 1, X, W, row)
    check(lambda x, w, r: (x @ w.t() - r).abs(), X, W, column)
    check(lambda x, w, r: (x @ w.t()) + r, X, W, torch.randn(50, 70).t())
    check(lambda x, w: (x @ w.t()).exp() + torch.tensor(2.5), X, W)
    mask = torch.randn(70, 50) > 0
    check(lambda x, w, m: (x @ w.t()).masked_fill(m, -1.0).sigmoid(), X, W, mask)


def test_longer_sums_than_one_block():
    x, w = torch.randn(80, 1200), torch.randn(700, 1200)
    check(lambda x, w: torch.relu(x @ w.t()), x, w)
    check(lambda x, w: (x @ w.t()).square(), x.double(), w.double())


def test_results_of_other_types_and_several():
    check(lambda x, w: (x @ w.t() * 2).to(torch.bfloat16), X, W)
    check(lambda x, w: (x @ w.t()) > 0, X, W)

    def several(x, w):
        y = x @ w.t()
        return y.sin(), y.cos() * 2, (y > 1).to(torch.int64)

    check(several, X, W)


def test_products_that_are_wanted_too():
    def kept(x, w, b):
        y = F.linear(x, w, b)
        return y, F.silu(y) + 1

    check(kept, X, W, B)
    check(lambda x, w, b: kept(x.view(7, 10, 30), w, b), X, W, B)


def test_batches(threads):
    x, y = torch.randn(3, 40, 20), torch.randn(3, 20, 33)
    for scale in (
        torch.randn(3, 40, 33),
        torch.randn(33),
        torch.randn(3, 1, 33),
        torch.randn(40, 1),
    ):
        check(lambda x, y, s: torch.sigmoid(torch.bmm(x, y) * s), x, y, scale)
    check(lambda b, x, y: torch.baddbmm(b, x, y).relu(), torch.randn(3, 40, 33), x, y)
    check(
        lambda x, y: torch.bmm(x.transpose(1, 2), y.expand(3, 40, 33)).relu(),
        x,
        torch.randn(1, 40, 33),
    )


def test_rows_that_are_several_dimensions(threads):
    x = torch.randn(5, 14, 30)
    residual = torch.randn(5, 14, 50)
    check(lambda x, w, b, r: F.gelu(F.linear(x, w, b)) + r, x, W, B, residual)
    # What is the same for all rows of one dimension cannot be read row by row.
    check(lambda x, w, r: F.linear(x, w).relu() + r, x, W, torch.randn(5, 1, 50), count=0)


def test_a_chain_of_layers():
    v, u = torch.randn(48, 50), torch.randn(8, 48)
    check(lambda x, w, v, u: F.relu(F.gelu(x @ w.t()) @ v.t()) @ u.t(), X, W, v, u, count=2)


# -- convolutions --


def images(batch=4, channels=5, size=40):
    return torch.randn(batch, channels, size, size)


def test_activations_behind_convolutions(threads):
    w, b = torch.randn(7, 5, 3, 3), torch.randn(7)
    residual = torch.randn(4, 7, 40, 40)
    check(lambda x, w, b: F.relu(F.conv2d(x, w, b, padding=1)), images(), w, b)
    check(lambda x, w, b, r: F.gelu(F.conv2d(x, w, b, padding=1) + r), images(), w, b, residual)
    check(lambda x, w: F.conv2d(x, w, padding=1) > 0, images(), w)
    scale = torch.randn(7, 1, 1)
    check(lambda x, w, s: (F.conv2d(x, w, padding=2, dilation=2) * s).exp(), images(), w, scale)


def test_products_of_images(threads):
    w, b = torch.randn(7, 5, 1, 1), torch.randn(7)
    check(lambda x, w, b: F.silu(F.conv2d(x, w, b)) + 1, images(), w, b)
    check(lambda x, w: F.relu(F.conv2d(x, w)), images().double(), w.double())


def test_convolutions_that_are_wanted_too():
    w, b = torch.randn(7, 5, 3, 3), torch.randn(7)

    def kept(x, w, b):
        y = F.conv2d(x, w, b, padding=1)
        return y, F.silu(y) + 1, (y * 2).to(torch.bfloat16)

    check(kept, images(), w, b)


def test_convolutions_that_stay_apart():
    w = torch.randn(7, 5, 3, 3)
    one = images(1)
    check(lambda x, w: F.relu(F.conv2d(x, w, padding=1)), one, w, count=0)
    check(
        lambda x, w: F.relu(F.conv2d(x, w, padding=1, groups=2)),
        images(4, 10),
        torch.randn(8, 5, 3, 3),
        count=0,
    )
    half = [images().bfloat16(), w.bfloat16()]
    check(lambda x, w: F.relu(F.conv2d(x, w, padding=1)), *half, count=0)


def test_training_with_convolutions():
    model = nn.Sequential(nn.Conv2d(5, 8, 3, padding=1), nn.SiLU(), nn.Conv2d(8, 6, 1), nn.GELU())
    other = copy.deepcopy(model)
    for run in (model, torch.compile(other)):
        for batch in (4, 3, 5):
            x = torch.arange(batch * 5 * 24 * 24.0).view(batch, 5, 24, 24).sin()
            run(x).square().mean().backward()
    for p, q in zip(model.parameters(), other.parameters()):
        assert torch.allclose(p.grad, q.grad, atol=1e-5)


def test_what_is_no_gain_stays_apart(monkeypatch):
    monkeypatch.setattr(epilogues, "MOST_COLUMNS", 40)
    check(lambda x, w, r: (x @ w.t()) + r, X, W, torch.randn(70, 50), count=0)
    check(lambda x, w, b: (x @ w.t()) * b, X, W, B, count=1)
    monkeypatch.setattr(epilogues, "LARGE_BYTES", 1 << 20)
    check(lambda x, w: (x @ w.t()).relu(), X, W, count=0)
    with config.patch(epilogue_fusion=False):
        monkeypatch.setattr(epilogues, "LARGE_BYTES", 1)
        check(lambda x, w: (x @ w.t()).relu(), X, W, count=0)


def test_what_cannot_be_behind():
    # Vectors are sums of their own, and half precision goes through another type.
    check(lambda x, w: (x @ w.t()).relu(), torch.randn(1, 30), W, count=0)
    check(lambda x, w: (x @ w.t()).relu(), X.bfloat16(), W.bfloat16(), count=0)
    check(lambda x, w: torch.softmax(x @ w.t(), -1), X, W, count=0, bits=False)

    # Something between the product and the loop needs the product.
    def between(x, w):
        y = x @ w.t()
        return y * y.sum(0).cumsum(0)

    check(between, X, W, count=0, bits=False)


def test_factors_are_not_written_over():
    def square(x):
        y = x.sin()
        return torch.relu(y @ y) + y

    check(square, torch.randn(64, 64))


def test_training_gives_the_same_gradients():
    model = nn.Sequential(
        nn.Linear(30, 64), nn.GELU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 5)
    )
    other = copy.deepcopy(model)
    compiled = torch.compile(other)
    for _ in range(2):
        for run in (model, compiled):
            run(X.view(7, 10, 30)).square().mean().backward()
    for p, q in zip(model.parameters(), other.parameters()):
        assert torch.allclose(p.grad, q.grad, atol=1e-6)


def test_sizes_that_vary():
    def program(x, w, b):
        return F.gelu(F.linear(x, w, b)) * 2

    compiled = torch.compile(program, dynamic=True)
    for n in (40, 7, 2, 1, 3, 65, 200, 40):
        for shape in ((n, 30), (n, 3, 30)):
            x = torch.randn(shape)
            assert torch.equal(compiled(x, W, B), program(x, W, B))


@settings(
    max_examples=25, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(
    st.integers(2, 150), st.integers(2, 40), st.integers(2, 90), st.booleans(), st.booleans(),
    st.sampled_from([torch.float32, torch.float64]),
)  # fmt: skip
def test_random_sizes_and_layouts(rows, depth, columns, left, right, dtype):
    x = torch.randn(depth, rows, dtype=dtype).t() if left else torch.randn(rows, depth, dtype=dtype)
    w = (
        torch.randn(columns, depth, dtype=dtype).t()
        if right
        else torch.randn(depth, columns, dtype=dtype)
    )
    b = torch.randn(columns, dtype=dtype)
    check(lambda x, w, b: torch.tanh(torch.addmm(b, x, w, beta=0.5) * 3), x, w, b)


def test_kernels_are_kept_and_shown():
    graph = lowered(lambda x, w: (x @ w.t()).relu(), X, W)
    (kernel,) = joined(graph)
    assert repr(kernel) == "<fused_mm_relu of aten::mm, aten::relu>"
    made = pickle.loads(pickle.dumps(kernel))
    assert torch.equal(made(X, W.t()), (X @ W.t()).relu())
    assert torch.equal(made.apart([X, W.t()]), (X @ W.t()).relu())


def test_reports_show_products_with_their_loops():
    text = explain_compiled(lambda x, w: (x @ w.t()).relu(), X, W)
    assert "fused_mm_relu: Multiplied of aten::mm, aten::relu" in text
    times = text.partition("== forward: times ==")[2]
    assert "GFLOP/s" in next(line for line in times.splitlines() if "fused_mm_relu" in line)


@pytest.mark.parametrize("best", ["fused", "apart"])
def test_it_is_measured_whether_they_join(monkeypatch, tmp_path, best):
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(autotuning, "clock", lambda: 0.0)

    def seconds_of(name, run, repeats):
        run()
        return float(name != best)

    monkeypatch.setattr(autotuning, "seconds_of", seconds_of)

    def kept(x, w, b):
        y = F.linear(x.view(7, 10, 30), w, b)
        return y, F.silu(y) + 1

    graph = make_fx(kept, tracing_mode="fake")(X, W, B)
    made = lower(graph, chooser=choices.Choices(products=False))
    assert len(joined(made)) == (best == "fused")
    for a, b in zip(made(X, W, B), kept(X, W, B)):
        assert torch.equal(a, b)
