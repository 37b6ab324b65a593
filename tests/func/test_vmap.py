"""`vmap`: where the batch is, what is refused, random numbers, functions and operators of programs."""

import pytest

import rushlight as torch
from rushlight.func import grad, jvp, vmap

X = torch.arange(6.0).reshape(2, 3)


def test_where_the_batch_is():
    assert vmap(lambda x: x.sum())(X).tolist() == X.sum(1).tolist()
    assert vmap(lambda x: x.sum(), in_dims=1)(X).tolist() == X.sum(0).tolist()
    assert vmap(lambda x: x * 2, in_dims=-1, out_dims=-1)(X).tolist() == (X * 2).tolist()
    found = vmap(lambda d, y: (d["a"] + y, y), in_dims=({"a": 0}, None), out_dims=(1, None))
    made, same = found({"a": X}, torch.ones(3))
    assert made.tolist() == (X + 1).T.tolist() and same.tolist() == [1.0] * 3
    assert vmap(vmap(lambda x, y: x * y, (0, None)), (None, 0))(X[0], X[1]).shape == (3, 3)
    assert vmap(lambda x: x.sin(), chunk_size=2)(torch.ones(5)).shape == (5,)


def test_what_does_not_fit():
    with pytest.raises(ValueError, match="expected in_dim to satisfy -2 <= in_dim < 2"):
        vmap(lambda x: x, in_dims=3)(X)
    with pytest.raises(ValueError, match="Expected at least one Tensor to vmap over"):
        vmap(lambda x: x, in_dims=(None,))(X)
    with pytest.raises(ValueError, match="same size in the mapped dimension"):
        vmap(torch.add)(X, torch.ones(3, 3))
    with pytest.raises(ValueError, match="must only return Tensors"):
        vmap(lambda x: 1)(X)
    with pytest.raises(ValueError, match="can not return a BatchedTensor when out_dim is None"):
        vmap(lambda x: x, out_dims=None)(X)


def test_what_elements_decide():
    with pytest.raises(RuntimeError, match=r"calling \.item\(\)"):
        vmap(lambda x: x.sum().item())(X)
    with pytest.raises(RuntimeError, match="data-dependent control flow"):
        vmap(lambda x: x if x.sum() > 0 else -x)(X)
    with pytest.raises(RuntimeError, match="can output dynamic shape"):
        vmap(torch.nonzero)(X)
    with pytest.raises(RuntimeError, match="indexing with a boolean mask"):
        vmap(lambda x: x[x > 1])(X)


def test_sizes_that_all_elements_share():
    """What says how large a result is may differ within a batch, if the size does not."""
    repeats = torch.tensor([[1, 2], [2, 1]])
    assert vmap(torch.repeat_interleave)(repeats).tolist() == [[0, 1, 1], [0, 0, 1]]
    assert vmap(torch.bincount)(repeats).tolist() == [[0, 1, 1], [0, 1, 1]]
    assert vmap(torch.argwhere)(repeats == 2).tolist() == [[[1]], [[0]]]
    with pytest.raises(RuntimeError, match="equal size"):
        vmap(torch.bincount)(torch.tensor([[1, 2], [1, 3]]))
    mask = torch.tensor([True, False, True])
    assert vmap(torch.masked_select, in_dims=(0, None))(X, mask).tolist() == [[0, 2], [3, 5]]
    with pytest.raises(RuntimeError, match="Attempted to vmap over `mask`"):
        vmap(torch.masked_select, in_dims=(None, 0))(X[0], X > 1)
    targets, lengths = torch.tensor([[1, 2]]), torch.tensor([[3], [4]])
    scores = torch.randn(2, 4, 1, 3).log_softmax(-1)
    of_one = [
        torch.nn.functional.ctc_loss(x, targets, n, torch.tensor([2]))
        for x, n in zip(scores, lengths)
    ]
    found = vmap(lambda x, n: torch.nn.functional.ctc_loss(x, targets, n, torch.tensor([2])))
    torch.testing.assert_close(found(scores, lengths), torch.stack(of_one))


def test_sizes_that_change_in_place():
    def narrowed(x):
        return x.resize_(1, 2) + 1, x.t()

    made, turned = vmap(narrowed)(X.clone())
    assert made.tolist() == [[[1, 2]], [[3, 4]]] and turned.shape == (2, 2, 1)
    assert vmap(lambda x: x.resize_as_(torch.ones(1, 3)))(X.clone()).shape == (2, 1, 3)
    with pytest.raises(RuntimeError, match="must be the first one"):
        vmap(lambda x: x.resize_(1, 2), in_dims=1)(X.clone())
    with pytest.raises(RuntimeError, match="only supports None or Contiguous MemoryFormat"):
        vmap(lambda x: x.resize_(1, 1, 1, 1, memory_format=torch.channels_last))(X.clone())


def test_statistics_that_a_batch_would_share():
    def trained(x, mean, var):
        return torch.nn.functional.batch_norm(x, mean, var, training=True)

    for function in (
        trained,
        lambda *given: torch.native_batch_norm(given[0], None, None, *given[1:], True, 0.1, 0.0),
    ):
        with pytest.raises(RuntimeError, match="which will be updated in place, were not batched"):
            vmap(function, (0, None, None))(torch.ones(2, 3, 4), torch.zeros(4), torch.ones(4))


