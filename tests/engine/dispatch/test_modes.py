import pytest

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
    for field in ("_storage", "_size", "_stride", "_offset", "_numel", "_dtype", "_flags"):
        setattr(made, field, getattr(x, field))
    made._counter = made._base = made._autograd = None
    made._keys = keys.CPU | keys.PYTHON
    assert ops.aten.neg(made) == ("asked", ops.aten.neg.default, (Sub,))
    Sub.__torch_dispatch__ = classmethod(lambda *args: NotImplemented)
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        ops.aten.neg(made)
