"""What PyTorch's own tests ask of autograd where little else does."""

import gc
import itertools
import subprocess
import sys
import threading

import pytest

import rushlight as torch
from rushlight import _C
from rushlight.autograd import Function, forward_ad, gradcheck, graph


def leaf(*size):
    return torch.rand(size, dtype=torch.float64, requires_grad=True)


# -- passes inside passes --


class Nested(Function):
    """Its backward makes a pass of its own, and so on."""

    depths: list[int]

    @staticmethod
    def forward(ctx, x, left):
        ctx.left = left
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if ctx.left:
            with torch.enable_grad():
                inner = torch.ones(2, requires_grad=True)
                Nested.apply(inner, ctx.left - 1).sum().backward()
        return grad, None


def test_passes_inside_passes_may_be_deep():
    x = torch.ones(2, requires_grad=True)
    Nested.apply(x, 1000).sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_a_deep_pass_keeps_the_threads_switches_and_errors():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x, left):
            ctx.left = left
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            if not ctx.left:
                raise ArithmeticError
            with torch.enable_grad():
                inner = torch.ones(2, requires_grad=True)
                Fails.apply(inner, ctx.left - 1).sum().backward()
            return grad, None

    before = threading.active_count()
    with pytest.raises(ArithmeticError):
        Fails.apply(torch.ones(2, requires_grad=True), 200).sum().backward()
    assert threading.active_count() == before and torch.is_grad_enabled()


def test_which_steps_a_pass_takes():
    a, seen = leaf(2), []
    b = a * 2
    c = b * 3
    other = b.cos()
    c.register_hook(
        lambda grad: seen.append([_C._will_engine_execute_node(x.grad_fn) for x in (b, c, other)])
    )
    c.sum().backward()
    assert seen == [[True, True, False]]
    with pytest.raises(RuntimeError, match="during the backward pass"):
        _C._will_engine_execute_node(c.grad_fn)
    with pytest.raises(RuntimeError, match="expects an grad_fn, but got Tensor"):
        _C._will_engine_execute_node(c)


TWO_THREADS = """
import threading
import rushlight as torch
from rushlight.engine.autograd import pointwise_rules

install, results, done = pointwise_rules.pointwise.install, [], threading.Event()

def differentiate():
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    try:
        results.append(torch.autograd.grad(torch.special.ndtri(x) * 1, x)[0].item())
    except Exception as error:
        results.append(error)
    done.set()

def install_slowly(op, rule):
    if "ndtri" in op.full_name:
        threading.Thread(target=differentiate).start()
        done.wait(0.2)
    install(op, rule)

pointwise_rules.pointwise.install = install_slowly
differentiate()
done.clear()
while len(results) < 2:
    done.wait(1)
print(*results)
"""


def test_a_gradient_is_made_by_one_thread_while_others_wait():
    # In a process where nobody has made it yet.
    made = subprocess.run(
        [sys.executable, "-c", TWO_THREADS], capture_output=True, text=True, check=True
    )
    results = list(map(float, made.stdout.split()))
    assert len(results) >= 2
    assert all(result == pytest.approx(2.5066282746310002) for result in results)


# -- gradients that are given and taken --


