"""First-class dimensions: binding, indexing, order, products, and functions along them."""

import collections
import gc

import pytest

import rushlight as torch
from rushlight.functorch.dim import (
    Dim,
    DimensionBindError,
    DimList,
    Tensor,
    cat,
    dimlists,
    dims,
    softmax,
    stack,
)
from rushlight.testing import assert_close


def numbers(*size):
    generator = torch.Generator().manual_seed(3)
    return torch.rand(*size, generator=generator)


class Holder:
    """Something with attributes."""


def test_names_and_sizes_come_from_the_assignment():
    i, j = dims()
    x = dims()
    holder = Holder()
    a, holder.b, c = dims(3)
    assert [str(d) for d in (i, j, x, a, holder.b, c)] == ["i", "j", "x", "a", "d1", "d2"]
    p, q = dims(sizes=[2, None])
    assert (p.size, p.is_bound, q.is_bound) == (2, True, False)
    with pytest.raises(ValueError, match="dimension q is unbound"):
        _ = q.size
    assert str(dims(2)) == "(d0, d1)"
    with pytest.raises(SyntaxError, match="must be assigned to a sequence of variable names"):
        print(dims())
    with pytest.raises(ValueError, match="expected 2 sizes but found 1"):
        dims(2, sizes=[1])


def test_a_dimension_keeps_its_size():
    i = dims()
    x = numbers(3)[i]
    assert i.size == 3 and x.dims == (i,) and x.ndim == 0 and isinstance(x, Tensor)
    with pytest.raises(DimensionBindError, match="previously bound to a dimension of size 3"):
        i.size = 5
    with pytest.raises(DimensionBindError, match="cannot bind to a dimension of size 4"):
        numbers(4)[i]


def test_it_shows_its_dimensions():
    i = dims()
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])[i]
    assert repr(x) == "tensor([[1., 2.],\n        [3., 4.]])\nwith dims=(i, 0) sizes=(2, 2)"


def test_order():
    i, j = dims()
    x = numbers(3, 4, 5)
    assert_close(x[i, j].order(j, i), x.permute(1, 0, 2))
    assert_close(x[i].order(1, i), x.permute(2, 0, 1))
    assert_close(x[i, j].order((j, i)), x.transpose(0, 1).reshape(12, 5))
    assert x[i].permute(dims=(1, 0)).dims == (i,)
    with pytest.raises(ValueError, match="tensor does not contain dim k or it was specified twice"):
        x[i].order(Dim("k", 2))


def test_packs_split_and_join():
    i, j, k = dims()
    j.size = 2
    x = numbers(6, 4)
    bound = x[(i, j), k]
    assert (i.size, k.size) == (3, 4)
    assert_close(bound.order(i, (j, k)), x.reshape(3, 8))
    assert_close(x[[i, j], :].order([i, j]), x)
    with pytest.raises(DimensionBindError, match="does not evenly fit into larger dimension: 5"):
        numbers(5)[(Dim("a"), j),]
    with pytest.raises(DimensionBindError, match="two dimensions at once a and b"):
        numbers(6)[(Dim("a"), Dim("b")),]


def test_lists_of_dimensions():
    rest = dimlists()
    i = dims()
    x = numbers(2, 3, 4)
    with pytest.raises(DimensionBindError, match="DimList not bound"):
        len(rest)
    bound = x[i, rest]
    assert len(rest) == 2 and str(rest) == "(rest0, rest1)"
    assert_close(bound.order(*rest, i), x.permute(1, 2, 0))
    assert_close(bound.order(rest, i), x.permute(1, 2, 0))
    assert [d.size for d in DimList([3, 4])] == [3, 4]
    with pytest.raises(DimensionBindError, match="found 2 at offsets 0 and 1"):
        x[DimList(), DimList(), i]


def test_functions_run_for_all_indices():
    i, j = dims()
    x, y, m = numbers(3, 4), numbers(2, 4), numbers(4, 5)
    assert_close((x[i] + y[j]).order(i, j), x[:, None] + y[None])
    assert_close(torch.mm(numbers(3, 2, 4)[i], m).order(i), numbers(3, 2, 4) @ m)
    assert_close(x[i].dot(torch.ones(4)).relu().order(i), x.sum(1))
    assert torch.nn.functional.dropout(x[i]).dims == (i,)


def test_functions_take_dimensions_for_numbers():
    i, j = dims()
    x = numbers(3, 4)
    bound = x[i, j]
    assert_close(bound.sum(i).order(j), x.sum(0))
    assert_close(bound.max(dim=j)[0].order(i), x.max(1)[0])
    assert_close(x[i].sum((0, i)), x.sum())
    assert_close(x[i].std(i, True), x.std(0))
    assert_close(softmax(bound, j).order(i, j), x.softmax(1))
    assert_close(bound.sort(j)[0].order(i, j), x.sort(1)[0])
    assert_close(torch.logsumexp(bound, (i, j)), torch.logsumexp(x, (0, 1)))
    assert_close(bound.unbind(i)[1].order(j), x[1])
    with pytest.raises(ValueError, match=r"dimensions \['i', 'j'\] does not contain k"):
        bound.sum(Dim("k", 1))
    with pytest.raises(ValueError, match="with keepdim=True"):
        bound.sum(i, keepdim=True)
    with pytest.raises(ValueError, match="2 elements along dimension j of size 4"):
        bound.topk(2, j)