def test_elements_with_channels_innermost():
    x = torch.randn(2, 1, 2, 2, 4).permute(0, 1, 4, 2, 3)
    places = torch.zeros(2, 1, 4, 2, 2, dtype=torch.int64)
    unpool = torch.nn.functional.max_unpool2d
    found = vmap(lambda x, i: unpool(x, i, 2))(x, places)
    assert found.equal(torch.stack([unpool(a, b, 2) for a, b in zip(x, places)]))


def test_in_place():
    x = X.clone()
    vmap(lambda x, y: x.add_(y), (0, None))(x, torch.ones(3))
    assert x.tolist() == (X + 1).tolist()
    with pytest.raises(RuntimeError, match="inplace arithmetic"):
        vmap(lambda x: torch.ones(3).add_(x))(X)

    def write(x, i):
        x = x.clone()
        x[i] = 7
        return x

    assert vmap(write)(X, torch.tensor([0, 2])).tolist() == [[7, 1, 2], [3, 4, 7]]


def test_views_are_views():
    x = X.clone()
    made = vmap(lambda row: row[1:])(x)
    made.zero_()
    assert x[:, 1:].sum() == 0


def test_types_of_single_numbers():
    # A number in a batch counts for no more than a number.
    whole, half = torch.ones(3, dtype=torch.float64), torch.ones(3, 2)
    assert vmap(lambda a, b: a * b)(whole, half).dtype is torch.float32
    assert vmap(lambda a, b: a * b)(whole, half[:, 0]).dtype is torch.float64


@pytest.mark.parametrize("draw", [torch.rand_like, lambda x: torch.rand(3), torch.bernoulli])
def test_random_numbers(draw):
    p = torch.full((50, 3), 0.5)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(draw)(p)
    different = vmap(draw, randomness="different")(p)
    assert different.shape == (50, 3) and different.var(0).min() > 0
    if draw is torch.bernoulli:
        with pytest.raises(RuntimeError, match="same randomness with a batched tensor"):
            vmap(draw, randomness="same")(p)
    else:
        assert vmap(draw, randomness="same")(p).var(0).max() == 0


class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_for_forward
        return 3 * x**2 * tangent


class OwnRule(Cube):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, x):
        assert info.batch_size == 3 and in_dims == (0,)
        return OwnRule.apply(x), 0


@pytest.mark.parametrize("function", [Cube, OwnRule])
def test_functions_with_gradients_of_their_own(function):
    x = torch.tensor([1.0, 2.0, 3.0])
    assert vmap(function.apply)(x).tolist() == [1, 8, 27]
    assert vmap(grad(function.apply))(x).tolist() == [3, 12, 27]
    assert grad(lambda x: vmap(function.apply)(x).sum())(x).tolist() == [3, 12, 27]
    assert vmap(grad(grad(function.apply)))(x).tolist() == [6, 12, 18]
    primal, tangent = vmap(lambda x: jvp(function.apply, (x,), (torch.ones(()),)))(x)
    assert primal.tolist() == [1, 8, 27] and tangent.tolist() == [3, 12, 27]


def test_functions_without_a_rule():
    class Plain(Cube):
        generate_vmap_rule = False

    with pytest.raises(RuntimeError, match="does not have vmap support"):
        vmap(Plain.apply)(torch.ones(2))

    class Legacy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

    with pytest.raises(RuntimeError, match="must override the setup_context"):
        grad(lambda x: Legacy.apply(x).sum())(torch.ones(2))


def test_operators_with_a_rule_of_their_own():
    @torch.library.custom_op("batches::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_vmap
    def rule(info, in_dims, x):
        seen.append((info.batch_size, in_dims))
        return twice(x), in_dims[0]

    seen = []
    assert vmap(twice, in_dims=1)(X).tolist() == (X.T * 2).tolist()
    assert seen == [(3, (1,))]


def test_gradients_of_a_batch_of_directions():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    (rows,) = torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    with pytest.raises(RuntimeError, match="we interpret the first dimension"):
        torch.autograd.grad(x**2, x, torch.eye(3), is_grads_batched=True)


def test_calls_outside_know_nothing_of_it():
    from rushlight.engine.core import state

    before = state.switches.busy, state.active, state.thread.included
    with pytest.raises(ZeroDivisionError):
        vmap(grad(lambda x: 1 / 0))(X)
    vmap(lambda x: x + 1)(X)
    assert (state.switches.busy, state.active, state.thread.included) == before
    assert not state.thread.layers


def test_one_hot_of_a_batch():
    y = torch.tensor([[0, 1], [2, 1]])
    found = vmap(lambda y: torch.nn.functional.one_hot(y, 3))(y)
    assert found.equal(torch.nn.functional.one_hot(y, 3))
    with pytest.raises(RuntimeError, match="provide an explicit positive num_classes"):
        vmap(torch.nn.functional.one_hot)(y)


def test_squeeze_of_a_number_in_a_dimension_that_it_has_not():
    with pytest.raises(RuntimeError, match="out of range"):
        vmap(lambda x: x.squeeze(1))(torch.ones(3))