def test_a_batch_of_gradients_of_another_shape():
    x = torch.randn(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first"):
        torch.autograd.grad(x.clone(), x, torch.ones(2, 2), is_grads_batched=True)


def test_materialised_zeros_can_be_differentiated():
    x = torch.tensor(0.5, requires_grad=True)
    unused = torch.autograd.grad(
        (x * 2), x * 1, create_graph=True, materialize_grads=True
    )[0]  # fmt: skip
    assert unused.item() == 0 and unused.requires_grad


def test_hooks_after_a_leaf_give_nothing():
    x = torch.rand(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor.grad)
    with pytest.raises(RuntimeError, match="hooks should return None"):
        x.sum().backward()


def test_recorded_gradients_are_copies():
    x = torch.rand(2, requires_grad=True)
    (x * x).sum().backward(create_graph=True)
    assert type(x.grad.grad_fn).__name__ == "CopyBackwards"
    assert torch.autograd.grad(x.grad.sum(), x)[0].tolist() == [2, 2]


# -- functions of programs --


class Twice(Function):
    """Gives a number between its tensors."""

    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        return x * factor, factor, y * factor

    @staticmethod
    def backward(ctx, first, none, second):
        assert none is None
        return first * ctx.factor, None, second * ctx.factor


def test_results_that_are_no_tensors_keep_their_places():
    x, y, seen = leaf(2), leaf(2), []
    c, factor, d = Twice.apply(x, 3, y)

    def hook(grads):
        seen.append([grad is None for grad in grads])
        return tuple(None if grad is None else grad * 2 for grad in grads)

    c.grad_fn.register_prehook(hook)
    (c + d).sum().backward()
    assert seen == [[False, True, False]] and (factor, d.output_nr) == (3, 2)
    assert x.grad.tolist() == y.grad.tolist() == [6, 6]


def test_defaults_reach_the_context():
    class Power(Function):
        @staticmethod
        def forward(x, exponent=3):
            return x**exponent

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.exponent = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * ctx.exponent * x ** (ctx.exponent - 1), None

    x = torch.tensor(2.0, requires_grad=True)
    y = Power.apply(x)
    assert y.item() == 8 and torch.autograd.grad(y, x)[0].item() == 12
    assert Power.apply(x, 2).item() == 4


class Narrowed(Function):
    """A view, with a tangent made in some way."""

    @staticmethod
    def forward(ctx, x, tangent_of):
        ctx.tangent_of = tangent_of
        return x.narrow(0, 0, 2)

    @staticmethod
    def jvp(ctx, tangent, _):
        return ctx.tangent_of(tangent.narrow(0, 0, 2))


def test_tangents_of_views_are_views_of_tangents():
    x = torch.rand(4)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(4))
        assert Narrowed.apply(dual, lambda t: t).shape == (2,)
        with pytest.raises(RuntimeError, match=r"the jvp is not returning a view\.$"):
            Narrowed.apply(dual, lambda t: t.clone())
        with pytest.raises(RuntimeError, match="not returning a view of the given grad input"):
            Narrowed.apply(dual, lambda t: t.clone().view_as(t))
        with pytest.raises(RuntimeError, match="view of the same base as the given"):
            Narrowed.apply(dual.view_as(dual), lambda t: t.clone().view_as(t))


def test_views_of_functions_are_not_changed_though_nothing_was_recorded():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad

    view = Same.apply(torch.rand(1, 2))
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        view += torch.rand(1, requires_grad=True)
    view.add_(1)


# -- views --


def test_parts_that_count_as_tensors_of_their_own():
    whole = torch.randn(3, 3, requires_grad=True) * 2
    for parts in (
        whole.unsafe_split(1), whole.unsafe_split_with_sizes((1, 1, 1)), whole.unsafe_chunk(3),
    ):  # fmt: skip
        first, second, _ = parts
        first.mul_(second)
        first.sum().backward(retain_graph=True)
        assert (first._version, second._version, first._is_view()) == (1, 0, False)


def test_tangents_follow_shapes_in_place():
    for change, shape in ((lambda t: t.squeeze_(0), (2,)), (lambda t: t.unsqueeze_(2), (1, 2, 1)),
                          (lambda t: t.t_(), (2, 1))):  # fmt: skip
        tangent = torch.tensor([[3.0, 4.0]])
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(torch.ones(1, 2), tangent)
            change(dual)
            found = forward_ad.unpack_dual(dual).tangent
            assert found.shape == shape and found.flatten().tolist() == [3, 4]
        assert tangent.shape == (1, 2)


