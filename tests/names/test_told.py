"""What `__torch_function__` is told of functions that PyTorch writes in Python, and of others."""

import pytest

import rushlight as torch
from rushlight.overrides import resolve_name

F = torch.nn.functional


class Asked:
    """Keeps what it is told."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return resolve_name(function), len(args), kwargs


a = Asked()


@pytest.mark.parametrize(
    "call, name, count, kwargs",
    [
        (lambda: F.relu(a), "nn.functional.relu", 1, {"inplace": False}),
        (lambda: F.elu(a, 2.0), "nn.functional.elu", 1, {"alpha": 2.0, "inplace": False}),
        (
            lambda: F.softmax(a, 1),
            "nn.functional.softmax",
            1,
            {"dim": 1, "_stacklevel": 3, "dtype": None},
        ),
        (lambda: F.glu(input=a), "nn.functional.glu", 1, {"dim": -1}),
        (lambda: torch.split(a, 2), "split", 2, {"dim": 0}),
        (lambda: F.linear(a, bias=None, weight=a), "nn.functional.linear", 1, {"bias": None, "weight": a}),
        (lambda: torch.add(a, 1, alpha=2), "add", 2, {"alpha": 2}),
        (
            lambda: F.max_pool2d(a, 2, return_indices=True),
            "nn.functional.max_pool2d_with_indices",
            2,
            {
                "stride": None,
                "padding": 0,
                "dilation": 1,
                "ceil_mode": False,
                "return_indices": True,
            },
        ),
        (
            lambda: torch.nn.init.normal_(a, std=2.0),
            "nn.init.normal_",
            0,
            {"tensor": a, "mean": 0.0, "std": 2.0, "generator": None},
        ),
    ],
)  # fmt: skip
def test_arguments(call, name, count, kwargs):
    assert call() == (f"torch.{name}", count, kwargs)


def test_modes_hear_the_same():
    heard = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            heard.append((resolve_name(function), dict(kwargs or {})))
            return function(*args, **(kwargs or {}))

    x = torch.tensor([-1.0, 1.0])
    with Mode():
        assert F.leaky_relu(x).tolist() == F.leaky_relu(x, 0.01, False).tolist()
    assert heard[0][1] == {"negative_slope": 0.01, "inplace": False}


def test_calls_that_do_not_fit_are_told_as_they_were_made():
    assert F.relu(a, 1, 2, 3)[1] == 4


def test_operands_in_a_list_are_told_apart():
    from rushlight import fx

    graph = fx.symbolic_trace(lambda a, b: torch.einsum("ij,jk->ik", [a, b])).graph
    (call,) = graph.find_nodes(op="call_function", target=torch.einsum)
    assert [str(x) for x in call.args] == ["ij,jk->ik", "a", "b"]
