"""Members of tensors that few programs still use."""

import pytest

import rushlight as torch


def test_other_shapes_the_old_way():
    x = torch.arange(6.0, requires_grad=True)
    with pytest.warns(UserWarning, match="non-inplace resize is deprecated"):
        found = x.resize(2, 3)
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]
    found.sum().backward()
    assert x.grad.tolist() == [1] * 6
    with pytest.warns(UserWarning, match="non-inplace resize_as is deprecated"):
        assert x.resize_as(torch.ones(3, 2)).shape == (3, 2)
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="requested resize to 2x2"):
        x.resize((2, 2))


def test_what_was_removed():
    x = torch.ones(2)
    with pytest.warns(UserWarning, match="always False"):
        assert x.volatile is False
    with pytest.warns(UserWarning, match="now has no effect"):
        x.volatile = True
    with pytest.raises(RuntimeError, match=r"reinforce\(\) was removed"):
        x.reinforce(1.0)


def test_facts_about_plain_tensors():
    x = torch.ones(2, 3)
    assert (x.sparse_dim(), x.dense_dim(), x.is_distributed(), x.name) == (0, 2, False, None)
    assert x.to_dense() is x
    assert x.to_dense(torch.float64).dtype is torch.float64
    assert torch.ones(2, dtype=torch.int8).dequantize().dtype is torch.float32
    assert x.const_data_ptr() == x.data_ptr()
    loaded = torch.zeros(2, 3).module_load(x)
    assert loaded.tolist() == x.tolist()
    given = torch.nn.Parameter(torch.ones(2))
    assigned = torch.zeros(2).module_load(given, assign=True)
    assert assigned.data_ptr() == given.data_ptr() and not assigned.requires_grad


def test_absent_devices():
    x = torch.ones(2)
    for name, error in (("xpu", AssertionError), ("mtia", AssertionError), ("ipu", RuntimeError)):
        with pytest.raises(error):
            getattr(x, name)()
    with pytest.raises(RuntimeError, match="on an accelerator"):
        x.record_stream(None)


def test_a_function_of_three_elements():
    x, y = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([10.0, 20.0])
    found = x.map2_(y, torch.tensor(2.0), lambda a, b, c: a + b * c)
    assert found is x
    assert x.tolist() == [[21.0, 42.0], [23.0, 44.0]]


def test_texts_in_parts():
    text = torch._tensor_str
    assert text._tensor_str(torch.tensor([1.0, 2.5]), 0) == "[1.0000, 2.5000]"
    assert text._add_suffixes("x", ["a=1", "b=2"], 3, False) == "x, a=1, b=2)"
    assert text._add_suffixes("x", ["a=1", "b=2"], 3, True) == "x,\n   a=1, b=2)"


def test_names_at_other_places():
    assert torch.ScriptModule is torch.jit.ScriptModule
    assert torch._tensor._rebuild_from_type_v2 is torch._utils._rebuild_from_type_v2
    with torch.DisableTorchFunctionSubclass():
        assert (torch.ones(1) + 1).item() == 2


class Marked(torch.Tensor):
    pass


def test_subclasses_stay():
    marked = torch.ones(4).as_subclass(Marked)
    with pytest.warns(UserWarning):
        assert type(marked.resize(2, 2)) is Marked
    assert type(marked.to_dense()) is Marked
