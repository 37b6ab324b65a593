"""Names of parts that are not there: imports succeed, uses say what is missing."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight._names.absent import absent_class, is_absent


def test_absent_functions_and_classes_say_what_is_missing() -> None:
    from rushlight.functorch.compile import minifier

    Absent = absent_class(__name__, "Absent", "such things")

    with pytest.raises(NotImplementedError, match="minifier: rushlight has no search"):
        minifier(torch.sin)
    with pytest.raises(NotImplementedError, match="Absent: rushlight has no such things"):
        Absent(None)
    assert not isinstance(torch.nn.Linear(1, 1), Absent)
    assert all(map(is_absent, (minifier, Absent)))
    assert not is_absent(torch.func.functional_call) and not is_absent(torch.nn.Linear)


def test_compiled_libraries_are_refused() -> None:
    with pytest.raises(OSError, match=r"lib\.so: rushlight loads no libraries"):
        torch.ops.load_library("lib.so")


def test_key_sets() -> None:
    keys = torch._C.DispatchKey
    both = torch._C.DispatchKeySet(keys.CPU) | torch._C.DispatchKeySet(keys.AutocastCPU)
    assert both.has(keys.CPU) and not both.has(keys.AutocastCUDA) and not both.has(keys.Meta)
    assert str(both - torch._C.DispatchKeySet(keys.CPU)) == "DispatchKeySet(AutocastCPU)"
    with pytest.raises(AttributeError, match="could not parse dispatch key: Nothing"):
        keys.Nothing  # noqa: B018
    x = torch.ones(2, 2)
    autocast = torch._C.DispatchKeySet(keys.AutocastCPU)
    with torch.autocast("cpu"), torch._C._ExcludeDispatchKeyGuard(autocast):
        assert (x @ x).dtype is torch.float32


def test_what_an_operator_returns_may_be_said_before_it_is_defined() -> None:
    @torch.library.register_fake("absent_test::later")
    def _(x):
        return x.new_empty(x.shape[0])

    torch.library.define("absent_test::later", "(Tensor x) -> Tensor")
    assert torch.ops.absent_test.later(torch.empty(3, 4, device="meta")).shape == (3,)


def test_arguments_that_are_written_alone() -> None:
    torch.library.define("absent_test::written", "(Tensor a, Tensor! b, Tensor! c) -> ()")
    schema = torch.ops.absent_test.written.default._schema
    assert [a.is_write for a in schema.arguments] == [False, True, True]
