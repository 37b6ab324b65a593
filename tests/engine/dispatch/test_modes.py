import pytest

import rushlight as torch
from rushlight._ops import ops
from rushlight.engine.core import keys, state
from rushlight.engine.core.tensor import Tensor
from rushlight.engine.dispatch.modes import TorchDispatchMode
from rushlight.engine.generated import functions


class Log(TorchDispatchMode):
    def __init__(self, name, calls):
        self.name, self.calls = name, calls

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls.append((self.name, str(func), len(args), kwargs))
        return func(*args, **(kwargs or {}))


def test_modes_see_operators_innermost_first(reports, x):
    reports("add.Tensor", "neg")
    calls = []
    with Log("outer", calls), Log("inner", calls):
        assert functions.add(x, x, alpha=2) == ("add.Tensor", x, x, 2)
    assert calls == [
        ("inner", "aten.add.Tensor", 2, {"alpha": 2}),
        ("outer", "aten.add.Tensor", 2, {"alpha": 2}),
    ]
    assert state.active == 0
    functions.neg(x)
    assert len(calls) == 2


def test_composites_come_apart_before_a_mode_sees_them(reports, x):
    reports("neg", "negative")
    op = ops.aten.negative.default
    op.kernels.clear()
    op.register("CompositeImplicitAutograd", functions.neg)
    calls = []
    with Log("mode", calls):
        functions.negative(x)
    assert [name for _, name, _, _ in calls] == ["aten.neg.default"]


def test_a_mode_without_a_handler_is_an_error(reports, x):
    reports("neg")

    class Empty(TorchDispatchMode):
        pass

    with pytest.raises(NotImplementedError, match="Empty does not define"), Empty():
        functions.neg(x)
    assert state.active == 0 and not state.thread.modes


def test_subclasses_are_asked(reports, x):
    reports("neg")

    class Sub(Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return "asked", func, types

    made = object.__new__(Sub)
    for field in ("_storage_", "_size_", "_stride_", "_offset_", "_numel_", "_dtype_", "_flags_"):
        setattr(made, field, getattr(x, field))
    made._counter_ = made._base = made._autograd_ = None
    made._keys_ = keys.CPU | keys.PYTHON
    assert ops.aten.neg(made) == ("asked", ops.aten.neg.default, (Sub,))
    Sub.__torch_dispatch__ = classmethod(lambda *args: NotImplemented)
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        ops.aten.neg(made)


def seen_in(call):
    seen = []

    class Seeing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Seeing():
        result = call()
    return seen, result


def test_products_are_seen_in_their_parts():
    x, w, b = (torch.rand(*size) for size in ((2, 3, 4), (5, 4), (5,)))
    names, found = seen_in(lambda: torch.nn.functional.linear(x, w, b))
    assert names == [
        "aten.view.default",
        "aten.t.default",
        "aten.addmm.default",
        "aten.view.default",
    ]
    assert torch.allclose(found, torch.nn.functional.linear(x, w, b))
    names, found = seen_in(lambda: torch.nn.functional.linear(x[0], w, b))
    assert names == ["aten.select.int", "aten.t.default", "aten.addmm.default"]
    for one, other in ((x, w.t()), (x, w[0]), (w, x.mT), (x[0, 0], x.mT), (x, x.mT), (x[:1], x.mT)):
        names, found = seen_in(lambda one=one, other=other: torch.matmul(one, other))
        assert not any("_matmul_batched" in name for name in names)
        expected = torch.matmul(one, other)
        assert found.shape == expected.shape
        assert torch.allclose(found, expected)


def test_a_class_may_turn_on_a_mode_in_its_answer():
    class Answering(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return "answered"

    class Asking(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            with Answering():
                return func(*args, **(kwargs or {}))

    assert torch.ones(2).as_subclass(Asking).sin() == "answered"


def test_subscripts_are_seen():
    x = torch.zeros(2, 3)

    def write():
        x[0] = 1
        x[1:, 1] = torch.tensor(2.0)
        x[x == 1] = 3

    assert seen_in(lambda: x[0])[0] == ["aten.select.int"]
    assert seen_in(lambda: x[None, 1:])[0] == ["aten.unsqueeze.default", "aten.slice.Tensor"]
    names, _ = seen_in(write)
    assert names.count("aten.select.int") == 2
    assert "aten.masked_fill_.Scalar" in names
    assert x.tolist() == [[3, 3, 3], [0, 2, 0]]
