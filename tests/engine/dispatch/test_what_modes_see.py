"""Modes sit below autograd and autocast, and see PyTorch's operators with its arguments."""

import pytest

import rushlight as torch
from rushlight.utils._python_dispatch import TorchDispatchMode


class Seen(TorchDispatchMode):
    def __init__(self):
        self.calls = []
        self.recorded = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls.append((str(func).removeprefix("aten."), args, kwargs or {}))
        result = func(*args, **(kwargs or {}))
        self.recorded.append(getattr(result, "requires_grad", None))
        return result

    @property
    def names(self):
        return [name for name, _, _ in self.calls]


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (lambda x: x * 2, ["mul.Tensor"]),
        (lambda x: 2 - x, ["rsub.Scalar"]),
        (lambda x: x // 2, ["floor_divide.default"]),
        (lambda x: x == 2, ["eq.Scalar"]),
        (lambda x: x.add(1, alpha=2), ["add.Tensor"]),
        (lambda x: x.clone().div_(2, rounding_mode="floor"), ["clone.default", "div_.Tensor_mode"]),
        (lambda x: torch.tensor([1.0]), ["lift_fresh.default"]),
    ],
)
def test_numbers_are_shown_as_programs_write_them(function, names):
    x = torch.ones(2)
    with Seen() as seen:
        result = function(x)
    assert seen.names == names and torch.equal(result, function(x))
    numbers = [a for _, args, kwargs in seen.calls for a in (*args, *kwargs.values())]
    assert all(type(a) in (torch.Tensor, int, str) for a in numbers)


def test_lists_are_lists():
    with Seen() as seen:
        torch.ones(2, 3).permute(1, 0).sum((0, 1))
    assert [args[-1] for _, args, _ in seen.calls] == [[2, 3], [1, 0], [0, 1]]


def test_what_a_mode_calls_is_not_recorded_but_its_result_is():
    x = torch.rand(2, requires_grad=True)
    with Seen() as seen:
        y = x.exp()
    assert seen.names == ["exp.default", "detach.default"] and seen.calls[0][1][0] is x
    assert seen.recorded == [False, False]
    assert type(y.grad_fn).__name__ == "ExpBackward0"
    with Seen() as seen:
        y.sum().backward()
    assert seen.names[-1] == "detach.default" and "expand.default" in seen.names
    assert torch.equal(x.grad, y.detach())


def test_a_mode_may_answer_with_something_else():
    class Doubled(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            return result * 2 if func is torch.ops.aten.exp.default else result

    x = torch.zeros(2, requires_grad=True)
    with Doubled():
        y = x.exp()
    assert y.tolist() == [2, 2]
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [2, 2]


def test_casts_of_autocast_are_seen():
    x = torch.ones(2, 2)
    with torch.autocast("cpu"), Seen() as seen:
        x @ x
    assert seen.names == ["_to_copy.default", "_to_copy.default", "mm.default"]


def test_conjugates_are_what_they_stand_for():
    z = torch.tensor([1 + 2j])
    with Seen():
        assert (z.conj() * 1).tolist() == [1 - 2j]
        assert z.conj().imag.tolist() == [-2]


def test_views_of_a_mode_are_views():
    x = torch.rand(3, requires_grad=True) * 1
    with Seen():
        view = x[1:]
    assert view._base is x and type(view.grad_fn).__name__ == "SliceBackward0"
    view.mul_(2)
    assert type(x.grad_fn).__name__ == "CopySlices"


def test_a_class_may_leave_its_calls_to_a_mode():
    """Also those on conjugates, which are resolved before the mode is asked."""

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, elem):
            made = torch.Tensor._make_wrapper_subclass(
                cls, elem.size(), dtype=elem.dtype, strides=elem.stride()
            )
            made.elem = elem
            torch._C._set_conj(made, elem.is_conj())
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            with Unwrapping():
                return func(*args, **(kwargs or {}))

    class Unwrapping(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            def plain(x):
                if isinstance(x, list):
                    return [plain(item) for item in x]
                return x.elem if isinstance(x, Wrapper) else x

            return Wrapper(func(*map(plain, args), **(kwargs or {})))

    z = Wrapper(torch.tensor([1 + 2j]).conj())
    assert torch.cat([z, z]).elem.tolist() == [1 - 2j] * 2
