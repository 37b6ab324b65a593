import contextlib

import numpy as np
import pytest

from rushlight.engine.bindings import public
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import layout as layouts
from rushlight.engine.core import state
from rushlight.engine.core.device import device
from rushlight.engine.core.size import Size
from rushlight.engine.core.tensor import Tensor, empty
from rushlight.engine.dispatch import overrides_hook
from rushlight.engine.dispatch.numbers import is_wrapped
from rushlight.engine.dispatch.operator import operator, packet
from rushlight.engine.dispatch.resolver import Resolver
from rushlight.engine.generated import functions, methods

FUNCTIONS = {r.name: r for r in public.resolvers if not r.is_method}
WAYS = ["public", "text", "resolver"]


def way_of(resolver, way):
    """A public function, the Python function that its text says, or its resolver."""
    ways = {
        "public": lambda: resolver.public,
        "text": lambda: text_or_resolver(resolver),
        "resolver": lambda: lambda *args, **kwargs: resolver(args, kwargs),
    }
    return ways[way]()


def text_or_resolver(resolver):
    with public.written_at_once():
        function = public.python_function(resolver)
        with contextlib.suppress(TypeError):
            function()
    return function


@pytest.fixture(params=WAYS)
def torch(request):
    """Functions, and the same calls past what is in front of them."""

    class Namespace:
        def __getattr__(self, name):
            return way_of(FUNCTIONS[name], request.param)

    return Namespace()


@pytest.fixture(params=WAYS)
def method(request):
    return lambda name, *args, **kwargs: way_of(methods.RESOLVERS[name], request.param)(
        *args, **kwargs
    )


def test_tensors_and_numbers_choose_the_overload(torch, reports, x):
    reports("add.Tensor", "add.Scalar", "add.out", "eq.Tensor", "eq.Scalar")
    assert torch.add(x, x) == ("add.Tensor", x, x, 1)
    assert torch.add(x, 2, alpha=3) == ("add.Scalar", x, 2, 3)
    assert torch.add(x, x, out=x) == ("add.out", x, x, 1, x)
    assert torch.add(input=x, x2=x) == ("add.Tensor", x, x, 1)
    assert torch.eq(x, 1.5) == ("eq.Scalar", x, 1.5)
    result = torch.eq(x, np.float64(1.5))
    assert result == ("eq.Scalar", x, 1.5) and type(result[2]) is float


def test_lists_of_integers_in_all_spellings(torch, method, reports, x):
    reports("zeros", "view", "view.dtype", "permute", "sum.dim_IntList", "sum")
    for size in ((2, 3), [2, 3], Size((2, 3)), (np.int64(2), np.int32(3))):
        assert torch.zeros(size)[1] == (2, 3)
        assert torch.zeros(*size)[1] == (2, 3)
        assert method("view", x, size) == ("view", x, (2, 3))
    assert method("view", x, -1) == ("view", x, (-1,))
    assert method("view", x, size=(6,)) == ("view", x, (6,))
    assert method("view", x, dtypes.int32) == ("view.dtype", x, dtypes.int32)
    assert method("permute", x, 1, 0) == ("permute", x, (1, 0))
    assert torch.sum(x) == ("sum", x, None)
    assert torch.sum(x, 1) == ("sum.dim_IntList", x, (1,), False, None)
    assert torch.sum(x, dim=[0, 1], keepdim=True) == ("sum.dim_IntList", x, (0, 1), True, None)
    assert torch.sum(x, axis=0, keepdims=True) == ("sum.dim_IntList", x, (0,), True, None)
    assert torch.sum(x, None) == ("sum.dim_IntList", x, None, False, None)


def test_types_and_devices(torch, reports, x):
    reports("zeros", "zeros_like", "clone")
    found = torch.zeros(2, dtype=float, device="cpu", layout=layouts.strided)
    assert found == ("zeros", (2,), dtypes.float64, layouts.strided, device("cpu"), None)
    assert torch.zeros_like(x, dtype=dtypes.int8)[2] is dtypes.int8
    assert torch.clone(x, memory_format=layouts.channels_last)[2] is layouts.channels_last