def test_what_cannot_say_its_step_is_printed():
    a = torch.ones(1, requires_grad=True)
    a.clone()
    with torch.no_grad():
        b = a[:]
        b *= 2
    assert str(b) == "tensor([2.], grad_fn=<Invalid>)"


# -- gradcheck --


def test_gradcheck_compares_imaginary_parts_first():
    def wrong(x):
        y = x.clone()
        y.register_hook(lambda grad: grad + 1e-2)
        return y

    x = torch.ones(2, dtype=torch.complex128, requires_grad=True)
    with pytest.raises(RuntimeError, match="While considering the imaginary part of complex"):
        gradcheck(wrong, x)


@pytest.mark.parametrize("fast_mode", [True, False])
def test_gradcheck_sees_results_that_depend_on_where_it_looks(fast_mode):
    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    where = "" if fast_mode else r"on index \(0,\) "
    with pytest.raises(AssertionError, match=rf"same shape when inputs are perturbed {where}by"):
        gradcheck(lambda x: torch.cat([x, x]) if bool(x >= 1) else x, x, fast_mode=fast_mode)
    with pytest.raises(AssertionError, match="return outputs with the same dtype"):
        gradcheck(lambda x: x.float() if bool(x >= 1) else x, x, fast_mode=fast_mode)


def test_gradcheck_looks_back_before_it_looks_forward():
    class Fails(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, grad):
            raise RuntimeError("back")

        @staticmethod
        def jvp(ctx, tangent):
            raise RuntimeError("forward")

    with pytest.raises(RuntimeError, match="back"):
        gradcheck(Fails.apply, leaf(2), check_forward_ad=True)


def test_gradcheck_gives_all_inputs_tangents():
    def scaled(x, y):
        if forward_ad._current_level >= 0:
            primal, tangent = forward_ad.unpack_dual(y)
            y = forward_ad.make_dual(primal, tangent * 1.1)
        return x + y, y

    with pytest.raises(
        RuntimeError, match="forward mode mismatch for output 0 with respect to input 1"
    ):
        gradcheck(scaled, (leaf(2), leaf(2)), check_forward_ad=True)


# -- names --


def test_saved_tensors_and_their_hooks():
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object"):
        torch.autograd.SavedTensor()
    enabled = _C._autograd._saved_tensors_hooks_is_enabled
    assert enabled()
    with graph.disable_saved_tensors_hooks("not here"):
        assert not enabled()
        with pytest.raises(RuntimeError, match="not here"):
            _C._autograd._push_saved_tensors_default_hooks(lambda x: x, lambda x: x)
    _C._autograd._push_saved_tensors_default_hooks(lambda x: x * 2, lambda x: x)
    x = leaf(2)
    y = x.exp()
    _C._autograd._pop_saved_tensors_default_hooks()
    y.sum().backward()
    assert x.grad.tolist() == (2 * y).tolist()


def test_functions_behind_functions():
    values, inverse, counts = torch._VF.unique_dim(
        torch.tensor([1.0, 2.0, 1.0]), dim=0, sorted=True, return_inverse=True, return_counts=True
    )
    assert values.tolist() == [1, 2] and inverse.tolist() == [0, 1, 0] and counts.tolist() == [2, 1]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        torch._VF.nothing  # noqa: B018


def test_dispatch_from_within():
    counts = itertools.count()

    class Plain(torch.Tensor):
        @staticmethod
        def __new__(cls, data):
            return torch.Tensor._make_subclass(cls, data)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            with torch.overrides.enable_reentrant_dispatch():
                assert torch.rand(1, requires_grad=True).exp().grad_fn is not None
            assert torch.rand(1, requires_grad=True).exp().grad_fn is None
            next(counts)
            with torch.utils._mode_utils.no_dispatch():
                return func(*args, **(kwargs or {}))

    Plain(torch.ones(1)).exp()
    assert next(counts) == 1


