"""Names of PyTorch's compiled part, and of parts that libraries import and seldom use."""

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("cpu",), (torch.device("cpu"), None, False, None)),
        ((torch.float64, True), (None, torch.float64, True, None)),
        ((torch.ones(1, dtype=torch.int8),), (torch.device("cpu"), torch.int8, False, None)),
        ((), (None, None, False, None)),
    ],
)
def test_arguments_of_to(args, expected):
    assert torch._C._nn._parse_to(*args) == expected


def test_functions_of_networks():
    assert torch._C._nn.linear is torch.nn.functional.linear
    assert torch._C._nn.gelu is torch.nn.functional.gelu


def test_classes_that_nothing_is_of():
    from rushlight._dynamo.eval_frame import OptimizedModule

    layer = torch.nn.Linear(1, 1)
    assert not isinstance(layer, OptimizedModule)


def test_sizes_that_are_left_open():
    assert not isinstance(3, torch.SymInt | torch.SymFloat | torch.SymBool)
    assert torch._C._are_functorch_transforms_active() is False


def test_assertions():
    torch._assert(torch.tensor(True), "holds")
    torch._assert_async(torch.tensor(2))
    torch._assert_async(torch.empty((), device="meta"))
    with pytest.raises(AssertionError, match="no way"):
        torch._assert(torch.tensor(False), "no way")
    with pytest.raises(
        RuntimeError, match="Expected Tensor with single nonzero value, but got zero"
    ):
        torch._assert_async(torch.tensor(0))
    with pytest.raises(RuntimeError, match="mine"):
        torch._assert_async(torch.tensor(False), "mine")
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        torch._assert_async(torch.ones(2))


def test_random_states_of_devices_besides_the_host():
    from rushlight.utils.checkpoint import get_device_states, set_device_states

    kept = get_device_states(torch.ones(2))
    assert kept == ([], [])
    set_device_states(*kept)
    with pytest.raises(NotImplementedError, match="no devices besides the host"):
        set_device_states([0], [torch.get_rng_state()])


def test_the_key_of_extra_state():
    from rushlight.nn.modules.module import _EXTRA_STATE_KEY_SUFFIX

    class Counted(torch.nn.Module):
        def get_extra_state(self):
            return 3

    assert list(torch.nn.Sequential(Counted()).state_dict()) == [f"0.{_EXTRA_STATE_KEY_SUFFIX}"]
