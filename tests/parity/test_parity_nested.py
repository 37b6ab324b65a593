"""Random programs on nested tensors give what PyTorch gives, with the same gradients."""

import random

import pytest

torch = pytest.importorskip("torch")

import rushlight  # noqa: E402

# PyTorch says of the layout strided that it is a prototype.
pytestmark = pytest.mark.filterwarnings("ignore")

UNARY = (
    "sin", "exp", "tanh", "abs", "neg", "relu", "sigmoid", "square", "sgn", "floor", "erf", "atan",
    "expm1", "cosh", "sinh", "ceil", "round", "trunc", "reciprocal", "logical_not", "isnan", "positive",
)  # fmt: skip
ACTIVATIONS = ("gelu", "silu", "elu", "leaky_relu", "softplus", "hardtanh", "mish", "relu6", "selu")
WIDTH = 4


def tensors_for(seed, t, kind):
    """Operands with the same elements in either library."""
    draw = random.Random(seed)
    lengths = [draw.randint(1, 5) for _ in range(draw.randint(1, 4))]
    inner = draw.choice([(WIDTH,), (2, WIDTH)])

    def dense(*size):
        count = 1
        for n in size:
            count *= n
        return t.tensor([draw.uniform(-2, 2) for _ in range(count)]).reshape(size)

    layout = t.jagged if kind == "jagged" else t.strided
    first = t.nested.nested_tensor([dense(n, *inner) for n in lengths], layout=layout)
    first.requires_grad_()
    return first, {"weight": dense(WIDTH), "matrix": dense(WIDTH, 3), "batch": len(lengths)}


def step(draw, kind):
    """One step of a program as a function of the library, the nested tensor and the operands."""
    name, activation = draw.choice(UNARY), draw.choice(ACTIVATIONS)
    number = draw.choice([2, 0.5, -1, 3])
    dim, other = draw.randint(-4, 3), draw.randint(-3, 3)
    keepdim = draw.random() < 0.5
    reduction = draw.choice(["sum", "mean", "amax", "amin", "prod", "argmax", "any", "all"])
    sign = draw.choice(["add", "sub", "mul", "div", "maximum", "lt", "eq", "ge", "pow"])
    both = [
        lambda t, x, o: getattr(x, name)(),
        lambda t, x, o: getattr(t.nn.functional, activation)(x),
        lambda t, x, o: x * number,
        lambda t, x, o: number - x,
        lambda t, x, o: x + x * number,
        lambda t, x, o: getattr(t, sign)(x, x * number + 1),
        lambda t, x, o: x * o["weight"],
        lambda t, x, o: x.softmax(dim),
        lambda t, x, o: t.nn.functional.layer_norm(x, (WIDTH,), t.ones(WIDTH), t.zeros(WIDTH)),
        lambda t, x, o: t.nn.functional.linear(x, o["matrix"].t()),
        lambda t, x, o: x @ o["matrix"],
        lambda t, x, o: x.transpose(dim, other),
        lambda t, x, o: getattr(x, reduction)(dim, keepdim=keepdim),
        lambda t, x, o: x.sum((dim, other), keepdim=keepdim),
        lambda t, x, o: x.unsqueeze(dim),
        lambda t, x, o: x.squeeze(dim),
        lambda t, x, o: x[0],
        lambda t, x, o: x.unbind()[-1],
        lambda t, x, o: x.clone(),
        lambda t, x, o: x.contiguous(),
        lambda t, x, o: x.to(t.float64),
        lambda t, x, o: t.zeros_like(x) + x,
        lambda t, x, o: x.to_padded_tensor(0.5),
        lambda t, x, o: x.masked_fill(x > 0, number),
        lambda t, x, o: t.cat([x, x * 2], dim),
        lambda t, x, o: t.nn.functional.dropout(x, 0.5, training=False),
    ]
    jagged = [
        lambda t, x, o: x.select(dim, 0),
        lambda t, x, o: x.chunk(2, dim)[0],
        lambda t, x, o: x.unflatten(dim, (2, -1)),
        lambda t, x, o: x.flatten(dim, other),
        lambda t, x, o: x.narrow(dim, 0, 2),
        lambda t, x, o: x.split(2, dim)[-1],
        lambda t, x, o: t.stack([x, x], dim),
        lambda t, x, o: x.max(dim, keepdim=keepdim)[0],
        lambda t, x, o: x.min(dim)[1],
        lambda t, x, o: x.log_softmax(dim),
        lambda t, x, o: t.where(x > 0, x, x * 2),
        lambda t, x, o: x[..., 1],
        lambda t, x, o: x[..., 1:3],
        lambda t, x, o: x.permute(0, 2, 1),
        lambda t, x, o: x * t.ones(o["batch"], 1, WIDTH),
        lambda t, x, o: x @ t.ones(o["batch"], WIDTH, 2),
        lambda t, x, o: x.values(),
        lambda t, x, o: x.view(*x.shape[:2], -1),
        lambda t, x, o: t.nn.functional.rms_norm(x, (WIDTH,)),
    ]
    return draw.choice(both + (jagged if kind == "jagged" else []))


def described(t, x):
    """A result as plain values."""
    if not isinstance(x, t.Tensor):
        return x
    if not x.is_nested:
        return (str(x.dtype), tuple(x.shape), x.requires_grad, x.tolist())
    ragged = x._ragged_idx if x.layout is t.jagged else None
    elements = [described(t, e.detach()) for e in x.unbind()]
    return ("nested", ragged, x.requires_grad, str(x.dtype), elements)


def near(found, wanted):
    if isinstance(found, float) and isinstance(wanted, float):
        both_odd = found != found and wanted != wanted
        return found == wanted or both_odd or abs(found - wanted) <= 2e-4 * (1 + abs(wanted))
    if isinstance(found, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(map(near, found, wanted))
    return found == wanted


def run(t, seed, kind):
    """The results of a program, as far as it goes, and the gradient of the last one."""
    draw = random.Random(seed)
    first, operands = tensors_for(seed, t, kind)
    x, found, names = first, [], []
    for _ in range(draw.randint(1, 5)):
        function = step(draw, kind)
        names += function.__code__.co_names
        try:
            x = function(t, x, operands)
            found.append(described(t, x))
        except Exception as error:
            return found, None, (type(error).__name__, str(error))
        if not (isinstance(x, t.Tensor) and x.is_nested):
            break
    grad = None
    if "softmax" in names or "log_softmax" in names:
        # PyTorch differentiates it along another dimension.
        return found, None, None
    try:
        dense = x.values() if x.is_nested else x
        dense.sum().backward()
        grad = described(t, first.grad)
    except Exception:
        pass
    return found, grad, None


PROGRAMS = 800


@pytest.mark.parametrize("kind", ["jagged", "strided"])
@pytest.mark.parametrize("part", range(4))
def test_random_programs(kind, part):
    compared = 0
    for seed in range(part, PROGRAMS, 4):
        wanted, gradient, refusal = run(torch, seed, kind)
        found, own_gradient, own_refusal = run(rushlight, seed, kind)
        assert len(found) >= len(wanted), (seed, own_refusal)
        assert near(found[: len(wanted)], wanted), (seed, found, wanted)
        compared += len(wanted)
        if refusal is None and gradient is not None and own_refusal is None:
            assert near(own_gradient, gradient), (seed, own_gradient, gradient)
    assert compared > 100
