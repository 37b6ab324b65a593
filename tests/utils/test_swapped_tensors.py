"""Exchanging what two tensor objects are, and modules that convert their parameters so."""

import weakref

import pytest

import rushlight as torch
from rushlight.utils import swap_tensors

pytestmark = pytest.mark.usefixtures("new_objects_only")


def test_all_that_makes_up_a_tensor_changes_places():
    a, b = torch.ones(2), torch.nn.Parameter(torch.zeros(3, dtype=torch.float64))
    a.name_of_it = "a"
    swap_tensors(a, b)
    assert isinstance(a, torch.nn.Parameter)
    assert (a.dtype, a.shape, a.requires_grad) == (torch.float64, (3,), True)
    assert type(b) is torch.Tensor
    assert b.name_of_it == "a"
    assert not b.requires_grad
    (a * 2).sum().backward()
    assert a.grad.tolist() == [2, 2, 2]


def test_what_is_still_needed_is_not_swapped():
    x = torch.ones(2, requires_grad=True)
    y = x * x
    with pytest.raises(RuntimeError, match="Expected use_count of t1 to be 1 or 2"):
        swap_tensors(x, torch.zeros(2))
    del y
    part = x[0]
    with pytest.raises(RuntimeError, match="Expected use_count of t2 to be 1 or 2"):
        swap_tensors(torch.zeros(2), x)
    del part
    reference = weakref.ref(x)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref"):
        swap_tensors(x, torch.zeros(2))
    del reference
    swap_tensors(x, torch.zeros(2))
    assert x.tolist() == [0, 0]


def test_a_graph_of_a_swapped_leaf_is_refused():
    x = torch.ones(2, requires_grad=True)
    total = x.sum()
    swap_tensors(x, torch.zeros(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        total.backward()
    x.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_tensors_with_other_slots_are_not_swapped():
    class Slotted(torch.Tensor):
        __slots__ = ["one"]

    with pytest.raises(RuntimeError, match="different slots"):
        swap_tensors(torch.ones(2).as_subclass(Slotted), torch.ones(2))


@pytest.fixture
def swapping():
    torch.__future__.set_swap_module_params_on_conversion(True)
    yield
    torch.__future__.set_swap_module_params_on_conversion(False)


def test_modules_swap_their_parameters(swapping):
    assert torch.__future__.get_swap_module_params_on_conversion()
    layer = torch.nn.Linear(2, 2)
    weight = layer.weight
    layer(torch.ones(1, 2)).sum().backward()
    layer.double()
    assert layer.weight is weight
    assert (weight.dtype, weight.grad.dtype) == (torch.float64, torch.float64)
    layer.load_state_dict({name: torch.ones_like(t) for name, t in layer.state_dict().items()})
    assert layer.weight is weight
    assert weight.tolist() == [[1, 1], [1, 1]]
    total = layer(torch.ones(1, 2, dtype=torch.float64)).sum()
    layer.float()
    with pytest.raises(RuntimeError, match="poisoned"):
        total.backward()


def test_modules_make_new_parameters():
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    try:
        layer = torch.nn.Linear(2, 2)
        weight = layer.weight
        assert layer.double().weight is not weight
        assert weight.dtype is torch.float32
    finally:
        torch.__future__.set_overwrite_module_params_on_conversion(False)
