"""`__torch_function__`: who is asked, in which order, and what becomes of the answers."""

import inspect
import subprocess
import sys
import threading

import pytest

import rushlight as torch
from rushlight import overrides
from rushlight.engine.dispatch import overrides_hook
from rushlight.overrides import TorchFunctionMode


class Logged(torch.Tensor):
    seen: list = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(overrides.resolve_name(func))
        return super().__torch_function__(func, types, args, kwargs)


class Sub(Logged):
    pass


class Duck:
    """No tensor, but takes part in the protocol."""

    def __init__(self, answer="duck"):
        self.answer = answer

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise AssertionError("asked on the object rather than on its class")


class Answering(Duck):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return ("answered", overrides.resolve_name(func), types)


class Declining:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Counting(TorchFunctionMode):
    def __init__(self):
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(overrides.resolve_name(func))
        return func(*args, **(kwargs or {}))


@pytest.fixture
def logged():
    Logged.seen.clear()
    made = torch.ones(2, 3).as_subclass(Logged)
    Logged.seen.clear()
    return made


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda x: x.shape, "torch.Tensor.shape.__get__"),
        (lambda x: x.dtype, "torch.Tensor.dtype.__get__"),
        (lambda x: x.requires_grad, "torch.Tensor.requires_grad.__get__"),
        (lambda x: x.dim(), "torch.Tensor.dim"),
        (lambda x: x.size(0), "torch.Tensor.size"),
        (lambda x: len(x), "torch.Tensor.__len__"),
        (lambda x: x.T, "torch.Tensor.T.__get__"),
        (lambda x: x[0], "torch.Tensor.__getitem__"),
        (lambda x: torch.ones(2, 3)[x.detach().long()], "torch.Tensor.__getitem__"),
        (lambda x: x.sum(), "torch.Tensor.sum"),
        (lambda x: torch.cat([torch.ones(1, 3), x]), "torch.cat"),
        (lambda x: torch.nn.functional.mse_loss(x, x), "torch.nn.functional.mse_loss"),
        (lambda x: torch.nn.functional.softmax(x, -1), "torch.nn.functional.softmax"),
        (lambda x: torch.einsum("ij->j", x), "torch.einsum"),
        (lambda x: torch.nn.init.constant_(x, 1.0), "torch.nn.init.constant_"),
    ],
)  # fmt: skip
def test_a_subclass_is_told_the_public_function(logged, call, name):
    call(logged)
    assert name in Logged.seen


def test_results_of_functions_on_networks_are_of_the_subclass(logged):
    functional = torch.nn.functional
    for result in (
        functional.mse_loss(logged, logged),
        functional.softmax(logged, -1),
        functional.binary_cross_entropy_with_logits(logged, torch.ones(2, 3)),
        torch.einsum("ij->j", logged),
        torch.max(logged, 0)[0],
    ):
        assert type(result) is Logged


def test_setters_are_told(logged):
    logged.requires_grad = True
    assert logged.grad is None
    logged.grad = torch.ones(2, 3)
    assert len(Logged.seen) == 3


def test_subclasses_are_asked_before_their_bases():
    Logged.seen.clear()
    types_seen = []

    class Inner(Logged):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            types_seen.append((cls, types))
            return NotImplemented

    class Innermost(Inner):
        pass

    outer, inner = torch.ones(2).as_subclass(Logged), torch.ones(2).as_subclass(Innermost)
    types_seen.clear()
    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        torch.add(outer, inner)
    assert types_seen[0] == (Innermost, (Innermost, Logged))


def test_ducks_answer_for_functions_and_lists():
    duck = Answering()
    assert torch.add(torch.ones(2), duck)[:2] == ("answered", "torch.add")
    assert torch.add(duck, 1)[2] == (Answering,)
    assert torch.stack([torch.ones(2), duck])[1] == "torch.stack"
    assert torch.ops.aten.add(duck, 1)[0] == "answered"


def test_declining_raises():
    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch.add'"):
        torch.add(Declining(), 1)


