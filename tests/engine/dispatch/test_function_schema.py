"""Schemas as programs see them."""

import pickle

import pytest

import rushlight as torch
from rushlight import _C

aten = torch.ops.aten


def test_fields():
    schema = aten.add.out._schema
    assert (schema.name, schema.overload_name, schema.is_mutable) == ("aten::add", "out", True)
    alpha, out = schema.arguments[2:]
    assert (alpha.name, str(alpha.type), alpha.default_value) == ("alpha", "number", 1)
    assert alpha.kwarg_only and alpha.has_default_value() and not alpha.is_out
    assert out.is_out and out.is_write and out.alias_info.before_set == {"a"}
    assert schema.returns[0].alias_info.is_write
    assert aten.add.Tensor._schema.returns[0].alias_info is None
    assert aten.view.default._schema._is_view_op() and not schema._is_view_op()
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_types():
    dim, _, dtype = aten.sum.dim_IntList._schema.arguments[1:]
    assert str(dim.type) == "Optional[List[int]]" and dim.N == 1
    assert (str(dtype.type), str(dtype.real_type)) == ("Optional[int]", "Optional[ScalarType]")
    assert dim.type == torch.OptionalType(torch.ListType.ofInts())
    assert isinstance(aten.relu.default._schema.arguments[0].type, torch.TensorType)
    assert torch.IntType.get().isSubtypeOf(torch.NumberType.get())
    assert not torch.TensorType.get().isSubtypeOf(torch.IntType.get())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("float x=1", "float x=1."),
        ("float x=1e-05", "float x=1.0000000000000001e-05"),
        ("str x='a'", 'str x="a"'),
        ("int[2] x=1", "int[2] x=1"),
        ("SymInt[2] x=1", "SymInt[2] x=[1, 1]"),
        ("int[1] x=0", "int[1] x=[0]"),
        ("int[] x=[0,1]", "int[] x=[0, 1]"),
        ("MemoryFormat x=contiguous_format", "MemoryFormat x=0"),
        ("ScalarType? x=long", "ScalarType? x=4"),
        ("Tensor? x=None", "Tensor? x=None"),
    ],
)
def test_defaults_as_they_are_written(text, shown):
    assert str(_C.parse_schema(f"a::f({text}) -> ()")) == f"a::f({shown}) -> ()"


def test_compatibility():
    old = _C.parse_schema("f(Tensor x) -> Tensor")
    new = _C.parse_schema("f(Tensor x, int y=1) -> Tensor")
    needs = _C.parse_schema("f(Tensor x, int y) -> Tensor")
    assert new.is_backward_compatible_with(old) and not needs.is_backward_compatible_with(old)
    assert needs.check_forward_compatible_with(old)[0] is False


def test_tags():
    assert aten.add.Tensor.tags == [
        torch.Tag.core,
        torch.Tag.pointwise,
        torch.Tag.pt2_compliant_tag,
    ]
    assert torch.Tag.inplace in aten.add_.Tensor.tags and torch.Tag.out in aten.add.out.tags
    assert int(torch.Tag.view_copy) == 19 and repr(torch.Tag.core) == "<Tag.core: 0>"


def test_schemas_of_all_operators():
    texts = {str(schema) for schema in _C._jit_get_all_schemas()}
    assert "aten::relu(Tensor self) -> Tensor" in texts
    found = _C._jit_get_schemas_for_operator("aten::add")
    assert {"Tensor", "Scalar", "out"} <= {schema.overload_name for schema in found}
