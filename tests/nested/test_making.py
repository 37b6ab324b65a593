"""Nested tensors are made, described, printed, copied and kept in files."""

import copy
import io
import pickle

import pytest

import rushlight as torch
from rushlight.nested._internal.nested_tensor import NestedTensor

LAYOUTS = [torch.jagged, torch.strided]


def example(layout=torch.jagged, **options):
    x = [torch.arange(6.0).reshape(2, 3), torch.ones(1, 3)]
    return torch.nested.nested_tensor(x, layout=layout, **options)


def same(x, y):
    return (
        type(x) is type(y)
        and x.requires_grad == y.requires_grad
        and all(map(torch.equal, x.unbind(), y.unbind()))
    )


def test_what_a_jagged_one_tells():
    x = example()
    assert isinstance(x, NestedTensor) and x.is_nested and x.layout is torch.jagged
    assert x.dim() == 3 and x.numel() == 9 and len(x) == 2 and x.is_contiguous()
    ragged = x.size(1)
    assert x.shape == (2, ragged, 3) and x.stride() == (3 * ragged, 3, 1)
    assert x.offsets().tolist() == [0, 2, 3] and x.lengths() is None
    assert (
        repr(x)
        == f"NestedTensor(size=(2, {ragged}, 3), offsets=tensor([0, 2, 3]), contiguous=True)"
    )
    assert x.transpose(1, 2).shape == (2, 3, ragged) and not x.transpose(1, 2).is_contiguous()
    assert (x * 2).shape == x.shape != example().shape


def test_what_a_strided_one_tells():
    x = example(torch.strided)
    assert x.is_nested and x.layout is torch.strided and x.size(0) == 2 and x.size(-1) == 3
    with pytest.raises(RuntimeError, match="dimension 1 is irregular"):
        x.size(1)
    with pytest.raises(RuntimeError, match="doesn't support sizes"):
        x.shape  # noqa: B018
    assert x._nested_tensor_size().tolist() == [[2, 3], [1, 3]]
    assert x._nested_tensor_strides().tolist() == [[3, 1], [3, 1]]
    assert x._nested_tensor_storage_offsets().tolist() == [0, 6]
    assert repr(x).startswith("nested_tensor([\n  tensor([[0., 1., 2.],\n")
    assert x.transpose(1, 2)._nested_tensor_strides().tolist() == [[1, 3], [1, 3]]


def test_ways_to_make_one():
    values = torch.arange(12.0).reshape(6, 2)
    made = torch.nested.nested_tensor_from_jagged
    offsets, lengths = torch.tensor([0, 2, 6]), torch.tensor([1, 2, 3])
    assert [len(e) for e in made(values, offsets)] == [2, 4]
    assert [len(e) for e in made(values, lengths=lengths)] == [1, 2, 3]
    assert [len(e) for e in made(values, offsets, lengths[:2])] == [1, 2]
    assert made(values.t(), offsets, jagged_dim=2).size(1) == 2
    dense = torch.arange(12.0).reshape(2, 3, 2)
    for layout in LAYOUTS:
        whole = torch.nested.as_nested_tensor(dense, layout=layout)
        assert torch.equal(torch.stack(list(whole)), dense)
        assert torch.nested.as_nested_tensor(whole, layout=layout) is whole
        assert example(layout, dtype=torch.float64).dtype is torch.float64
    mask = torch.tensor([[True, False, True], [False, True, False]])
    chosen = torch.nested.masked_select(dense[..., 0], mask)
    assert [e.tolist() for e in chosen] == [[0, 4], [8]]
    part = torch.nested.narrow(dense, 1, torch.tensor([0, 1]), torch.tensor([1, 2]), torch.jagged)
    assert [e.shape[0] for e in part] == [1, 2]


