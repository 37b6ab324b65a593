"""What the dispatcher tells of its registrations."""

import itertools

import pytest

import rushlight as torch
from rushlight import _C, library
from rushlight._python_dispatcher import PythonDispatcher
from rushlight.engine.dispatch import registrations

serial = itertools.count()


@pytest.fixture
def namespace():
    return f"table{next(serial)}"


def fragment(namespace):
    return _C._dispatch_library("FRAGMENT", namespace, "")


def entries(name, *keys):
    lines = _C._dispatch_dump_table(name).splitlines()
    found = dict(line.split(": ", 1) for line in lines)
    return [found.get(key) for key in keys]


def test_kernels_may_come_before_their_operator_and_stay_behind_it(namespace):
    name = f"{namespace}::foo"
    implementing, defining = fragment(namespace), fragment(namespace)
    implementing.impl_t_t("foo", "CPU", debug="first")
    assert _C._dispatch_dump(name).splitlines()[1] == "schema: (none)"
    assert f"name: {name}" in [t.splitlines()[0] for t in _C._dispatch_find_dangling_impls()]
    defining.def_("foo(Tensor x) -> Tensor")
    x = torch.ones(2)
    assert getattr(torch.ops, namespace).foo(x) is x
    assert _C._dispatch_dump(name) not in _C._dispatch_find_dangling_impls()
    defining.reset()
    assert "CPU: first :: (Tensor _0) -> Tensor _0 [ boxed unboxed ]" in _C._dispatch_dump(name)
    implementing.reset()
    assert _C._dispatch_dump(name) == _C._dispatch_dump_table(name) == ""
    assert name not in registrations.entries


def test_the_last_kernel_serves_until_it_is_taken_away(namespace):
    first, second = fragment(namespace), fragment(namespace)
    first.def_schema_t_t("foo(Tensor x) -> Tensor", "CPU", debug="first")
    second.impl_t_t("foo", "CPU", debug="second")
    name = f"{namespace}::foo"
    assert entries(name, "CPU") == ["second [kernel]"]
    assert "CPU (inactive): first" in _C._dispatch_dump(name)
    first_library = first._library
    first_library.undo.pop()()
    assert entries(name, "CPU") == ["second [kernel]"]
    second.reset()
    assert entries(name, "CPU") == [None]
    _C._dispatch_check_all_invariants()


def test_aliases_serve_keys_in_order(namespace):
    held = fragment(namespace)
    held.def_("foo(Tensor x) -> Tensor")
    held.impl_t_t("foo", "CPU", debug="cpu")
    held.impl_t_t("foo", "Autograd", debug="autograd")
    held.impl_t_t("foo", "CompositeImplicitAutograd", debug="maths")
    name = f"{namespace}::foo"
    assert entries(name, "Undefined", "CPU", "CUDA", "AutogradCPU", "AutogradCUDA") == [
        "maths [math kernel]", "cpu [kernel]", "maths [math kernel]", "autograd [autograd kernel]",
        "maths [math kernel]",
    ]  # fmt: skip
    held.impl_t_t("foo", "FPGA")
    assert entries(name, "AutogradOther") == ["ambiguous_autogradother [ambiguous autogradother]"]
    held.impl_t_t("foo", "CompositeExplicitAutograd", debug="backends")
    assert entries(name, "CUDA", "AutogradCUDA", "Python")[:2] == [
        "backends [default backend kernel]", "autograd [autograd kernel]",
    ]  # fmt: skip
    held.reset()


def test_compiled_kernels_fit_their_schema(namespace):
    held = fragment(namespace)
    held.def_("foo(Tensor x, Tensor y) -> Tensor")
    with pytest.raises(RuntimeError, match=r"number of arguments is different. 2 vs 1"):
        held.impl_t_t("foo")
    with pytest.raises(RuntimeError, match=r"multiple times.*Original registration: registered at"):
        held.def_("foo(Tensor x, Tensor y) -> Tensor")
    assert "impl_t_t" not in _C._dispatch_dump(f"{namespace}::foo")
    held.reset()


def test_fallbacks_come_once():
    held = _C._dispatch_library("IMPL", "_", "XLA")
    held.fallback_fallthrough()
    with pytest.raises(
        RuntimeError, match="multiple backend fallbacks for the same dispatch key XLA"
    ):
        held.fallback_fallthrough()
    with pytest.raises(RuntimeError, match=r"multiple backend fallbacks.*AutogradCPU"):
        _C._dispatch_library("IMPL", "_", "AutogradCPU").fallback_fallthrough()
    held.reset()
    assert not _C._dispatch_has_backend_fallback("XLA")