def test_self_comes_first_in_methods_wherever_the_schema_has_it(torch, method, reports, x):
    reports("where.self", "where.ScalarOther", "polygamma")
    y = empty((2, 3), dtypes.bool_)
    assert method("where", x, y, x) == ("where.self", y, x, x)
    assert method("where", x, y, 1) == ("where.ScalarOther", y, x, 1)
    assert torch.where(y, input=x, other=x) == ("where.self", y, x, x)
    assert method("polygamma", x, 2) == ("polygamma", 2, x)
    assert torch.polygamma(2, x) == ("polygamma", 2, x)


def test_named_results(torch, reports, x):
    reports("max.dim", "max", "max.other", "max.dim_max")
    assert torch.max(x) == ("max", x)
    assert torch.max(x, x) == ("max.other", x, x)
    operator("max.dim").register("CPU", lambda self, dim, keepdim: (dim, keepdim))
    result = torch.max(x, dim=1)
    assert result.values == 1 and result.indices is False and tuple(result) == (1, False)
    assert repr(result) == "torch.return_types.max(\nvalues=1,\nindices=False)"


def test_sequences_of_tensors(torch, reports, x):
    reports("cat", "cat.out", "index.Tensor")
    assert torch.cat([x, x], 1) == ("cat", [x, x], 1)
    assert torch.cat(tensors=(x, x), axis=1) == ("cat", (x, x), 1)
    assert torch.index(x, [None, x])[2] == [None, x]


