"""Programs that transform programs: their figures beside PyTorch's, each several times over."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

INPUTS, HIDDEN, SAMPLES = 5, 7, 6
# The first calls build plans and are recorded; the others repeat them.
TIMES = 4


def numbers(m, *size, seed=0):
    return m.tensor(np.random.default_rng((seed, *size)).normal(size=size))


def weights(m, seed=0):
    sizes = [(HIDDEN, INPUTS), (HIDDEN,), (1, HIDDEN), (1,)]
    return [numbers(m, *size, seed=seed + k) * 0.5 for k, size in enumerate(sizes)]


def model(m, w, x):
    linear = m.nn.functional.linear
    return linear(m.tanh(linear(x, w[0], w[1])), w[2], w[3]).squeeze(-1)


def loss(m, w, x, y):
    return ((model(m, w, x) - y) ** 2).mean()


def data(m, k):
    return numbers(m, SAMPLES, INPUTS, seed=k), numbers(m, SAMPLES, seed=k)


def per_sample_clipping(m, k):
    """Gradients of samples, each made no longer than 1, and their mean."""
    x, y = data(m, k)
    grads = m.func.vmap(m.func.grad(lambda w, x, y: loss(m, w, x, y)), (None, 0, 0))(
        weights(m), x, y
    )
    lengths = sum((g.flatten(1) ** 2).sum(1) for g in grads).sqrt()
    scale = (1 / lengths).clamp(max=1)
    return [(g * scale.reshape(-1, *[1] * (g.dim() - 1))).mean(0) for g in grads]


def adapted(m, w, x, y):
    grads = m.func.grad(lambda w: loss(m, w, x, y))(w)
    return [p - 0.1 * g for p, g in zip(w, grads, strict=True)]


def meta_learning(m, k):
    """MAML: the gradient through a step of learning, over several tasks at once."""
    x, y = (m.stack(parts) for parts in zip(*(data(m, k + task) for task in range(3)), strict=True))

    def after(w):
        def of_task(x, y):
            return loss(m, adapted(m, w, x, y), x, y)

        return m.func.vmap(of_task)(x, y).mean()

    return m.func.grad(after)(weights(m))


def tangent_kernel(m, k):
    """The neural tangent kernel, by contraction of Jacobians and by products with vectors."""
    x, other = data(m, k)[0], data(m, k + 1)[0]
    w = weights(m)
    rows = m.func.vmap(m.func.jacrev(lambda w, x: model(m, w, x)), (None, 0))
    parts = zip(rows(w, x), rows(w, other), strict=True)
    contracted = sum(m.einsum("nf,mf->nm", a.flatten(1), b.flatten(1)) for a, b in parts)

    def entry(x, other):
        def from_tangent(w, tangent):
            return m.func.jvp(lambda w: model(m, w, other), (w,), (tangent,))[1]

        out, back = m.func.vjp(lambda w: model(m, w, x), w)
        return from_tangent(w, back(m.ones_like(out))[0])

    each = m.func.vmap(m.func.vmap(entry, (None, 0)), (0, None))(x, other)
    return [contracted, each]


def ensemble(m, k):
    """Several models over the same and over different samples."""
    stacked = [
        m.stack(parts) for parts in zip(*(weights(m, 10 * n) for n in range(4)), strict=True)
    ]
    x = data(m, k)[0]
    same = m.func.vmap(lambda w, x: model(m, w, x), (0, None))(stacked, x)
    own = m.func.vmap(lambda w, x: model(m, w, x))(stacked, m.stack([x, 2 * x, -x, x * x]))
    return [same, own]


def hessians(m, k):
    """One Hessian by four routes."""
    x, y = data(m, k)
    w = weights(m)

    def of_first(first):
        return loss(m, [first, *w[1:]], x, y)

    func = m.func
    made = [
        func.hessian(of_first)(w[0]),
        func.jacrev(func.jacrev(of_first))(w[0]),
        func.jacfwd(func.jacfwd(of_first))(w[0]),
        m.autograd.functional.hessian(of_first, w[0]),
    ]
    assert all(m.allclose(made[0], other) for other in made)
    return made


def custom_function(m, k):
    """The gradient of the gradient of a batched function of a program's own."""

    class Cube(m.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x**3, 3 * x**2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], output[1])
            ctx.save_for_forward(inputs[0], output[1])

        @staticmethod
        def backward(ctx, grad, grad_slope):
            x, slope = ctx.saved_tensors
            return grad * slope + grad_slope * 6 * x

    x = numbers(m, SAMPLES, seed=k)
    curve = m.func.grad(m.func.grad(lambda x: m.sin(Cube.apply(x)[0])))
    return [m.func.vmap(curve)(x)]


def modules(m, k):
    """Gradients of samples, and an ensemble, of modules with buffers."""

    def make(seed):
        made = m.nn.Sequential(
            m.nn.Linear(INPUTS, HIDDEN), m.nn.LayerNorm(HIDDEN), m.nn.GELU(), m.nn.Linear(HIDDEN, 3)
        )
        made = made.to(m.float64)
        with m.no_grad():
            for n, weight in enumerate(made.parameters()):
                weight.copy_(numbers(m, *weight.shape, seed=seed + n) * 0.5)
        return made

    x = data(m, k)[0]
    labels = m.arange(SAMPLES) % 3
    network = make(0)
    named = {name: weight.detach() for name, weight in network.named_parameters()}

    def of_sample(named, x, label):
        out = m.func.functional_call(network, named, (x.unsqueeze(0),))
        return m.nn.functional.cross_entropy(out, label.unsqueeze(0))

    grads = m.func.vmap(m.func.grad(of_sample), (None, 0, 0))(named, x, labels)
    params, buffers = m.func.stack_module_state([make(3 * n) for n in range(3)])
    outs = m.func.vmap(lambda p, b: m.func.functional_call(network, (p, b), (x,)))(params, buffers)
    return [*grads.values(), outs]


PROGRAMS = [
    per_sample_clipping, meta_learning, tangent_kernel, ensemble, hessians, custom_function, modules,
]  # fmt: skip


def leaves(found):
    return [
        leaf
        for item in found
        for leaf in (leaves(item) if isinstance(item, (list, tuple)) else [item])
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_figures_are_those_of_pytorch(program):
    for k in range(TIMES):
        made, expected = leaves(program(rushlight, k)), leaves(program(torch, k))
        assert len(made) == len(expected)
        for x, y in zip(made, expected, strict=True):
            np.testing.assert_allclose(
                x.detach().numpy(), y.detach().numpy(), rtol=1e-9, atol=1e-12
            )
