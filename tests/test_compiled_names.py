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
    from rushlight.distributed.device_mesh import DeviceMesh
    from rushlight.distributed.tensor import DTensor
    from rushlight.fx import GraphModule

    layer = torch.nn.Linear(1, 1)
    assert not isinstance(layer, OptimizedModule | GraphModule)
    assert not isinstance(layer.weight, DTensor)
    with pytest.raises(NotImplementedError, match="GraphModule: rushlight has no graphs"):
        GraphModule(layer, None)
    with pytest.raises(NotImplementedError, match="symbolic_trace: rushlight has no graphs"):
        torch.fx.symbolic_trace(layer)
    with pytest.raises(NotImplementedError, match="DeviceMesh"):
        DeviceMesh("cpu", [0])
