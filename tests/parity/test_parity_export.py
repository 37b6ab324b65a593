"""Programs are written as PyTorch reads them, and read as PyTorch writes them; graphs have the same operators."""

import pytest

torch = pytest.importorskip("torch")

import rushlight  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


def ramp(t, *size):
    """Different numbers without a pattern that sums or variances would make nothing of."""
    count = 1
    for n in size:
        count *= n
    return (t.arange(count) * 7 % 11).float().reshape(size) / 5 - 1


def mlp(t):
    net = t.nn.Sequential(t.nn.Linear(4, 8), t.nn.GELU(), t.nn.LayerNorm(8), t.nn.Linear(8, 3))
    return net, lambda n: (ramp(t, n, 4),), True


def convolutions(t):
    net = t.nn.Sequential(
        t.nn.Conv2d(2, 4, 3, padding=1), t.nn.BatchNorm2d(4), t.nn.ReLU(), t.nn.MaxPool2d(2),
        t.nn.Flatten(), t.nn.Linear(16, 2),
    )  # fmt: skip
    return net.eval(), lambda n: (ramp(t, n, 2, 4, 4),), True


def training(t):
    net = t.nn.Sequential(t.nn.Linear(4, 8), t.nn.BatchNorm1d(8), t.nn.Softmax(-1))
    return net, lambda n: (ramp(t, n, 4),), True


def attention(t):
    class Net(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = t.nn.Embedding(10, 8)
            self.mix = t.nn.Linear(8, 24)

        def forward(self, words):
            q, k, v = self.mix(self.embed(words)).chunk(3, -1)
            return t.nn.functional.scaled_dot_product_attention(q, k, v).mean(1)

    return Net(), lambda n: (t.zeros(n, 5, dtype=t.long),), True


def branches(t):
    class Net(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", t.zeros(()))

        def forward(self, x):
            self.calls.add_(1)
            y = t.cond(x.sum() > 0, lambda x: x + 1, lambda x: x.sin(), (x,))
            with t.no_grad():
                z = y * 2
            n = x.shape[0]
            return {"y": y, "z": [z, n, None]}, t.zeros(n * 2 + 1), z.max(0)[0]

    return Net(), lambda n: (ramp(t, n, 3),), True


def numbers(t):
    class Net(t.nn.Module):
        def forward(self, x, count):
            n = count.item()
            t._check(n >= 2)
            t._check(n <= 8)
            return x.sum() + t.zeros(n), x.to(t.float64), t.tensor([1.0, 2.0])

    return Net(), lambda n: (ramp(t, n), t.tensor(3)), False


MODELS = [mlp, convolutions, training, attention, branches, numbers]


def exported(t, model):
    t.manual_seed(0)
    net, inputs, varies = model(t)
    shapes = ({0: t.export.Dim("n", min=2, max=9)},) if varies else None
    return t.export.export(net, inputs(4), dynamic_shapes=shapes), inputs


def operators(program):
    """What a graph calls, apart from taking results apart."""
    called = [str(n.target) for n in program.graph.nodes if n.op == "call_function"]
    return [name for name in called if "getitem" not in name]


def flat(value):
    """The numbers in a result."""
    if isinstance(value, (list, tuple)):
        return [x for item in value for x in flat(item)]
    if isinstance(value, dict):
        return flat(list(value.values()))
    return flat(value.tolist()) if hasattr(value, "tolist") else [value]


def close(a, b):
    return len(a) == len(b) and all(
        x == pytest.approx(y, rel=1e-5, abs=1e-6) if isinstance(x, float) else x == y
        for x, y in zip(a, b)
    )


@pytest.mark.parametrize("functional", [False, True], ids=["writes", "functional"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("writer", ["rushlight", "torch"])
def test_files_are_read_by_the_other(writer, model, functional, tmp_path):
    ours, theirs = (rushlight, torch) if writer == "rushlight" else (torch, rushlight)
    program, inputs = exported(ours, model)
    if functional:
        program = program.run_decompositions({})
    path = tmp_path / "program.pt2"
    ours.export.save(program, str(path))
    again = theirs.export.load(str(path))
    _, others, varies = model(theirs)
    n = 6 if varies else 4
    assert close(flat(program.module()(*inputs(n))), flat(again.module()(*others(n))))
    assert operators(again) == operators(program)


@pytest.mark.parametrize("model", MODELS[:4], ids=lambda model: model.__name__)
def test_graphs_have_the_same_operators(model):
    mine, theirs = (operators(exported(t, model)[0]) for t in (rushlight, torch))
    assert mine == theirs


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_signatures_are_the_same(model):
    mine, theirs = (exported(t, model)[0] for t in (rushlight, torch))
    assert (
        str(mine.graph_signature).split("# outputs")[0]
        == (str(theirs.graph_signature).split("# outputs")[0])
    )
    assert str(mine.range_constraints) == str(theirs.range_constraints)