def test_sequences_as_indices():
    x = torch.arange(27).view(3, 3, 3)
    with pytest.warns(
        UserWarning, match="Using a non-tuple sequence for multidimensional indexing"
    ):
        assert x[[slice(None), [0, 2], slice(None)]].shape == (3, 2, 3)
    with pytest.warns(UserWarning, match="Using a non-tuple sequence"):
        assert (
            x[[[0, 1], [2, 2]]].tolist() == x[(torch.tensor([0, 1]), torch.tensor([2, 2]))].tolist()
        )
    with pytest.warns(UserWarning, match="Using a non-tuple sequence"):
        x[[slice(None), [0, 2]]] = 0
    assert x[:, [0, 2]].sum() == 0 and x[[0, 1]].shape == (2, 3, 3)
    assert torch.arange(40)[[[k] for k in range(32)]].shape == (32, 1)


def test_a_leaf_that_lies_elsewhere_is_another_one():
    x = torch.ones(2, requires_grad=True)
    before = torch.autograd.graph.get_gradient_edge(x)
    made = x * 3
    with torch.no_grad():
        x.set_(torch.zeros(2))
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        torch.autograd.grad(made.sum(), x, retain_graph=True)
    assert torch.autograd.grad(made.sum(), before)[0].tolist() == [3, 3]
    (x + 1).sum().backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.parametrize("function", [torch.scatter_reduce, torch.index_reduce])
def test_products_with_two_zeros_have_no_second_derivative(function):
    target = torch.ones(1, requires_grad=True)
    zeros = torch.zeros(2, requires_grad=True)
    made = function(target, 0, torch.tensor([0, 0]), zeros, "prod")
    _, grad = torch.autograd.grad(made.sum(), (target, zeros), create_graph=True)
    assert grad.tolist() == [0, 0]
    with pytest.raises(RuntimeError, match=rf"{function.__name__}\(\): Double backward is unsup"):
        grad.sum().backward()


def test_sizes_that_a_step_keeps_have_torchs_names():
    made = torch.ones(2, 3, requires_grad=True).sum(1)
    assert made.grad_fn._saved_self_sym_sizes == (2, 3)


def test_views_of_a_storage_in_use_are_not_looked_for_everywhere(monkeypatch, collect):
    looks = []
    everywhere = gc.get_referrers
    monkeypatch.setattr(gc, "get_referrers", lambda *x: looks.append(1) or everywhere(*x))
    x = torch.ones(4)
    x[1:], x.detach()[2:]
    collect()
    for _ in range(5):
        leaf = x.detach().requires_grad_()
        view = leaf[1:]
        assert view.requires_grad
    assert len(looks) <= 1


def test_views_of_a_new_tensor_are_looked_for_among_new_ones(monkeypatch, collect):
    x = torch.ones(4)
    x[1:], x.detach()[2:]
    collect()
    collect()
    monkeypatch.setattr(gc, "get_referrers", None)
    for _ in range(3):
        leaf = x.detach()
        with torch.no_grad():
            view = leaf[1:]
        leaf.requires_grad_()
        assert view.requires_grad


def test_a_view_made_before_follows_a_leaf_however_old_both_are(collect):
    others = torch.ones(4)
    x = others.detach()
    with torch.no_grad():
        view = x[1:]
    others[2:]
    collect()
    collect()
    x.requires_grad_()
    assert view.requires_grad


def test_hooks_of_a_leaf_can_be_set():
    x = torch.ones(2, requires_grad=True)
    x._backward_hooks = {0: lambda grad: 2 * grad}
    x.sum().backward()
    assert x.grad.tolist() == [2, 2] and list(x._backward_hooks) == [0]


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_images_made_larger_keep_sizes_only(mode):
    image = torch.ones(1, 2, 4, 4, requires_grad=True)
    made = torch.nn.functional.interpolate(image, size=9, mode=mode)
    seed = torch.ones_like(made)
    made.backward(seed)
    made.backward(seed)
    assert torch.allclose(image.grad.sum(), torch.tensor(2.0 * made.numel()))