ERRORS = [
    (lambda t, x: t.neg(1), "neg(): argument 'input' (position 1) must be Tensor, not int"),
    (lambda t, x: t.neg(), 'neg() missing 1 required positional arguments: "input"'),
    (lambda t, x: t.neg(x, x), "neg() takes 1 positional argument but 2 were given"),
    (lambda t, x: t.neg(x, foo=1), "neg() got an unexpected keyword argument 'foo'"),
    (lambda t, x: t.neg(x, input=x), "neg() got multiple values for argument 'input'"),
    (lambda t, x: t.add(x, "a"), "add(): argument 'other' (position 2) must be Tensor, not str"),
    (
        lambda t, x: t.add(x),
        "add() received an invalid combination of arguments - got (Tensor), but expected "
        "(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)",
    ),
    (
        lambda t, x: t.eq(x, "a"),
        "eq() received an invalid combination of arguments - got (Tensor, str), but expected one "
        "of:\n * (Tensor input, Tensor other, *, Tensor out = None)\n"
        " * (Tensor input, Number other, *, Tensor out = None)\n",
    ),
    (
        lambda t, x: t.zeros([2, 1.5]),
        "zeros(): argument 'size' failed to unpack the object at pos 2 with error "
        '"type must be tuple of ints,but got float"',
    ),
    (
        lambda t, x: t.cat(x),
        "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
    ),
    (lambda t, x: t.cat([x, 1]), "expected Tensor as element 1 in argument 0, but got int"),
    (
        lambda t, x: t.transpose(x, True, 0),
        "transpose(): argument 'dim0' (position 2) must be int, not bool",
    ),
    (lambda t, x: t.add(x, x, alpha="s"), "add(): argument 'alpha' must be Number, not str"),
    (lambda t, x: t.zeros(2, dtype="f"), "zeros(): argument 'dtype' must be torch.dtype, not str"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS, ids=range(len(ERRORS)))
def test_errors_say_what_pytorch_says(torch, x, call, message):
    with pytest.raises(TypeError) as caught:
        call(torch, x)
    assert str(caught.value) == message


def test_a_number_stands_for_a_tensor_where_no_scalar_overload_serves(reports, x):
    reports("add.Tensor", "scalar_tensor", "add.out")
    operator("scalar_tensor").register("CPU", lambda *args: empty((), args[1]))
    _, left, right, _ = functions.add(2, x)
    assert right is x and left._dtype_ is dtypes.int64 and is_wrapped(left)
    assert is_wrapped(functions.add(x, 2.5, out=x)[2])


def test_old_forms_work_and_warn_once(reports, x):
    reports("add.Tensor")
    state._warned_of.discard(FUNCTIONS["add"])
    with pytest.warns(UserWarning, match="This overload of add is deprecated") as caught:
        assert functions.add(x, 2, x) == ("add.Tensor", x, x, 2)
    assert caught[0].filename == __file__
    assert functions.add(x, 3, x) == ("add.Tensor", x, x, 3)


def test_old_forms_warn_always_if_asked_to():
    import rushlight as torch

    x = torch.ones(2)
    torch.set_warn_always(True)
    try:
        for _ in range(4):
            with pytest.warns(UserWarning, match="This overload of addcmul is deprecated"):
                torch.addcmul(x, 2, x, x)
        assert torch.is_warn_always_enabled()
    finally:
        torch.set_warn_always(False)
    assert not state.warns_always and not state.switches.busy


def test_signs_decline_what_they_cannot_take(x):
    assert Tensor.__add__(x, "a") is NotImplemented
    assert Tensor.__eq__(x, object()) is NotImplemented


def test_the_memo_follows_values_where_types_do_not_decide(reports, x):
    reports("eq.Tensor", "eq.Scalar")
    resolver = Resolver("eq", "eq.Tensor eq.Scalar", False)
    assert resolver((x, 1), {})[0] == "eq.Scalar"
    assert list(resolver.memo.values()) == [1]
    assert resolver((x, x), {})[0] == "eq.Tensor"
    assert resolver((x, 1), {})[0] == "eq.Scalar"


def test_operators_by_schema(reports, x):
    reports("add.Tensor", "add.Scalar", "neg")
    assert operator("add.Tensor")(x, other=x) == ("add.Tensor", x, x, 1)
    assert packet("add")(x, 1, alpha=2) == ("add.Scalar", x, 1, 2)
    with pytest.raises(
        RuntimeError, match=r"Expected a value of type 'Tensor' for argument 'other'"
    ):
        operator("add.Tensor")(x, "a")
    with pytest.raises(RuntimeError, match=r"is missing value for argument 'self'"):
        operator("neg")(foo=x)
    with pytest.raises(RuntimeError, match=r"expected at most 1 argument\(s\) but received 2"):
        operator("neg")(x, x)
    with pytest.raises(RuntimeError, match=r"failed to match any schema"):
        packet("neg")(x, x)


class Duck:
    """Not a tensor, but wants to be asked."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func, types, args, kwargs


def test_duck_types_are_asked(x):
    duck = Duck()
    expected = (functions.add, (Duck,), (x, duck), {"alpha": 2})
    assert functions.add(x, duck, alpha=2) == expected
    assert functions.cat([x, duck])[0] is functions.cat
    assert Tensor.__add__(x, duck)[0] is Tensor.add


def test_subclasses_are_asked_before_their_bases(x):
    class Sub(Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    made = object.__new__(Sub)
    with pytest.raises(TypeError, match=r"Multiple dispatch failed for .*neg.*"):
        functions.neg(made)

    class SubSub(Sub):
        pass

    assert [type(v) for v in overrides_hook.overloaded([made, object.__new__(SubSub)])] == [
        SubSub,
        Sub,
    ]
    assert overrides_hook.overloaded([x]) == []


def test_a_function_mode_sees_every_call(reports, x):
    reports("neg")
    seen = []

    class Mode:
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    overrides_hook.push_mode(Mode())
    try:
        assert functions.neg(x) == ("neg", x)
        with overrides_hook.without_overrides():
            functions.neg(x)
    finally:
        overrides_hook.pop_mode()
    assert seen == [functions.neg] and Tensor in overrides_hook.plain
