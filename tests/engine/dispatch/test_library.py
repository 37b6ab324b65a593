import itertools

import pytest

from rushlight._ops import ops
from rushlight.engine.core import dtype as dtypes
from rushlight.engine.core import keys
from rushlight.engine.core.tensor import Tensor, empty
from rushlight.engine.dispatch import registry
from rushlight.engine.dispatch.infer_schema import infer_schema
from rushlight.engine.dispatch.library import Library, fallthrough_kernel
from rushlight.library import custom_op, define, impl, opcheck, register_fake, register_kernel

serial = itertools.count()


@pytest.fixture
def namespace():
    return f"library{next(serial)}"


def test_define_and_impl(namespace, x):
    with Library(namespace, "DEF") as library:
        name = library.define("scale(Tensor x, float by=2.0, *, int times=1) -> Tensor")
        assert name == "scale"
        seen = []
        library.impl("scale", lambda x, *args, **kwargs: seen.append((args, kwargs)), "CPU")
        scale = getattr(ops, namespace).scale
        scale(x)
        scale.default(x, 3.0, times=2)
        # Defaults are left out, as a user would write the call.
        assert seen == [((), {}), ((3.0,), {"times": 2})]
        with pytest.raises(RuntimeError, match="already a kernel registered from python"):
            library.impl("scale", lambda x: x, "CPU", allow_override=False)
        with pytest.raises(RuntimeError, match="Only a single TORCH_LIBRARY"):
            Library(namespace, "DEF")
    with pytest.raises(AttributeError, match="has no attribute 'scale'"):
        getattr(ops, namespace).scale  # noqa: B018


def test_kernels_of_built_in_operators_are_put_back(reports, x):
    reports("neg")
    with Library("aten", "IMPL", "CPU") as library:
        library.impl("neg", lambda x: "mine")
        assert ops.aten.neg(x) == "mine"
    assert ops.aten.neg(x) == ("neg", x)


def test_errors_of_library():
    with pytest.raises(ValueError, match="Unsupported kind"):
        Library("a", "OTHER")
    with pytest.raises(ValueError, match="reserved"):
        Library("prim", "DEF")
    with Library("errors", "FRAGMENT") as library:
        with pytest.raises(RuntimeError, match="<--- HERE"):
            library.define("f(Tensor x")
        with pytest.raises(TypeError, match="callable"):
            library.impl("f", 3)
        with pytest.raises(RuntimeError, match="could not parse dispatch key: Nowhere"):
            library.impl("g", print, "Nowhere")


def test_fallbacks_and_fallthrough(namespace, x):
    seen = []
    x._keys_ |= keys.TRACER
    with Library("_", "IMPL") as fallbacks, Library(namespace, "FRAGMENT") as library:
        library.define("f(Tensor x, int k=1) -> Tensor")
        library.impl("f", lambda x, k=1: k, "CPU")
        fallbacks.fallback(lambda op, *args, **kwargs: seen.append((str(op), args)), "Tracer")
        f = getattr(ops, namespace).f
        f(x)
        assert seen == [(f"{namespace}.f.default", (x,))]
        library.impl("f", fallthrough_kernel, "Tracer")
        assert f(x, 2) == 2
    assert keys.TRACER not in registry.fallbacks


def test_functions_of_the_module(namespace, x):
    define(f"{namespace}::f", "(Tensor x) -> Tensor")
    impl(f"{namespace}::f", "cpu", lambda x: "cpu")
    f = getattr(ops, namespace).f
    assert f(x) == "cpu"

    @register_fake(f"{namespace}::f")
    def fake(x):
        return "fake"

    x._keys_ = keys.META
    assert f(x) == "fake"
    define(f"{namespace}::g", "(Tensor x) -> Tensor")
    register_kernel(f"{namespace}::g", None, lambda x: "any")
    assert getattr(ops, namespace).g(x) == "any"


def test_a_custom_operator(namespace, x):
    @custom_op(f"{namespace}::double", mutates_args=())
    def double(x: Tensor, times: int = 2) -> Tensor:
        return empty(tuple(x._size_), x._dtype_)

    assert str(double._opoverload.schema).startswith(
        f"{namespace}::double(Tensor x, SymInt times=2) -> Tensor"
    )
    assert double(x)._size_ == (2, 3) and getattr(ops, namespace).double(x)._size_ == (2, 3)
    with pytest.raises(Exception, match="no fake kernel"):
        opcheck(double, (x,))
    double.register_fake(lambda x, times=2: empty(tuple(x._size_), x._dtype_))
    assert set(opcheck(double, (x,)).values()) == {"SUCCESS"}
    double.register_fake(lambda x, times=2: empty((1,), x._dtype_))
    with pytest.raises(Exception, match="the fake kernel gives"):
        opcheck(double, (x,))


def test_a_custom_operator_must_not_return_its_input(namespace, x):
    @custom_op(f"{namespace}::same", mutates_args=())
    def same(x: Tensor) -> Tensor:
        return x

    with pytest.raises(RuntimeError, match="must not also be an input"):
        same(x)


def test_schemas_of_annotated_functions():
    def f(
        x: Tensor, y: Tensor | None, z: list[Tensor], k: int = 1, *, s: str = "a", d: dtypes.dtype
    ) -> tuple[Tensor, int]:
        raise AssertionError

    expected = (
        'f(Tensor x, Tensor(a1!)? y, Tensor[] z, SymInt k=1, *, str s="a", ScalarType d)'
        " -> (Tensor, SymInt)"
    )
    assert infer_schema(f, mutates_args={"y"}, op_name="f") == expected

    def bare(x) -> None: ...

    with pytest.raises(ValueError, match="must have a type annotation"):
        infer_schema(bare, mutates_args=())
