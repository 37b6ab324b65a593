"""Functions with a gradient of their own: within one transformation only, and arguments that they change."""

import rushlight as torch
from rushlight._C import _functorch
from rushlight._functorch.pyfunctorch import retrieve_current_functorch_interpreter
from rushlight.autograd import forward_ad
from rushlight.autograd.function import Function, _SingleLevelFunction


def test_function_of_one_transformation():
    def rows(x):
        interpreter = retrieve_current_functorch_interpreter()
        level = interpreter.level()

        class Sum(_SingleLevelFunction):
            @staticmethod
            def forward(ctx, x):
                ctx.size = x.shape
                inner = _functorch._unwrap_for_grad(x, level)
                with interpreter.lower():
                    made = inner.sum(0)
                return _functorch._wrap_for_grad(made, level)

            @staticmethod
            def backward(ctx, grad):
                return 2 * grad.expand(ctx.size)

        return Sum.apply(x)

    x = torch.arange(3.0)
    assert torch.func.grad(lambda x: rows(x**2))(x).tolist() == [0.0, 4.0, 8.0]


def test_tangent_of_an_argument_that_is_changed():
    class Changed(Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def jvp(ctx, tangent):
            return tangent.add_(0)

    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.tensor(2.0).clone(), torch.tensor(3.0).clone())
        assert forward_ad.unpack_dual(Changed.apply(x)).tangent == 3