def test_dimensions_are_tensors_of_their_indices():
    i, j = dims(sizes=[3, 3])
    assert (i - j + 1).order(i, j).tolist() == [[1, 0, -1], [2, 1, 0], [3, 2, 1]]
    assert int((i == j).sum((i, j))) == 3
    x = numbers(3, 3)
    assert_close(torch.where(i <= j, x[i, j], 0).order(i, j), x.triu())
    assert_close(x[i, i].order(i), x.diagonal())
    with pytest.raises(RuntimeError, match="data-dependent control flow"):
        bool(i)


def test_indices():
    i, j, b = dims()
    table, words = numbers(8, 5), torch.tensor([[5, 4, 0]])
    assert_close(table[words[b, i], j].sum(i).order(b, j), table[words].sum(1))
    x = numbers(1, 2, 3, 4)
    i, j = dims(sizes=[2, 4])
    assert_close(x[:, i + 0, :, j + 0].order(i, j), x.permute(1, 3, 0, 2))
    k = dims(sizes=[5])
    assert_close(numbers(5)[k.size - k - 1].order(k), numbers(5).flip(0))
    i, n = dims()
    y = numbers(3, 4)
    assert_close(y[i, torch.tensor([2, 0])].order(i), y[:, [2, 0]])
    assert_close(y[i, n].index(n, torch.tensor([1, 3])).order(i), y[:, [1, 3]])
    assert_close(y[i, n].index([i, n], [1, 2]), y[1, 2])
    c = numbers(3, 4, 5)
    both = dims()
    assert_close(c.index((0, 2), both).order(both), c.permute(0, 2, 1).reshape(15, 4))
    with pytest.raises(ValueError, match="at least 3 indices were supplied"):
        y[i, n, Dim("k")]


def test_assignment():
    i, j = dims()
    x, y = numbers(3, 4), torch.zeros(4, 3)
    y[j, i] = x[i, j]
    assert_close(y, x.T)
    table, places, values = torch.zeros(5, 3), torch.tensor([1, 4]), numbers(2, 3)
    n, f = dims()
    table[places[n], f] += values[n, f]
    assert_close(table[places], values)
    with pytest.raises(DimensionBindError, match="contains dimension z which is not in"):
        y[j, i] = numbers(2)[Dim("z")]


def test_sums_of_products_are_products_of_matrices(monkeypatch):
    called = []
    for name in ("mm", "bmm"):
        function = getattr(torch, name)
        monkeypatch.setattr(torch, name, lambda *a, f=function, n=name: called.append(n) or f(*a))
    i, j, k, b = dims()
    x, y = numbers(3, 4), numbers(4, 5)
    assert_close((x[i, k] * y[k, j]).sum(k).order(i, j), x @ y)
    u, v = numbers(2, 3, 4), numbers(2, 4, 5)
    assert_close((u[b, i, k] * v[b, k, j]).sum(k).order(b, i, j), u @ v)
    assert called == ["mm", "bmm"]
    product = x[i, k] * y[k, j]
    assert_close(product.order(i, k, j), x[:, :, None] * y[None])
    assert_close((x[i, k] * y[k, j]).sum((i, k, j)), (x @ y).sum())
    assert called == ["mm", "bmm", "mm"]


def test_parts():
    i, j, a, b, wide = dims()
    x = numbers(3, 4)
    a.size = 1
    first, second = x[i, j].split((a, b), dim=j)
    assert b.size == 3
    assert_close(first.order(i, a), x[:, :1])
    assert_close(second.order(i, b), x[:, 1:])
    assert_close(cat([x[i, j], x[i, j] + 1], i, wide).order(wide, j), torch.cat([x, x + 1]))
    s = dims()
    assert_close(stack([x[i, j], x[i, j] + 1], s).order(s, i, j), torch.stack([x, x + 1]))
    with pytest.raises(TypeError, match="ints or dims but got a mix"):
        x[i, j].split((a, 3), dim=j)


def test_expand():
    i, k = dims(sizes=[3, 2])
    x = numbers(3, 4)
    assert x[i].expand(k).order(k, i).shape == (2, 3, 4)
    assert x[i].expand(5, 4).order(i).shape == (3, 5, 4)
    with pytest.raises(DimensionBindError, match="expanding dimension i already exists"):
        x[i].expand(i)


def test_gradients():
    i, j, k = dims()
    x = numbers(3, 4).requires_grad_()
    (x[i, k] * torch.ones(4, 5)[k, j]).sum(k).order(i, j).sum().backward()
    assert_close(x.grad, torch.full((3, 4), 5.0))


def test_methods_are_documented():
    assert Tensor.clamp.__doc__ == torch.Tensor.clamp.__doc__


def alive():
    """How many dimensions and tensors there are."""
    counted = collections.Counter(map(type, gc.get_objects()))
    return sum(n for kind, n in counted.items() if issubclass(kind, (Dim, Tensor)))


def test_nothing_is_kept_alive(new_objects_only, collect):
    def program():
        i, j, k = dims()
        x = numbers(3, 4)
        ((x[i, k] * x[j, k]).sum(k).softmax(j) + i).order(i, j)

    program()
    collect()
    before = alive()
    program()
    assert alive() == before