WRONG = {
    "empty": ([], "empty tensor list"),
    "types": ([torch.ones(2), torch.ones(3).double()], "same dtype"),
    "ranks": ([torch.ones(2), torch.ones(3, 2)], "same dim"),
    "numbers": ([torch.tensor(1.0)], "zero-dim"),
    "two": ([torch.ones(2, 3), torch.ones(3, 2)], "single ragged dimension"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_lists(name):
    given, message = WRONG[name]
    with pytest.raises(RuntimeError, match=message):
        torch.nested.nested_tensor(given, layout=torch.jagged)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_and_files(layout):
    x = example(layout, requires_grad=layout is torch.jagged)
    for made in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert same(made, x) and made is not x
    for weights_only in (True, False):
        file = io.BytesIO()
        torch.save(x, file)
        file.seek(0)
        assert same(torch.load(file, weights_only=weights_only), x)


def test_the_values_are_shared():
    x = example()
    y = x.detach()
    x.mul_(2)
    assert y._version == x._version and same(x.detach(), y)
    x.values().zero_()
    assert y.values().eq(0).all()


def test_shapes_that_lead_back():
    x = torch.nested.nested_tensor([torch.randn(n, 6) for n in (2, 5)], layout=torch.jagged)
    y = x.unflatten(-1, (2, 3))
    assert y.shape == (2, x.size(1), 2, 3) and y.flatten(-2).shape == x.shape
    assert x.view(2, -1, 2, 3).shape == y.shape == x.reshape(2, x.size(1), 2, 3).shape
    assert y.permute(0, 3, 1, 2).shape == (2, 3, x.size(1), 2)
    assert x.unsqueeze(1).shape == (2, 1, x.size(1), 6)
    assert x.unsqueeze(1).squeeze(1).shape == x.shape
    assert [p.size(-1) for p in x.chunk(4, -1)] == [2, 2, 2]
    assert [len(p) for p in x.chunk(2, 0)] == [1, 1]


def test_modes_see_the_dense_calls():
    from rushlight.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x = example()
    with Mode():
        made = x * 2
    assert made.is_nested and torch.ops.aten.mul.Tensor in seen


@pytest.mark.parametrize("layout", LAYOUTS)
def test_comparisons_in_tests(layout):
    x = example(layout)
    torch.testing.assert_close(x, x * 1)
    with pytest.raises(AssertionError, match="Mismatched elements"):
        torch.testing.assert_close(x, x + 1)
    other = torch.nested.nested_tensor([torch.ones(3, 3), torch.ones(1, 3)], layout=layout)
    with pytest.raises(AssertionError, match="shapes of the elements"):
        torch.testing.assert_close(x, other)
    with pytest.raises(AssertionError, match="is_nested"):
        torch.testing.assert_close(x, x.to_padded_tensor(0.0))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_members(layout):
    x = example(layout)
    assert x.is_floating_point() and torch.is_floating_point(x) and not x.is_complex()
    assert same(x.data, x) and x.float() is x and x.cpu() is x
    x.data = x * 2
    assert x.unbind()[0].tolist() == [[0, 2, 4], [6, 8, 10]]
    assert x.apply_(lambda n: n / 2) is x and x.unbind()[0][0].tolist() == [0, 1, 2]
    assert x.share_memory_() is x and x.is_shared()
    with pytest.raises(RuntimeError, match="Batches of nested tensors"):
        torch.utils.data.default_collate([x, x])


def test_it_can_be_taken_apart():
    from rushlight.utils._python_dispatch import is_traceable_wrapper_subclass

    x = example()
    assert is_traceable_wrapper_subclass(x)
    names, context = x.__tensor_flatten__()
    assert names[:2] == ["_values", "_offsets"]
    parts = {name: getattr(x, name) for name in names}
    assert same(NestedTensor.__tensor_unflatten__(parts, context, x.shape, x.stride()), x)


def test_a_parameter():
    x = torch.nn.Parameter(example())
    assert isinstance(x, torch.nn.Parameter) and x.requires_grad
    (x * x).sum().backward()
    assert x.grad.is_nested


def test_numbers_are_put_at_places():
    x = example()
    x.index_put_((torch.tensor([0, 1]), torch.tensor([1, 0])), torch.tensor(9.0))
    assert [e.tolist() for e in x] == [[[0, 1, 2], [9, 9, 9]], [[9, 9, 9]]]
    made = x.index_put((torch.tensor([1]),), torch.tensor(4.0))
    assert made[1].tolist() == [[4, 4, 4]] and x[1].tolist() == [[9, 9, 9]]
    with pytest.raises(RuntimeError, match="out of bounds"):
        x.index_put_((torch.tensor([1]), torch.tensor([1])), torch.tensor(9.0))


def test_autocast_sees_the_dense_calls():
    x = example()
    with torch.autocast("cpu", torch.bfloat16):
        made = torch.nn.functional.linear(x, torch.ones(2, 3))
    assert made.dtype is torch.bfloat16 and made.shape == (2, x.size(1), 2)


def test_tensors_have_no_names():
    x = torch.ones(2)
    for name in ("names", "has_names", "refine_names", "align_to", "rename"):
        assert not hasattr(x, name)
    with pytest.raises(TypeError, match="names"):
        torch.ones(2, names=("a",))


def test_elements_need_not_be_all_there_is():
    values = torch.arange(16.0).reshape(8, 2)
    x = torch.nested.nested_tensor_from_jagged(values, torch.tensor([1, 3, 6]), max_seqlen=3)
    assert x.sum(1).tolist() == [[6, 8], [24, 27]]
    assert x.to_padded_tensor(0.0)[0].tolist() == [[2, 3], [4, 5], [0, 0]]
    with pytest.raises(RuntimeError, match="split_sizes to sum exactly to 8"):
        x.unbind()
