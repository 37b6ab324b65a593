"""`torch.library` as programs use it."""

import itertools

import pytest

import rushlight as torch
from rushlight import library
from rushlight._library.checks import OpCheckError
from rushlight.utils._python_dispatch import TorchDispatchMode

serial = itertools.count()


@pytest.fixture
def double():
    @library.custom_op(f"custom{next(serial)}::double", mutates_args=())
    def double(x: torch.Tensor, times: int = 2) -> torch.Tensor:
        return x * times

    yield double
    double._lib._destroy()


class Plain(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def test_kernels_are_switched_off(double, caplog):
    x = torch.ones(2)
    double.register_kernel("cpu", lambda x, times=2: x * times + 100)
    assert double(x).tolist() == [102, 102]
    with double.set_kernel_enabled("cpu", enabled=False):
        assert double(x).tolist() == [2, 2]
    assert double(x).tolist() == [102, 102]
    with double.set_kernel_enabled("cuda"):
        assert "no kernel was registered for this device type" in caplog.text


def test_what_modes_make_of_an_operator(double):
    @library.register_torch_dispatch(double, Plain)
    def answer(mode, func, types, args, kwargs):
        assert isinstance(mode, Plain) and func is double._opoverload
        return args[0] + 1000

    x = torch.ones(2)
    with Plain():
        assert double(x).tolist() == [1001, 1001]
    assert double(x).tolist() == [2, 2]


def test_autocast_of_an_operator(double):
    library.register_autocast(double, "cpu", torch.bfloat16)
    with torch.autocast("cpu"):
        assert double(torch.ones(2)).dtype is torch.bfloat16
        assert double(torch.ones(2, dtype=torch.float64)).dtype is torch.float64
    assert double(torch.ones(2)).dtype is torch.float32


def test_written_arguments_count_as_changed():
    @library.custom_op(f"custom{next(serial)}::inc", mutates_args={"x"})
    def inc(x: torch.Tensor) -> None:
        x.numpy()[:] += 1

    x = torch.ones(2)
    inc(x)
    assert x.tolist() == [2, 2] and x._version == 1


def test_gradients_are_registered_where_they_belong(double):
    x = torch.ones(2, requires_grad=True)
    check = "test_autograd_registration"
    assert library.opcheck(double, (x,), test_utils=check) == {check: "SUCCESS"}
    name = f"custom{next(serial)}"
    with library._scoped_library(name, "DEF") as held:
        held.define("f(Tensor x) -> Tensor")
        held.impl("f", lambda x: x.sin(), "CPU")
        with pytest.raises(OpCheckError, match="at least one output of this operator has requires"):
            library.opcheck(getattr(torch.ops, name).f.default, (x,), test_utils=check)


def test_a_kernel_at_hand_is_not_replaced():
    kernel = library.get_kernel("aten::sin", "CPU")
    x = torch.tensor([1.0, -1.0])
    with library._scoped_library("aten", "IMPL") as held:

        def where_positive(keys, x):
            return kernel.call_boxed(keys, x) if (x >= 0).all() else torch.zeros_like(x)

        held.impl("sin", where_positive, "CPU", with_keyset=True)
        assert torch.sin(x).tolist() == [0, 0]
        assert torch.sin(x.abs()).tolist() == pytest.approx([0.84147098] * 2)
    with pytest.raises(ValueError, match="Invalid dispatch key: Nowhere"):
        library.get_kernel("aten::sin", "Nowhere")


def test_with_a_library_in_front():
    with library._scoped_library(f"custom{next(serial)}", "DEF") as held:

        @library.define(held, "f(Tensor x) -> Tensor")
        def f(x):
            return x + 1

        @library.impl(held, "f", "CPU")
        def g(x):
            return x + 2

        assert getattr(torch.ops, held.ns).f(torch.zeros(1)).item() == 2


def test_triton_is_refused():
    with pytest.raises(NotImplementedError, match="no Triton kernels"):
        library.triton_op("a::b", mutates_args=())
