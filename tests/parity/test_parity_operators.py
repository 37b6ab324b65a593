"""Schemas, tags and keys of operators, held against a real PyTorch's."""

import pytest

from rushlight import _C
from rushlight._ops import ops
from rushlight.engine.dispatch import key_names, operator

torch = pytest.importorskip("torch")


def theirs(name):
    packet, _, overload = name.removeprefix("aten::").partition(".")
    found = getattr(torch.ops.aten, packet, None)
    return getattr(found, overload or "default", None)


def test_schema_texts():
    ours = {name: str(operator.operator(name)._schema) for name in operator.index()}  # type: ignore
    known = {name: found for name in ours if (found := theirs(name)) is not None}
    assert len(known) > 1800
    assert {n: ours[n] for n in known if ours[n] != str(known[n]._schema)} == {}


def test_fields_of_schemas():
    for name in ("add.out", "sum.dim_IntList", "split.Tensor", "view", "div.Tensor_mode", "zeros"):
        ours, there = operator.operator(name)._schema, theirs(name)._schema
        for one, other in zip(
            [*ours.arguments, *ours.returns], [*there.arguments, *there.returns], strict=True
        ):
            for field in ("name", "N", "kwarg_only", "is_out", "is_write", "default_value"):
                assert getattr(one, field) == getattr(other, field), (name, field)
            assert str(one.type) == str(other.type) and str(one.real_type) == str(other.real_type)
            assert one.type.kind() == other.type.kind()


def test_tags():
    names = [name for name in operator.index() if theirs(name) is not None]
    wrong = {
        name
        for name in names
        if [t.name for t in operator.operator(name).tags] != [t.name for t in theirs(name).tags]
    }
    # Which variants PyTorch's generator has made itself, and a tag that one of them has lost.
    assert wrong == {
        "aten::constant_pad_nd.out", "aten::trace.out", "aten::rrelu_", "aten::narrow_copy.out",
    }  # fmt: skip


def test_keys():
    there = torch._C
    known = {}
    for name in key_names.raw_sets():
        try:
            known[name] = there._dispatch_key_parse(name)
        except RuntimeError:
            continue
    assert len(known) > 90
    for name, key in known.items():
        assert key_names.numbers()[name] == int(key), name
        assert key_names.raw_sets()[name] == there.DispatchKeySet(key).raw_repr(), name
        for alias in key_names.ALIASES:
            is_in = there._dispatch_is_included_in_alias(key, there._dispatch_key_parse(alias))
            assert is_in == (name in key_names.in_alias(alias)), (name, alias)
    shown = str(there._dispatch_keys(torch.ones(1)))
    assert str(_C._dispatch_keys(ops.aten.ones([1]))) == shown
