"""Recording of gradients that a program switches off within a transformation."""

import rushlight as torch
from rushlight.func import grad, jvp, vmap

W = torch.arange(1.0, 4.0)


def product(w, v):
    with torch.no_grad():
        return w * v


def test_what_is_captured_is_not_recorded():
    w = W.clone().requires_grad_()
    for _ in range(4):
        assert not vmap(lambda v: product(w, v))(torch.ones(2, 3)).requires_grad
        assert vmap(lambda v: w * v)(torch.ones(2, 3)).requires_grad
        assert not vmap(vmap(lambda v: product(w, v)))(torch.ones(2, 2, 3)).requires_grad
        value, push = jvp(lambda v: product(w, v), (W,), (W,))
        assert not value.requires_grad and not push.requires_grad


def test_within_grad_it_is_a_constant():
    def run(v):
        with torch.no_grad():
            kept = v * 2
        return (kept * v).sum()

    for _ in range(4):
        assert torch.equal(grad(run)(W), W * 2)
        assert torch.equal(vmap(grad(run))(torch.stack([W, W])), torch.stack([W, W]) * 2)


def test_the_layers_below_record_the_forward_pass_of_functions():
    w = W.clone().requires_grad_()

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, slope):
            return slope * w

    for _ in range(4):
        assert grad(lambda v: Scaled.apply(v).sum())(W).requires_grad


def test_a_block_within_the_forward_pass_of_a_function_changes_nothing_around_it():
    class Squared(torch.autograd.function._SingleLevelFunction):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            with torch.enable_grad():
                x * 2
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    def run(v):
        return Squared.apply(v).sum() + (v**3).sum()

    for _ in range(3):
        assert torch.equal(grad(lambda v: grad(run)(v).sum())(W), 2 + 6 * W)