def test_a_disabled_class_gives_plain_tensors():
    class Quiet(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    quiet = torch.ones(2).as_subclass(Quiet)
    assert type(quiet + 1) is torch.Tensor and quiet.shape == (2,)


def test_disabling(logged):
    with torch._C.DisableTorchFunctionSubclass():
        assert type(logged + 1) is torch.Tensor and logged.shape == (2, 3)
    assert Logged.seen == []
    mode = Counting()
    with mode, torch._C.DisableTorchFunctionSubclass():
        logged + 1
    with mode, torch._C.DisableTorchFunction():
        logged + 1
    assert mode.seen == ["torch.Tensor.add"] or mode.seen == ["torch.Tensor.__add__"]


def test_modes_see_everything_and_nest():
    outer, inner = Counting(), Counting()
    with outer:
        with inner:
            x = torch.ones(2)
            assert x.shape == (2,)
        x.sum()
    x.sum()
    assert inner.seen == ["torch.ones", "torch.Tensor.shape.__get__"]
    assert outer.seen == [*inner.seen, "torch.Tensor.sum"]
    assert overrides._get_current_function_mode_stack() == []


def test_functions_stay_what_they_are_under_a_mode():
    before = (torch.Tensor.dim, torch.Tensor.shape.__get__)
    told = []

    class Telling(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            told.append(func is torch.Tensor.dim or func == torch.Tensor.shape.__get__)
            told[-1] = told[-1] or func is split is torch.Tensor.split
            return func(*args, **(kwargs or {}))

    split = torch.Tensor.split
    with Telling():
        x = torch.ones(2)
        told.clear()
        x.dim(), x.shape, x.split(1)
    assert told == [True, True, True]
    assert before == (torch.Tensor.dim, torch.Tensor.shape.__get__)


def test_a_mode_that_raises_is_left():
    class Failing(TorchFunctionMode):
        pass

    with pytest.raises(NotImplementedError), Failing():
        torch.tensor([1.0])
    assert torch.ones(2).dim() == 1


def test_modes_are_of_one_thread():
    mode = Counting()
    results = []
    with mode:
        thread = threading.Thread(target=lambda: results.append(torch.ones(3).sum().item()))
        thread.start()
        thread.join()
    assert results == [3.0] and mode.seen == []


def test_asking_by_hand():
    duck, plain = Answering(), torch.ones(1)
    assert overrides.has_torch_function((plain, duck))
    assert not overrides.has_torch_function((plain, 1, None))
    assert overrides.has_torch_function_unary(duck)
    assert not overrides.has_torch_function_variadic(plain, plain)
    with Counting():
        assert overrides.has_torch_function((plain,))

    @overrides.wrap_torch_function(lambda x: (x,))
    def double(x):
        return x * 2

    assert double(duck)[0] == "answered" and double(plain).item() == 2


def test_functions_are_the_same_keys_before_and_after_the_first_call():
    program = """
import rushlight as torch
table = {torch.add: 1, torch.Tensor.add: 2, torch.nn.functional.softmax: 3}
torch.ones(3).sum().item()
print(table[torch.add], table[torch.Tensor.add], table[torch.nn.functional.softmax])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "1 2 3\n", done.stderr


def test_kinds_of_objects():
    assert overrides.is_tensor_like(torch.ones(1)) and overrides.is_tensor_like(Answering())
    assert not overrides.is_tensor_like(3)
    assert overrides.is_tensor_method_or_property(torch.Tensor.add)
    assert overrides.is_tensor_method_or_property(torch.Tensor.shape.__get__)
    assert not overrides.is_tensor_method_or_property(torch.add)


def test_tables():
    functions = overrides.get_overridable_functions()
    assert torch.add in functions[torch] and torch.Tensor.add in functions[torch.Tensor]
    ignored = overrides.get_ignored_functions()
    assert torch.zeros in ignored and torch.add not in ignored
    twins = overrides.get_testing_overrides()
    assert twins[torch.add](1, 2, alpha=3) == -1
    assert list(inspect.signature(twins[torch.Tensor.sum]).parameters) == ["self", "dtype"]
    assert overrides.resolve_name(torch.nn.functional.linear) == "torch.nn.functional.linear"
    assert overrides.resolve_name(len) is None


def test_every_function_of_the_tables_asks():
    class Silent:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "asked"

    wrong = []
    for place, functions in overrides.get_overridable_functions().items():
        if place is torch.Tensor:
            continue
        twins = overrides.get_testing_overrides()
        for function in functions:
            parameters = inspect.signature(twins[function]).parameters.values()
            count = sum(
                p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters
            )
            if function(*[Silent() for _ in range(max(count, 1))]) != "asked":
                wrong.append(overrides.resolve_name(function))
    assert not wrong


def test_who_overrides_is_found_among_numbers():
    class Asked:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return "asked"

    class Hidden(torch.Tensor):
        pass

    found = overrides_hook.overloaded_or_tensor([[1.0] * 100, [2, torch.ones(1)]])
    assert [type(item) for item in found] == [torch.Tensor]
    assert overrides_hook.overloaded([[1, 2], (3, Asked)]) == []
    asked, hidden = Asked(), torch.ones(1).as_subclass(Hidden)
    assert len(overrides_hook.overloaded([[1, asked, 2], hidden])) == 2