def test_built_in_operators():
    has = _C._dispatch_has_kernel_for_dispatch_key
    assert has("aten::relu", "CPU") and has("aten::relu", "Autograd")
    assert has("aten::reshape", "CompositeImplicitAutograd") and not has("aten::relu", "CUDA")
    with pytest.raises(RuntimeError, match="operator aten::nothing does not exist"):
        has("aten::nothing", "CPU")
    with pytest.raises(RuntimeError, match="could not parse dispatch key: nothing"):
        _C._dispatch_print_registrations_for_dispatch_key("nothing")
    assert "aten::relu" in _C._dispatch_get_registrations_for_dispatch_key("CPU")


def test_a_dispatcher_to_try():
    dispatcher = PythonDispatcher()
    dispatcher.register(["CPU", "XLA", "Lazy", "CompositeImplicitAutograd"])
    table = dispatcher.dispatchTable()
    assert "FPGA            fn_CompositeImplicitAutograd [math kernel]\n" in table
    assert "AutogradCPU     [backend fallback]\n" in table
    assert "CompositeImplicitAutograd[alias] fn_CompositeImplicitAutograd\n" in (
        dispatcher.registrations()
    )
    with pytest.raises(RuntimeError, match="duplicates"):
        dispatcher.register(["CPU", "CPU"])
    dispatcher.ref.reset()


def test_sets_of_keys():
    cpu, autograd = _C.DispatchKey.CPU, _C.DispatchKey.AutogradCPU
    both = _C.DispatchKeySet(cpu) | _C.DispatchKeySet(autograd)
    assert str(both) == "DispatchKeySet(CPU, AutogradCPU)"
    assert both.highestPriorityTypeId() is autograd and both.has(cpu)
    assert str(both & _C._after_autograd_keyset) == "DispatchKeySet(CPU)"
    assert both.remove(autograd) == _C.DispatchKeySet(cpu)
    assert _C.DispatchKeySet.from_raw_repr(both.raw_repr()) == both
    assert not _C.DispatchKeySet(autograd).has(_C.DispatchKey.AutogradCUDA)
    with pytest.raises(AttributeError, match="could not parse dispatch key: Nothing"):
        _C.DispatchKey.Nothing  # noqa: B018
    shown = "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)"
    assert str(_C._dispatch_keys(torch.ones(2))) == shown
    with torch.inference_mode():
        assert str(_C._dispatch_keys(torch.ones(2))) == "DispatchKeySet(CPU, AutocastCPU)"
    with _C._AutoDispatchBelowAutograd():
        assert _C._dispatch_tls_is_dispatch_key_excluded(_C.DispatchKey.AutogradOther)


def test_autograd_kernels_run_though_nothing_wants_a_gradient(namespace):
    seen = []
    with library._scoped_library(namespace, "DEF") as held:
        held.define("foo(Tensor x) -> Tensor")
        foo = getattr(torch.ops, namespace).foo.default

        def autograd(keys, x):
            seen.append("autograd")
            return foo.redispatch(keys & _C._after_autograd_keyset, x)

        held.impl("foo", lambda x: seen.append("cpu") or x + 1, "CPU")
        held.impl("foo", autograd, "AutogradCPU", with_keyset=True)
        held.impl("foo", lambda x: seen.append("xla") or x, "AutogradXLA")
        x = torch.ones(2)
        assert foo(x).tolist() == [2, 2] and seen == ["autograd", "cpu"]
        foo(x.requires_grad_())
        with _C._AutoDispatchBelowAutograd():
            foo(x.detach())
        with torch.inference_mode():
            foo(torch.ones(2))
        assert seen == ["autograd", "cpu"] * 2 + ["cpu"] * 2


def test_programs_kernels_run_each_time():
    seen = []
    with library._scoped_library("aten", "IMPL") as held:
        held.impl("neg", lambda x: seen.append(1) or x + 1, "CPU")
        x = torch.ones(2)
        assert [torch.neg(x).tolist() for _ in range(6)] == [[2, 2]] * 6
    assert len(seen) == 6 and torch.neg(x).tolist() == [-1, -1]


def test_redispatch_takes_what_the_schema_takes():
    x, cpu = torch.ones(2, requires_grad=True), _C.DispatchKeySet("CPU")
    result = torch.ops.aten.add.Tensor.redispatch(cpu, x, x, alpha=3)
    assert result.tolist() == [4, 4] and not result.requires_grad
    with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor'"):
        torch.ops.aten.mul.Tensor.redispatch(cpu, x, 2)


def test_an_alias_is_excluded_with_what_it_stands_for():
    autograd = _C.DispatchKey.Autograd
    x = torch.ones(())
    with _C._ExcludeDispatchKeyGuard(_C.DispatchKeySet(autograd)):
        assert torch.func.grad(torch.sin)(x) == torch.cos(x)
        assert _C._dispatch_tls_local_exclude_set().has(autograd)
    assert not _C._dispatch_tls_local_exclude_set().has(autograd)
