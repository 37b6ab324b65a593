"""`functionalize`: the same results and the same changes, without a write or a view below."""

import pytest

import rushlight as torch
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.func import functionalize, grad, vmap


class Watch(TorchDispatchMode):
    """Keeps the operators that are called below."""

    def __init__(self):
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


def start():
    return torch.arange(12.0).reshape(3, 4)


def through_views(x):
    y = x + 0
    flat, row, window = y.view(-1), y[1], y.unfold(1, 2, 2)
    flat[0] = 5
    row.mul_(2)
    window[0, 0].zero_()
    y.t()[1].add_(1)
    return y, flat, row, window


def in_arithmetic(x):
    y = x + 0
    y.view(-1)[1:5].mul_(3)
    return y.t().sub_(1)


def other_ways(x):
    out = torch.empty(4)
    torch.add(x[0], x[1], out=out)
    first, *_ = x.split(1)
    first.fill_(3)
    x.index_put_((torch.tensor([1]),), torch.zeros(4))
    x.diagonal().copy_(out[:3])
    z = x.clone().transpose_(0, 1)
    z[0] = -1
    return out, first, z, x.expand(2, 3, 4)


def steps_back(x):
    z = torch.view_as_complex(x.view(3, 2, 2).clone())
    z.real.add_(1)
    z.conj().mul_(2)
    return torch.view_as_real(z), x.squeeze().unsqueeze(0).add_(1), x.permute(1, 0).sub_(1)


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("f", [through_views, other_ways, steps_back])
def test_programs_compute_the_same(f, remove):
    plain, functional = start(), start()
    expected, found = f(plain), functionalize(f, remove=remove)(functional)
    assert all(x.equal(y) for x, y in zip(expected, found)) and plain.equal(functional)


def test_nothing_is_written_below_but_arguments_at_the_end():
    x = start()
    with Watch() as watch:
        functionalize(in_arithmetic, remove="mutations_and_views")(x)
    names = [op.name() for op in watch.seen]
    assert names and not any(op.schema.mutated for op in watch.seen), names
    x = start()
    with Watch() as watch:
        functionalize(lambda x: x.add_(1) * 2)(x)
    written = [op.packet_name for op in watch.seen if op.schema.mutated]
    assert written == ["copy_"] and x.equal(start() + 1)


def test_with_other_transformations():
    def f(x):
        y = x.clone()
        y[0].mul_(x[1])
        return y.sum()

    x = start()
    assert grad(functionalize(f))(x).equal(grad(f)(x))
    batch = torch.stack([x, x + 1])
    assert vmap(functionalize(f))(batch).equal(functionalize(vmap(f))(batch))


def test_what_is_refused():
    captured = torch.zeros(4)
    with pytest.raises(RuntimeError, match="non-functional tensor"):
        functionalize(lambda x: captured.add_(x[0]))(start())
    with pytest.raises(RuntimeError, match="received invalid argument for remove=views"):
        functionalize(through_views, remove="views")


def test_sizes_that_change_in_place():
    def larger(x):
        y = x + 1
        y.resize_(5, 5)
        y.view(25).fill_(1)
        return y + 1

    def smaller(x):
        y = x + 1
        y.resize_(1, 3)
        z = y.view(-1)
        z.fill_(1)
        return y, z

    assert functionalize(larger)(torch.ones(2, 2)).tolist() == [[2.0] * 5] * 5
    assert [y.tolist() for y in functionalize(smaller)(torch.ones(8, 2))] == [
        [[1, 1, 1]],
        [1, 1, 1],
    ]
    with pytest.raises(RuntimeError, match="Attempted to resize a view tensor to a larger size"):
        functionalize(lambda x: (x + 1).view(4).resize_(9))(torch.ones(2, 2))


def test_views_keep_their_strides():
    def program(x):
        y = x[:, 1:]
        y.neg_()
        return y

    assert functionalize(program)(torch.ones(3, 3)).stride() == (3, 1)


def test_plain_tensors_take_no_changes_that_are_followed():
    plain, followed = torch.ones(2), torch._to_functional_tensor(torch.ones(2))
    with pytest.raises(RuntimeError, match="mutating a non-functional tensor"):
        plain.add_(followed)
    assert torch._from_functional_tensor(followed.add_(plain)).tolist() == [2, 2]


@pytest.mark.parametrize("name", ["uniform_", "normal_", "exponential_", "bernoulli_", "random_"])
def test_samples_are_drawn_as_without(name):
    def program(x):
        y = torch.empty_like(x)
        getattr(y, name)()
        return y + x

    x = torch.zeros(3, 4).t()
    torch.manual_seed(0)
    expected = program(x)
    torch.manual_seed(0)
    assert torch.equal(functionalize(program)(x), expected)


@pytest.mark.parametrize(
    "make", [lambda: torch.arange(6.0).view(2, 3), lambda: torch.arange(12.0).view(2, 6)[:, ::2]]
)
@pytest.mark.parametrize("change", ["t_", "unsqueeze_", "as_strided_"])
def test_arguments_whose_geometry_changes(make, change):
    given = {"t_": (), "unsqueeze_": (1,), "as_strided_": ((2, 2), (1, 2), 1)}[change]
    plain, functional = make(), make()
    expected = getattr(plain, change)(*given)
    found = functionalize(lambda x: getattr(x, change)(*given))(functional)
    for x in (found, functional):
        assert x.equal(expected) and x.stride() == expected.stride()


def test_what_returns_nothing():
    def program(x):
        parts = [torch.zeros(1, 3), torch.zeros(1, 3)]
        return torch.split_copy(x, 1, out=parts), parts

    returned, parts = functionalize(program)(torch.ones(2, 3))
    assert returned is None and parts[1].tolist() == [[1.0] * 3]


def test_a_result_in_the_type_of_its_target_says_its_layout():
    from rushlight.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(torch.func.functionalize(lambda x: x.clone().ge_(0)))(torch.ones(2))
    (made,) = graph.graph.find_nodes(op="call_function", target=torch.ops.aten._to_copy.default)
    assert made.kwargs == {"dtype": torch.float32, "layout": torch.strided}
    x = torch.ones(2)
    for layout, given in ((torch.sparse_coo, x), (torch.strided, x.to_sparse())):
        with pytest.raises(RuntimeError, match="doesn't support converting to a different layout"):
            torch.ops.aten.to.dtype_layout(given, layout=layout)
    assert x.to("cpu") is x and torch.ops.aten.to.dtype_layout(x, layout=torch.strided) is x
