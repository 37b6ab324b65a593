"""Transformations inside symbolic traces: a graph made with some sizes is right for others."""

import pytest

import rushlight as torch
from rushlight.func import grad, hessian, jacfwd, jacrev, vmap
from rushlight.fx.experimental.proxy_tensor import make_fx

F = torch.nn.functional

PROGRAMS = {
    "flatten": vmap(lambda r: r.flatten()),
    "reshape": vmap(lambda r: r.transpose(0, 1).reshape(-1)),
    "mean": vmap(lambda r: r.mean()),
    "std": vmap(lambda r: r.std()),
    "matmul": vmap(lambda r: r @ r.transpose(0, 1)),
    "softmax": vmap(lambda r: r.softmax(-1)),
    "cat": vmap(lambda r: torch.cat([r, r], 0)),
    "nested": vmap(vmap(lambda r: r.sum())),
    "slice": vmap(lambda r: r[1:]),
    "sizes": vmap(lambda r: r * r.shape[0] + r.numel()),
    "new": vmap(lambda r: r.new_ones(r.size(1))),
    "chunk": vmap(lambda r: r.chunk(2)[0]),
    "pad": vmap(lambda r: F.pad(r, (1, 1))),
    "convolution": vmap(lambda r: F.conv1d(r[None], torch.ones(2, r.size(0), 2))),
    "gradient": vmap(grad(lambda r: r.sin().sum())),
    "gradient of all": grad(lambda x: (x.sin() * x).sum()),
    "jacobian": vmap(vmap(jacrev(lambda r: r.sin()))),
    "jacobian, forward": vmap(vmap(jacfwd(lambda r: r.sin() * r.sum()))),
    "hessian": vmap(vmap(hessian(lambda r: r.sin().sum()))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_other_sizes(name):
    program = PROGRAMS[name]
    traced = make_fx(program, tracing_mode="symbolic")(torch.randn(3, 4, 5))
    x = torch.randn(6, 8, 7)
    found, expected = traced(x), program(x)
    torch.testing.assert_close(found, expected)


def test_sizes_inside_are_symbols():
    seen = []

    def program(x):
        return vmap(lambda r: (seen.append(r.shape), r * 2)[1])(x)

    make_fx(program, tracing_mode="symbolic")(torch.randn(3, 4))
    assert all(isinstance(n, torch.SymInt) for n in seen[0])
